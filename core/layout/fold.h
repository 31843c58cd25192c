// SPDX-License-Identifier: BSD-3-Clause
//
// A big graph opens collapsed: nodes are grouped by nn.Module, then by source line, and only open groups show
// their children. The tree is computed once a graph; folding picks what is visible.
#pragma once

#include "core/ir/graph.h"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace dynascope::layout {

using GroupId = std::uint32_t;
inline constexpr GroupId noGroup = UINT32_MAX;

/// How a member of a run of alike blocks stands to most of them.
enum class Likeness : std::uint8_t {
    Isomorphic,  ///< same ops, arguments, metadata and internal edges
    SizesDiffer, ///< same ops and internal edges; sizes or constants differ
    Differs,
};

/// A block, or the whole graph (group 0).
struct Group {
    enum class Kind : std::uint8_t {
        Root,
        Module,
        SourceLine,
        Function, ///< calls that a function of the user's program made, with those that it called
        Turn,     ///< one turn of a loop: the lines of a function begin again
        Inputs,   ///< placeholders (and get_attr nodes) that would be a row of cards
        Run,      ///< neighbours, where there would be too many
        Kernel,   ///< what one kernel of the generated code computes
    } kind = Kind::Root;
    std::string name;   ///< "layers.0", "self_attn", "cap.py:43", "repeat_kv", "parameters", "nodes 1-100"
    std::string path;   ///< "model.layers.0.self_attn"; unique
    std::string detail; ///< its operations, or the line's code
    GroupId parent = noGroup;
    std::vector<GroupId> children;    ///< in graph order
    std::vector<ir::NodeIndex> nodes; ///< directly inside, in graph order
    std::size_t totalNodes = 0;       ///< with all descendants
    std::uint64_t shapeHash = 0; ///< of items of lists, such as layers.0: equal for isomorphic ones, with
                                 ///< the same ops, arguments and internal edges; else 0
    /// First of a run of neighbouring siblings most of which are alike ("layers.0 ... 3, 4 alike"), else
    /// noGroup. The run's other members carry the same value; the first carries its own id.
    GroupId alike = noGroup;
    Likeness likeness = Likeness::Isomorphic; ///< of a member of such a run
    std::string className{}; ///< of a module, "LlamaDecoderLayer"; empty where the capture does not tell it
};

struct GroupTree {
    std::vector<Group> groups;        ///< groups[0] is the root
    std::vector<GroupId> groupOfNode; ///< innermost group of each node
    /// By node: the qualified name of the parameter or buffer that a placeholder holds, else empty. Empty as
    /// a whole where no placeholder has one.
    std::vector<std::string> stateNames;
    [[nodiscard]] const std::string& stateName(ir::NodeIndex node) const;
    /// By node: what the program calls the tensor that it passes, for a placeholder that holds no parameter or buffer.
    /// Else empty, as a whole where there is none.
    std::vector<std::string> inputNames;
    [[nodiscard]] const std::string& inputName(ir::NodeIndex node) const;
    /// By node: the module that a call belongs to where that has no block of its own, having one call, as it is
    /// called in the innermost block that is a module: "q_proj". Else empty, as a whole where there is none.
    std::vector<std::string> loneModules;
    [[nodiscard]] const std::string& loneModule(ir::NodeIndex node) const;
    [[nodiscard]] int depth(GroupId id) const;
};

/// A kernel of the generated code as a block.
struct KernelBlock {
    std::string name;                 ///< "cpp_fused_add_select_0"
    std::string detail;               ///< stands behind its operations in Group::detail; may be empty
    std::vector<ir::NodeIndex> nodes; ///< that it computes
};

/// `hints` names, for placeholder i, the qualified parameter or buffer it holds
/// ("layers.0.self_attn.in_proj_weight"), or is empty; see moduleHints(). Modules come from hints and from
/// repeated source positions; nodes without either hang below the root. Inside a module, calls of one helper
/// function, turns of a loop and inputs that would be a row of cards are blocks too. With `kernels`, each that
/// computes several nodes is a block in the innermost module that holds them all; one on a cycle of blocks is cut
/// into runs, as modules are.
[[nodiscard]] GroupTree groupNodes(const ir::Graph& graph, const std::vector<std::string>& hints = {},
                                   const std::vector<KernelBlock>& kernels = {});

/// Parameter names by placeholder order, taken from Dynamo's own placeholder targets
/// (L_ or G_fn_modules_layers_modules_0_..._parameters_weight_), export's p_ names, or, for AOT graphs whose
/// placeholders carry PlainAOTInput(idx=i), from `dynamo`, the Dynamo graph of the same compile (may be
/// null).
[[nodiscard]] std::vector<std::string> moduleHints(const ir::Graph& graph, const ir::Graph* dynamo = nullptr);

/// A module that owns parameters or buffers of a graph, or one around such a module.
struct ModulePlace {
    std::string path;        ///< "model.layers.12.self_attn.q_proj"
    ir::NodeIndex first;     ///< the first node that reads one of its tensors
    std::size_t tensors = 0; ///< parameters and buffers, those of modules inside included
    bool isList = false;     ///< "model.layers": a list, not a module of its own
};
/// In the order of their first nodes; linear in the graph, and in the hints for each component of a name.
[[nodiscard]] std::vector<ModulePlace> modulePlaces(const ir::Graph& graph,
                                                    const std::vector<std::string>& hints);

/// By node, as GroupTree::stateNames; `hints` by placeholder.
[[nodiscard]] std::vector<std::string> stateNames(const ir::Graph& graph,
                                                  const std::vector<std::string>& hints);

/// By node: the qualified name of the parameter or buffer that it holds, else of the module that it belongs to,
/// which may be empty.
[[nodiscard]] std::vector<std::string> moduleNames(const GroupTree& tree);

/// Of the `count` members of a run that begins with `first`: "24 alike, 70 nodes each", "all but 0 and 23 alike,
/// 70 nodes each", "40 alike but for sizes, 17 nodes each".
[[nodiscard]] std::string stackText(const GroupTree& tree, GroupId first, std::size_t count);

/// The part of a tree that holds the nodes `kept` (rising): blocks without any are no children of others any
/// more, ids stay, groupOfNode of the other nodes is noGroup. A block that lost nodes is alike to no other.
[[nodiscard]] GroupTree keepNodes(GroupTree tree, const std::vector<ir::NodeIndex>& kept);

/// What is drawn: leaf nodes, closed groups and stacked runs of alike groups.
struct VisibleItem {
    enum class Kind : std::uint8_t { Node, Closed, Stack } kind = Kind::Node;
    ir::NodeIndex node = ir::npos; ///< Kind::Node
    GroupId group = noGroup;       ///< Closed: the group; Stack: the first of the run
    std::size_t alike = 1;         ///< Stack: how many
    int cluster = -1;              ///< innermost open group, as index into FoldedGraph::open
};
struct VisibleEdge {
    std::uint32_t from = 0, to = 0; ///< indices into FoldedGraph::items
    std::uint32_t count = 1;        ///< graph edges it stands for
};
struct FoldedGraph {
    std::vector<VisibleItem> items;
    std::vector<VisibleEdge> edges;
    std::vector<GroupId> open;             ///< open groups that have a frame, outer first
    std::vector<int> openParent;           ///< index into `open` or -1
    std::vector<std::uint32_t> itemOfNode; ///< item that shows each node; npos of those that no group holds
};

/// `openGroups` are the groups the user opened (the root is always open).
[[nodiscard]] FoldedGraph fold(const ir::Graph& graph, const GroupTree& tree,
                               const std::set<GroupId>& openGroups);

/// Groups to open at first: tries them one by one, the largest first, and what an open one holds after it, and
/// keeps open those with which the picture still `fits`. Never splits a stack, nor opens inputs. At most
/// `tries` calls of `fits`.
[[nodiscard]] std::set<GroupId> openWhere(const GroupTree& tree, std::size_t tries,
                                          const std::function<bool(const std::set<GroupId>&)>& fits);

/// The same so that at most `budget` items are visible, a stack counted once.
[[nodiscard]] std::set<GroupId> initialOpen(const GroupTree& tree, std::size_t budget = 120);

} // namespace dynascope::layout
