// SPDX-License-Identifier: BSD-3-Clause
#include "core/layout/pane.h"

#include "core/ir/node.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace dynascope::layout {

namespace {

Box boxOf(const ir::Graph& graph, const VisibleItem& item) {
    Box box;
    box.cluster = item.cluster;
    box.width = cardWidth;
    switch (item.kind) {
    case VisibleItem::Kind::Node:
        box.height = graph.node(item.node).op == ir::Op::Output ? outputHeight : cardHeight;
        break;
    case VisibleItem::Kind::Closed:
        box.height = blockHeight;
        break;
    case VisibleItem::Kind::Stack:
        box.width = cardWidth + sheetOffset;
        box.height = blockHeight + sheetOffset;
        break;
    }
    return box;
}

bool isInputs(const Pane& pane, std::uint32_t item) {
    const VisibleItem& visible = pane.folded.items[item];
    return visible.kind == VisibleItem::Kind::Closed &&
           pane.tree->groups[visible.group].kind == Group::Kind::Inputs;
}

/// True where `to` is an in-place op that writes what `from` holds.
bool writes(const Pane& pane, std::uint32_t from, std::uint32_t to) {
    const VisibleItem& reader = pane.folded.items[to];
    if (reader.kind != VisibleItem::Kind::Node) return false;
    const ir::Node& node = pane.graph->node(reader.node);
    if (pane.kinds->at(reader.node) != ir::OpKind::Write || node.args.empty() || !node.args.front().isNode())
        return false;
    const ir::NodeIndex written = pane.graph->find(node.args.front().text);
    return written != ir::npos && pane.folded.itemOfNode[written] == from;
}

constexpr double unseenWeight = 0.1;
constexpr double holdingWeight = 4;      ///< layout lets an input sink to its readers unless more pulls it up
constexpr std::size_t mostGatherers = 4; ///< of one value that layout looks at
constexpr std::size_t heldInputs = 8;    ///< more inputs than these would make the picture too wide

void orderAfter(Pane& pane, std::uint32_t first, std::uint32_t second) {
    if (first == ir::npos || second == ir::npos) return; // of a node that is not drawn
    if (first != second) pane.input.edges.push_back({first, second, unseenWeight});
}

/// What reads a value after it was written in place stands below the write, although no edge says so.
void keepWritesInOrder(Pane& pane) {
    const ir::Graph& graph = *pane.graph;
    std::vector<ir::NodeIndex> lastWrite(graph.size(), ir::npos);
    std::set<std::pair<std::uint32_t, std::uint32_t>> ordered;
    for (ir::NodeIndex n = 0; n < graph.size(); ++n) {
        for (const ir::NodeIndex read : graph.inputs(n)) {
            if (lastWrite[read] == ir::npos) continue;
            const std::pair items{pane.folded.itemOfNode[lastWrite[read]], pane.folded.itemOfNode[n]};
            if (ordered.insert(items).second) orderAfter(pane, items.first, items.second);
        }
        if (pane.kinds->at(n) != ir::OpKind::Write) continue;
        const ir::Node& node = graph.node(n);
        if (node.args.empty() || !node.args.front().isNode()) continue;
        if (const ir::NodeIndex written = graph.find(node.args.front().text);
            written != ir::npos && written < n)
            lastWrite[written] = n;
    }
}

void keepOutputLast(Pane& pane, const std::vector<std::size_t>& out) {
    const auto& items = pane.folded.items;
    for (std::uint32_t last = 0; last < items.size(); ++last) {
        if (items[last].kind != VisibleItem::Kind::Node ||
            pane.graph->node(items[last].node).op != ir::Op::Output)
            continue;
        for (std::uint32_t i = 0; i < items.size(); ++i)
            if (out[i] == 0) orderAfter(pane, i, last);
        return;
    }
}

/// Calls for their effect alone, as torch._C._set_grad_enabled, have no edges: they stand below each other in
/// their order, not in a row that makes the picture wide.
void keepLooseInOrder(Pane& pane, const std::vector<std::size_t>& in, const std::vector<std::size_t>& out) {
    std::map<int, std::uint32_t> last; // by cluster
    const auto& items = pane.folded.items;
    for (std::uint32_t i = 0; i < items.size(); ++i) {
        if (in[i] > 0 || out[i] > 0 || items[i].kind != VisibleItem::Kind::Node) continue;
        const ir::Op op = pane.graph->node(items[i].node).op;
        if (op == ir::Op::Placeholder || op == ir::Op::Output) continue;
        const auto [at, isNew] = last.try_emplace(items[i].cluster, i);
        if (!isNew) orderAfter(pane, at->second, i);
        at->second = i;
    }
}

/// A few inputs belong in one row at the top, where a reader of the program looks for them.
void holdInputsUp(Pane& pane) {
    std::vector<std::uint32_t> inputs;
    const auto& items = pane.folded.items;
    for (std::uint32_t i = 0; i < items.size(); ++i) {
        const bool input = items[i].kind == VisibleItem::Kind::Node &&
                           pane.graph->node(items[i].node).op == ir::Op::Placeholder;
        if (input && items[i].cluster < 0) inputs.push_back(i);
    }
    if (inputs.empty() || inputs.size() > heldInputs) return;
    const auto top = static_cast<std::uint32_t>(pane.input.boxes.size());
    pane.input.boxes.push_back({1, 1, -1});
    for (const std::uint32_t input : inputs)
        pane.input.edges.push_back({top, input, holdingWeight});
}

} // namespace

TreePtr flatTree(const ir::Graph& graph, const std::vector<std::string>& hints) {
    auto tree = std::make_shared<GroupTree>();
    Group root;
    root.nodes.resize(graph.size());
    std::iota(root.nodes.begin(), root.nodes.end(), ir::NodeIndex{0});
    root.totalNodes = graph.size();
    tree->groups.push_back(std::move(root));
    tree->groupOfNode.assign(graph.size(), 0);
    tree->stateNames = stateNames(graph, hints);
    return tree;
}

KindsPtr kindsOf(const ir::Graph& graph) {
    std::vector<ir::OpKind> kinds;
    kinds.reserve(graph.size());
    for (const ir::NodePtr& node : graph.nodes())
        kinds.push_back(ir::opKind(*node));
    return std::make_shared<const std::vector<ir::OpKind>>(std::move(kinds));
}

Pane makePane(ir::GraphPtr graph, TreePtr tree, KindsPtr kinds, const std::set<GroupId>& open) {
    Pane pane;
    pane.graph = std::move(graph);
    pane.tree = std::move(tree);
    pane.kinds = std::move(kinds);
    pane.folded = fold(*pane.graph, *pane.tree, open);
    const auto& items = pane.folded.items;
    const auto& edges = pane.folded.edges;

    for (const VisibleItem& item : items)
        pane.input.boxes.push_back(boxOf(*pane.graph, item));
    for (const int parent : pane.folded.openParent) {
        Cluster cluster;
        cluster.parent = parent;
        pane.input.clusters.push_back(cluster);
    }

    std::vector<std::size_t> in(items.size(), 0);
    std::vector<std::size_t> out(items.size(), 0);
    for (const VisibleEdge& edge : edges) {
        ++out[edge.from];
        ++in[edge.to];
    }
    std::vector<bool> elsewhere(items.size(), false); // read by what does not gather its edges
    for (const VisibleEdge& edge : edges)
        if (in[edge.to] <= gatherAbove) elsewhere[edge.from] = true;
    std::vector<bool> heldByFirst(items.size(), false);
    pane.roles.reserve(edges.size());
    pane.layoutEdge.reserve(edges.size());
    for (const VisibleEdge& edge : edges) {
        EdgeRole role = EdgeRole::Data;
        bool laidOut = true;
        double weight = 1;
        if (isInputs(pane, edge.from)) {
            // The first reader holds them near their uses; the others name what they read.
            weight = 0.2;
            if (heldByFirst[edge.from]) {
                role = EdgeRole::Shared;
                laidOut = false;
            }
            heldByFirst[edge.from] = true;
        } else if (writes(pane, edge.from, edge.to)) {
            role = EdgeRole::Write;
        } else if (in[edge.to] > gatherAbove) {
            role = EdgeRole::Gathered;
            // Only what nothing else places holds the node below it; the rest would only slow layout down.
            laidOut = !elsewhere[edge.from] && out[edge.from] <= mostGatherers;
            weight = 0.2;
        } else if (out[edge.from] > shareAbove) {
            // The first reader keeps an edge, so that the source stays near its uses.
            if (heldByFirst[edge.from]) {
                role = EdgeRole::Shared;
                laidOut = false;
            }
            heldByFirst[edge.from] = true;
        }
        pane.roles.push_back(role);
        pane.layoutEdge.push_back(laidOut ? static_cast<std::uint32_t>(pane.input.edges.size()) : ir::npos);
        if (laidOut) pane.input.edges.push_back({edge.from, edge.to, weight});
    }
    keepWritesInOrder(pane);
    keepLooseInOrder(pane, in, out);
    keepOutputLast(pane, out);
    holdInputsUp(pane);
    return pane;
}

} // namespace dynascope::layout
