// SPDX-License-Identifier: BSD-3-Clause
//
// The Functionalize layout, offscreen: stepping, modes, clicks and what is shown where.
#include "core/computed/tensor_value.h"
#include "tests/support/parts.h"
#include "tests/support/patience.h"
#include "tests/views/engine/engine_fixture.h"
#include "views/engine/engine_status.h"
#include "views/functionalize/functionalize_page.h"
#include "views/functionalize/graph_so_far.h"
#include "views/functionalize/scorecard_legend.h"
#include "views/functionalize/scorecard_view.h"
#include "views/functionalize/source_ops.h"
#include "views/functionalize/step_panel.h"
#include "views/functionalize/step_strips.h"
#include "views/values/values_panel.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QLabel>
#include <QListView>
#include <QPixmap>
#include <QPushButton>
#include <QScrollBar>
#include <QTabWidget>
#include <QTemporaryDir>
#include <limits>

using namespace dynascope;
using namespace dynascope::test;
using namespace dynascope::views;

class TestFunctionalize : public QObject {
    Q_OBJECT

    struct Shown : EngineFixture {
        FunctionalizePage page{workspace, passes, stepper, theme};
        explicit Shown(const char* mode = "", const std::string& replies = "sibling_views")
            : EngineFixture(mode, replies) {
            Place place = workspace.place();
            place.page = Page::Functionalize;
            workspace.go(place);
            page.resize(1500, 900);
            page.applyDefaultSizes(1600);
            page.show();
        }
    };

private slots:
    void startsAtTheFirstWrite() {
        Shown s;
        QVERIFY(s.page.message().contains(QStringLiteral("not run")));
        s.functionalize();
        QVERIFY(s.page.message().isEmpty());
        QCOMPARE(s.stepper.whereText(), QStringLiteral("op 4 of 8 · phase 3 of 4"));
        QCOMPARE(s.workspace.verdict(s.stepper.stage()->stage.get()).kind,
                 computed::StageVerdict::Kind::Equal);
        QVERIFY(s.workspace.verdict(s.stepper.stage()->stage.get()).isomorphic);
        QCOMPARE(test::part<QLabel>(s.page, "sourceOps.totals")->text(),
                 QStringLiteral("9 nodes in   23 emitted   17 after dce"));
    }

    void verdictsNameAnotherRelease() {
        Shown s;
        QFile file(DYNASCOPE_SOURCE_DIR "/resources/samples/sibling_views.json");
        QVERIFY(file.open(QIODevice::ReadOnly));
        nlohmann::json document = nlohmann::json::parse(file.readAll().toStdString());
        document["torch_version"] = "2.6.1+cpu";
        const auto session = capture::openText(document.dump(), "other.json");
        QVERIFY(session);
        s.workspace.addCapture({*session, session::summarizeBreaks(**session)});
        s.functionalize();
        const QString text = QString::fromStdString(s.workspace.verdict(s.stepper.stage()->stage.get()).text);
        QVERIFY2(text.endsWith(QStringLiteral("; PyTorch 2.13 here, 2.6 there")), qPrintable(text));
    }

    void steps() {
        Shown s;
        s.functionalize();
        QSignalSpy moved(&s.stepper, &Stepper::moved);
        s.stepper.stepPhase(1);
        QCOMPARE(s.stepper.phase(), 3);
        s.stepper.stepPhase(1); // into the next op
        QCOMPARE(std::pair(s.stepper.op(), s.stepper.phase()), std::pair(5, 0));
        s.stepper.stepPhase(-1);
        QCOMPARE(std::pair(s.stepper.op(), s.stepper.phase()), std::pair(4, 3));
        s.stepper.stepOp(1);
        QCOMPARE(std::pair(s.stepper.op(), s.stepper.phase()), std::pair(5, 3));
        QVERIFY(s.stepper.stepWrite(1));
        QCOMPARE(std::pair(s.stepper.op(), s.stepper.phase()), std::pair(7, 2));
        QVERIFY(!s.stepper.stepWrite(1));
        QVERIFY(s.stepper.stepWrite(-1));
        s.stepper.last();
        QCOMPARE(s.stepper.op(), 8);
        const auto before = moved.size();
        s.stepper.stepOp(1); // the end
        s.stepper.stepPhase(1);
        QCOMPARE(moved.size(), before);
        s.stepper.first();
        QCOMPARE(std::pair(s.stepper.op(), s.stepper.phase()), std::pair(0, 0));
    }

    void clicksGoThere() {
        Shown s;
        s.functionalize();
        auto* ops = s.page.findChild<OpStrip*>();
        auto* phases = s.page.findChild<PhaseStrip*>();
        QVERIFY(ops && phases);
        QTest::mouseClick(ops, Qt::LeftButton, {}, ops->opPoint(5));
        QCOMPARE(s.stepper.op(), 5);
        QTest::mouseClick(phases, Qt::LeftButton, {}, phases->phaseRect(0).center());
        QCOMPARE(s.stepper.phase(), 0);
        QListView* list = test::part<QListView>(*test::part<SourceOpsPanel>(s.page), "sourceOps");
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                          list->visualRect(list->model()->index(2, 0)).center());
        QCOMPARE(s.stepper.op(), 2);
        QTest::keyClick(list, Qt::Key_Down);
        QCOMPARE(s.stepper.op(), 3);
        GraphSoFar& graph = *test::part<GraphSoFar>(s.page, "graphSoFar");
        QTest::mouseDClick(graph.viewport(), Qt::LeftButton, {}, graph.lineRect(0).center());
        QCOMPARE(s.stepper.op(), 1);
    }

    void scorecardAtTheCommit() {
        Shown s;
        s.functionalize();
        s.stepper.goTo(5, 2);
        ScorecardView& card = *test::part<ScorecardView>(s.page, "scorecard");
        QVERIFY(card.plainText().contains(QStringLiteral(
            "storage 1, base select_scatter, generation 2 of 3: 6→12 9 10 -3→-6 0 -4 1→2 0 2")));
        QVERIFY(card.plainText().contains(
            QStringLiteral("mul (storage 1, base) is mul, generation 0, 2 behind: -4! -1!")));
        const QRect cell = card.cellRect(1, 3);
        QVERIFY(card.viewport()->rect().contains(cell.center()));
        QVERIFY(card.toolTipAt(cell.center()).contains(QStringLiteral("was -3")));
        const QRect row = card.valueRect("mul");
        QVERIFY(!row.isEmpty());
        QVERIFY(card.toolTipAt(QPoint(20, row.center().y())).contains(QStringLiteral("Behind since add_")));
        card.setFocus();
        QTest::keyClick(&card, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(), card.plainText());
        const QImage before = card.grab().toImage();
        QTest::keyClick(&card, Qt::Key_Up);
        QVERIFY(card.grab().toImage() != before); // another row is marked
        auto* legend = s.page.findChild<ScorecardLegend*>();
        QCOMPARE(
            legend->note(),
            QStringLiteral("b and r keep their old values. They are regenerated from the base when something "
                           "reads them, not before."));
        // What is drawn differs from what was drawn before.
        const QImage commit = card.grab().toImage();
        s.stepper.stepPhase(1);
        QVERIFY(card.grab().toImage() != commit);
    }

    void cellTextsFit() {
        using computed::cellText;
        struct Row {
            double value;
            std::size_t most;
            const char* text;
        };
        for (const Row& row :
             {Row{-1.2345e-05, 12, "-1.234e-05"}, Row{-1.2345e-05, 9, "-1.234e-5"},
              Row{-1.2345e-05, 7, "-1.2e-5"}, Row{-1.2345e-05, 5, "-1e-5"}, Row{-1.2345e-05, 2, "-1e-5"},
              Row{1.5e+20, 5, "2e20"}, Row{1.5e+20, 6, "1.5e20"}, Row{0.00012345, 7, "1.23e-4"},
              Row{-4, 2, "-4"}, Row{0.12345, 4, "0.12"}, Row{-9999, 5, "-9999"}, Row{-9999, 4, "-1e4"},
              Row{1.2e-300, 6, "1e-300"}, Row{-std::numeric_limits<double>::infinity(), 2, "-inf"}})
            QCOMPARE(cellText(row.value, row.most), std::string(row.text));
        for (const double value : {-1.2345e-05, 0.25, 12345.0, 1.0e300, -0.1234, 100.0, 0.0})
            QVERIFY(cellText(value, computed::leastCellRoom(value)).size() <= computed::leastCellRoom(value));
        QCOMPARE(computed::leastCellRoom(-9999), std::size_t(5));
        QCOMPARE(computed::leastCellRoom(-1.2345e-05), std::size_t(7));
    }

    void wideCellsScroll() {
        QFile file(DYNASCOPE_TEST_DATA "/engine/sibling_views.json");
        QVERIFY(file.open(QIODevice::ReadOnly));
        nlohmann::json replies = nlohmann::json::parse(file.readAll().toStdString());
        const auto shrink = [](nlohmann::json& rows) {
            for (nlohmann::json& row : rows)
                for (nlohmann::json& value : row["values"])
                    value = value.get<double>() * 1.2345e-5;
        };
        for (const char* reply : {"functionalize/mutations", "functionalize/mutations_and_views"})
            for (nlohmann::json& step : replies[reply]["steps"]) {
                shrink(step["scorecard"]);
                shrink(step["storages"]);
            }
        QTemporaryDir folder;
        QFile written(folder.filePath("small.json"));
        QVERIFY(written.open(QIODevice::WriteOnly));
        written.write(QByteArray::fromStdString(replies.dump()));
        written.close();
        Shown s("", written.fileName().toStdString());
        s.page.resize(1000, 700);
        s.page.applyDefaultSizes(1000);
        s.functionalize();
        s.stepper.goTo(5, 2);
        ScorecardView& card = *test::part<ScorecardView>(s.page, "scorecard");
        QVERIFY2(card.plainText().contains(QStringLiteral("-7.407e-05")), qPrintable(card.plainText()));
        QScrollBar* bar = card.horizontalScrollBar();
        QVERIFY(bar->maximum() > 0);
        QFont digits = s.theme.font(FontRole::Code);
        digits.setPixelSize(s.theme.scaled(10));
        for (std::int64_t cell = 0; cell < 9; ++cell) {
            bar->setValue(int(cell));
            const QRect rect = card.cellRect(1, cell);
            QVERIFY(card.viewport()->rect().contains(rect.center()));
            QVERIFY(rect.width() >= QFontMetrics(digits).horizontalAdvance(QStringLiteral("-7.4e-5")));
        }
    }

    void graphSoFar() {
        Shown s;
        s.functionalize();
        s.stepper.goTo(5, 1);
        const GraphSoFar& graph = *test::part<GraphSoFar>(s.page, "graphSoFar");
        using Kind = GraphSoFar::Line::Kind;
        std::vector<int> kinds;
        for (const GraphSoFar::Line& line : graph.lines())
            kinds.push_back(int(line.kind));
        QCOMPARE(kinds.size(), std::size_t{10});
        QCOMPARE(kinds[5], int(Kind::Done));
        QCOMPARE(kinds[6], int(Kind::Added));
        QCOMPARE(kinds[7], int(Kind::Added));
        QCOMPARE(kinds[8], int(Kind::Next));
        QVERIFY(graph.lines()[2].dead && graph.lines()[9].dead);
        QVERIFY(graph.lines()[6].text.startsWith(QStringLiteral("select_3 = aten.select.int(")));
        test::part<GraphSoFar>(s.page, "graphSoFar")->setShowDead(false);
        QCOMPARE(graph.lines().size(), std::size_t{8});
        QCOMPARE(graph.lines()[2].number, 4); // numbers stay
        test::part<GraphSoFar>(s.page, "graphSoFar")->setShortNames(false);
        QVERIFY(graph.lines()[5].text.contains(QStringLiteral("torch.ops.aten")));
        QTest::keyClick(test::part<GraphSoFar>(s.page, "graphSoFar"), Qt::Key_A, Qt::ControlModifier);
        QTest::keyClick(test::part<GraphSoFar>(s.page, "graphSoFar"), Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text().count(u'\n'), 7);
    }

    void tellsWhatTheOpDid() {
        Shown s;
        s.functionalize();
        s.stepper.goTo(5, 2);
        const QString text = test::part<StepPanel>(s.page)->plainText();
        for (const char* part :
             {"writes through c", "of b", "c was stale since add_", "select_3", "mul_1", "is queued",
              "select(dim 1, index 0)", "select_scatter(·, mul_1, 1, 0)", "isomorphic", "equal"})
            QVERIFY2(text.contains(QString::fromUtf8(part)), qPrintable(text));
        // A write at an index, or of a whole base: what an operator writes of its argument the text does not claim.
        for (int op = 0; op < 9; ++op) {
            s.stepper.goTo(op, 1);
            QVERIFY(!test::part<StepPanel>(s.page)->plainText().contains(QStringLiteral("the whole of")));
        }
        s.stepper.last();
        QVERIFY(
            test::part<StepPanel>(s.page)->plainText().contains(QStringLiteral("Outputs that were stale")));
        s.stepper.first();
        QVERIFY(test::part<StepPanel>(s.page)->plainText().contains(QStringLiteral("is an input")));
    }

    void modeSwitch() {
        Shown s;
        s.functionalize();
        s.stepper.goTo(5, 2);
        auto* views = s.page.findChild<QPushButton*>(QStringLiteral("modeViews"));
        QVERIFY(views);
        QTest::mouseClick(views, Qt::LeftButton);
        QTRY_VERIFY(s.stepper.mode().removesViews);
        QCOMPARE(s.stepper.op(), 5);
        QTRY_VERIFY(!s.engine.isBusy());
        QCOMPARE(s.workspace.stageCount(), 6); // both results stay
        bool copies = false;
        for (const GraphSoFar::Line& line : test::part<GraphSoFar>(s.page, "graphSoFar")->lines())
            copies = copies || line.text.contains(QStringLiteral("select_copy"));
        QVERIFY(copies);
        auto* mutations = s.page.findChild<QPushButton*>(QStringLiteral("modeMutations"));
        QTest::mouseClick(mutations, Qt::LeftButton);
        QVERIFY(!s.stepper.mode().removesViews); // known: no engine is asked
        QVERIFY(!s.engine.isBusy());
    }

    void models() {
        EngineFixture f;
        SourceOpsModel model(f.stepper);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        f.functionalize();
        QCOMPARE(model.rowCount(), 9);
        QCOMPARE(model.index(5).data(SourceOpsModel::EmittedRole).toString(),
                 QStringLiteral("emits 4, 1 dead"));
        QCOMPARE(model.index(5).data(SourceOpsModel::CallRole).toString(), QStringLiteral("c.mul_(2)"));
        f.stepper.goTo(5);
        QCOMPARE(model.index(4).data(SourceOpsModel::PlaceRole).toInt(), -1);
        WatchModel watch;
        QAbstractItemModelTester watchTester(&watch, QAbstractItemModelTester::FailureReportingMode::QtTest);
        watch.toggle(QStringLiteral("mul"));
        watch.toggle(QStringLiteral("add"));
        watch.toggle(QStringLiteral("mul"));
        QCOMPARE(watch.nodes(), QStringList{QStringLiteral("add")});
        f.workspace.close(0);
        QCOMPARE(model.rowCount(), 0);
    }

    void valuesOfANode() {
        EngineFixture f;
        ValuesPanel panel(f.workspace, f.passes, f.theme);
        panel.resize(320, 700);
        panel.show();
        QTRY_VERIFY(panel.message().contains(QStringLiteral("are not known yet")));
        QTest::mouseClick(panel.findChild<QPushButton*>(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(panel.message().isEmpty(), test::patience);
        f.workspace.selectNode({Side::A, f.workspace.stage(Side::A).graph->find("mul")});
        f.workspace.selectNode({Side::B, f.workspace.stage(Side::B).graph->find("mul")});
        QTRY_VERIFY(panel.plainText().contains(QStringLiteral("f32[3, 3]")));
        QVERIFY(panel.plainText().contains(QStringLiteral("-4 … 2")) ||
                panel.plainText().contains(QStringLiteral("-4")));
        panel.toggleWatch();
        QCOMPARE(panel.watch().nodes(), QStringList{QStringLiteral("mul")});
        panel.step(1);
        QCOMPARE(f.workspace.selectedNode()->name, std::string("select"));
        panel.step(-1);
        QCOMPARE(f.workspace.selectedNode()->name, std::string("mul"));
    }
};

QTEST_MAIN(TestFunctionalize)
#include "tst_functionalize.moc"
