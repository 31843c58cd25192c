// SPDX-License-Identifier: BSD-3-Clause
#include "core/inductor/compile_passes.h"
#include "tests/support/open_captures.h"
#include "tests/support/parts.h"
#include "views/inductor/pass_place.h"
#include "views/palette/palette.h"
#include "views/palette/palette_model.h"
#include "views/workspace/break_place.h"
#include "views/workspace/labels.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QSignalSpy>

using namespace dynascope;
using namespace dynascope::views;

class TestPalette : public QObject {
    Q_OBJECT
private slots:
    void ranks_data();
    void ranks();
    void findsEverything();
    void findsModulesAndParameters();
    void findsWhatTheProgramPasses();
    void findsFunctionsAndKernels();
    void prefixesNarrow();
    void recentComesFirst();
    void endsWhenCancelled();
    void titlesKeepBothEnds();
    void fieldShowsWhatIsTyped();
    void opensAndGoes();
    void findsGraphBreaks();
    void findsPasses();
    void modelHasHeadings();

private:
    static PaletteData dataOf(const Workspace& workspace);
    Theme m_theme;
};

void TestPalette::ranks_data() {
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("rank"); // -1: no match
    QTest::newRow("prefix") << "sel"
                            << "select_1" << int(MatchRank::Prefix);
    QTest::newRow("word start") << "scatter"
                                << "select_scatter" << int(MatchRank::WordStart);
    QTest::newRow("camel case") << "stage"
                                << "nextStage" << int(MatchRank::WordStart);
    QTest::newRow("contains") << "lect"
                              << "select" << int(MatchRank::Contains);
    QTest::newRow("fuzzy") << "slct"
                           << "select" << int(MatchRank::Fuzzy);
    QTest::newRow("two words") << "next st"
                               << "Next stage" << int(MatchRank::WordStart);
    QTest::newRow("words in any order") << "stage next"
                                        << "Next stage" << int(MatchRank::WordStart);
    QTest::newRow("short is not fuzzy") << "st"
                                        << "s other t" << -1;
    QTest::newRow("letters far apart") << "sel"
                                       << "resume in helper at last" << -1;
    QTest::newRow("none") << "xyz"
                          << "select" << -1;
    QTest::newRow("empty") << ""
                           << "anything" << int(MatchRank::Prefix);
}

void TestPalette::ranks() {
    QFETCH(QString, pattern);
    QFETCH(QString, text);
    QFETCH(int, rank);
    const auto match = matchPalette(pattern, text);
    QCOMPARE(match ? int(match->rank) : -1, rank);
    if (!match) return;
    int end = 0;
    for (const auto& [begin, length] : match->ranges) {
        QVERIFY(begin >= end && length > 0);
        end = begin + length;
    }
    QVERIFY(end <= text.size());
}

PaletteData TestPalette::dataOf(const Workspace& workspace) {
    PaletteData data;
    for (const Workspace::Capture& capture : workspace.captures())
        data.sessions.push_back(capture.session);
    const Place& place = workspace.place();
    data.capture = place.capture;
    data.compile = place.compile;
    for (int i = 0; i < workspace.stageCount(); ++i)
        data.stages.push_back(workspace.stageAt(i));
    data.stageA = place.stageA;
    data.stageB = place.stageB;
    data.actions = {{"go.selectStages", "Select stages A and B", "Go", "layers", QKeySequence("Ctrl+J")},
                    {"view.reset", "Reset layout", "View", "", {}}};
    return data;
}

void TestPalette::findsEverything() {
    TaskRunner tasks;
    Workspace workspace(tasks);
    test::addSample(workspace, "view_mutation");
    const PaletteResult result = searchPalette(dataOf(workspace), "sel");
    QVERIFY(!result.hits.empty());
    QCOMPARE(result.hits.front().kind, PaletteKind::Node);
    QVERIFY(result.hits.front().title.startsWith("select"));
    QVERIFY(result.hits.front().detail.contains("aten.select"));
    // The shown stages are looked at first.
    QCOMPARE(result.hits.front().stage, workspace.place().stageB);
    QVERIFY(std::any_of(result.hits.begin(), result.hits.end(),
                        [](const PaletteHit& h) { return h.kind == PaletteKind::Action; }));
    QVERIFY(searchPalette(dataOf(workspace), "zzzzzz").hits.empty());
}

/// By the names that the model's code has, whatever the graph calls its placeholders.
void TestPalette::findsModulesAndParameters() {
    TaskRunner tasks;
    Workspace workspace(tasks);
    test::addSample(workspace, "encoder_train");
    const PaletteResult result = searchPalette(dataOf(workspace), "%layers.1.self_attn");
    QStringList modules, tensors;
    for (const PaletteHit& hit : result.hits) {
        QCOMPARE(hit.kind, PaletteKind::Module);
        const auto graph = workspace.compile()->stages[std::size_t(hit.stage)]->graph();
        QVERIFY(graph.has_value());
        const ir::Node& node = (*graph)->node(hit.node);
        if (hit.detail.startsWith("parameter"))
            tensors << hit.title;
        else
            modules << hit.title;
        // A parameter is its placeholder, a module the first call that reads one of its parameters.
        QCOMPARE(node.op == ir::Op::Placeholder, hit.detail.startsWith("parameter"));
    }
    QVERIFY2(modules.contains("layers.1.self_attn"), qPrintable(modules.join(' ')));
    QVERIFY2(tensors.contains("layers.1.self_attn.in_proj_weight"), qPrintable(tensors.join(' ')));
    const PaletteResult list = searchPalette(dataOf(workspace), "%layers");
    QVERIFY(std::any_of(list.hits.begin(), list.hits.end(), [](const PaletteHit& hit) {
        return hit.title == "layers" && hit.detail.startsWith("list of modules");
    }));
}

/// By the program's name for it, with the graph's beside; once, whatever graphs it is in.
void TestPalette::findsWhatTheProgramPasses() {
    TaskRunner tasks;
    Workspace workspace(tasks);
    test::addSample(workspace, "encoder_train");
    const PaletteResult result = searchPalette(dataOf(workspace), "@args[0]");
    QCOMPARE(std::count_if(result.hits.begin(), result.hits.end(),
                           [](const PaletteHit& hit) { return hit.title == "args[0]"; }),
             1);
    const PaletteHit& hit = result.hits.front();
    QCOMPARE(hit.title, QString("args[0]"));
    QVERIFY2(hit.detail.startsWith("placeholder primals_"), qPrintable(hit.detail));
    // In a graph of Inductor's as well, which does not say what its inputs are.
    Workspace second(tasks);
    test::addSample(second, "view_mutation");
    PaletteData data = dataOf(second);
    for (int stage = 0; stage < int(data.stages.size()); ++stage)
        if (data.stages[std::size_t(stage)]->name == "inductor_post_grad_graph") data.stageB = stage;
    const PaletteResult passed = searchPalette(data, "@y");
    QCOMPARE(passed.hits.front().title, QString("y"));
    QCOMPARE(passed.hits.front().stage, data.stageB);
}

/// Functions of the program, and kernels of the code that Inductor made of it; Enter goes to their lines.
void TestPalette::findsFunctionsAndKernels() {
    TaskRunner tasks;
    Workspace workspace(tasks);
    test::addSample(workspace, "graph_breaks");
    const PaletteResult functions = searchPalette(dataOf(workspace), "/f");
    const auto isFunction = [](const PaletteHit& hit) { return hit.detail.startsWith("function"); };
    const auto f = std::find_if(functions.hits.begin(), functions.hits.end(), isFunction);
    QVERIFY(f != functions.hits.end());
    QCOMPARE(f->title, QString("f"));
    QVERIFY(f->file.endsWith("cap.py") && f->line > 0);
    QCOMPARE(std::count_if(functions.hits.begin(), functions.hits.end(),
                           [&](const PaletteHit& hit) { return isFunction(hit) && hit.title == "f"; }),
             1);

    const PaletteResult kernels = searchPalette(dataOf(workspace), "/extern_kernels");
    const auto isKernel = [](const PaletteHit& hit) { return hit.detail.startsWith("kernel"); };
    const auto mm = std::find_if(kernels.hits.begin(), kernels.hits.end(), isKernel);
    QVERIFY(mm != kernels.hits.end());
    QVERIFY(mm->file.isEmpty() && mm->line > 0);
    const session::Stage& code = *workspace.compile()->stages[std::size_t(mm->stage)];
    QCOMPARE(code.content, session::Stage::Content::Code);
    const QStringList lines = toQString(code.payload.text()).split('\n');
    QVERIFY2(lines.value(mm->line - 1).contains("extern_kernels") ||
                 lines.value(mm->line).contains("extern_kernels"),
             qPrintable(lines.value(mm->line - 1)));
}

void TestPalette::prefixesNarrow() {
    TaskRunner tasks;
    Workspace workspace(tasks);
    test::addSample(workspace, "graph_breaks");
    for (const PaletteKind kind :
         {PaletteKind::Node, PaletteKind::Action, PaletteKind::Source, PaletteKind::Frame}) {
        const PaletteResult result = searchPalette(dataOf(workspace), QString(palettePrefix(kind)));
        QVERIFY(!result.hits.empty());
        for (const PaletteHit& hit : result.hits)
            QCOMPARE(hit.kind, kind);
    }
    const PaletteResult line = searchPalette(dataOf(workspace), "/cap.py:30");
    QVERIFY(!line.hits.empty());
    QCOMPARE(line.hits.front().line, 30);
    const PaletteResult frame = searchPalette(dataOf(workspace), "#3/1");
    QVERIFY(!frame.hits.empty());
    QCOMPARE(workspace.session()->compiles[std::size_t(frame.hits.front().compile)].id.toString(),
             std::string("3/1"));
}

void TestPalette::recentComesFirst() {
    TaskRunner tasks;
    Workspace workspace(tasks);
    PaletteData data = dataOf(workspace);
    data.actions.push_back({"b", "Reset everything", "", "", {}});
    QCOMPARE(searchPalette(data, ">reset").hits.front().id, QString(">view.reset")); // shorter
    data.recent = QStringList{">b"};
    QCOMPARE(searchPalette(data, ">reset").hits.front().id, QString(">b"));
}

void TestPalette::endsWhenCancelled() {
    TaskRunner tasks;
    Workspace workspace(tasks);
    test::addSample(workspace, "encoder_train");
    std::stop_source stop;
    stop.request_stop();
    TaskContext task;
    task.stop = stop.get_token();
    QVERIFY(searchPalette(dataOf(workspace), "@", task).found[int(PaletteKind::Node)] <=
            searchPalette(dataOf(workspace), "@").found[int(PaletteKind::Node)]);
}

void TestPalette::titlesKeepBothEnds() {
    PaletteHit hit;
    hit.title = "model.layers.12.self_attn.q_proj.weight";
    hit.ranges = {{4, 11}, {26, 6}}; // "l.layers.12", "q_proj"
    const QFontMetricsF metrics((m_theme.font(FontRole::Text)));
    const ShownTitle whole = shownTitle(metrics, hit, 1000);
    QCOMPARE(whole.text, hit.title);
    QCOMPARE(whole.ranges, hit.ranges);
    const QString dots(QChar(0x2026));
    const ShownTitle cut =
        shownTitle(metrics, hit, metrics.horizontalAdvance("model.layers.12.q_proj.weight.."));
    QCOMPARE(cut.text, "model.layers.12" + dots + "q_proj.weight");
    QCOMPARE(cut.ranges, (std::vector<std::pair<int, int>>{{4, 11}, {16, 6}}));
    const ShownTitle end = shownTitle(metrics, hit, metrics.horizontalAdvance(dots + "q_proj.weight") + 1);
    QCOMPARE(end.text, dots + "q_proj.weight");
    QCOMPARE(end.ranges, (std::vector<std::pair<int, int>>{{1, 6}}));
}

void TestPalette::fieldShowsWhatIsTyped() {
    TaskRunner tasks;
    Workspace workspace(tasks);
    QWidget window;
    window.resize(1280, 800);
    Palette palette(workspace, m_theme, &window);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    palette.open("model.layers.12.self_attn.q_proj.weight");
    const auto* field = test::part<QLineEdit>(palette, "palette.field");
    const int room = field->width() - 2 * m_theme.scaled(8);
    QVERIFY2(QFontMetrics(field->font()).horizontalAdvance(field->text()) < room,
             qPrintable(QString::number(room)));
}

void TestPalette::opensAndGoes() {
    TaskRunner tasks;
    Workspace workspace(tasks);
    test::addSample(workspace, "view_mutation");
    QWidget window;
    window.resize(900, 700);
    Palette palette(workspace, m_theme, &window);
    palette.setActionSource([] { return std::vector<PaletteAction>{{"a.b", "Do something", "Go", "", {}}}; });
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    palette.open("@no_such_node_anywhere");
    QTRY_VERIFY(test::part<QLabel>(palette, "palette.none")->isVisible()); // in the place of an empty list
    QVERIFY(test::part<QLabel>(palette, "palette.none")->text().startsWith("Nothing matches"));
    palette.open("@select_scatter");
    QTRY_VERIFY(palette.model().rowCount() >= 2);
    QVERIFY(!test::part<QLabel>(palette, "palette.none")->isVisible());
    QTest::keyClick(test::part<QLineEdit>(palette, "palette.field"), Qt::Key_Return);
    QVERIFY(!palette.isVisible());
    QVERIFY(workspace.selectedNode());
    QCOMPARE(workspace.selectedNode()->name, std::string("select_scatter"));
    QCOMPARE(palette.recent(), QStringList{"@select_scatter"});

    QSignalSpy chosen(&palette, &Palette::actionChosen);
    palette.open(">do");
    QTRY_COMPARE(palette.model().result().found[int(PaletteKind::Action)], std::size_t(1));
    QTest::keyClick(test::part<QLineEdit>(palette, "palette.field"), Qt::Key_Return);
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen.first().first().toString(), QString("a.b"));

    // What cannot be chosen now is found all the same, after the rest, and says what it needs.
    palette.setActionSource([] {
        return std::vector<PaletteAction>{{"go.dynamo", "Dynamo", "Go", "", {}, "needs a recording"},
                                          {"a.b", "Do Dynamo things", "Go", "", {}}};
    });
    palette.open(">dynamo");
    QTRY_COMPARE(palette.model().result().found[int(PaletteKind::Action)], std::size_t(2));
    QCOMPARE(palette.model().hit(1)->id, QString(">a.b"));
    QCOMPARE(palette.model().hit(2)->detail, QString("needs a recording"));
    QTest::keyClick(test::part<QLineEdit>(palette, "palette.field"), Qt::Key_Down);
    QTest::keyClick(test::part<QLineEdit>(palette, "palette.field"), Qt::Key_Return);
    QVERIFY(palette.isVisible());
    QCOMPARE(chosen.size(), 1);
    palette.open(">");
    QTRY_COMPARE(palette.model().result().found[int(PaletteKind::Action)], std::size_t(1));

    palette.open("sel");
    QTRY_VERIFY(palette.model().rowCount() > 2);
    QTest::keyClick(test::part<QLineEdit>(palette, "palette.field"), Qt::Key_Tab);
    QCOMPARE(test::part<QLineEdit>(palette, "palette.field")->text(), QString("@sel"));
    QTest::keyClick(test::part<QLineEdit>(palette, "palette.field"), Qt::Key_Escape);
    QVERIFY(!palette.isVisible());
}

void TestPalette::findsPasses() {
    TaskRunner tasks;
    Workspace workspace(tasks);
    const auto session = capture::open(DYNASCOPE_TEST_DATA "/passes");
    QVERIFY(session);
    workspace.addCapture({*session, session::summarizeBreaks(**session)}, true);
    workspace.selectCompile(0, int((*session)->find(0, "0/0") - (*session)->compiles.data()));
    QWidget window;
    window.resize(900, 700);
    Palette palette(workspace, m_theme, &window);
    window.show();
    palette.open("~remove_noop");
    QTRY_VERIFY(palette.model().result().found[int(PaletteKind::Pass)] >= 2);
    const PaletteHit hit = palette.model().result().hits.front();
    QCOMPARE(hit.title, QString("remove_noop_ops"));
    QVERIFY2(hit.detail.startsWith("joint  ") && hit.detail.contains(u'−'), qPrintable(hit.detail));
    for (const PaletteHit& each : palette.model().result().hits)
        QCOMPARE(each.kind, PaletteKind::Pass);
    QTest::keyClick(test::part<QLineEdit>(palette, "palette.field"), Qt::Key_Return);
    QVERIFY(!palette.isVisible());
    QCOMPARE(workspace.place().page, Page::Inductor);
    const auto passes =
        inductor::passesOf(**session, (*session)->compiles[std::size_t(workspace.place().compile)]);
    const int row = workspace.place().own.of<PassPlace>().row;
    QCOMPARE(row, hit.pass);
    QCOMPARE(passes.rows[std::size_t(row)].name(), std::string("remove_noop_ops"));
    QVERIFY(passes.rows[std::size_t(row)].changed());

    // Beside all else what was typed finds them too; a capture without a recording has none.
    QVERIFY(searchPalette(dataOf(workspace), "remove_noop").found[int(PaletteKind::Pass)] >= 2);
    QCOMPARE(searchPalette(dataOf(workspace), "").found[int(PaletteKind::Pass)], std::size_t(0));
    Workspace without(tasks);
    test::addSample(without, "graph_breaks");
    QCOMPARE(searchPalette(dataOf(without), "~").found[int(PaletteKind::Pass)], std::size_t(0));
}

void TestPalette::findsGraphBreaks() {
    TaskRunner tasks;
    Workspace workspace(tasks);
    test::addSample(workspace, "view_mutation");
    test::addSample(workspace, "graph_breaks");
    QWidget window;
    window.resize(900, 700);
    Palette palette(workspace, m_theme, &window);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    const session::BreakGroup& wanted = workspace.captures()[1].breaks.groups[2];
    palette.open("#" + QString::fromStdString(wanted.reason));
    QTRY_VERIFY(palette.model().hit(1) && palette.model().hit(1)->breakGroup == 2);
    QVERIFY(palette.model().hit(1)->detail.contains(":" + QString::number(wanted.location.line)));
    QTest::keyClick(test::part<QLineEdit>(palette, "palette.field"), Qt::Key_Return);
    QCOMPARE(workspace.place().page, Page::Breaks);
    QCOMPARE(workspace.place().capture, 1);
    QCOMPARE(breakGroup(workspace.place()), 2);
}

void TestPalette::modelHasHeadings() {
    TaskRunner tasks;
    Workspace workspace(tasks);
    test::addSample(workspace, "view_mutation");
    PaletteModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setResult(searchPalette(dataOf(workspace), "sel"));
    QVERIFY(!model.hit(0));
    QVERIFY(!(model.flags(model.index(0)) & Qt::ItemIsSelectable));
    QVERIFY(model.hit(1));
    QVERIFY(!model.hit(-1) && !model.hit(1000));
    model.setResult({});
    QCOMPARE(model.rowCount(), 0);
}

QTEST_MAIN(TestPalette)
#include "tst_palette.moc"
