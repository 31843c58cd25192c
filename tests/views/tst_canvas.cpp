// SPDX-License-Identifier: BSD-3-Clause
//
// What a canvas is made from: index, alignment, scenes, merged graphs and texts.
#include "core/ir/text.h"
#include "views/canvas/graph_canvas.h"
#include "views/canvas/minimap.h"
#include "views/canvas/node_text.h"
#include "views/canvas/picture.h"
#include "views/canvas/scene_painter.h"
#include "views/canvas/zoom.h"

#include <QFile>
#include <QImage>
#include <QRegularExpression>
#include <QtTest>
#include <random>

using namespace dynascope;
using namespace dynascope::views;
using namespace dynascope::views::canvas;

namespace {

ir::GraphPtr graphOf(const char* text) {
    auto graph = ir::readGraph(text);
    if (!graph) qFatal("%s", graph.error().toString().c_str());
    return *graph;
}

ir::GraphPtr graphFile(const char* name) {
    QFile file(QStringLiteral(DYNASCOPE_TEST_DATA "/graphs/%1.txt").arg(name));
    if (!file.open(QIODevice::ReadOnly)) qFatal("%s is missing", name);
    return graphOf(file.readAll().constData());
}

constexpr auto before = R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %y : [num_users=2] = placeholder[target=y]
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%x, (slice(None, None, None), 0)), kwargs = {})
    %setitem : [num_users=0] = call_function[target=operator.setitem](args = (%y, (slice(None, None, None), 0), %getitem), kwargs = {})
    return (y,))";

constexpr auto after = R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %y_1 : [num_users=2] = placeholder[target=y_1]
    %select : [num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%x, 1, 0), kwargs = {})
    %select_1 : [num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%y_1, 1, 0), kwargs = {})
    %copy : [num_users=1] = call_function[target=torch.ops.aten.copy.default](args = (%select_1, %select), kwargs = {})
    %setitem : [num_users=1] = call_function[target=torch.ops.aten.select_scatter.default](args = (%y_1, %copy, 1, 0), kwargs = {})
    return (setitem,))";

Picture pictureOf(const ir::GraphPtr& a, const ir::GraphPtr& b, bool merged = false) {
    PictureRequest request;
    request.a = PaneSource{a, nullptr, {}, nullptr, {}};
    request.b = PaneSource{b, nullptr, {}, nullptr, {}};
    request.diff = std::make_shared<const diff::GraphDiff>(diff::diffGraphs(*a, *b));
    request.merged = merged;
    return makePicture(std::move(request), {});
}

/// With all of its blocks open.
ScenePtr openPicture(const char* file) {
    PictureRequest request;
    request.b = pictureOf(graphFile(file), graphFile(file)).b->source;
    for (layout::GroupId g = 1; g < request.b->tree->groups.size(); ++g)
        request.b->open.insert(g);
    return makePicture(std::move(request), {}).b->scene;
}

/// Ten thousand operations one after the other; the one at `odd` is another one.
ir::GraphPtr chain(int odd) {
    std::string text = "graph():\n    %x : [num_users=1] = placeholder[target=x]\n";
    std::string last = "x";
    for (int i = 0; i < 10'000; ++i) {
        const std::string name = "n_" + std::to_string(i);
        text += "    %" + name + " : [num_users=1] = call_function[target=torch.ops.aten." +
                (i == odd ? "view_as_complex" : "sin") + ".default](args = (%" + last + ",), kwargs = {})\n";
        last = name;
    }
    return graphOf((text + "    return (" + last + ",)\n").c_str());
}

const SceneItem& itemNamed(const Scene& scene, const QString& key) {
    return scene.items[static_cast<std::size_t>(scene.byKey.value(key))];
}

} // namespace

class TestCanvas : public QObject {
    Q_OBJECT
private slots:
    void indexFindsWhatAScanFinds();
    void indexOfNothing();
    void partnersStandAtOneHeight();
    void firstInputStandsLeft();
    void writesStandAboveLaterReaders();
    void manyEdgesAreGathered();
    void gatheredInputsStandAboveAllTheirReaders();
    void manyReadersShareAChip();
    void bigGraphOpensFolded();
    void allOfAnOpenGraphFits();
    void namesOnAMapLeaveEachCardInSight();
    void aGapLeadsToWhatIsNearest();
    void firstPictureFitsItsRoom();
    void parametersHaveTheirModelsNames();
    void openingABlockShowsItsNodes();
    void skipsRunSquare_data();
    void skipsRunSquare();
    void bandsNeverCross();
    void mergedSceneMarksEveryNode();
    void wrongLayoutIsNotTaken();
    void cardsSayWhatANodeDoes();
    void tooltipsEscapeAndExplain();
    void minimapOfAChain();
    void inputsTellTheirBytes();
    void blocksSayWhichClassTheyAre();
    void onlyWhatIsVisibleIsPainted();
    void titlesStayInSight();
    void textStaysInsideItsCard();
    void cancelledPictureIsNotComplete();
};

void TestCanvas::indexFindsWhatAScanFinds() {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> at(0, 5000);
    std::uniform_real_distribution<double> size(0, 300);
    std::vector<SpatialIndex::Entry> entries;
    for (std::uint32_t i = 0; i < 3000; ++i)
        entries.push_back({QRectF(at(random), at(random), size(random), i % 7 == 0 ? 0 : size(random)), i});
    const SpatialIndex index(entries);
    for (int round = 0; round < 200; ++round) {
        const QRectF area(at(random), at(random), size(random) * 3, size(random) * 3);
        std::vector<std::uint32_t> expected;
        for (const auto& e : entries)
            if (e.rect.left() <= area.right() && area.left() <= e.rect.right() &&
                e.rect.top() <= area.bottom() && area.top() <= e.rect.bottom())
                expected.push_back(e.id);
        QCOMPARE(index.query(area), expected);
        QCOMPARE(index.touchesAny(area), !expected.empty());
    }
}

void TestCanvas::indexOfNothing() {
    QVERIFY(SpatialIndex().query(QRectF(0, 0, 1e9, 1e9)).empty());
    const SpatialIndex one({{QRectF(1, 1, 0, 0), 4}, {QRectF(2, 2, 0, 0), 4}});
    QCOMPARE(one.query(QRectF(0, 0, 5, 5)), std::vector<std::uint32_t>{4});
}

void TestCanvas::partnersStandAtOneHeight() {
    const ir::GraphPtr a = graphOf(before);
    const ir::GraphPtr b = graphOf(after);
    const Picture picture = pictureOf(a, b);
    QVERIFY(picture.complete);
    const auto centre = [](const ScenePtr& scene, const char* key) {
        return itemNamed(*scene, key).rect.center().y();
    };
    for (const auto& [inA, inB] : {std::pair{"x", "x"}, std::pair{"y", "y_1"}, std::pair{"getitem", "select"},
                                   std::pair{"output", "output"}})
        QCOMPARE(centre(picture.a->scene, inA), centre(picture.b->scene, inB));
    QVERIFY(centre(picture.b->scene, "select_1") < centre(picture.b->scene, "copy"));
}

void TestCanvas::firstInputStandsLeft() {
    const Picture picture = pictureOf(graphOf(before), graphOf(after));
    const layout::Pane& pane = *picture.a->pane;
    layout::LayoutResult result = picture.a->result;
    QVERIFY(result.boxes[0].x < result.boxes[1].x);
    for (std::size_t i = 0; i < result.boxes.size(); ++i)
        result.boxes[i].x = result.width - result.boxes[i].x - pane.input.boxes[i].width;
    QVERIFY(result.boxes[0].x > result.boxes[1].x);
    layout::putFirstInputLeft(pane, result);
    QCOMPARE(result.boxes, picture.a->result.boxes);
}

void TestCanvas::writesStandAboveLaterReaders() {
    const Picture picture = pictureOf(graphOf(before), graphOf(after));
    const Scene& scene = *picture.a->scene;
    QVERIFY(itemNamed(scene, "setitem").rect.bottom() < itemNamed(scene, "output").rect.top());
    const auto write = std::find_if(scene.edges.begin(), scene.edges.end(),
                                    [](const SceneEdge& e) { return e.role == layout::EdgeRole::Write; });
    QVERIFY(write != scene.edges.end());
    QCOMPARE(write->label, QString("y[:, 0]"));
    QCOMPARE(itemNamed(scene, "setitem").right, QString("writes y"));
    QCOMPARE(itemNamed(scene, "setitem").change, diff::Change::Removed);
}

void TestCanvas::manyEdgesAreGathered() {
    QByteArray text = "graph():\n";
    QByteArrayList names;
    for (int i = 0; i < 14; ++i) {
        const QByteArray name = "x" + QByteArray::number(i);
        text += "    %" + name + " : [num_users=1] = placeholder[target=" + name + "]\n";
        names << name;
    }
    text += "    return (" + names.join(", ") + ")";
    const ir::GraphPtr graph = graphOf(text.constData());
    const Picture picture = pictureOf(graph, graph);
    QCOMPARE(itemNamed(*picture.a->scene, "output").gathered, std::size_t(14));
    for (const SceneEdge& edge : picture.a->scene->edges) {
        QCOMPARE(edge.role, layout::EdgeRole::Gathered);
        // Thin, but there: from the input down to the output.
        QCOMPARE(edge.points.size(), 4);
        QVERIFY(edge.points.front().y() < edge.points.back().y());
    }
}

/// Inputs that two nodes gather, as a cat and a stack of the same list.
void TestCanvas::gatheredInputsStandAboveAllTheirReaders() {
    QByteArray text = "graph():\n", names;
    for (int i = 0; i < 15; ++i) {
        const QByteArray name = "x" + QByteArray::number(i);
        text += "    %" + name + " : [num_users=2] = placeholder[target=" + name + "]\n";
        names += (i > 0 ? ", %" : "%") + name;
    }
    for (const char* op : {"cat", "stack"})
        text += QByteArray("    %") + op + " : [num_users=1] = call_function[target=torch.ops.aten." + op +
                ".default](args = ([" + names + "],), kwargs = {})\n";
    text += "    return (cat, stack)";
    const ir::GraphPtr graph = graphOf(text.constData());
    const Picture picture = pictureOf(graph, graph);
    std::size_t gathered = 0;
    for (const SceneEdge& edge : picture.a->scene->edges) {
        if (edge.role != layout::EdgeRole::Gathered) continue;
        ++gathered;
        QVERIFY(edge.points.front().y() < edge.points.back().y());
    }
    QCOMPARE(gathered, std::size_t(30));
}

void TestCanvas::manyReadersShareAChip() {
    QByteArray text = "graph():\n    %mask : [num_users=8] = placeholder[target=mask]\n";
    for (int i = 0; i < 8; ++i)
        text += "    %r" + QByteArray::number(i) +
                " : [num_users=0] = call_function[target=torch.ops.aten.relu.default](args = (%mask,), "
                "kwargs = {})\n";
    text += "    return (r0,)";
    const ir::GraphPtr graph = graphOf(text.constData());
    const Picture picture = pictureOf(graph, graph);
    const Scene& scene = *picture.a->scene;
    int chips = 0;
    for (const SceneItem& item : scene.items)
        chips += item.shared == "mask" ? 1 : 0;
    QCOMPARE(chips, 7); // the first reader keeps its edge
    QCOMPARE(itemNamed(scene, "mask").chip, QString("used 8 times"));
}

void TestCanvas::bigGraphOpensFolded() {
    const ir::GraphPtr graph = graphFile("gpt2_train.dynamo_output");
    const Picture picture = pictureOf(graph, graph);
    QVERIFY(picture.b->scene->items.size() < graph->size() / 2);
    QVERIFY(!picture.b->scene->frames.empty());
    std::size_t shown = 0;
    for (const SceneItem& item : picture.b->scene->items)
        shown += item.nodes;
    QCOMPARE(shown, graph->size()); // nothing is lost in a block
    for (ir::NodeIndex n = 0; n < graph->size(); ++n)
        QVERIFY(picture.b->scene->itemOf(n) != noItem);
}

/// However tall a graph is with all of its blocks open.
void TestCanvas::allOfAnOpenGraphFits() {
    const Theme theme;
    GraphCanvas canvas(theme, QStringLiteral("test"));
    canvas.resize(600, 400);
    canvas.setScene(openPicture("gpt2_train.aot_joint"), GraphCanvas::Transition::None);
    const QRectF whole(QPointF(), canvas.scene()->size);
    canvas.fit(whole, 1);
    QVERIFY(canvas.zoom() < GraphCanvas::smallestZoom);
    const QRectF seen(canvas.offset(), QSizeF(canvas.viewport()->size()) / canvas.zoom());
    QVERIFY(seen.adjusted(-1, -1, 1, 1).contains(whole));
    // The wheel goes out as far and no farther.
    const double fitted = canvas.zoom();
    canvas.zoomTo(1);
    for (int i = 0; i < 100; ++i)
        canvas.zoomBy(0.8, {});
    QVERIFY2(canvas.zoom() <= fitted * 1.2 && canvas.zoom() >= fitted / 2,
             qPrintable(QStringLiteral("%1 %2").arg(canvas.zoom()).arg(fitted)));
}

void TestCanvas::namesOnAMapLeaveEachCardInSight() {
    const Theme theme;
    GraphCanvas canvas(theme, QStringLiteral("test"));
    canvas.resize(1200, 800);
    canvas.setScene(openPicture("gpt2_train.aot_joint"), GraphCanvas::Transition::None);
    canvas.show();
    const Scene& scene = *canvas.scene();
    std::size_t names = 0, hidden = 0;
    for (const double zoom : {0.30, 0.19, 0.10}) {
        for (double y = 0; y < scene.size.height(); y += 700 / zoom) {
            canvas.setPlace(zoom, QPointF(0, y));
            canvas.grab();
            const std::vector<QRectF> placed = canvas.painted().names;
            for (std::size_t i = 0; i < placed.size(); ++i) {
                ++names;
                const QRectF area(canvas.offset() + placed[i].topLeft() / zoom, placed[i].size() / zoom);
                for (const std::uint32_t item : scene.itemIndex.query(area))
                    hidden += area.contains(scene.items[item].rect) ? 1 : 0;
                for (std::size_t j = 0; j < i; ++j)
                    QVERIFY(!placed[i].intersects(placed[j]));
            }
        }
    }
    QVERIFY2(names > 20, qPrintable(QString::number(names)));
    QVERIFY2(hidden == 0, qPrintable(QStringLiteral("%1 under %2 names").arg(hidden).arg(names)));
}

void TestCanvas::aGapLeadsToWhatIsNearest() {
    const Theme theme;
    GraphCanvas canvas(theme, QStringLiteral("test"));
    canvas.resize(300, 200);
    canvas.setScene(openPicture("gpt2_train.aot_joint"), GraphCanvas::Transition::None);
    canvas.zoomTo(1);
    const Scene& scene = *canvas.scene();
    const auto items = [&](QPointF at) {
        return scene.itemIndex.query(QRectF(at, QSizeF(canvas.viewport()->size()))).size();
    };
    const QPointF something = scene.items.back().rect.topLeft() - QPointF(20, 20);
    QCOMPARE(canvas.offsetWithItems(something, false), something);
    int gaps = 0;
    for (double y = 0; y < scene.size.height(); y += 500)
        for (double x = 0; x < scene.size.width(); x += 300) {
            const QPointF at(x, y);
            const QPointF led = canvas.offsetWithItems(at, false);
            if (led == at) continue;
            ++gaps;
            QVERIFY2(items(led) > 0, qPrintable(QStringLiteral("%1 %2").arg(x).arg(y)));
            const QPointF across = canvas.offsetWithItems(at, true);
            QCOMPARE(across.y(), canvas.clamped(at).y());
        }
    QVERIFY(gaps > 0);
}

/// The same graph opens more blocks where there is more room, and always so that names can be read.
void TestCanvas::firstPictureFitsItsRoom() {
    const ir::GraphPtr graph = graphFile("gpt2_train.aot_joint");
    std::size_t before = 0;
    for (const QSizeF room : {QSizeF(420, 420), QSizeF(900, 700), QSizeF(2400, 1300)}) {
        PictureRequest request;
        request.b = PaneSource{graph, nullptr, {}, nullptr, room};
        const Picture picture = makePicture(std::move(request), {});
        const Scene& scene = *picture.b->scene;
        if (!scene.frames.empty())
            QVERIFY2(scene.size.width() * smallestFirst <= room.width(),
                     qPrintable(QString::number(room.width())));
        QVERIFY(scene.items.size() >= before);
        before = scene.items.size();
    }
    QVERIFY(before > 10);
}

/// A parameter is called as in the model's code, its node's own name stands below; many are one block.
void TestCanvas::parametersHaveTheirModelsNames() {
    const ir::GraphPtr graph = graphFile("encoder_train.dynamo_output");
    const Picture folded = pictureOf(graph, graph);
    PaneSource source = folded.b->source;
    for (layout::GroupId g = 1; g < source.tree->groups.size(); ++g)
        source.open.insert(g);
    PictureRequest request;
    request.b = source;
    const Picture open = makePicture(std::move(request), {});
    int named = 0;
    for (const SceneItem& item : open.b->scene->items) {
        if (!item.isNode() || graph->node(item.node).op != ir::Op::Placeholder) continue;
        if (item.name == item.key) continue;
        ++named;
        QCOMPARE(item.target, item.key);
        QCOMPARE(item.name, QString::fromStdString(source.tree->stateName(item.node)));
        QVERIFY2(item.name.contains('.') && !item.name.contains("modules"), qPrintable(item.name));
    }
    QVERIFY(named > 10);
    // Closed, they are blocks that say how many and how large, and readers say which they read.
    int blocks = 0, chips = 0;
    for (const SceneItem& item : folded.b->scene->items) {
        blocks += item.isInputs ? 1 : 0;
        chips += item.shared.contains("weight") ? 1 : 0;
    }
    QVERIFY(blocks > 0 || chips == 0);
    for (const SceneItem& item : folded.b->scene->items)
        if (item.isInputs)
            QVERIFY2(item.target.startsWith("parameters and buffers"), qPrintable(item.target));
}

void TestCanvas::openingABlockShowsItsNodes() {
    const ir::GraphPtr graph = graphFile("gpt2_train.aot_joint");
    Picture picture = pictureOf(graph, graph);
    PaneSource source = picture.b->source;
    for (layout::GroupId g = 1; g < source.tree->groups.size(); ++g)
        source.open.insert(g);
    PictureRequest request;
    request.b = source;
    picture = makePicture(std::move(request), {});
    QCOMPARE(picture.b->scene->items.size(), graph->size());
    for (const SceneItem& item : picture.b->scene->items) {
        if (item.frame < 0) continue;
        QVERIFY(picture.b->scene->frames[static_cast<std::size_t>(item.frame)].rect.contains(item.rect));
    }
}

void TestCanvas::skipsRunSquare_data() {
    QTest::addColumn<QByteArray>("graph");
    QTest::addColumn<bool>("open");
    QTest::addColumn<bool>("dot");
    QTest::addColumn<double>("share"); // of skip edges that find a way; the rest keep the layout's route
    const auto row = [](const char* graph, bool open, bool dot, double share) {
        const QByteArray name =
            QByteArray(graph) + (open ? ", open" : ", folded") + (dot ? ", dot" : ", layered");
        QTest::newRow(name) << QByteArray(graph) << open << dot << share;
    };
    for (const bool dot : {false, true}) {
        row("resnet.aot_inference", true, dot, 0.9);
        row("encoder_train.dynamo_output", true, dot, 0.9);
        row("encoder_train.aot_joint", false, dot, 0.9);
        row("gpt2_train.dynamo_output", true, dot, 0.9);
        row("gpt2_train.aot_forward", false, dot, 0.9);
    }
    row("encoder_train.aot_joint", true, false, 0.8);
    row("gpt2_train.aot_joint", true, false, 0.8);
}

/// Skip connections go down beside the cards and turn at right angles.
void TestCanvas::skipsRunSquare() {
    QFETCH(QByteArray, graph);
    QFETCH(bool, open);
    QFETCH(bool, dot);
    QFETCH(double, share);
    PaneSource source{graphFile(graph), nullptr, {}, nullptr, {}};
    PictureRequest request;
    request.a = source;
    Picture picture = makePicture(std::move(request), {});
    if (open) {
        source = picture.a->source;
        for (layout::GroupId g = 1; g < source.tree->groups.size(); ++g)
            source.open.insert(g);
        PictureRequest again;
        again.a = source;
        picture = makePicture(std::move(again), {});
    }
    ScenePtr scene = picture.a->scene;
    if (dot) {
        auto result = layout::layoutDot(picture.a->pane->input);
        QVERIFY(result.has_value());
        scene = makeScene(*picture.a->pane, *result, {});
    }
    std::size_t skips = 0;
    std::size_t square = 0;
    for (const SceneEdge& edge : scene->edges) {
        if (edge.role != layout::EdgeRole::Skip) continue;
        ++skips;
        const QPolygonF& p = edge.points;
        QCOMPARE(p.size() % 3, 1);
        const bool straight = [&p] {
            for (qsizetype i = 0; i + 3 < p.size(); i += 3) {
                const QPointF d = p[i + 3] - p[i];
                const bool corner = std::abs(d.x()) <= 8.01 && std::abs(d.y()) <= 8.01;
                if (std::abs(d.x()) > 0.01 && std::abs(d.y()) > 0.01 && !corner) return false;
            }
            return true;
        }();
        if (!straight) continue;
        ++square;
        // From box to box, and through none.
        const QRectF& from = scene->items[static_cast<std::size_t>(edge.from)].rect;
        const QRectF& to = scene->items[static_cast<std::size_t>(edge.to)].rect;
        QVERIFY(std::abs(p.front().y() - from.bottom()) < 2 && from.left() <= p.front().x() &&
                p.front().x() <= from.right());
        QVERIFY(std::abs(p.back().y() - to.top()) < 2 && to.left() <= p.back().x() &&
                p.back().x() <= to.right());
        for (qsizetype i = 0; i + 3 < p.size(); i += 3) {
            const bool corner =
                std::abs(p[i].x() - p[i + 3].x()) > 0.01 && std::abs(p[i].y() - p[i + 3].y()) > 0.01;
            const QPointF bend = (p[i] + 3 * p[i + 1] + 3 * p[i + 2] + p[i + 3]) / 8;
            const QRectF piece =
                (corner ? QRectF(bend, bend) : QRectF(p[i], p[i + 3]).normalized()).adjusted(-1, -1, 1, 1);
            for (const SceneItem& item : scene->items) {
                const bool end = &item.rect == &from || &item.rect == &to;
                QVERIFY2(end || !item.rect.adjusted(2, 2, -2, -2).intersects(piece), qPrintable(item.name));
            }
        }
    }
    QVERIFY2(static_cast<double>(square) >= share * static_cast<double>(skips),
             qPrintable(QStringLiteral("%1 of %2").arg(square).arg(skips)));
    if (const QString folder = qEnvironmentVariable("DYNASCOPE_TEST_PICTURES"); !folder.isEmpty()) {
        const Theme theme;
        QImage image((scene->size + QSizeF(48, 48)).toSize(), QImage::Format_RGB32);
        QPainter painter(&image);
        image.fill(theme.colours().bg0);
        ViewState view;
        view.offset = {-24, -24};
        view.viewport = image.size();
        ScenePainter(theme).paint(painter, *scene, view);
        QVERIFY(image.save(folder + '/' + QString(QTest::currentDataTag()).replace(", ", "-") + ".png"));
    }
    qInfo("%zu of %zu skip edges", square, skips);
}

void TestCanvas::bandsNeverCross() {
    const Picture picture =
        pictureOf(graphFile("gpt2_train.dynamo_output"), graphFile("gpt2_train.aot_joint"));
    QVERIFY(picture.bands.size() > 2);
    for (std::size_t i = 1; i < picture.bands.size(); ++i) {
        QVERIFY(picture.bands[i - 1].bottomA <= picture.bands[i].topA);
        QVERIFY(picture.bands[i - 1].bottomB <= picture.bands[i].topB);
    }
}

void TestCanvas::mergedSceneMarksEveryNode() {
    const Picture picture = pictureOf(graphOf(before), graphOf(after), true);
    QVERIFY(picture.complete && picture.merged && !picture.a);
    std::size_t added = 0;
    std::size_t removed = 0;
    for (const SceneItem& item : picture.merged->scene->items) {
        added += item.change == diff::Change::Added ? 1 : 0;
        removed += item.change == diff::Change::Removed ? 1 : 0;
    }
    QCOMPARE(added, picture.diff->added);
    QCOMPARE(removed, picture.diff->removed);
    QCOMPARE(picture.merged->scene->differences.size(),
             added + removed + picture.diff->changed + picture.diff->moved);
}

void TestCanvas::wrongLayoutIsNotTaken() {
    const Picture picture = pictureOf(graphOf(before), graphOf(after));
    layout::LayoutResult wrong;
    wrong.boxes.resize(1);
    const Picture same = withLayouts(picture, wrong, std::nullopt, std::nullopt);
    QCOMPARE(same.a->scene.get(), picture.a->scene.get());
    const auto dot = layout::layoutDot(picture.b->pane->input);
    QVERIFY(dot.has_value());
    const Picture better = withLayouts(picture, std::nullopt, *dot, std::nullopt);
    QCOMPARE(better.b->result.engine == "dot", layoutCost(picture.b->pane->input, *dot) <
                                                   layoutCost(picture.b->pane->input, picture.b->result));
}

void TestCanvas::cardsSayWhatANodeDoes() {
    const ir::GraphPtr a = graphOf(before);
    const CardText getitem = cardText(*a, a->find("getitem"));
    QCOMPARE(getitem.target, QString("operator.getitem"));
    QCOMPARE(getitem.args, QString("x, (:, 0)"));
    const CardText output = cardText(*a, a->find("output"));
    QVERIFY(output.target.isEmpty() && output.args.isEmpty());
    QCOMPARE(output.right, QString("(y,)"));
    QCOMPARE(bytesText(80), QString("80 bytes"));
    QCOMPARE(bytesText(32768), QString("32 KiB"));
    QCOMPARE(bytesText(1536), QString("1.5 KiB"));
    ir::Argument deep = ir::Argument::integer(1);
    for (int i = 0; i < 5000; ++i) {
        std::vector<ir::Argument> one; // braces would copy what is within
        one.push_back(std::move(deep));
        deep = ir::Argument::list(std::move(one));
    }
    QVERIFY(argumentText(deep).size() < 200);
}

void TestCanvas::tooltipsEscapeAndExplain() {
    ir::GraphBuilder builder;
    ir::Node node;
    node.name = "<b>x</b>";
    node.op = ir::Op::Placeholder;
    node.target = "<script>";
    node.meta = ir::parseAnnotation("f32[4, 5][5, 1]cpu");
    builder.add(std::move(node));
    const ir::GraphPtr graph = builder.build();
    const QString html = tooltipHtml(*graph, 0, diff::Change::Added, true, nullptr);
    QVERIFY(!html.contains("<script>") && !html.contains("<b>x</b>"));
    for (const char* part :
         {"&lt;script&gt;", "f32", "[4, 5]", "[5, 1] elements", "cpu", "80 bytes", "Only in B"})
        QVERIFY2(html.contains(part), part);
    const std::vector<diff::FieldChange> details{{"args[1]", "3", "4"}};
    QCOMPARE(changeReason(diff::Change::Changed, &details), QString("Differs in args[1]: 3 in A, 4 in B"));
}

/// Also where a card has room for one number only, and never more than is known.
void TestCanvas::inputsTellTheirBytes() {
    SceneItem inputs;
    inputs.kind = layout::VisibleItem::Kind::Closed;
    inputs.isInputs = true;
    inputs.nodes = 291;
    inputs.bytes = 3 << 20;
    const auto said = [&](double letters) { return numberOnCard(inputs, BlockMeasure::Nodes, letters); };
    QCOMPARE(said(20), QString("291 · 3.0 MiB"));
    QCOMPARE(said(8), QString("3.0 MiB"));
    QCOMPARE(said(4), QString("291"));
    inputs.moreBytes = true; // a size is a symbol
    QCOMPARE(said(20), QString("291 · ≥ 3.0 MiB"));
    inputs.isInputs = false;
    QCOMPARE(said(20), QString("291"));
    QCOMPARE(numberOnCard(inputs, BlockMeasure::Bytes, 20), QString("3.0 MiB"));
}

/// As the guards of the compile have it, on blocks, on opened ones, and on a stack whose members are of one class.
void TestCanvas::blocksSayWhichClassTheyAre() {
    PictureRequest request;
    request.b = PaneSource{graphFile("encoder_train.dynamo_output"), nullptr, {}, nullptr, {}};
    const auto guard = [](const std::string& source, const std::string& type) {
        return session::Guard{
            2,      "TYPE_MATCH", "___check_type_id(" + source + ", 1), type=<class '" + type + "'>",
            source, {},           {}};
    };
    std::vector<session::Guard> guards;
    for (const char* layer : {"0", "1", "2", "3"})
        guards.push_back(guard("L['fn']._modules['layers']._modules['" + std::string(layer) + "']",
                               "torch.nn.modules.transformer.TransformerEncoderLayer"));
    request.b->guards = guards;
    const Picture picture = makePicture(std::move(request), {});
    const Scene& scene = *picture.b->scene;
    QStringList said;
    for (const SceneItem& item : scene.items)
        if (!item.isNode()) said << item.name + ": " + item.target;
    for (const SceneFrame& frame : scene.frames)
        said << frame.name + ": " + frame.detail;
    const QStringList layers = said.filter("layers.0");
    QVERIFY2(!layers.isEmpty(), qPrintable(said.join('\n')));
    QVERIFY2(layers.front().contains(": TransformerEncoderLayer · "), qPrintable(said.join('\n')));
}

/// Ten nodes share a pixel, and still the one that differs is seen, as is the one that is selected; a tip says where
/// one is.
void TestCanvas::minimapOfAChain() {
    PictureRequest request;
    const ir::GraphPtr before = chain(-1), after = chain(7000);
    request.a = PaneSource{before, nullptr, {}, nullptr, {}};
    request.b = pictureOf(after, after).b->source;
    request.diff = std::make_shared<const diff::GraphDiff>(diff::diffGraphs(*before, *after));
    for (layout::GroupId g = 1; g < request.b->tree->groups.size(); ++g)
        request.b->open.insert(g);
    const ScenePtr scene = makePicture(std::move(request), {}).b->scene;
    QVERIFY(scene->items.size() > 10'000);
    const SceneItem& odd = itemNamed(*scene, "n_7000");
    QVERIFY(odd.change != diff::Change::Same);

    Theme theme;
    theme.setScheme(ColourScheme::Dark);
    Minimap map(theme);
    map.resize(Minimap::stripWidth, 700);
    map.setScene(scene);
    const auto rowsOf = [&map](const QColor& colour) {
        const QImage image = map.grab().toImage();
        std::vector<int> rows;
        for (int y = 0; y < image.height(); ++y)
            if (image.pixelColor(image.width() / 2, y) == colour) rows.push_back(y);
        return rows;
    };
    const std::vector<int> differing = rowsOf(theme.colours().diff(odd.change).line);
    QVERIFY(!differing.empty() && differing.size() <= 3);
    const double at = odd.rect.center().y() / scene->size.height();
    QVERIFY2(std::abs(differing.front() / 700.0 - at) < 0.02, qPrintable(QString::number(differing.front())));
    QVERIFY(rowsOf(theme.colours().accent).empty());
    map.setSelected(itemNamed(*scene, "n_3000").rect);
    const std::vector<int> selected = rowsOf(theme.colours().accent);
    QVERIFY(!selected.empty());
    QVERIFY(selected.front() > 180 && selected.back() < 240);

    // A tip names a node near the pointer, and the blocks around it.
    const QString what = map.whatIsAt(QPointF(map.width() / 2.0, selected.front() + 1));
    QVERIFY2(QRegularExpression(
                 "^n_(29|30)\\d\\d, in nodes \\d+-\\d+, in nodes 2-10001\n(29|30) % down the graph$")
                 .match(what)
                 .hasMatch(),
             qPrintable(what));
    QVERIFY(map.whatIsAt(QPointF(map.width() / 2.0, 2)).isEmpty());
    map.setScene(nullptr);
    QVERIFY(map.whatIsAt(QPointF(50, 300)).isEmpty());
}

void TestCanvas::onlyWhatIsVisibleIsPainted() {
    const ir::GraphPtr graph = graphFile("gpt2_train.aot_joint");
    Picture picture = pictureOf(graph, graph);
    PictureRequest request;
    request.b = picture.b->source;
    for (layout::GroupId g = 1; g < request.b->tree->groups.size(); ++g)
        request.b->open.insert(g);
    picture = makePicture(std::move(request), {});
    const Scene& scene = *picture.b->scene;
    const Theme theme;
    ScenePainter painter(theme);
    QImage image(800, 600, QImage::Format_ARGB32_Premultiplied);
    QPainter onImage(&image);
    ViewState view;
    view.viewport = image.size();
    const PaintCounts near = painter.paint(onImage, scene, view);
    QVERIFY(near.items > 0 || near.edges > 0 || !scene.frames.empty());
    QVERIFY(near.items < 40);
    view.zoom = 0.05;
    const PaintCounts far = painter.paint(onImage, scene, view);
    QVERIFY(far.items > near.items);
    view.offset = QPointF(0, scene.size.height() + 5000);
    QCOMPARE(painter.paint(onImage, scene, view).items, std::size_t(0));
}

void TestCanvas::titlesStayInSight() {
    const ir::GraphPtr graph = graphFile("gpt2_train.dynamo_output");
    const Picture picture = pictureOf(graph, graph);
    const Scene& scene = *picture.b->scene;
    QVERIFY(scene.frames.size() > 1);
    ViewState view;
    view.viewport = QSizeF(800, 600);
    view.offset = scene.frames[0].rect.center();
    const std::vector<QRectF> rows = titleRows(scene, view);
    QCOMPARE(rows[0].top(), 0.0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].isEmpty()) continue;
        QVERIFY(view.toView(scene.frames[i].rect).adjusted(-1, -1, 1, 1).contains(rows[i]));
        if (scene.frames[i].parent >= 0 && !rows[static_cast<std::size_t>(scene.frames[i].parent)].isEmpty())
            QVERIFY(rows[i].top() >= rows[static_cast<std::size_t>(scene.frames[i].parent)].top());
    }
    view.zoom = 0.2;
    for (const QRectF& row : titleRows(scene, view))
        QVERIFY(row.isEmpty());
}

void TestCanvas::textStaysInsideItsCard() {
    ir::GraphBuilder builder;
    ir::Node node;
    node.name = std::string(200, 'n');
    node.op = ir::Op::Placeholder;
    node.target = std::string(300, 't');
    node.comment = std::string(300, 'c');
    builder.add(std::move(node));
    const ir::GraphPtr graph = builder.build();
    PictureRequest request;
    request.a = PaneSource{graph, nullptr, {}, nullptr, {}};
    const Picture picture = makePicture(std::move(request), {});
    const Theme theme;
    ScenePainter painter(theme);
    for (const double zoom : {0.4, 0.8, 1.0, 2.0}) {
        QImage image(900, 300, QImage::Format_ARGB32_Premultiplied);
        image.fill(Qt::transparent);
        QPainter onImage(&image);
        ViewState view;
        view.zoom = zoom;
        view.offset = QPointF(-20, -20);
        view.viewport = image.size();
        QCOMPARE(painter.paint(onImage, *picture.a->scene, view).items, std::size_t(1));
        onImage.end();
        const int right = static_cast<int>((layout::cardWidth + 20) * zoom) + 2;
        for (int y = 0; y < image.height(); ++y)
            for (int x = right; x < image.width(); ++x)
                QVERIFY2(qAlpha(image.pixel(x, y)) == 0, qPrintable(QString::number(zoom)));
    }
}

void TestCanvas::cancelledPictureIsNotComplete() {
    const ir::GraphPtr graph = graphFile("gpt2_train.aot_joint");
    std::stop_source stop;
    stop.request_stop();
    TaskContext task;
    task.stop = stop.get_token();
    PictureRequest request;
    request.a = PaneSource{graph, nullptr, {}, nullptr, {}};
    QVERIFY(!makePicture(std::move(request), task).complete);
}

QTEST_MAIN(TestCanvas)
#include "tst_canvas.moc"
