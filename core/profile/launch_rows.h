// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of the CPU that only launch what a device computes. Internal to core/profile.
#pragma once

#include "core/profile/join.h"

#include <set>
#include <utility>

namespace dynascope::profile {

/// Where a graph has kernels on a device its nodes take the time of those; what the CPU took to launch them runs beside,
/// and the sum of both is the time of nothing.
class LaunchRows {
public:
    explicit LaunchRows(const Joined& joined)
        : m_joined(joined) {
        for (const Row& row : joined.rows)
            if (row.stage >= 0 && computes(row) && !isOfCpu(row)) m_stages.emplace(row.compile, row.stage);
    }
    [[nodiscard]] bool contains(const Row& row) const {
        return computes(row) && isOfCpu(row) && m_stages.contains({row.compile, row.stage});
    }

private:
    [[nodiscard]] static bool computes(const Row& row) {
        return row.part == Part::Kernel || row.part == Part::Node || row.part == Part::InGraph;
    }
    [[nodiscard]] bool isOfCpu(const Row& row) const {
        return m_joined.profile->devices[row.device] == "cpu";
    }

    const Joined& m_joined;
    std::set<std::pair<int, int>> m_stages;
};

} // namespace dynascope::profile
