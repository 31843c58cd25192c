// SPDX-License-Identifier: BSD-3-Clause
#include "views/canvas/scene.h"

#include "core/layout/align.h"
#include "core/layout/module_classes.h"
#include "core/layout/orthogonal.h"
#include "views/canvas/node_text.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace dynascope::views::canvas {

namespace {

using layout::VisibleItem;

constexpr std::uint32_t skipLevels = 6;
constexpr std::size_t usedOftenFrom = 7;
constexpr int namesInChip = 3;
constexpr std::uint32_t mostThreads = 40; ///< edges into a node that are drawn; the chip counts more

QString qs(const std::string& text) {
    return QString::fromStdString(text);
}

QRectF rectOf(const layout::Point& at, const layout::Box& box) {
    return {at.x, at.y, box.width, box.height};
}

/// "layers.0 … 3" for the stack that begins with "layers.0".
QString stackName(const layout::GroupTree& tree, const VisibleItem& item) {
    const layout::Group& first = tree.groups[item.group];
    QString name = qs(first.name);
    if (first.parent == layout::noGroup) return name;
    const auto& siblings = tree.groups[first.parent].children;
    const auto at = std::find(siblings.begin(), siblings.end(), item.group);
    const auto last = static_cast<std::size_t>(at - siblings.begin()) + item.alike - 1;
    if (last >= siblings.size()) return name;
    const QString lastName = qs(tree.groups[siblings[last]].name);
    const qsizetype dot = lastName.lastIndexOf('.');
    return name + QStringLiteral(" … ") +
           (dot >= 0 && name.startsWith(lastName.left(dot + 1)) ? lastName.mid(dot + 1) : lastName);
}

QString withClass(const std::string& className, const std::string& text) {
    return className.empty() ? qs(text) : qs(className) + QStringLiteral(" \u00b7 ") + qs(text);
}

QString detailOf(const layout::Group& group) {
    return withClass(group.className, group.detail);
}

void fillBlock(const layout::Pane& pane, const VisibleItem& visible, SceneItem& item) {
    const layout::Group& group = pane.tree->groups[visible.group];
    item.group = visible.group;
    item.key = '/' + qs(group.path);
    item.nodes = group.totalNodes;
    item.isInputs = group.kind == layout::Group::Kind::Inputs;
    if (visible.kind == VisibleItem::Kind::Stack) {
        item.name = stackName(*pane.tree, visible);
        item.target = withClass(layout::classOfRun(*pane.tree, visible.group, visible.alike),
                                layout::stackText(*pane.tree, visible.group, visible.alike));
    } else {
        item.name = qs(group.name);
        item.target = detailOf(group);
    }
}

diff::Change changeOfBlock(const Tally& tally) {
    const auto count = [&tally](diff::Change change) { return tally[static_cast<std::size_t>(change)]; };
    const std::uint32_t quiet = count(diff::Change::Same) + count(diff::Change::Respelled);
    const std::uint32_t added = count(diff::Change::Added);
    const std::uint32_t removed = count(diff::Change::Removed);
    const std::uint32_t changed = count(diff::Change::Changed);
    const std::uint32_t moved = count(diff::Change::Moved);
    if (quiet + changed + moved == 0 && added > 0 && removed == 0) return diff::Change::Added;
    if (quiet + changed + moved == 0 && removed > 0 && added == 0) return diff::Change::Removed;
    if (added + removed + changed > 0) return diff::Change::Changed;
    if (moved > 0) return diff::Change::Moved;
    return count(diff::Change::Respelled) > 0 ? diff::Change::Respelled : diff::Change::Same;
}

QString tallyText(const Tally& tally) {
    QStringList parts;
    for (const auto change :
         {diff::Change::Added, diff::Change::Removed, diff::Change::Changed, diff::Change::Moved}) {
        const char32_t sign = diff::changeSign(change);
        if (const std::uint32_t n = tally[static_cast<std::size_t>(change)]; n > 0)
            parts << QString::fromUcs4(&sign, 1) + QString::number(n);
    }
    return parts.join(' ');
}

/// The op kind most nodes of each block have, for its stripe.
std::vector<ir::OpKind> mainKinds(const layout::Pane& pane) {
    constexpr std::size_t kinds = static_cast<std::size_t>(ir::OpKind::HigherOrder) + 1;
    std::vector<std::array<std::uint32_t, kinds>> counts(pane.folded.items.size());
    for (ir::NodeIndex n = 0; n < pane.graph->size(); ++n) {
        const std::uint32_t item = pane.folded.itemOfNode[n];
        if (item < counts.size()) ++counts[item][static_cast<std::size_t>((*pane.kinds)[n])];
    }
    std::vector<ir::OpKind> result(counts.size(), ir::OpKind::Compute);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        // A block is a computation; views count only where there is nothing else.
        auto& row = counts[i];
        const bool block = pane.folded.items[i].kind != VisibleItem::Kind::Node;
        const std::uint32_t views = row[static_cast<std::size_t>(ir::OpKind::View)];
        if (block) row[static_cast<std::size_t>(ir::OpKind::View)] = 0;
        const auto most = std::max_element(row.begin(), row.end());
        result[i] = *most == 0 && views > 0 ? ir::OpKind::View : static_cast<ir::OpKind>(most - row.begin());
    }
    return result;
}

void setChip(SceneItem& item, const layout::Pane& pane, const Marks& marks) {
    if (!item.isNode()) {
        item.chip = tallyText(item.tally);
        return;
    }
    const std::uint32_t links = item.node < marks.linkCounts.size() ? marks.linkCounts[item.node] : 0;
    if (links > 1) {
        item.chip = (marks.isA ? QStringLiteral("became %1") : QStringLiteral("from %1")).arg(links);
        return;
    }
    const std::size_t users = pane.graph->users(item.node).size();
    if (users >= usedOftenFrom) item.chip = QStringLiteral("used %1 times").arg(users);
}

void addItems(const layout::Pane& pane, const layout::LayoutResult& result, const Marks& marks,
              Scene& scene) {
    const std::vector<ir::OpKind> kinds = mainKinds(pane);
    for (std::size_t i = 0; i < pane.folded.items.size(); ++i) {
        const VisibleItem& visible = pane.folded.items[i];
        SceneItem item;
        item.kind = visible.kind;
        item.rect = rectOf(result.boxes[i], pane.input.boxes[i]);
        item.op = kinds[i];
        item.frame = visible.cluster;
        if (visible.kind == VisibleItem::Kind::Node) {
            item.node = visible.node;
            CardText text = cardText(*pane.graph, visible.node);
            item.key = text.name;
            item.name = std::move(text.name);
            const std::string& state = pane.tree->stateName(visible.node);
            if (const std::string& given = state.empty() ? pane.tree->inputName(visible.node) : state;
                !given.empty()) {
                // The name that the model's code has; the node's own one stands below.
                item.name = qs(given);
                text.target = item.key;
                text.args.clear();
            }
            if (const std::string& module = pane.tree->loneModule(visible.node); !module.empty()) {
                item.module = qs(module);
                text.target = item.module + QStringLiteral(" \u00b7 ") + text.target;
            }
            item.right = std::move(text.right);
            item.target = std::move(text.target);
            item.args = std::move(text.args);
            if (visible.node < marks.changes.size()) item.change = marks.changes[visible.node];
        } else {
            fillBlock(pane, visible, item);
        }
        scene.items.push_back(std::move(item));
    }
    scene.itemOfNode.assign(pane.graph->size(), noItem);
    std::vector<std::size_t> count(scene.items.size(), 0);
    for (ir::NodeIndex n = 0; n < pane.graph->size(); ++n) {
        const std::uint32_t i = pane.folded.itemOfNode[n];
        if (i >= scene.items.size()) continue;
        scene.itemOfNode[n] = static_cast<int>(i);
        if (n < marks.changes.size()) ++scene.items[i].tally[static_cast<std::size_t>(marks.changes[n])];
        SceneItem& item = scene.items[i];
        if (item.isNode()) continue;
        ++count[i];
        const ir::Node& node = pane.graph->node(n);
        const auto bytes = node.meta && node.meta->tensor ? node.meta->tensor->bytes() : std::nullopt;
        item.bytes += bytes.value_or(0);
        item.moreBytes = item.moreBytes || (!bytes && (!node.meta || node.meta->tensor));
    }
    for (std::size_t i = 0; i < scene.items.size(); ++i) {
        SceneItem& item = scene.items[i];
        if (item.isNode()) continue;
        item.nodes = count[i];
        scene.mostNodes = std::max(scene.mostNodes, item.isInputs ? 0 : item.nodes);
        scene.mostBytes = std::max(scene.mostBytes, item.isInputs ? 0 : item.bytes);
    }
    for (SceneItem& item : scene.items) {
        if (!item.isNode() && !marks.changes.empty()) item.change = changeOfBlock(item.tally);
        setChip(item, pane, marks);
    }
}

/// Which of a block of inputs an item reads. A block of a module says by its name whose parameters it has.
QStringList namesRead(const layout::Pane& pane, const layout::VisibleEdge& edge, const SceneItem& reader) {
    QStringList names;
    const layout::GroupId inputs = pane.folded.items[edge.from].group;
    for (const ir::NodeIndex n : pane.tree->groups[inputs].nodes) {
        const std::string& state = pane.tree->stateName(n);
        if (!state.empty() && !reader.isNode()) continue;
        const auto users = pane.graph->users(n);
        if (std::none_of(users.begin(), users.end(),
                         [&](ir::NodeIndex user) { return pane.folded.itemOfNode[user] == edge.to; }))
            continue;
        if (state.empty()) {
            const QString own = qs(pane.graph->node(n).name);
            const bool written = reader.isNode() && writtenNode(pane.graph->node(reader.node)) == own;
            const std::string& given = pane.tree->inputName(n);
            const QString name = given.empty() ? own : qs(given);
            names << (written ? QStringLiteral("writes ") + name : name);
            continue;
        }
        // "q_proj.weight": the module and its tensor; the block around says where.
        const std::size_t tensor = state.rfind('.');
        const std::size_t module = tensor == std::string::npos ? tensor : state.rfind('.', tensor - 1);
        names << qs(module == std::string::npos ? state : state.substr(module + 1));
    }
    return names;
}

/// One of many edges into a node, which layout did not route.
QPolygonF thread(const QRectF& from, const QRectF& to) {
    const QPointF a(from.center().x(), from.bottom());
    const QPointF b(to.center().x(), to.top());
    const QPointF bend(0, std::clamp(std::abs(b.y() - a.y()) / 2, 12.0, 60.0));
    return {a, a + bend, b - bend, b};
}

void addEdges(const layout::Pane& pane, const layout::LayoutResult& result, const layout::Levels& levels,
              Scene& scene) {
    scene.edgesOf.resize(scene.items.size());
    std::vector<QStringList> shared(scene.items.size());
    std::vector<std::uint32_t> edgesInto(scene.items.size(), 0);
    for (const layout::VisibleEdge& edge : pane.folded.edges)
        ++edgesInto[edge.to];
    std::vector<std::uint32_t> skips;    // edges of the layout
    std::vector<std::size_t> edgeOfSkip; // edges of the scene
    for (std::size_t e = 0; e < pane.folded.edges.size(); ++e) {
        const layout::VisibleEdge& visible = pane.folded.edges[e];
        SceneEdge edge;
        edge.from = static_cast<int>(visible.from);
        edge.to = static_cast<int>(visible.to);
        edge.count = visible.count;
        edge.role = pane.roles[e];
        const SceneItem& from = scene.items[visible.from];
        SceneItem& to = scene.items[visible.to];
        if (edge.role == layout::EdgeRole::Gathered) ++to.gathered;
        if (edge.role == layout::EdgeRole::Shared && from.isInputs) {
            shared[visible.to] << namesRead(pane, visible, to);
        } else if (edge.role == layout::EdgeRole::Shared) {
            shared[visible.to] << from.name;
        }
        if (edge.role == layout::EdgeRole::Write && to.isNode()) {
            const ir::Node& node = pane.graph->node(to.node);
            const QString view = writtenView(node);
            if (view != writtenNode(node)) edge.label = view;
        }
        if (from.isNode()) edge.value = from.right;
        if (edge.role == layout::EdgeRole::Gathered && edgesInto[visible.to] <= mostThreads)
            edge.points = thread(from.rect, to.rect);
        if (const std::uint32_t at = pane.layoutEdge[e];
            at != ir::npos && edge.role != layout::EdgeRole::Gathered) {
            for (const layout::Point& point : result.edges[at].points)
                edge.points << QPointF(point.x, point.y);
            const std::uint32_t a = levels.ofBox[visible.from];
            const std::uint32_t b = levels.ofBox[visible.to];
            if (edge.role == layout::EdgeRole::Data && b > a + skipLevels) {
                edge.role = layout::EdgeRole::Skip;
                skips.push_back(at);
                edgeOfSkip.push_back(scene.edges.size());
            }
        }
        scene.edgesOf[visible.from].push_back(static_cast<int>(scene.edges.size()));
        scene.edgesOf[visible.to].push_back(static_cast<int>(scene.edges.size()));
        scene.edges.push_back(std::move(edge));
    }
    const std::vector<layout::EdgePath> routes = layout::routeOrthogonally(pane.input, result, skips);
    for (std::size_t i = 0; i < routes.size(); ++i) {
        if (routes[i].points.empty()) continue;
        QPolygonF& points = scene.edges[edgeOfSkip[i]].points;
        points.clear();
        for (const layout::Point& point : routes[i].points)
            points << QPointF(point.x, point.y);
    }
    for (std::size_t i = 0; i < shared.size(); ++i) {
        if (shared[i].isEmpty()) continue;
        const qsizetype more = shared[i].size() - namesInChip;
        scene.items[i].shared = more > 0 ? shared[i].first(namesInChip).join(QStringLiteral(", ")) +
                                               QStringLiteral(" +%1").arg(more)
                                         : shared[i].join(QStringLiteral(", "));
    }
}

void addFrames(const layout::Pane& pane, const layout::LayoutResult& result, Scene& scene) {
    for (std::size_t i = 0; i < pane.folded.open.size(); ++i) {
        const layout::Group& group = pane.tree->groups[pane.folded.open[i]];
        SceneFrame frame;
        frame.group = pane.folded.open[i];
        frame.name = qs(group.name);
        frame.detail = detailOf(group);
        frame.key = '/' + qs(group.path);
        frame.nodes = group.totalNodes;
        frame.parent = pane.folded.openParent[i];
        frame.depth = frame.parent < 0 ? 0 : scene.frames[static_cast<std::size_t>(frame.parent)].depth + 1;
        const layout::Rect& r = result.clusters[i];
        frame.rect = QRectF(r.x, r.y, r.width, r.height);
        scene.frames.push_back(std::move(frame));
    }
}

void addIndices(Scene& scene) {
    std::vector<SpatialIndex::Entry> entries;
    entries.reserve(scene.items.size());
    for (std::size_t i = 0; i < scene.items.size(); ++i)
        entries.push_back({scene.items[i].rect, static_cast<std::uint32_t>(i)});
    scene.itemIndex = SpatialIndex(std::move(entries));

    // Each Bezier piece on its own, so that a long edge is met only where it really runs.
    std::vector<SpatialIndex::Entry> pieces;
    for (std::size_t e = 0; e < scene.edges.size(); ++e) {
        const QPolygonF& points = scene.edges[e].points;
        for (qsizetype p = 0; p + 3 < points.size(); p += 3)
            pieces.push_back({QPolygonF(points.mid(p, 4)).boundingRect(), static_cast<std::uint32_t>(e)});
    }
    scene.edgeIndex = SpatialIndex(std::move(pieces));

    for (std::size_t i = 0; i < scene.items.size(); ++i)
        scene.byKey.insert(scene.items[i].key, static_cast<int>(i));
}

void addOrder(const layout::Levels& levels, Scene& scene) {
    scene.levelOfItem = levels.ofBox;
    scene.levels.resize(levels.centre.size());
    for (std::size_t i = 0; i < scene.items.size(); ++i)
        scene.levels[levels.ofBox[i]].push_back(static_cast<int>(i));
    const auto left = [&scene](int i) { return scene.items[static_cast<std::size_t>(i)].rect.left(); };
    for (std::vector<int>& level : scene.levels) {
        std::sort(level.begin(), level.end(), [&left](int a, int b) { return left(a) < left(b); });
        for (const int i : level) {
            const diff::Change change = scene.items[static_cast<std::size_t>(i)].change;
            if (scene.diff && change != diff::Change::Same && change != diff::Change::Respelled)
                scene.differences.push_back(i);
        }
    }
}

} // namespace

int Scene::itemAt(QPointF point) const {
    for (const std::uint32_t i : itemIndex.query(QRectF(point, point)))
        return static_cast<int>(i);
    return noItem;
}

const std::vector<diff::FieldChange>* Scene::detailsOf(const SceneItem& item) const {
    if (!diff || item.node >= nodeOfA.size() || nodeOfA[item.node] == ir::npos) return nullptr;
    return diff->detail(nodeOfA[item.node]);
}

Marks marksOf(const std::shared_ptr<const diff::GraphDiff>& diff, bool isA, std::size_t nodes) {
    Marks marks;
    marks.isA = isA;
    if (!diff) return marks;
    const std::vector<diff::Change>& changes = isA ? diff->a : diff->b;
    // A diff of other graphs than these must not be read past its end.
    if (changes.size() != nodes) return marks;
    marks.diff = diff;
    marks.changes = changes;
    if (isA) {
        marks.nodeOfA.resize(nodes);
        std::iota(marks.nodeOfA.begin(), marks.nodeOfA.end(), ir::NodeIndex{0});
    } else {
        marks.nodeOfA = diff->partnerOfB;
    }
    marks.linkCounts.assign(nodes, 0);
    for (const diff::Link& link : diff->links) {
        const ir::NodeIndex node = isA ? link.a : link.b;
        if (node < nodes && !diff->toGradient(link)) ++marks.linkCounts[node];
    }
    return marks;
}

ScenePtr makeScene(const layout::Pane& pane, const layout::LayoutResult& result, const Marks& marks) {
    auto scene = std::make_shared<Scene>();
    scene->graph = pane.graph;
    scene->tree = pane.tree;
    scene->diff = marks.diff;
    scene->nodeOfA = marks.nodeOfA;
    scene->size = QSizeF(result.width, result.height);
    scene->milliseconds = result.milliseconds;
    scene->engine = result.engine;
    const layout::Levels levels = layout::findLevels(pane, result);
    addItems(pane, result, marks, *scene);
    addFrames(pane, result, *scene);
    addEdges(pane, result, levels, *scene);
    addIndices(*scene);
    addOrder(levels, *scene);
    return scene;
}

} // namespace dynascope::views::canvas
