// SPDX-License-Identifier: BSD-3-Clause
//
// The page of a recording of Dynamo: from a graph break back to where the value on the stack was made.
#include "core/capture/open.h"
#include "core/dynamo/cursor.h"
#include "tests/support/dynamo_parts.h"
#include "tests/support/parts.h"
#include "tests/support/recordings.h"
#include "tests/views/panel_test.h"
#include "views/base/code_view.h"
#include "views/base/nothing_matches.h"
#include "views/base/row_table.h"
#include "views/canvas/graph_canvas.h"
#include "views/dynamo/break_story.h"
#include "views/dynamo/breakpoints_model.h"
#include "views/dynamo/breakpoints_view.h"
#include "views/dynamo/breaks_view.h"
#include "views/dynamo/cache_view.h"
#include "views/dynamo/console_view.h"
#include "views/dynamo/dynamo_page.h"
#include "views/dynamo/dynamo_place.h"
#include "views/dynamo/effects_view.h"
#include "views/dynamo/key_model.h"
#include "views/dynamo/key_view.h"
#include "views/dynamo/partial_graph.h"
#include "views/dynamo/search_view.h"
#include "views/dynamo/state_model.h"
#include "views/dynamo/steps_strip.h"
#include "views/dynamo/symbol_names_view.h"
#include "views/inspector/fact_view.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QSpinBox>
#include <QTabWidget>
#include <QToolButton>
#include <QTreeView>
#include <QtTest>

using namespace dynascope;
using namespace dynascope::views;

namespace {

struct Shown : test::Fixture {
    std::unique_ptr<DynamoPage> page;

    explicit Shown(const char* name = "gb24_dynamic_output_op") {
        static const std::map<std::string, std::string> recordings = test::oracleRecordings();
        open(recordings.at(name), name);
    }
    Shown(const std::string& bytes, const char* name) { open(bytes, name); }
    void open(const std::string& bytes, const char* name) {
        const Result<session::SessionPtr> session = capture::openText(bytes, name);
        if (!session) qFatal("%s", session.error().toString().c_str());
        workspace.addCapture({*session, session::summarizeBreaks(**session)});
        page = show<DynamoPage>(1200, 700);
    }
    [[nodiscard]] const dynamo::Recording& recording() const {
        return *session::attachedAs<dynamo::Recording>(workspace.session()->recordings.front());
    }
    /// "Locals: x = TensorVariable f32[4] l_x_".
    [[nodiscard]] QStringList rows() const {
        QStringList out;
        const QAbstractItemModel& model = *test::in(*page).state()->model();
        for (int section = 0; section < model.rowCount(); ++section) {
            const QModelIndex parent = model.index(section, 0);
            for (int row = 0; row < model.rowCount(parent); ++row)
                out << parent.data().toString() + QStringLiteral(": ") +
                           model.index(row, StateModel::Name, parent).data().toString() +
                           QStringLiteral(" = ") +
                           model.index(row, StateModel::Kind, parent).data().toString() + u' ' +
                           model.index(row, StateModel::Text, parent).data().toString();
        }
        return out;
    }
    [[nodiscard]] QString codeLine(CodeView* view) const {
        const std::set<int>& lines = view->selectedLines(0);
        return lines.empty() ? QString()
                             : view->document(0)->lines[std::size_t(*lines.begin())].text.simplified();
    }
    [[nodiscard]] QString storyText() const {
        const std::uint32_t attempt = recording().frames()[recording().steps()[page->step()].frame].attempt;
        return FactView::plainText(breakStory(recording(), attempt, endOfGraph(recording(), page->step())));
    }
    QAction* menuAction(QMenu& menu, const QString& text) const {
        for (QAction* action : menu.actions())
            if (action->text() == text) return action;
        return nullptr;
    }
    void until(const char* condition) {
        test::in(*page).condition()->setText(QLatin1String(condition));
        QTest::keyClick(test::in(*page).condition(), Qt::Key_Return);
        settle();
    }
};

} // namespace

class TestDynamoPage : public QObject {
    Q_OBJECT

private slots:
    void recordingsGoToTheirPage() {
        Shown s;
        QCOMPARE(s.workspace.place().page, Page::Dynamo);
        QCOMPARE(s.page->message(), QString());
    }

    void startsAtTheFirstGraphBreak() {
        Shown s;
        const QAbstractItemModelTester tester(test::in(*s.page).state()->model(),
                                              QAbstractItemModelTester::FailureReportingMode::Fatal);
        QVERIFY(s.recording().steps()[s.page->step()].has(dynamo::Happening::GraphBreak));
        QVERIFY2(test::in(*s.page).caption().contains("graph break: "),
                 qPrintable(test::in(*s.page).caption()));
        QVERIFY2(s.codeLine(test::in(*s.page).source()).contains("torch.nonzero(y > 1)"),
                 qPrintable(s.codeLine(test::in(*s.page).source())));
        QVERIFY2(s.codeLine(test::in(*s.page).bytecode()).contains("CALL 1"),
                 qPrintable(s.codeLine(test::in(*s.page).bytecode())));
        QVERIFY2(s.rows().filter("Value stack: ").join(u'\n').contains("TensorVariable"),
                 qPrintable(s.rows().join(u'\n')));
        test::in(*s.page).graph()->setForm(PartialGraph::Form::Text);
        QVERIFY(test::in(*s.page).graph()->view()->document(0)->text().contains("operator.gt"));
    }

    /// What Dynamo raised for getattr() with a default, and caught, is no end of the graph.
    void aCaughtExceptionIsNoEnd() {
        QFile file(DYNASCOPE_TEST_DATA "/dynamo/caught_exception.dsteps");
        QVERIFY(file.open(QIODevice::ReadOnly));
        Shown s(file.readAll().toStdString(), "caught_exception.dsteps");
        QVERIFY2(s.storyText().startsWith("The graph ends whole"), qPrintable(s.storyText()));
    }

    /// Step to a break, go back to where the value was made, and read it.
    void backToWhereTheValueWasMade() {
        Shown s;
        test::in(*s.page).graph()->setForm(PartialGraph::Form::Text);
        const dynamo::StepIndex broken = s.page->step();
        const dynamo::StepIndex made =
            dynamo::runToNode(s.recording(), broken, "gt", dynamo::Direction::Back);
        QVERIFY(made < broken);
        while (s.page->step() > made)
            QTest::keyClick(test::in(*s.page).strip(), Qt::Key_Left);
        QVERIFY2(test::in(*s.page).caption().startsWith("COMPARE_OP"),
                 qPrintable(test::in(*s.page).caption()));
        QVERIFY(test::in(*s.page).caption().contains("adds to the graph"));
        QVERIFY2(s.rows().contains("Locals: y = TensorVariable f32[4] y"), qPrintable(s.rows().join(u'\n')));
        // It is what the instruction is about to add.
        QVERIFY(test::in(*s.page).graph()->view()->document(0)->lines.back().text.contains("operator.gt"));
        QVERIFY(test::in(*s.page).graph()->view()->rows().back().change == diff::Change::Added);
    }

    void stepsByKey() {
        Shown s;
        s.page->goToStep(0);
        QTest::keyClick(test::in(*s.page).strip(), Qt::Key_Right);
        QCOMPARE(s.page->step(), dynamo::StepIndex(1));
        QTest::keyClick(test::in(*s.page).strip(), Qt::Key_End);
        QCOMPARE(std::size_t(s.page->step()) + 1, s.recording().steps().size());
        QTest::keyClick(test::in(*s.page).strip(), Qt::Key_Home);
        QCOMPARE(s.page->step(), dynamo::StepIndex(0));
        using enum StepCommand;
        s.page->run(Over);
        QCOMPARE(s.page->step(), dynamo::stepOver(s.recording(), 0, dynamo::Direction::Forward));
        s.page->run(BackOver);
        QCOMPARE(s.page->step(), dynamo::StepIndex(0));
        s.page->run(Last);
        QCOMPARE(std::size_t(s.page->step()) + 1, s.recording().steps().size());
        s.page->run(In); // there is none
        QCOMPARE(std::size_t(s.page->step()) + 1, s.recording().steps().size());
        s.page->activateWindow();
        const dynamo::StepIndex last = s.page->step();
        QTest::keyClick(test::in(*s.page).strip(), Qt::Key_F11, Qt::ControlModifier); // a key of the page
        QCOMPARE(s.page->step(), last - 1);
    }

    /// Walking is one entry of the history, jumps are one each.
    void backAndForward() {
        Shown s;
        const dynamo::StepIndex first = s.page->step();
        for (int i = 0; i < 3; ++i)
            s.page->run(StepCommand::BackIn);
        s.page->goToStep(0);
        QVERIFY(s.workspace.canGoBack());
        s.workspace.goBack();
        QCOMPARE(s.page->step(), first - 3);
        s.workspace.goBack();
        QCOMPARE(s.page->step(), first);
        s.workspace.goForward();
        s.workspace.goForward();
        QCOMPARE(s.page->step(), dynamo::StepIndex(0));
        QCOMPARE(s.workspace.place().own.of<DynamoPlace>().step, 0);
    }

    void nodesAndStepsAreLinked() {
        Shown s;
        const dynamo::StepIndex made =
            dynamo::runToNode(s.recording(), s.page->step(), "gt", dynamo::Direction::Back);
        test::in(*s.page).graph()->setForm(PartialGraph::Form::Text);
        CodeView* view = test::in(*s.page).graph()->view();
        int line = 0;
        while (!view->document(0)->lines[std::size_t(line)].text.contains("%gt"))
            ++line;
        QCOMPARE(test::in(*s.page).graph()->stepOfLine(line), made);
        view->reveal(0, line);
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->lineRect(0, line).center());
        QCOMPARE(s.page->step(), made);
        // What the instruction adds stands below, marked.
        QCOMPARE(test::in(*s.page).graph()->added(), std::size_t(1));
        QVERIFY(view->rows().back().change == diff::Change::Added);
        QVERIFY(view->document(0)->text().contains("%gt"));
        s.page->run(StepCommand::BackIn);
        QVERIFY(!view->document(0)->text().contains("%gt"));
    }

    void cardsAndStepsAreLinked() {
        Shown s;
        const PartialGraph& graph = *test::in(*s.page).graph();
        canvas::GraphCanvas& cards = *graph.canvas();
        cards.setMotion(false);
        QVERIFY(graph.form() == PartialGraph::Form::Cards);
        const dynamo::StepIndex made =
            dynamo::runToNode(s.recording(), s.page->step(), "gt", dynamo::Direction::Back);
        const auto cardOf = [&](const char* name) {
            return cards.scene() ? cards.scene()->byKey.value(QLatin1String(name), canvas::noItem)
                                 : canvas::noItem;
        };
        const int card = cardOf("gt");
        QVERIFY(card != canvas::noItem);
        QCOMPARE(graph.stepOfItem(card), made);
        QCOMPARE(cards.scene()->items[std::size_t(card)].chip, QStringLiteral("step %1").arg(made));
        QCOMPARE(cards.scene()->items[std::size_t(card)].right, QString("b8[4]"));
        const QRectF place = cards.scene()->items[std::size_t(card)].rect;
        cards.reveal(place);
        QTest::mouseClick(cards.viewport(), Qt::LeftButton, {}, cards.viewRectOf(card).center().toPoint());
        QCOMPARE(s.page->step(), made);
        // The step marks its card, which stands where it stood.
        QCOMPARE(cards.selected(), cardOf("gt"));
        const canvas::SceneItem& item = cards.scene()->items[std::size_t(cards.selected())];
        QVERIFY(item.change == diff::Change::Added);
        QCOMPARE(item.rect, place);
        // One step on it is there, and was made last.
        s.page->run(StepCommand::In);
        QVERIFY(cards.scene()->items[std::size_t(cardOf("gt"))].change == diff::Change::Same);
        QCOMPARE(cards.related(), std::vector<int>{cardOf("gt")});
        // By keyboard: Enter on a card.
        cards.setSelected(cardOf("gt"));
        QTest::keyClick(&cards, Qt::Key_Return);
        QCOMPARE(s.page->step(), made);
        s.page->run(StepCommand::BackIn);
        QCOMPARE(cardOf("gt"), canvas::noItem);
        s.page->goToStep(0);
        QVERIFY(!cards.scene());
        QCOMPARE(cards.message(), QString("No node yet"));
        QMenu menu;
        s.page->goToStep(made);
        emit cards.menuAboutToShow(&menu, cards.selected());
        s.menuAction(menu, "Go to the step that made it")->trigger();
        QCOMPARE(s.page->step(), made);
    }

    /// Every graph of every recording can be drawn.
    void allGraphsHaveCards() {
        for (const char* name : {"gb13_break_in_callee", "cl07_late_binding", "rc01_shape"}) {
            Shown s(name);
            for (const dynamo::AttemptInfo& attempt : s.recording().attempts()) {
                s.page->goToStep(attempt.last);
                const std::size_t all =
                    test::in(*s.page).graph()->nodes() + test::in(*s.page).graph()->added();
                const canvas::ScenePtr& scene = test::in(*s.page).graph()->canvas()->scene();
                QCOMPARE(scene ? scene->items.size() : 0, all);
            }
        }
    }

    void longGraphsShowTheirNewestNodes() {
        const Result<session::SessionPtr> session = capture::openText(test::longRecording(20'000), "long");
        QVERIFY(session);
        test::Fixture f;
        f.workspace.addCapture({*session, session::summarizeBreaks(**session)});
        const auto page = f.show<DynamoPage>(1200, 700);
        const QAbstractItemModelTester state(test::in(*page).state()->model(),
                                             QAbstractItemModelTester::FailureReportingMode::Fatal);
        const QAbstractItemModelTester changes(test::in(*page).changes()->model(),
                                               QAbstractItemModelTester::FailureReportingMode::Fatal);
        page->goToStep(19'990);
        const PartialGraph& graph = *test::in(*page).graph();
        QCOMPARE(graph.nodes(), std::size_t(1000));
        const std::size_t shown = graph.canvas()->scene()->items.size();
        QVERIFY(shown > 0 && shown < 1000);
        auto* note = graph.findChild<QLabel*>();
        QVERIFY(note && note->isVisible());
        QVERIFY2(note->text().startsWith(QStringLiteral("The newest %1 of ").arg(shown)),
                 qPrintable(note->text()));
        // Cards stay where they are while the graph grows.
        const QString newest = QStringLiteral("sin_1000");
        const auto rectOf = [&] {
            const canvas::Scene& scene = *graph.canvas()->scene();
            return scene.items[std::size_t(scene.byKey.value(newest))].rect;
        };
        const QRectF place = rectOf();
        page->goToStep(19'999);
        QCOMPARE(rectOf(), place);
        // All of them, when asked for.
        emit note->linkActivated({});
        QVERIFY2(note->text().startsWith("All "), qPrintable(note->text()));
        QCOMPARE(graph.canvas()->scene()->items.size(), std::size_t(1000));

        const QAbstractItemModel& model = *test::in(*page).state()->model();
        const QModelIndex guards = model.index(4, 0);
        QCOMPARE(model.rowCount(guards), int(newestRows) + 1);
        QVERIFY(guards.siblingAtColumn(StateModel::Kind).data().toString() == "667");
        const QModelIndex more = model.index(0, 0, guards);
        QVERIFY2(more.data().toString().contains("467 earlier"), qPrintable(more.data().toString()));
        emit test::in(*page).state()->activated(more);
        QCOMPARE(model.rowCount(guards), 667);
    }

    /// What is selected and folded stays so from step to step.
    void stateStandsStill() {
        Shown s;
        const QAbstractItemModelTester tester(test::in(*s.page).changes()->model(),
                                              QAbstractItemModelTester::FailureReportingMode::Fatal);
        QTreeView* view = test::in(*s.page).state();
        const QAbstractItemModel& model = *view->model();
        const QModelIndex locals = model.index(2, 0), guards = model.index(4, 0);
        QVERIFY(model.rowCount(locals) > 0 && model.rowCount(guards) > 0);
        view->setCurrentIndex(model.index(0, 0, locals));
        const QString name = view->currentIndex().data().toString();
        view->collapse(guards);
        s.page->run(StepCommand::BackIn);
        QCOMPARE(view->currentIndex().data().toString().section(u' ', -1), name.section(u' ', -1));
        QVERIFY(!view->isExpanded(model.index(4, 0)));
        QVERIFY(view->isExpanded(model.index(2, 0)));
    }

    void keepsItsState() {
        QByteArray saved;
        {
            Shown s;
            test::in(*s.page).tools()->setCurrentIndex(2);
            test::in(*s.page).stateTabs()->setCurrentIndex(1);
            test::in(*s.page).graph()->setForm(PartialGraph::Form::Text);
            QTest::keyClicks(test::in(*s.page).consoleInput(), "print_graph()");
            QTest::keyClick(test::in(*s.page).consoleInput(), Qt::Key_Return);
            saved = s.page->saveState();
        }
        Shown s;
        s.page->restoreState(saved.left(20)); // damaged
        QCOMPARE(test::in(*s.page).tools()->currentIndex(), 0);
        s.page->restoreState(saved);
        QCOMPARE(test::in(*s.page).tools()->currentIndex(), 2);
        QCOMPARE(test::in(*s.page).stateTabs()->currentIndex(), 1);
        QVERIFY(test::in(*s.page).graph()->form() == PartialGraph::Form::Text);
        QCOMPARE(test::in(*s.page).console()->history(), QStringList("print_graph()"));
        s.page->applyDefaultSizes(2560);
    }

    /// Two long values that differ late show what differs, not what they have in common.
    void keysBeginWhereTheyPart() {
        Theme theme;
        KeyModel model(theme);
        const std::string same = "(0, True, False, False, False, [DictGetItemSource(base=Unspecialized), ";
        model.setKeys({{"aot_config", "h1", same + "False, 3)", {}}, {"grad", "g", "same text", {}}},
                      {{"aot_config", "h2", same + "True, 3)", {}}, {"grad", "g", "same text", {}}}, true);
        const auto cell = [&](int row, int column) { return model.index(row, column).data().toString(); };
        QCOMPARE(cell(0, KeyModel::Value), QString("…ecialized), False, 3)"));
        QCOMPARE(cell(0, KeyModel::Other), QString("…ecialized), True, 3)"));
        QVERIFY(model.index(0, KeyModel::Value).data(Qt::ToolTipRole).toString().contains("(0, True, False"));
        QCOMPARE(cell(1, KeyModel::Value), QString("same text"));
    }

    void keysOfAutogradsCache() {
        test::RecordingWriter writer;
        writer.record('H', R"({"format":1})");
        writer.record(
            'c',
            R"({"id":1,"name":"f","file":"p.py","first_line":1,"instructions":{"op":["NOP"],"line":[1]}})");
        const auto attempt = [&](const char* head) -> test::RecordingWriter& {
            return writer.record('A', head).numbers('f', {1, 0, 1, 0, 0}).step(1, {1});
        };
        attempt(R"({"id":1,"compile_id":"0/0","attempt":0,"code":1})")
            .record('K', R"({"key":"k1","parts":["[1] grad: True","[2] inputs[0]: f32[2]","[3] inputs[1]: 7"],
                "nodes":[{"name":"w","wrapped":true,"user_cache_hash":"h","reason":""}]})")
            .record('K', R"({"key":"k1","state":"miss"})")
            .numbers('Z', {1});
        attempt(R"({"id":2,"compile_id":"0/1","attempt":0,"code":1})")
            .record('K', R"({"key":"k2","parts":["[1] grad: True","[4] inputs[0]: f32[3]","[5] more: x"]})")
            .record('K', R"({"key":"k2","state":"hit"})")
            .numbers('Z', {2});
        attempt(R"({"id":3,"compile_id":"0/2","attempt":0,"code":1})")
            .record('K', R"({"bypass":"Unsupported call","nodes":[{"name":"n","reason":"not safe"}]})")
            .numbers('Z', {3})
            .endBlock();
        test::Fixture f;
        const auto session = capture::openText(writer.file(), "keys");
        QVERIFY(session);
        f.workspace.addCapture({*session, session::summarizeBreaks(**session)});
        const auto page = f.show<DynamoPage>(1200, 700);
        KeyView* keys = test::in(*page).keys();
        const QAbstractItemModelTester tester(&keys->model(),
                                              QAbstractItemModelTester::FailureReportingMode::Fatal);
        test::in(*page).pages()->setCurrentWidget(keys);
        const auto& rows = test::in(*keys).keyQuestions()->rows().rows();
        QCOMPARE(rows.size(), std::size_t(3));
        QCOMPARE(rows[0][1].text, QString("miss"));
        QCOMPARE(rows[1][1].text, QString("hit"));
        QCOMPARE(rows[1][3].text, QString("inputs[0]"));
        QCOMPARE(rows[2][1].text, QString("bypass"));
        QCOMPARE(test::part<RowTable>(*keys, "dynamo.keyNodes")->rows().rows()[0][3].text, QString("h"));

        test::in(*keys).keyQuestions()->selectRow(1);
        const KeyModel& model = keys->model();
        QVERIFY(!keys->tree()->isColumnHidden(KeyModel::Other));
        QCOMPARE(model.fullName(model.firstDifference()), QString("inputs[0]"));
        QVERIFY2(test::part<QToolButton>(*keys, "dynamo.keyFirst")->text().endsWith("inputs[0]"),
                 qPrintable(test::part<QToolButton>(*keys, "dynamo.keyFirst")->text()));
        QCOMPARE(model.differences(), std::size_t(3)); // one changed, one only here, one only there
        QCOMPARE(test::in(*keys).keyNote(), QString("3 of 4 ingredients differ"));
        QCOMPARE(keys->tree()->currentIndex(), model.firstDifference());
        keys->tree()->clearSelection();
        QTest::mouseClick(test::part<QToolButton>(*keys, "dynamo.keyFirst"), Qt::LeftButton);
        QVERIFY(keys->tree()->selectionModel()->isSelected(model.firstDifference()));
        test::in(*keys).keyOther()->setCurrentIndex(0);
        emit test::in(*keys).keyOther()->activated(0);
        QVERIFY(keys->tree()->isColumnHidden(KeyModel::Other) &&
                !test::part<QToolButton>(*keys, "dynamo.keyFirst")->isVisible());

        test::in(*keys).keyQuestions()->selectRow(2);
        QCOMPARE(model.rowCount(), 0);
        QVERIFY(test::in(*keys).keyNote().contains("bypasses"));
        const auto* word = keys->tree()->findChild<EmptyMessage*>();
        QVERIFY2(word->isVisible() && word->text().contains("Unsupported call"), qPrintable(word->text()));
        QCOMPARE(test::part<RowTable>(*keys, "dynamo.keyNodes")->rows().rows()[0][1].text, QString("bypass"));
        emit test::in(*keys).keyQuestions()->rowActivated(1);
        QCOMPARE(page->step(), dynamo::StepIndex(1));
        QCOMPARE(test::in(*page).pages()->currentIndex(), 0);
        test::in(*page).pages()->setCurrentWidget(keys);
        test::in(*keys).keyQuestions()->selectRow(0);
        QVERIFY(!word->isVisible());
    }

    void noKeys() {
        Shown s;
        test::in(*s.page).pages()->setCurrentWidget(test::in(*s.page).keys());
        QVERIFY(test::in(*s.page).keyNote().contains("was not asked"));
        // The lookups' table says so, and has all the room.
        const KeyView* keys = test::in(*s.page).keys();
        QVERIFY(!keys->tree()->isVisible() && !test::part<RowTable>(*keys, "dynamo.keyNodes")->isVisible());
        QVERIFY(test::in(*keys).keyQuestions()->emptyText().contains("inductor"));
    }

    void breakpointsHalt() {
        Shown s;
        QSignalSpy edited(s.page.get(), &DynamoPage::breakpointsEdited);
        test::in(*s.page).tools()->setCurrentWidget(test::in(*s.page).breakpoints());
        QLineEdit* field = test::in(*s.page).breakpointField();
        QTest::keyClicks(field, "nodes >");
        QTest::keyClick(field, Qt::Key_Return);
        QVERIFY(!test::in(*s.page).breakpointAnswer().isEmpty());
        QTest::keyClicks(field, " 2");
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(test::in(*s.page).breakpointAnswer(), QString());
        QCOMPARE(edited.count(), 1);
        s.page->goToStep(0);
        s.page->run(StepCommand::Run);
        QTRY_VERIFY(s.page->canStep());
        QCOMPARE(s.recording().stateAt(s.page->step())->currentGraph()->nodes, 3U);
        QVERIFY2(test::in(*s.page).answer().contains("nodes > 2"), qPrintable(test::in(*s.page).answer()));
        const dynamo::StepIndex halt = s.page->step();
        // A line's, by key; and then the nearer one counts.
        s.page->goToStep(halt);
        QTest::keyClick(test::in(*s.page).source()->viewport(), Qt::Key_F9);
        BreakpointsModel& model = test::in(*s.page).breakpoints()->model();
        QCOMPARE(model.rowCount(), 2);
        QVERIFY(test::in(*s.page).source()->findChildren<QWidget*>().size() > 0);
        const QStringList saved = model.saved();
        QCOMPARE(saved.size(), 2);
        QVERIFY(saved[1].startsWith("+gb24"));
        // Switched off, it halts nowhere.
        QVERIFY(model.setData(model.index(0, 0), Qt::Unchecked, Qt::CheckStateRole));
        QCOMPARE(model.enabled().size(), std::size_t(1));
        model.restore(saved);
        QCOMPARE(model.saved(), saved);
        s.page->activateWindow();
        test::in(*s.page).breakpointList()->setFocus();
        test::in(*s.page).breakpointList()->setCurrentIndex(model.index(1, 0));
        QTest::keyClick(test::in(*s.page).breakpointList(), Qt::Key_Delete);
        QCOMPARE(model.rowCount(), 1);
    }

    void findsText() {
        Shown s;
        s.page->focusFilter();
        QTest::keyClicks(test::in(*s.page).searchField(), "nonzero");
        const auto& hits = test::in(*s.page).search()->hits();
        QVERIFY2(hits.size() > 2, qPrintable(test::in(*s.page).searchCaption()));
        s.page->goToStep(0);
        QTest::keyClick(test::in(*s.page).searchField(), Qt::Key_Return);
        QCOMPARE(s.page->step(), hits.front().step > 0 ? hits.front().step : hits[1].step);
        const dynamo::StepIndex at = s.page->step();
        QTest::keyClick(test::in(*s.page).searchField(), Qt::Key_Return);
        QVERIFY(s.page->step() > at);
        QTest::keyClick(test::in(*s.page).searchField(), Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(s.page->step(), at);
        emit test::part<RowTable>(*test::in(*s.page).search(), "dynamo.searchTable")
            ->rowSelected(int(hits.size()) - 1);
        QCOMPARE(s.page->step(), hits.back().step);
        test::in(*s.page).searchField()->clear();
        QTest::keyClicks(test::in(*s.page).searchField(), "zzz");
        QVERIFY(test::in(*s.page).searchCaption().contains("Nothing traced holds \"zzz\""));
    }

    void runsToLinesAndInstructionsFromMenus() {
        Shown s;
        const dynamo::StepIndex broken = s.page->step();
        const int line = *test::in(*s.page).source()->selectedLines(0).begin();
        const int instruction = *test::in(*s.page).bytecode()->selectedLines(0).begin();
        s.page->goToStep(0);
        QMenu ofLine;
        test::in(*s.page).source()->extendMenu(ofLine, 0, line);
        s.menuAction(ofLine, "Run to this line")->trigger();
        QCOMPARE(s.codeLine(test::in(*s.page).source()).contains("torch.nonzero"), true);
        QVERIFY(s.page->step() > 0 && s.page->step() < broken);
        QMenu ofInstruction;
        test::in(*s.page).bytecode()->extendMenu(ofInstruction, 0, instruction);
        s.menuAction(ofInstruction, "Run to this instruction")->trigger();
        QCOMPARE(s.page->step(), broken);
        s.page->runTo(dynamo::Happening::Guard, dynamo::Direction::Back);
        QVERIFY(s.recording().steps()[s.page->step()].has(dynamo::Happening::Guard));
        s.page->goToStep(0);
        QMenu back;
        test::in(*s.page).source()->extendMenu(back, 0, line);
        QVERIFY(!s.menuAction(back, "Run back to this line")->isEnabled());
    }

    void saysHowTheGraphEnds() {
        Shown s;
        s.page->goToStep(0);
        const QString text = s.storyText();
        QVERIFY2(text.contains("nonzero"), qPrintable(text));
        QVERIFY2(text.contains("capture_dynamic_output_shape_ops"), qPrintable(text));
        emit test::in(*s.page).story()->followed(QStringLiteral("step:2"));
        QCOMPARE(s.page->step(), dynamo::StepIndex(2));
        s.page->run(StepCommand::Last);
        QVERIFY2(s.storyText().contains("The graph ends whole"), qPrintable(s.storyText()));
    }

    /// A frame of the call stack is looked at without a step.
    void showsCallers() {
        Shown s("gb13_break_in_callee");
        for (dynamo::StepIndex step = 0; test::in(*s.page).callStack()->rows().rowCount() < 3; ++step)
            s.page->goToStep(step);
        const dynamo::StepIndex at = s.page->step();
        const QString inner = s.codeLine(test::in(*s.page).source());
        test::in(*s.page).callStack()->selectRow(2);
        emit test::in(*s.page).callStack()->rowSelected(2);
        QVERIFY(s.codeLine(test::in(*s.page).source()) != inner);
        QCOMPARE(s.page->step(), at);
        emit test::in(*s.page).callStack()->rowActivated(1);
        QVERIFY(s.page->step() < at);
        QCOMPARE(test::in(*s.page).callStack()->rows().rowCount(), 2);
    }

    void closuresShowWhatTheyHold() {
        Shown s("cl07_late_binding");
        s.until("local i is cell and i.value == 1");
        QVERIFY2(s.rows().contains("Cells and free variables: ~ i = ConstantVariable 1"),
                 qPrintable(s.rows().join(u'\n')));
    }

    /// A file that is being written is read on; who is at its end stays there.
    void followsARecordingThatGrows() {
        QTemporaryDir folder;
        const QString path = folder.filePath("dynamo_steps_7.dsteps");
        test::RecordingWriter writer;
        const auto steps = [&](std::uint64_t count) {
            for (std::uint64_t i = 0; i < count; ++i)
                writer.step(2, {i % 2});
        };
        const auto save = [&] {
            for (const auto& [name, bytes] :
                 {std::pair(path, writer.file()), std::pair(path + ".tail", writer.tail())}) {
                QFile file(name);
                QVERIFY(file.open(QIODevice::WriteOnly));
                file.write(bytes.data(), qint64(bytes.size()));
            }
        };
        writer.record('H', R"({"format":1})");
        writer.record(
            'c',
            R"({"id":1,"name":"f","file":"p.py","first_line":1,"instructions":{"op":["NOP","POP"],"line":[1,2]}})");
        writer.record('A', R"({"id":1,"compile_id":"0/0","attempt":0,"code":1})");
        writer.numbers('f', {1, 0, 1, 0, 0}).numbers('g', {0, 0});
        writer.step(3, {1, 0});
        steps(9);
        save();
        test::Fixture f;
        f.workspace.open(path);
        QTRY_VERIFY(f.workspace.session());
        const auto page = f.show<DynamoPage>(1000, 600);
        QTRY_VERIFY(page->recording());
        QCOMPARE(page->recording()->steps().size(), std::size_t(10));
        page->run(StepCommand::Last);
        steps(20);
        save();
        QTRY_COMPARE(page->recording()->steps().size(), std::size_t(30));
        QCOMPARE(page->step(), dynamo::StepIndex(29));
        page->goToStep(5);
        steps(1);
        writer.endBlock();
        save();
        QTRY_COMPARE(page->recording()->steps().size(), std::size_t(31));
        QCOMPARE(page->step(), dynamo::StepIndex(5));
    }

    void clicksGoToSteps() {
        Shown s;
        QTest::mouseClick(test::in(*s.page).strip(), Qt::LeftButton, {},
                          test::in(*s.page).strip()->positionOf(3));
        QCOMPARE(s.page->step(), dynamo::StepIndex(3));
    }

    void conditions() {
        Shown s;
        s.page->goToStep(0);
        s.until("nodes > 2");
        QVERIFY(s.page->step() > 0);
        const dynamo::State* state = s.recording().stateAt(s.page->step());
        QCOMPARE(state->currentGraph()->nodes, 3U);
        const dynamo::StepIndex at = s.page->step();
        s.until("nodes > ");
        QCOMPARE(s.page->step(), at);
    }

    void theConsoleAnswersOnTheStep() {
        Shown s;
        ConsoleView* console = test::in(*s.page).console();
        QTest::keyClicks(test::in(*console).consoleInput(), "get_local(\"y");
        QTest::keyClick(test::in(*console).consoleInput(), Qt::Key_Tab);
        QCOMPARE(test::in(*console).consoleInput()->text(), QString("get_local(\"y\")"));
        QTest::keyClick(test::in(*console).consoleInput(), Qt::Key_Return);
        QVERIFY2(console->log().contains("TensorVariable f32[4] y"), qPrintable(console->log()));
        s.page->goToStep(0);
        QTest::keyClick(test::in(*console).consoleInput(), Qt::Key_Up);
        QTest::keyClick(test::in(*console).consoleInput(), Qt::Key_Return);
        QVERIFY2(console->log().contains("error: no local is called \"y\""), qPrintable(console->log()));
    }

    /// What the step before did is marked.
    void marksWhatChanged() {
        Shown s;
        bool added = false, changed = false;
        for (dynamo::StepIndex step = 0; step < s.recording().steps().size(); ++step) {
            s.page->goToStep(step);
            for (const QString& row : s.rows()) {
                added = added || row.contains(": + ");
                changed = changed || row.contains(": ~ ");
            }
        }
        QVERIFY(added);
        QVERIFY(changed);
    }

    void breaksOfTheRecording() {
        Shown s;
        test::in(*s.page).pages()->setCurrentWidget(test::in(*s.page).breaks());
        QCOMPARE(test::part<RowTable>(*test::in(*s.page).breaks(), "dynamo.breakTable")->rows().rowCount(),
                 2);
        QVERIFY(test::part<RowTable>(*test::in(*s.page).breaks(), "dynamo.breakTable")
                    ->rows()
                    .rows()[0][0]
                    .text.contains("nonzero"));
        s.page->goToStep(0);
        emit test::part<RowTable>(*test::in(*s.page).breaks(), "dynamo.breakTable")->rowActivated(0);
        QCOMPARE(test::in(*s.page).pages()->currentIndex(), 0);
        QVERIFY(s.recording().steps()[s.page->step()].has(dynamo::Happening::GraphBreak));
    }

    void aCompileThatRaisedSaysWhyItHasNoGuards() {
        QFile file(DYNASCOPE_TEST_DATA "/dynamo/cond_refusals.dsteps");
        QVERIFY(file.open(QIODevice::ReadOnly));
        Shown s(file.readAll().toStdString(), "cond_refusals");
        CacheView* cache = test::in(*s.page).cache();
        test::in(*s.page).pages()->setCurrentWidget(cache);
        QVERIFY(test::part<RowTable>(*cache, "dynamo.cacheEntries")->rows().rowCount() > 0);
        QCOMPARE(test::in(*cache).cacheGuards()->rows().rowCount(), 0);
        const QString text = test::in(*cache).cacheGuards()->emptyText();
        QVERIFY2(text.contains("made no entry") && text.contains("raised"), qPrintable(text));
    }

    void guardsAndTheCache() {
        Shown s("rc01_shape");
        CacheView* cache = test::in(*s.page).cache();
        test::in(*s.page).pages()->setCurrentWidget(cache);
        QCOMPARE(test::part<RowTable>(*cache, "dynamo.cacheEntries")->rows().rowCount(), 4);
        QStringList titles;
        for (const QLabel* label : cache->findChildren<QLabel*>())
            titles << label->text();
        for (const char* title : {"Entries", "Guards evaluated on", "What if it were called like this"})
            QVERIFY2(titles.contains(title), title);
        QCOMPARE(test::part<RowTable>(*cache, "dynamo.cacheEntries")->rows().rows()[1][5].text, QString("2"));
        QCOMPARE(test::part<RowTable>(*cache, "dynamo.cacheEntries")->rows().rows()[1][6].text, QString("3"));
        // The first entry's guards, held against the last call: x has another size.
        const auto tensor = [&] {
            for (const TableRow& row : test::in(*cache).cacheGuards()->rows().rows())
                if (row[1].text == "TENSOR_MATCH") return row;
            return TableRow(8);
        };
        QCOMPARE(tensor()[2].text, QString("fails"));
        test::in(*cache).cacheCall()->setCurrentIndex(0);
        emit test::in(*cache).cacheCall()->activated(0);
        QCOMPARE(tensor()[2].text, QString("holds"));
        QVERIFY2(tensor()[5].text.endsWith(":7"), qPrintable(tensor()[5].text));
        const auto answers = [&] {
            QStringList out;
            for (const TableRow& row : test::in(*cache).cacheAnswers()->rows().rows())
                out << row[1].text;
            return out;
        };
        QCOMPARE(answers(), QStringList({"compiled", "compiled", "compiled", "compiled"}));
        test::in(*cache).cacheSequence()->setText("0 0/1 0 x");
        QCOMPARE(answers(), QStringList({"compiled", "compiled", "hit"}));
        QVERIFY(test::in(*cache).cacheNote().contains("x"));
        test::in(*cache).cacheLimit()->setValue(1);
        QCOMPARE(answers(), QStringList({"compiled", "limit, runs eagerly", "hit"}));
        // A guard goes to the step that added it.
        for (int row = 0; row < test::in(*cache).cacheGuards()->rows().rowCount(); ++row)
            if (test::in(*cache).cacheGuards()->rows().rows()[std::size_t(row)][1].text == "TENSOR_MATCH")
                emit test::in(*cache).cacheGuards()->rowActivated(row);
        QCOMPARE(test::in(*s.page).pages()->currentIndex(), 0);
        QVERIFY(s.recording().steps()[s.page->step()].has(dynamo::Happening::Guard));
    }

    void sideEffects() {
        test::RecordingWriter writer;
        writer.record('H', R"({"format":1})");
        writer.record(
            'c',
            R"({"id":1,"name":"f","file":"p.py","first_line":1,"instructions":{"op":["NOP"],"line":[1]}})");
        writer.record('A', R"({"id":1,"compile_id":"0/0","attempt":0,"code":1})");
        writer.numbers('f', {1, 0, 1, 0, 0}).step(1, {1}).step(2, {0});
        writer.record(
            'T',
            R"({"untouched":2,"objects":[{"value":1,"kind":"ListVariable","mutation":"ValueMutationExisting",
            "flag":true,"source":"L['l']","stores":[],"live":true,"stack":[["/p.py",7,"f"]]}]})");
        writer
            .record(
                'U',
                R"({"built":[{"value":1,"code":[]}],"loads":[{"value":1,"code":["LOAD_FAST x","BUILD_LIST 1","LOAD_FAST l","BUILD_SLICE 2"]}],
            "stores":[{"value":1,"code":["STORE_SUBSCR"]}],"emitted":["STORE_SUBSCR"]})")
            .endBlock();
        test::Fixture f;
        const auto session = capture::openText(writer.file(), "effects");
        QVERIFY(session);
        f.workspace.addCapture({*session, session::summarizeBreaks(**session)});
        const auto page = f.show<DynamoPage>(1200, 700);
        test::in(*page).pages()->setCurrentWidget(test::in(*page).effects());
        const auto& objects = test::in(*page).effectObjects()->rows().rows();
        QCOMPARE(objects.size(), std::size_t(1));
        QCOMPARE(objects[0][0].text, QString("L['l']"));
        QCOMPARE(objects[0][3].text, QString("modified"));
        QCOMPARE(objects[0][6].text, QString("p.py:7"));
        QCOMPARE(objects[0][7].text, QString("stored in step 2"));
        QVERIFY(test::in(*page).effectNote().startsWith("2 more"));
        const auto& steps = test::in(*page).effectReplay()->rows().rows();
        QVERIFY(steps.size() >= 2);
        QCOMPARE(steps.back()[5].text, QString("agree"));
        emit test::in(*page).effects()->stepChosen(0);
        QCOMPARE(test::in(*page).pages()->currentIndex(), 0);
    }

    void symbolNamesOfTwoRuns() {
        Shown s;
        test::in(*s.page).pages()->setCurrentWidget(test::in(*s.page).symbolNames());
        QVERIFY(test::in(*s.page).symbolNote().contains("No open capture has symbols"));
        test::addSample(s.workspace, "graph_breaks");
        Place place;
        place.capture = 0;
        place.page = Page::Dynamo;
        s.workspace.go(place);
        s.settle();
        test::in(*s.page).symbolNames()->refresh();
        QVERIFY(test::in(*s.page).symbolsA()->count() > 1);
        const auto& rows =
            test::part<RowTable>(*test::in(*s.page).symbolNames(), "dynamo.symbolTable")->rows();
        QVERIFY(rows.rowCount() > 0);
        QVERIFY2(rows.rows()[0][6].text.contains("hash"), qPrintable(rows.rows()[0][6].text));
        test::in(*s.page).symbolsB()->setCurrentIndex(2);
        emit test::in(*s.page).symbolsB()->activated(2);
        QVERIFY(test::in(*s.page).symbolNote().contains("differ"));
    }

    void otherCapturesSayHowToRecord() {
        test::Fixture f;
        test::addSample(f.workspace, "graph_breaks");
        const auto page = f.show<DynamoPage>(900, 500);
        QVERIFY(page->message().contains("dynascope-cli capture"));
    }
};

QTEST_MAIN(TestDynamoPage)
#include "tst_dynamo_page.moc"
