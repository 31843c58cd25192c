// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/stage_picture.h"

#include "core/layout/module_classes.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace dynascope::report {

namespace {

using layout::VisibleItem;

constexpr std::size_t drawnWhole = 40, mostItems = 80, mostInside = 160, manyNodes = 50'000;
constexpr std::size_t smallestPart = 20;        ///< of a graph: a block with fewer nodes stays closed
constexpr double widest = 1160, highest = 2400; ///< pixels at 100 %
constexpr double cardWide = 208, cardHigh = 38, sheet = 6;
constexpr std::size_t sharedAbove = 6, gatheredAbove = 12, gatherers = 4, inputsInARow = 8;
constexpr double orderWeight = 0.1, rowWeight = 4;

layout::GroupTree withoutBlocks(const ir::Graph& graph, const std::vector<std::string>& hints) {
    layout::GroupTree tree;
    layout::Group whole;
    whole.nodes.resize(graph.size());
    std::iota(whole.nodes.begin(), whole.nodes.end(), ir::NodeIndex{0});
    whole.totalNodes = graph.size();
    tree.groups.push_back(std::move(whole));
    tree.groupOfNode.assign(graph.size(), 0);
    tree.stateNames = layout::stateNames(graph, hints);
    return tree;
}

const ir::Node* nodeOf(const StagePicture& picture, std::uint32_t item) {
    const VisibleItem& visible = picture.folded.items[item];
    return visible.kind == VisibleItem::Kind::Node ? &picture.graph->node(visible.node) : nullptr;
}

bool holdsInputs(const StagePicture& picture, std::uint32_t item) {
    const VisibleItem& visible = picture.folded.items[item];
    return visible.kind == VisibleItem::Kind::Closed &&
           picture.tree.groups[visible.group].kind == layout::Group::Kind::Inputs;
}

bool isWritten(const StagePicture& picture, std::uint32_t from, std::uint32_t to) {
    const ir::Node* node = nodeOf(picture, to);
    if (!node || ir::opKind(*node) != ir::OpKind::Write || node->args.empty() || !node->args.front().isNode())
        return false;
    const ir::NodeIndex written = picture.graph->find(node->args.front().text);
    return written != ir::npos && picture.folded.itemOfNode[written] == from;
}

void order(StagePicture& picture, std::uint32_t first, std::uint32_t second) {
    if (first != ir::npos && second != ir::npos && first != second)
        picture.input.edges.push_back({first, second, orderWeight});
}

/// What reads a value after it was written stands below the write; the output stands last; calls for their effect keep their
/// order.
void keepOrder(StagePicture& picture, const std::vector<std::size_t>& in) {
    const ir::Graph& graph = *picture.graph;
    std::vector<ir::NodeIndex> write(graph.size(), ir::npos);
    std::set<std::pair<std::uint32_t, std::uint32_t>> known;
    for (ir::NodeIndex n = 0; n < graph.size(); ++n) {
        for (const ir::NodeIndex read : graph.inputs(n)) {
            if (write[read] == ir::npos) continue;
            const std::pair items{picture.folded.itemOfNode[write[read]], picture.folded.itemOfNode[n]};
            if (known.insert(items).second) order(picture, items.first, items.second);
        }
        const ir::Node& node = graph.node(n);
        if (ir::opKind(node) != ir::OpKind::Write || node.args.empty() || !node.args.front().isNode())
            continue;
        const ir::NodeIndex written = graph.find(node.args.front().text);
        if (written != ir::npos && written < n) write[written] = n;
    }
    std::uint32_t last = ir::npos, loose = ir::npos;
    for (std::uint32_t i = 0; i < picture.folded.items.size(); ++i)
        if (const ir::Node* node = nodeOf(picture, i); node && node->op == ir::Op::Output) last = i;
    for (std::uint32_t i = 0; i < picture.folded.items.size(); ++i) {
        if (picture.readers[i] > 0) continue;
        if (last != ir::npos) order(picture, i, last);
        const ir::Node* node = nodeOf(picture, i);
        if (!node || in[i] > 0 || node->op == ir::Op::Placeholder || node->op == ir::Op::Output) continue;
        order(picture, loose, i);
        loose = i;
    }
}

void keepInputsUp(StagePicture& picture) {
    std::vector<std::uint32_t> inputs;
    for (std::uint32_t i = 0; i < picture.folded.items.size(); ++i)
        if (const ir::Node* node = nodeOf(picture, i);
            node && node->op == ir::Op::Placeholder && picture.folded.items[i].cluster < 0)
            inputs.push_back(i);
    if (inputs.empty() || inputs.size() > inputsInARow) return;
    const auto top = static_cast<std::uint32_t>(picture.input.boxes.size());
    picture.input.boxes.push_back({1, 1, -1});
    for (const std::uint32_t input : inputs)
        picture.input.edges.push_back({top, input, rowWeight});
}

void addEdges(StagePicture& picture) {
    const auto& edges = picture.folded.edges;
    std::vector<std::size_t> in(picture.folded.items.size(), 0);
    picture.readers.assign(picture.folded.items.size(), 0);
    for (const layout::VisibleEdge& edge : edges) {
        ++picture.readers[edge.from];
        ++in[edge.to];
    }
    std::vector<bool> placed(picture.folded.items.size(), false), held(picture.folded.items.size(), false);
    for (const layout::VisibleEdge& edge : edges)
        if (in[edge.to] <= gatheredAbove) placed[edge.from] = true;
    for (const layout::VisibleEdge& edge : edges) {
        EdgeLook look = EdgeLook::Plain;
        bool isLaidOut = true;
        double weight = 1;
        const bool isShared = holdsInputs(picture, edge.from) || picture.readers[edge.from] > sharedAbove;
        if (isWritten(picture, edge.from, edge.to)) {
            look = EdgeLook::Write;
        } else if (in[edge.to] > gatheredAbove) {
            look = EdgeLook::Gathered;
            isLaidOut = !placed[edge.from] && picture.readers[edge.from] <= gatherers;
            weight = 0.2;
        } else if (isShared) {
            if (held[edge.from]) {
                look = EdgeLook::NotDrawn;
                isLaidOut = false;
            }
            held[edge.from] = true;
            if (holdsInputs(picture, edge.from)) weight = 0.2;
        }
        picture.looks.push_back(look);
        picture.layoutEdge.push_back(isLaidOut ? static_cast<std::uint32_t>(picture.input.edges.size())
                                               : ir::npos);
        if (isLaidOut) picture.input.edges.push_back({edge.from, edge.to, weight});
    }
    keepOrder(picture, in);
    keepInputsUp(picture);
}

/// An unseen box holds the inputs up: the picture begins below it.
void cropUnseen(StagePicture& picture) {
    layout::LayoutResult& result = picture.result;
    result.boxes.resize(picture.folded.items.size());
    double top = result.height, right = 0, bottom = 0;
    for (std::size_t i = 0; i < result.boxes.size(); ++i) {
        top = std::min(top, result.boxes[i].y);
        right = std::max(right, result.boxes[i].x + picture.input.boxes[i].width);
        bottom = std::max(bottom, result.boxes[i].y + picture.input.boxes[i].height);
    }
    for (const layout::Rect& frame : result.clusters) {
        top = std::min(top, frame.y);
        right = std::max(right, frame.x + frame.width);
        bottom = std::max(bottom, frame.y + frame.height);
    }
    for (layout::Point& box : result.boxes)
        box.y -= top;
    for (layout::Rect& frame : result.clusters)
        frame.y -= top;
    for (layout::EdgePath& edge : result.edges)
        for (layout::Point& point : edge.points)
            point.y -= top;
    result.width = std::max(result.width, right);
    result.height = std::max(1.0, bottom - top);
}

/// With these blocks open.
Result<void> layOutOpen(StagePicture& out, const std::set<layout::GroupId>& open, const TaskContext& task) {
    out.folded = layout::fold(*out.graph, out.tree, open);
    out.input = {};
    out.looks.clear();
    out.layoutEdge.clear();
    out.isFolded = false;
    for (const VisibleItem& item : out.folded.items) {
        layout::Box box{cardWide, cardHigh, item.cluster};
        if (item.kind == VisibleItem::Kind::Stack) {
            box.width += sheet;
            box.height += sheet;
        }
        out.isFolded = out.isFolded || item.kind != VisibleItem::Kind::Node;
        out.input.boxes.push_back(box);
    }
    for (const int parent : out.folded.openParent) {
        layout::Cluster cluster;
        cluster.parent = parent;
        out.input.clusters.push_back(cluster);
    }
    out.input.rankGap = 22;
    addEdges(out);
    Result<layout::LayoutResult> result = layout::layoutLayered(out.input, task);
    if (!result) return tl::unexpected(result.error());
    out.result = std::move(*result);
    cropUnseen(out);
    return {};
}

/// Opens blocks, those that hold most first, while the picture can be read in a pane.
Result<void> openBlocks(StagePicture& out, const TaskContext& task) {
    if (auto closed = layOutOpen(out, {}, task); !closed) return closed;
    std::set<layout::GroupId> open;
    const auto fits = [&](const std::set<layout::GroupId>& tried) {
        if (task.cancelled()) return false;
        const auto fresh =
            std::ranges::find_if(tried, [&](layout::GroupId id) { return !open.contains(id); });
        const std::size_t inside = fresh == tried.end() ? 0 : out.tree.groups[*fresh].totalNodes;
        if (inside * smallestPart < out.graph->size()) return false;
        StagePicture picture = out;
        if (!layOutOpen(picture, tried, task) || picture.folded.items.size() > mostItems ||
            picture.result.width > widest || picture.result.height > highest)
            return false;
        out = std::move(picture);
        open = tried;
        return true;
    };
    open = layout::openWhere(out.tree, out.graph->size() > manyNodes ? 4 : 12, fits);
    return {};
}

} // namespace

Result<StagePicture> pictureOf(ir::GraphPtr graph, const session::NamingPtr& naming,
                               const session::ModuleClasses& classes, const TaskContext& task) {
    StagePicture out;
    out.graph = std::move(graph);
    const std::vector<std::string> hints = session::parameterNames(naming, *out.graph);
    out.names = session::programNames(naming, *out.graph);
    Result<void> done;
    if (out.graph->size() <= drawnWhole) {
        out.tree = withoutBlocks(*out.graph, hints);
        done = layOutOpen(out, {}, task);
    } else {
        out.tree = layout::groupNodes(*out.graph, hints);
        layout::nameClasses(out.tree, classes);
        layout::nameClasses(out.tree, layout::recordedClasses(*out.graph));
        done = openBlocks(out, task);
    }
    if (!done) return tl::unexpected(done.error());
    return out;
}

std::vector<std::uint32_t> blocksOf(const StagePicture& picture) {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < picture.folded.items.size(); ++i)
        if (picture.folded.items[i].kind != VisibleItem::Kind::Node && !holdsInputs(picture, i))
            out.push_back(i);
    return out;
}

std::optional<StagePicture> insideOf(const StagePicture& picture, std::uint32_t item,
                                     const TaskContext& task) {
    const layout::GroupId group = picture.folded.items[item].group;
    std::vector<layout::GroupId> inside{group};
    std::vector<ir::NodeIndex> nodes;
    for (std::size_t i = 0; i < inside.size(); ++i) {
        const layout::Group& of = picture.tree.groups[inside[i]];
        nodes.insert(nodes.end(), of.nodes.begin(), of.nodes.end());
        inside.insert(inside.end(), of.children.begin(), of.children.end());
    }
    std::ranges::sort(nodes);
    StagePicture out;
    out.graph = picture.graph;
    out.names = picture.names;
    out.tree = layout::keepNodes(picture.tree, nodes);
    out.isInside = true;
    std::set<layout::GroupId> around;
    for (layout::GroupId at = group; at != layout::noGroup; at = out.tree.groups[at].parent)
        around.insert(at);
    std::set<layout::GroupId> open = around;
    if (nodes.size() <= mostInside) open.insert(inside.begin(), inside.end());
    // Rows of inputs stay closed.
    std::erase_if(
        open, [&](layout::GroupId id) { return out.tree.groups[id].kind == layout::Group::Kind::Inputs; });
    if (!layOutOpen(out, open, task)) return std::nullopt;
    return out;
}

diff::Change changeOfItem(const StagePicture& picture, std::size_t item,
                          const std::vector<diff::Change>& changes) {
    using diff::Change;
    if (changes.empty()) return Change::Same;
    const VisibleItem& visible = picture.folded.items[item];
    if (visible.kind == VisibleItem::Kind::Node) return changes[visible.node];
    std::size_t counts[6] = {};
    for (ir::NodeIndex n = 0; n < picture.graph->size(); ++n)
        if (picture.folded.itemOfNode[n] == item) ++counts[static_cast<std::size_t>(changes[n])];
    const auto of = [&](Change change) { return counts[static_cast<std::size_t>(change)]; };
    const std::size_t quiet =
        of(Change::Same) + of(Change::Respelled) + of(Change::Moved) + of(Change::Changed);
    if (quiet == 0 && of(Change::Removed) == 0 && of(Change::Added) > 0) return Change::Added;
    if (quiet == 0 && of(Change::Added) == 0 && of(Change::Removed) > 0) return Change::Removed;
    if (of(Change::Added) + of(Change::Removed) + of(Change::Changed) > 0) return Change::Changed;
    if (of(Change::Moved) > 0) return Change::Moved;
    return of(Change::Respelled) > 0 ? Change::Respelled : Change::Same;
}

char changeLetter(diff::Change change) {
    switch (change) {
    case diff::Change::Same:
        return 's';
    case diff::Change::Respelled:
        return 'q';
    case diff::Change::Changed:
        return 'c';
    case diff::Change::Moved:
        return 'm';
    case diff::Change::Added:
        return 'a';
    case diff::Change::Removed:
        return 'r';
    }
    return 's';
}

std::string argumentsText(const ir::Node& node, std::size_t most) {
    std::string out;
    const auto add = [&](const std::string& text) {
        if (out.size() < most) out += (out.empty() ? "" : ", ") + text;
    };
    for (const ir::Argument& argument : node.args)
        add(argument.toString());
    for (const auto& [key, argument] : node.kwargs)
        add(key + '=' + argument.toString());
    return out;
}

} // namespace dynascope::report
