// SPDX-License-Identifier: BSD-3-Clause
//
// Rows while events are added to them. Internal to core/profile.
#pragma once

#include "core/profile/join.h"

#include <cstdint>
#include <map>
#include <vector>

namespace dynascope::profile {

class RowsBySubject {
public:
    /// The row of this; made where there is none.
    std::uint32_t at(const RowSubject& subject) {
        const auto [known, isNew] = m_rows.try_emplace(subject, static_cast<std::uint32_t>(m_list.size()));
        if (isNew) m_list.push_back({subject, 0, 0, {}});
        return known->second;
    }
    /// What a row is of. Valid until one is made.
    [[nodiscard]] const RowSubject& subject(std::uint32_t index) const { return m_list[index]; }

    void add(std::uint32_t index, double nanoseconds, int step, bool counts) {
        Row& row = m_list[index];
        row.self += nanoseconds;
        if (counts) ++row.count;
        if (row.bySteps.empty() || row.bySteps.back().first != step) row.bySteps.emplace_back(step, 0.0);
        row.bySteps.back().second += nanoseconds;
    }

    /// Leaves the table empty.
    [[nodiscard]] std::vector<Row> take() {
        for (Row& row : m_list)
            mergeSteps(row.bySteps);
        m_rows.clear();
        return std::move(m_list);
    }

    /// Sorted, one entry a step.
    static void mergeSteps(std::vector<std::pair<int, double>>& steps);

private:
    std::map<RowSubject, std::uint32_t> m_rows;
    std::vector<Row> m_list;
};

} // namespace dynascope::profile
