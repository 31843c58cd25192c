// SPDX-License-Identifier: BSD-3-Clause
//
// Nodes of a graph by their names: a table with open addressing, which is made, kept and dropped far sooner than a map of
// as many nodes. Internal to core/ir.
#pragma once

#include "core/ir/node.h"

#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace dynascope::ir {

/// Position of a node in its graph.
using NodeIndex = std::uint32_t;
inline constexpr NodeIndex npos = UINT32_MAX;

/// Positions by name; of several nodes of one name, that of the first. Refers to the nodes, which must outlive it.
class NameTable {
public:
    NameTable() = default;
    explicit NameTable(std::span<const NodePtr> nodes)
        : m_nodes(nodes)
        , m_slots(std::bit_ceil(2 * nodes.size() + 1)) {
        for (NodeIndex i = 0; i < nodes.size(); ++i) {
            const std::uint32_t hash = hashOf(nodes[i]->name);
            Slot& slot = m_slots[slotOf(nodes[i]->name, hash)];
            if (slot.node == npos) slot = {hash, i};
        }
    }
    [[nodiscard]] NodeIndex find(std::string_view name) const {
        return m_slots.empty() ? npos : m_slots[slotOf(name, hashOf(name))].node;
    }

private:
    struct Slot {
        std::uint32_t hash = 0;
        NodeIndex node = npos; ///< npos: free
    };
    static std::uint32_t hashOf(std::string_view name) {
        return static_cast<std::uint32_t>(std::hash<std::string_view>()(name));
    }
    /// That of the name, or the free one where it belongs.
    [[nodiscard]] std::size_t slotOf(std::string_view name, std::uint32_t hash) const {
        const std::size_t mask = m_slots.size() - 1;
        std::size_t at = hash & mask;
        while (m_slots[at].node != npos &&
               (m_slots[at].hash != hash || m_nodes[m_slots[at].node]->name != name))
            at = (at + 1) & mask;
        return at;
    }

    std::span<const NodePtr> m_nodes;
    std::vector<Slot> m_slots;
};

} // namespace dynascope::ir
