// SPDX-License-Identifier: BSD-3-Clause
//
// Finds what of a memory timeline is alive in a stretch of time without looking at the rest.
#pragma once

#include "core/session/memory_timeline.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace dynascope::session {

/// Lives in the order of their begin, below a binary tree of the latest end. A value; making one costs a
/// sort.
class LifeIndex {
public:
    LifeIndex() = default;
    explicit LifeIndex(std::span<const MemoryLife> lives);

    /// Calls `found(life)` for each that is held at one of the moments from..to-1, by begin. A life counts
    /// for one moment at least. Costs what is found, times the depth of the tree.
    template <typename Found>
    void forEach(std::size_t from, std::size_t to, Found&& found) const {
        const auto end = std::lower_bound(m_begins.begin(), m_begins.end(), to);
        visit(1, 0, m_leaves, std::size_t(end - m_begins.begin()), from, found);
    }

private:
    /// Below `node`, which stands for the lives first..first+count-1 in order.
    template <typename Found>
    void visit(std::size_t node, std::size_t first, std::size_t count, std::size_t end, std::size_t from,
               Found& found) const {
        if (first >= end || m_latest[node] <= from) return;
        if (count == 1) return found(std::size_t(m_order[first]));
        visit(2 * node, first, count / 2, end, from, found);
        visit(2 * node + 1, first + count / 2, count / 2, end, from, found);
    }

    std::vector<std::uint32_t> m_order;         ///< lives by begin
    std::vector<std::size_t> m_begins;          ///< in that order
    std::vector<std::size_t> m_latest = {0, 0}; ///< ends; node i has children 2i and 2i+1, the root is 1
    std::size_t m_leaves = 1;                   ///< a power of two
};

} // namespace dynascope::session
