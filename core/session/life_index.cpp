// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/life_index.h"

#include <bit>
#include <numeric>

namespace dynascope::session {

LifeIndex::LifeIndex(std::span<const MemoryLife> lives)
    : m_order(lives.size())
    , m_leaves(std::bit_ceil(std::max<std::size_t>(lives.size(), 1))) {
    std::iota(m_order.begin(), m_order.end(), 0U);
    std::stable_sort(m_order.begin(), m_order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return lives[a].begin < lives[b].begin; });
    m_latest.assign(2 * m_leaves, 0);
    m_begins.reserve(lives.size());
    for (std::size_t i = 0; i < m_order.size(); ++i) {
        const MemoryLife& life = lives[m_order[i]];
        m_begins.push_back(life.begin);
        m_latest[m_leaves + i] = std::max(life.end, life.begin + 1);
    }
    for (std::size_t node = m_leaves; node-- > 1;)
        m_latest[node] = std::max(m_latest[2 * node], m_latest[2 * node + 1]);
}

} // namespace dynascope::session
