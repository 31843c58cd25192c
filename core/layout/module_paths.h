// SPDX-License-Identifier: BSD-3-Clause
//
// Which module every node of a graph belongs to. Internal to core/layout.
//
// Archives of torch.export carry nn_module_stack, in the nodes' notes. Text captures do not, so modules are
// inferred:
//  1. A node that reads a parameter, or a view of one, belongs to the module that owns it ("direct").
//  2. Consecutive nodes from one region of source (same file and function, lines close together) belong
//     together. A region whose every run reads one module's parameters is that module's forward (a norm);
//     one whose runs read several is the forward of the module around them (an attention), and its other
//     nodes belong there.
//  3. What is left lies between two known nodes and belongs to their deepest common module; between
//     layers.0 and layers.1 it still belongs to the one before, as residual adds do.
#pragma once

#include "core/ir/graph.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynascope::layout {

using PathId = std::uint32_t;
inline constexpr PathId rootPath = 0;
/// Source lines; further apart is another function of that name
inline constexpr std::uint32_t regionGap = 12;

/// Module paths as a tree; ids are small and stable. A list index is one component with its list: "layers.0".
class PathTable {
public:
    PathTable() { m_nodes.push_back({rootPath, {}, 0}); }
    PathId child(PathId parent, std::string_view component);
    /// One more, even where `parent` has one of that name.
    PathId add(PathId parent, std::string_view component);
    /// Of a qualified tensor name: "layers.0.fc.weight" -> the id of layers.0 / fc.
    PathId moduleOf(std::string_view tensor);
    [[nodiscard]] PathId parent(PathId id) const { return m_nodes[id].parent; }
    [[nodiscard]] const std::string& component(PathId id) const { return m_nodes[id].component; }
    [[nodiscard]] int depth(PathId id) const { return m_nodes[id].depth; }
    [[nodiscard]] PathId common(PathId a, PathId b) const;
    /// The ancestor of `id` at `depth`, which is at most depth(id).
    [[nodiscard]] PathId ancestor(PathId id, int depth) const;

private:
    struct Entry {
        PathId parent;
        std::string component;
        int depth;
    };
    std::vector<Entry> m_nodes;
    std::map<std::pair<PathId, std::string>, PathId> m_children;
};

struct ModulePaths {
    PathTable table;
    std::vector<PathId> ofNode;         ///< by NodeIndex
    std::vector<std::uint8_t> backward; ///< 1 where the node depends on a tangent; empty for graphs without
                                        ///< tangents or without a forward part
    bool any = false;                   ///< some node is inside a module
    std::map<PathId, std::string>
        kernels; ///< places that are kernels, with Group::detail; see placeKernels()
};

[[nodiscard]] ModulePaths inferModules(const ir::Graph& graph, const std::vector<std::string>& hints);

} // namespace dynascope::layout
