// SPDX-License-Identifier: BSD-3-Clause
//
// The page Inductor on the recording of tests/data/passes: its list, where rows and keys lead, and what it says of a
// node.
#include "core/capture/open.h"
#include "core/inductor/why_not_fused.h"
#include "core/session/byte_source.h"
#include "tests/support/parts.h"
#include "tests/support/pass_recordings.h"
#include "tests/support/patience.h"
#include "tests/views/panel_test.h"
#include "views/base/row_table.h"
#include "views/canvas/chosen_nodes.h"
#include "views/canvas/compare_view.h"
#include "views/canvas/graph_canvas.h"
#include "views/inductor/fusion_strip.h"
#include "views/inductor/inductor_page.h"
#include "views/inductor/lives_view.h"
#include "views/inductor/orders_view.h"
#include "views/inductor/pass_place.h"
#include "views/inductor/pass_texts.h"
#include "views/inductor/pattern_view.h"
#include "views/inductor/schedule_cards.h"
#include "views/inductor/schedule_view.h"
#include "views/inspector/fact_view.h"

#include <QAbstractButton>
#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QTemporaryDir>

using namespace dynascope;
using namespace dynascope::views;

namespace {

session::SessionPtr recorded(const char* folder) {
    const auto session = capture::open(folder);
    if (!session) qFatal("%s", session.error().toString().c_str());
    return *session;
}

class Shown {
public:
    explicit Shown(const char* folder = DYNASCOPE_TEST_DATA "/passes")
        : session(recorded(folder)) {
        f.workspace.addCapture({session, session::summarizeBreaks(*session)}, true);
        Place place = f.workspace.place();
        place.page = Page::Inductor;
        place.compile = f.compileIndex("0/0");
        f.workspace.go(place);
        page = f.show<InductorPage>(1500, 900);
        page->applyDefaultSizes(1500);
        page->canvases()->setLayoutProgram({});
        settle();
    }
    void settle() {
        f.settle([&] { return page->isSettled() && page->row() >= 0; });
    }
    [[nodiscard]] QString rowText(int row) const {
        QStringList out;
        for (const TableCell& cell :
             test::part<RowTable>(*page, "inductor.table")->rows().rows()[std::size_t(row)])
            out << cell.text.trimmed();
        return out.join(u'|');
    }
    [[nodiscard]] int rowWith(const QString& pass) const {
        for (int row = 0; row < test::part<RowTable>(*page, "inductor.table")->rows().rowCount(); ++row)
            if (test::part<RowTable>(*page, "inductor.table")
                    ->rows()
                    .rows()[std::size_t(row)]
                    .back()
                    .text.trimmed() == pass)
                return row;
        return -1;
    }
    [[nodiscard]] QString names(Side side) const {
        QStringList out;
        const auto canvases = page->canvases()->findChildren<canvas::GraphCanvas*>();
        for (const auto& item : canvases[side == Side::A ? 0 : 1]->scene()->items)
            out << item.name;
        return out.join(u' ');
    }

    test::Fixture f;
    session::SessionPtr session;
    std::unique_ptr<InductorPage> page;
};

} // namespace

class TestInductorPage : public QObject {
    Q_OBJECT
private slots:
    void listsPassesByPhase() {
        Shown s;
        QVERIFY2(s.page->message().isEmpty(), qPrintable(s.page->message()));
        QAbstractItemModelTester tester(&test::part<RowTable>(*s.page, "inductor.table")->rows(),
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(s.rowWith("dynamo"), 0);
        QVERIFY(s.rowWith("pre_grad · dynamo") > 0);
        QVERIFY2(s.rowText(s.rowWith("split: backward")).contains("163 → 124|split"),
                 qPrintable(s.rowText(s.rowWith("split: backward"))));
        QVERIFY(s.rowWith("post_grad · backward") > s.rowWith("post_grad · forward"));
        const int row = s.rowWith("pass_pattern_0");
        QVERIFY2(s.rowText(row).contains("204 → 169|+13 −48 ~4"), qPrintable(s.rowText(row)));
        // It begins at the first pass that changed something.
        QCOMPARE(test::part<RowTable>(*s.page, "inductor.table")
                     ->rows()
                     .rows()[std::size_t(test::part<RowTable>(*s.page, "inductor.table")->selected())]
                     .back()
                     .text,
                 QStringLiteral("remove_noop_ops"));

        const int folded = test::part<RowTable>(*s.page, "inductor.table")->rows().rowCount();
        for (QCheckBox* box : s.page->findChildren<QCheckBox*>())
            if (box->text() == "Fold unchanged") box->click();
        QVERIFY(test::part<RowTable>(*s.page, "inductor.table")->rows().rowCount() > folded + 20);
        QLineEdit* filter = s.page->findChild<QLineEdit*>();
        filter->setText("noop");
        for (const TableRow& row : test::part<RowTable>(*s.page, "inductor.table")->rows().rows())
            QVERIFY(row.back().text.contains("noop") || row.front().text.isEmpty()); // a phase's title
        filter->setText("no such pass");
        QCOMPARE(test::part<RowTable>(*s.page, "inductor.table")->rows().rowCount(), 0);
    }

    void clickingAPassShowsBothGraphs() {
        Shown s;
        const int row = s.rowWith("pass_pattern_0");
        QTest::mouseClick(test::part<RowTable>(*s.page, "inductor.table")->viewport(), Qt::LeftButton, {},
                          test::part<RowTable>(*s.page, "inductor.table")->cellRect(row, 0).center());
        s.settle();
        QCOMPARE(s.page->graphs().stage(Side::A).graph->size(), std::size_t(204));
        QCOMPARE(s.page->graphs().stage(Side::B).graph->size(), std::size_t(169));
        QCOMPARE(s.page->graphs().stage(Side::B).stage->name, std::string("joint/pass_pattern_0"));
        // What the pass made stands on B alone, what it removed on A alone.
        QVERIFY2(!s.names(Side::A).contains("permute_default"), qPrintable(s.names(Side::A)));
        QVERIFY2(s.names(Side::B).contains("permute_default"), qPrintable(s.names(Side::B)));
        QVERIFY(s.f.workspace.canGoBack());
        s.f.workspace.goBack();
        s.settle();
        QVERIFY(s.page->graphs().stage(Side::A).graph->size() != 204);
    }

    /// No worker is waited for: the diff and the picture were made while the step before was looked at.
    void aStepThatWasPreparedIsDrawnAtOnce() {
        Shown s;
        s.page->run(StepCommand::First);
        s.settle();
        int seen = 0;
        while (s.page->canRun(StepCommand::Run) && seen < 4) {
            s.f.settle([&] { return !s.page->graphs().isPreparing() && !s.page->canvases()->isPreparing(); });
            s.page->run(StepCommand::Run);
            QTest::qWait(0);
            QCoreApplication::processEvents();
            QVERIFY2(s.page->isSettled(), qPrintable(s.rowText(s.page->row())));
            ++seen;
        }
        QCOMPARE(seen, 4);
    }

    void keysGoFromChangeToChange() {
        Shown s;
        // It begins at a pass; Dynamo's output came before it, by none.
        s.page->run(StepCommand::First);
        s.settle();
        s.page->run(StepCommand::Run);
        s.settle();
        int seen = 1;
        while (s.page->canRun(StepCommand::Run)) {
            const int before = s.page->row();
            s.page->run(StepCommand::Run);
            s.settle();
            QVERIFY(s.page->row() > before);
            QVERIFY(s.page->graphs().place().stageA != s.page->graphs().place().stageB);
            ++seen;
        }
        QVERIFY2(seen >= 8, qPrintable(QString::number(seen)));
        int back = 1;
        while (s.page->canRun(StepCommand::BackRun)) {
            s.page->run(StepCommand::BackRun);
            s.settle();
            ++back;
        }
        QCOMPARE(back, seen);
        s.page->run(StepCommand::Last);
        s.settle();
        QVERIFY(!s.page->canRun(StepCommand::Over) && !s.page->canRun(StepCommand::Last));
        s.page->run(StepCommand::First);
        s.settle();
        QCOMPARE(s.page->row(), 0);
    }

    void tellsWhoMadeANode() {
        Shown s;
        test::part<RowTable>(*s.page, "inductor.table")
            ->setCurrentIndex(test::part<RowTable>(*s.page, "inductor.table")
                                  ->model()
                                  ->index(s.rowWith("pass_pattern_0"), 0));
        s.settle();
        const ir::GraphPtr graph = s.page->graphs().stage(Side::B).graph;
        s.page->graphs().selectNode({Side::B, graph->find("permute_default")});
        s.settle();
        QStringList titles;
        for (const QAbstractButton* button :
             test::part<FactView>(*s.page, "inductor.detail")->findChildren<QAbstractButton*>())
            titles << button->text();
        QVERIFY2(titles.join(u'\n').contains("Made and changed by"), qPrintable(titles.join(u'\n')));
        inductor::CompilePasses passes = inductor::passesOf(*s.session, s.session->compiles[0]);
        QVERIFY(inductor::addStages(passes).has_value());
        const auto nodes = passes.recording->nodes(passes.rows[std::size_t(s.page->row())].after);
        const auto made = std::ranges::find(nodes, std::string("permute_default"), &inductor::NodeRef::name);
        QVERIFY(made != nodes.end());
        Facts facts;
        facts.sections = {nodeSection(passes, made->id, "permute_default")};
        const QString said = FactView::plainText(facts);
        QVERIFY2(said.contains("Made") && said.contains("pattern_matcher") && said.contains("joint"),
                 qPrintable(said));
    }

    void patternsSayWhatRefusedThem() {
        Shown s;
        const int inner = s.rowWith("pattern_matcher");
        QVERIFY(inner >= 0);
        // The one within pass_pattern_0.
        test::part<RowTable>(*s.page, "inductor.table")
            ->setCurrentIndex(test::part<RowTable>(*s.page, "inductor.table")
                                  ->model()
                                  ->index(s.rowWith("pass_pattern_0") + 1, 0));
        s.settle();
        QStringList answers;
        for (const TableRow& row : test::part<RowTable>(*s.page, "inductor.matches")->rows().rows())
            answers << row.back().text;
        QVERIFY2(answers.contains("refused by its check"), qPrintable(answers.join(u'\n')));
        QVERIFY(std::ranges::any_of(answers,
                                    [](const QString& answer) { return answer.startsWith("replaced by "); }));
    }

    void theSchedulerSaysWhatItFused() {
        Shown s;
        const auto texts = [](const RowTable* table) {
            QString out;
            for (const TableRow& row : table->rows().rows()) {
                for (const TableCell& cell : row)
                    out += cell.text + u'|';
                out += u'\n';
            }
            return out;
        };
        QVERIFY2(texts(test::part<RowTable>(*s.page, "inductor.kernels"))
                     .contains("cpp_fused_native_layer_norm_0|op0 op1 op2 op3 op4|var_mean"),
                 qPrintable(texts(test::part<RowTable>(*s.page, "inductor.kernels"))));
        const QString forward = texts(test::part<RowTable>(*s.page, "inductor.fusions"));
        QVERIFY2(forward.contains("fusion 1|op22 with op23|128 B|1|"), qPrintable(forward));
        QVERIFY(forward.contains("intermediate nodes between node1 & node2") &&
                forward.contains("Mismatch loop orders"));
        // Of backward at its passes.
        s.page->run(StepCommand::Last);
        s.settle();
        QVERIFY(texts(test::part<RowTable>(*s.page, "inductor.fusions")) != forward);
    }

    void fusionsSayTheTimesThatDecided() {
        for (const bool fused : {false, true}) {
            const auto recording = inductor::PassRecording::read(
                session::makeByteSource(test::smallPasses({.timed = true, .fused = fused})), nullptr, {});
            QVERIFY(recording.has_value());
            const inductor::Schedule& schedule = (*recording)->schedules().front();
            inductor::CompilePasses passes;
            passes.recording = *recording;
            const std::vector<TableRow> rows = fusionRows(passes, schedule);
            QCOMPARE(rows.size(), std::size_t(fused ? 1 : 2));
            QCOMPARE(rows[0][0].text, fused ? QString("fusion 1") : QString("refused"));
            QCOMPARE(rows[0][1].text, QString("op0 with op1"));
            QCOMPARE(
                rows[0][5].text,
                QString("timed: fused %1 ms, apart 0.0100 and 0.0040 ms").arg(fused ? "0.0120" : "0.0210"));
            const QString facts = FactView::plainText(
                fused ? fusionFacts(schedule, 1)
                      : whyFacts(**recording, schedule, inductor::whyNotFused(schedule, "op0", "op1"), "op0",
                                 "op1"));
            QVERIFY2(facts.contains("apart 0.0100 and 0.0040 ms"), qPrintable(facts));
            const std::vector<RefusedReason> refused = refusedReasons(schedule);
            QCOMPARE(refused.size(), std::size_t(fused ? 0 : 1));
            if (fused) continue;
            QCOMPARE(reasonRows(**recording, refused)[0][1].text,
                     QString("decided by timing: one kernel was not faster than two"));
            const TableRow pair = refusedPairRows(refused[0].pairs)[0];
            QVERIFY(pair[0].text == "op0 with op1" && pair[2].text == "1, 2");
        }
    }

    void conditionsRunBothWays() {
        Shown s;
        auto* field = s.page->findChild<QLineEdit*>("inductor.condition");
        QVERIFY(field != nullptr);
        field->setFocus();
        QTest::keyClicks(field, "makes permute_default");
        QTest::keyClick(field, Qt::Key_Return);
        s.settle();
        QCOMPARE(s.page->graphs().stage(Side::B).stage->name, std::string("joint/pass_pattern_0"));
        const int first = s.page->row();
        s.page->runUntil("phase is post_grad and graph is backward", false);
        s.settle();
        QVERIFY(s.page->row() > first);
        s.page->runUntil("makes permute_default and pass is pass_pattern_0", true);
        s.settle();
        QCOMPARE(s.page->row(), first);
        QVERIFY(s.f.workspace.canGoBack());
        s.page->runUntil("removes no_such_node", false);
        s.settle();
        QCOMPARE(test::part<QLabel>(*s.page, "inductor.said")->text(),
                 QStringLiteral("at no pass after this one"));
        QCOMPARE(s.page->row(), first);
        s.page->runUntil("nodes >", false);
        QVERIFY2(
            test::part<QLabel>(*s.page, "inductor.said")->text().contains("something is missing at the end"),
            qPrintable(test::part<QLabel>(*s.page, "inductor.said")->text()));
    }

    void aSourceLineIsFollowed() {
        Shown s;
        s.page->showLine("block.py:23");
        s.settle();
        const auto& rows = test::part<RowTable>(*s.page, "inductor.lines")->rows().rows();
        QVERIFY2(rows.size() >= 3, qPrintable(test::part<RowTable>(*s.page, "inductor.lines")->emptyText()));
        QCOMPARE(rows.front().front().text, QStringLiteral("the graph at the beginning"));
        int removing = -1;
        for (std::size_t i = 0; i < rows.size() && removing < 0; ++i)
            if (!rows[i][4].text.isEmpty()) removing = int(i);
        QVERIFY(removing > 0);
        const QString pass = rows[std::size_t(removing)].front().text;
        test::part<RowTable>(*s.page, "inductor.lines")
            ->setCurrentIndex(test::part<RowTable>(*s.page, "inductor.lines")->model()->index(removing, 0));
        s.settle();
        QCOMPARE(test::part<RowTable>(*s.page, "inductor.table")
                     ->rows()
                     .rows()[std::size_t(test::part<RowTable>(*s.page, "inductor.table")->selected())]
                     .back()
                     .text.trimmed(),
                 pass);
        s.page->showLine("block.py:9999");
        s.settle();
        QVERIFY(test::part<RowTable>(*s.page, "inductor.lines")->emptyText().contains("block.py:9999"));
        s.page->showLine("block.py");
        QVERIFY(test::part<RowTable>(*s.page, "inductor.lines")->emptyText().startsWith("Not a line"));
    }

    void aMatchIsLit() {
        Shown s(DYNASCOPE_TEST_DATA "/passes_before"); // has the beginning of long patterns alone
        test::part<RowTable>(*s.page, "inductor.table")
            ->setCurrentIndex(test::part<RowTable>(*s.page, "inductor.table")
                                  ->model()
                                  ->index(s.rowWith("pass_pattern_0") + 1, 0));
        s.settle();
        const auto& rows = test::part<RowTable>(*s.page, "inductor.matches")->rows().rows();
        int applied = -1;
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (rows[i].back().text.startsWith("replaced by ")) applied = int(i);
        QVERIFY(applied >= 0);
        test::part<RowTable>(*s.page, "inductor.matches")
            ->setCurrentIndex(test::part<RowTable>(*s.page, "inductor.matches")->model()->index(applied, 0));
        s.settle();
        const auto chosen = s.page->graphs().place().own.of<canvas::ChosenNodes>();
        QCOMPARE(chosen.chosen.stage, s.page->graphs().place().stageA);
        QCOMPARE(QString::number(chosen.chosen.nodes.size()), rows[std::size_t(applied)][2].text);
        QVERIFY(!chosen.drawn.nodes.empty() && !chosen.beside.nodes.empty());
        // The pattern's own graph stands beside it.
        const auto has = [&s](const QString& title) {
            return std::ranges::any_of(
                test::part<FactView>(*s.page, "inductor.detail")->findChildren<QAbstractButton*>(),
                [&title](const QAbstractButton* button) { return button->text() == title; });
        };
        QVERIFY(has("Pattern"));
        const inductor::CompilePasses passes = inductor::passesOf(*s.session, s.session->compiles[0]);
        const inductor::Match& match =
            passes.rows[std::size_t(s.page->row())].pass->matches[std::size_t(applied)];
        Facts facts;
        facts.sections = {patternSection(*passes.recording, match)};
        const QString said = FactView::plainText(facts);
        QVERIFY2(said.contains(" = aten.") || said.contains(" = ["), qPrintable(said));
        QVERIFY(chosen.drawn.nodes.size() < s.page->graphs().stage(Side::B).graph->size());

        // Of that one the recording has the beginning alone, and so does its canvas.
        PatternView& pattern = *test::part<PatternView>(*s.page);
        QVERIFY2(pattern.said().contains(" looks for ") && pattern.said().contains("the beginning only"),
                 qPrintable(pattern.said()));
        const auto names = [&pattern] {
            QStringList out;
            for (const canvas::SceneItem& item : pattern.canvas()->scene()->items)
                if (!item.chip.isEmpty()) out << item.chip;
            return out;
        };
        QVERIFY(pattern.canvas()->scene() && names().isEmpty());
        s.page->run(StepCommand::Over);
        s.settle();
        QVERIFY(pattern.said().isEmpty() && !pattern.canvas()->scene());
    }

    void aPatternIsDrawnBesideWhatItFitted() {
        Shown s;
        RowTable& matches = *test::part<RowTable>(*s.page, "inductor.matches");
        PatternView& pattern = *test::part<PatternView>(*s.page);
        const inductor::CompilePasses passes = inductor::passesOf(*s.session, s.session->compiles[0]);
        // The first of several nodes whose pattern is recorded whole.
        const auto isWhole = [&passes](const inductor::Match& match) {
            return match.nodes.size() > 1 &&
                   inductor::patternGraph(passes.recording->pattern(match.pattern)->expression).whole;
        };
        const auto row = std::ranges::find_if(passes.rows, [&isWhole](const inductor::PassRow& each) {
            return each.pass != nullptr && std::ranges::any_of(each.pass->matches, isWhole);
        });
        QVERIFY(row != passes.rows.end());
        Place place = s.f.workspace.place();
        place.own.set(PassPlace{int(row - passes.rows.begin())});
        s.f.workspace.go(place);
        s.settle();
        QVERIFY(!pattern.canvas()->scene());
        const auto& fitted = row->pass->matches;
        const auto whole = std::ranges::find_if(fitted, isWhole);
        matches.setCurrentIndex(matches.model()->index(int(whole - fitted.begin()), 0));
        s.settle();
        QVERIFY2(pattern.said().endsWith(QString("looks for %1 nodes.").arg(whole->nodes.size())),
                 qPrintable(pattern.said()));
        // A card for each node that it looks for, named by the one that it stood for, and leading there.
        const canvas::ScenePtr scene = pattern.canvas()->scene();
        QVERIFY(scene);
        const ir::GraphPtr before = s.page->graphs().stage(Side::A).graph;
        QStringList named;
        for (int i = 0; i < int(scene->items.size()); ++i) {
            const QString name = scene->items[std::size_t(i)].chip;
            if (name.isEmpty()) continue;
            named << name;
            emit pattern.canvas()->itemPicked(i);
            QCOMPARE(QString::fromStdString(s.page->graphs().selectedNode()->name), name);
            QCOMPARE(s.page->graphs().place().node.side, Side::A);
            QCOMPARE(pattern.canvas()->selected(), i);
        }
        QStringList expected;
        for (const inductor::NodeRef& node : whole->nodes)
            expected << QString::fromStdString(node.name);
        named.sort();
        expected.sort();
        QCOMPARE(named, expected);
        // Several nodes, such as those that one stands for, are lit together; another node is none of them.
        ir::NodeSet all;
        for (const inductor::NodeRef& node : whole->nodes)
            all.push_back(before->find(node.name));
        pattern.showNodes(ir::nodeSet(all));
        QCOMPARE(pattern.canvas()->related().size(), whole->nodes.size());
        pattern.showNodes({});
        QVERIFY(pattern.canvas()->related().empty() && pattern.canvas()->selected() < 0);
        s.page->run(StepCommand::Over);
        s.settle();
        QVERIFY(pattern.said().isEmpty() && !pattern.canvas()->scene());
    }

    void fusionsAreSteppedThrough() {
        Shown s;
        ScheduleView& view = *test::part<ScheduleView>(*s.page);
        const ScheduleCards& cards = view.cards();
        const int all = view.fusions();
        QVERIFY(all >= 5);
        view.setFusions(0);
        QVERIFY(cards.boxes().empty());
        const QRect before = cards.cardRect(3);
        view.setFusions(1);
        QCOMPARE(cards.boxes(), std::vector<std::size_t>{1});
        QCOMPARE(cards.cardRect(3), before); // rows stay where they are
        view.setFusions(all + 5);
        QCOMPARE(view.fusions(), all);
        // Every kernel's box lies around its cards, and around no other's.
        for (const std::size_t box : cards.boxes()) {
            const inductor::RowRange& range = cards.rows().fusions[box - 1];
            for (std::size_t row = 0; row < cards.rows().operations.size(); ++row)
                QCOMPARE(cards.boxRect(box).contains(cards.cardRect(row)),
                         row >= range.first && row <= range.last);
        }
        view.choose({"op5", "op9"});
        QString said = FactView::plainText(view.facts());
        QVERIFY2(said.contains("op5 with op9") && view.facts().chip == "not fused" &&
                     said.contains("In between"),
                 qPrintable(said));
        view.setFusions(0);
        QVERIFY2(FactView::plainText(view.facts()).contains("op5 with op9"), "the choice stays");
        // It stands at the right while the schedule is looked at.
        const auto heading = [&s](const QString& text) {
            return std::ranges::any_of(s.page->findChildren<QLabel*>(), [&text](const QLabel* label) {
                return label->text() == text && label->isVisibleTo(label->window());
            });
        };
        QVERIFY(heading("This pass"));
        s.page->showTab(InductorPage::Tab::Scheduler);
        QVERIFY(heading("Scheduler"));
        const auto section = [&s](const QString& text) {
            return std::ranges::any_of(
                test::part<FactView>(*s.page, "inductor.detail")->findChildren<QAbstractButton*>(),
                [&text](const QAbstractButton* button) { return button->text() == text; });
        };
        QVERIFY(section("What tells them apart"));
        s.page->showTab(InductorPage::Tab::TextDiff);
        QVERIFY(heading("This pass"));
        QTRY_VERIFY(!section("What tells them apart"));
        view.choose({"op0", "op1"});
        QVERIFY(FactView::plainText(view.facts()).contains("cpp_fused_native_layer_norm_0"));
        view.setFusions(0);
        view.choose({});
        QVERIFY2(!FactView::plainText(view.facts()).contains("op0"),
                 "before the first fusion nothing is told");
        view.setFusions(2);
        QVERIFY(view.facts().title == "Fusion 2" && FactView::plainText(view.facts()).contains("Sorted by"));
        view.choose({"op0"});
        said = FactView::plainText(view.facts());
        QVERIFY2(said.contains("primals_1") && said.contains("buf0") && said.contains("Reduction"),
                 qPrintable(said));
    }

    void cardsAreChosenByMouseAndKeyboard() {
        Shown s;
        s.page->showTab(InductorPage::Tab::Scheduler);
        s.settle();
        QVERIFY(s.page->showsScheduler());
        ScheduleCards& cards = test::part<ScheduleView>(*s.page)->cards();
        const auto click = [&cards](const char* operation, Qt::KeyboardModifiers keys) {
            QTest::mouseClick(&cards, Qt::LeftButton, keys,
                              cards.cardRect(cards.rows().rowOf.at(operation)).center());
        };
        click("op5", {});
        QCOMPARE(cards.chosen(), std::vector<std::string>{"op5"});
        click("op9", Qt::ControlModifier);
        QCOMPARE(cards.chosen(), (std::vector<std::string>{"op5", "op9"}));
        QVERIFY(test::part<ScheduleView>(*s.page)->facts().title == "op5 with op9");
        click("op9", Qt::ControlModifier);
        QCOMPARE(cards.chosen(), std::vector<std::string>{"op5"});
        const std::size_t row = cards.rows().rowOf.at("op5");
        QTest::keyClick(&cards, Qt::Key_Down);
        QCOMPARE(cards.chosen(), std::vector<std::string>{cards.rows().operations[row + 1]->name});
        QTest::keyClick(&cards, Qt::Key_Down, Qt::ShiftModifier);
        QCOMPARE(cards.chosen().size(), std::size_t(2));
        QTest::mouseClick(&cards, Qt::LeftButton, {}, QPoint(2, 2));
        QVERIFY(cards.chosen().empty());
    }

    void stepsAreFusionsInTheSchedule() {
        Shown s;
        const int row = s.page->row();
        s.page->showTab(InductorPage::Tab::Scheduler);
        s.settle();
        ScheduleView& view = *test::part<ScheduleView>(*s.page);
        const int all = view.mostFusions();
        QVERIFY(!s.page->canRun(StepCommand::Over) && s.page->canRun(StepCommand::BackOver));
        s.page->run(StepCommand::BackOver);
        s.settle();
        QCOMPARE(view.fusions(), all - 1);
        s.page->run(StepCommand::First);
        s.settle();
        QCOMPARE(view.fusions(), 0);
        auto* strip = test::part<FusionStrip>(view);
        QTest::mouseClick(strip, Qt::LeftButton, {}, strip->pointOf(3).toPoint());
        s.settle();
        QCOMPARE(view.fusions(), 3);
        // It is a place: saved, and found again.
        const QJsonValue saved = savedPassPlace(s.f.workspace.place().own.of<PassPlace>());
        QVERIFY(saved.isObject());
        QCOMPARE(passPlaceOf(saved), s.f.workspace.place().own.of<PassPlace>());
        QCOMPARE(passPlaceOf(QJsonValue(7)), PassPlace{7}); // as sessions before had it
        Place place = s.f.workspace.place();
        place.own.set(PassPlace{row});
        s.f.workspace.go(place);
        s.settle();
        QVERIFY(!s.page->showsScheduler());
        s.f.workspace.goBack();
        s.settle();
        QVERIFY(s.page->showsScheduler());
        QCOMPARE(view.fusions(), 3);
    }

    void refusalsLeadToTheirPairs() {
        Shown s;
        s.page->showTab(InductorPage::Tab::Scheduler);
        s.settle();
        const auto& reasons = test::part<RowTable>(*s.page, "inductor.reasons")->rows().rows();
        QVERIFY(reasons.size() >= 2);
        qulonglong before = ULLONG_MAX;
        for (const TableRow& reason : reasons) {
            QVERIFY(reason.front().sort.toULongLong() <= before);
            before = reason.front().sort.toULongLong();
        }
        test::part<RowTable>(*s.page, "inductor.reasons")
            ->setCurrentIndex(test::part<RowTable>(*s.page, "inductor.reasons")->model()->index(1, 0));
        s.settle();
        QVERIFY(test::part<RowTable>(*s.page, "inductor.pairs")->rows().rowCount() > 0);
        test::part<RowTable>(*s.page, "inductor.pairs")
            ->setCurrentIndex(test::part<RowTable>(*s.page, "inductor.pairs")->model()->index(0, 0));
        s.settle();
        QCOMPARE(test::part<ScheduleView>(*s.page)->cards().chosen().size(), std::size_t(2));
        const QString said = FactView::plainText(test::part<ScheduleView>(*s.page)->facts());
        QVERIFY2(said.contains(reasons[1][1].text), qPrintable(said));
    }

    void fallbacksAreRanked() {
        Shown s;
        s.page->showTab(InductorPage::Tab::Fallbacks);
        s.settle();
        const auto& rows = test::part<RowTable>(*s.page, "inductor.fallbacks")->rows().rows();
        QCOMPARE(rows.size(), std::size_t(2)); // of forward and backward of 0/0
        QVERIFY2(rows.front().front().text.contains("flash_attention_for_cpu_backward"),
                 qPrintable(rows.front().front().text));
        QCOMPARE(rows.front()[4].text, QStringLiteral("in the list of fallbacks"));
        QVERIFY(rows.front()[1].sort.toULongLong() > rows.back()[1].sort.toULongLong());
        QVERIFY2(rows.back()[5].text.startsWith("block.py:"), qPrintable(rows.back()[5].text));
        test::part<RowTable>(*s.page, "inductor.fallbacks")
            ->setCurrentIndex(test::part<RowTable>(*s.page, "inductor.fallbacks")->model()->index(1, 0));
        s.settle();
        QCOMPARE(test::part<ScheduleView>(*s.page)->cards().chosen(), std::vector<std::string>{"op6"});
    }

    void buffersAreDrawnOverTheSchedule() {
        Shown s;
        const LivesView& view = *test::part<LivesView>(*s.page);
        QVERIFY(view.memory().lives.size() > 15);
        const auto index = [&view](const char* name) {
            return std::size_t(
                std::ranges::find(view.memory().lives, std::string(name), &inductor::BufferLife::buffer) -
                view.memory().lives.begin());
        };
        // What took a memory over lies in its lane.
        QCOMPARE(view.rectOf(index("buf1")).top(), view.rectOf(index("buf0")).top());
        QCOMPARE(view.lifeAt(view.rectOf(index("buf19")).center()), index("buf19"));
        QVERIFY(view.rectOf(index("buf21")).right() > view.rectOf(index("buf5")).left());
        QVERIFY(view.accessibleDescription().contains("At most "));
        // A click leads to the operation that writes it.
        s.page->showTab(InductorPage::Tab::Buffers);
        s.settle();
        QTest::mouseClick(test::part<LivesView>(*s.page), Qt::LeftButton, {},
                          view.rectOf(index("buf5")).center().toPoint());
        QCOMPARE(test::part<ScheduleView>(*s.page)->cards().chosen(), std::vector<std::string>{"op5"});
    }

    void ordersThatWereWeighedAreCompared() {
        Shown s;
        s.page->showTab(InductorPage::Tab::Orders);
        s.settle();
        auto* table = test::part<RowTable>(*s.page, "inductor.orders");
        const auto& rows = table->rows().rows();
        QCOMPARE(rows.size(), std::size_t(4));
        QCOMPARE(rows.front().front().text, QStringLiteral("baseline"));
        QCOMPARE(std::ranges::count_if(rows, [](const TableRow& row) { return row[2].text == u"taken"; }), 1);
        auto* curve = test::part<OrdersView>(*s.page);
        QCOMPARE(rows[std::size_t(curve->order())][2].text, QStringLiteral("taken"));
        const std::size_t other = curve->order() == 1 ? 2 : 1;
        table->setCurrentIndex(table->model()->index(int(other), 0));
        s.settle();
        QCOMPARE(curve->order(), int(other));
        QVERIFY2(curve->accessibleDescription().startsWith(rows[other].front().text + ": at most "),
                 qPrintable(curve->accessibleDescription()));
        // A node of the curve leads to its operations.
        QTest::mouseClick(curve, Qt::LeftButton, {}, curve->rectOf(0).center().toPoint());
        QVERIFY(!test::part<ScheduleView>(*s.page)->cards().chosen().empty());
        Shown before(DYNASCOPE_TEST_DATA "/passes_before");
        QVERIFY(test::part<RowTable>(*before.page, "inductor.orders")
                    ->emptyText()
                    .startsWith("The recording has no orders that PyTorch weighed."));
        QVERIFY(!test::part<OrdersView>(*before.page)->isVisibleTo(before.page.get()));
        s.page->showTab(InductorPage::Tab::Steps);
        s.settle();
        QVERIFY(test::part<RowTable>(*s.page, "inductor.scheduleSteps")->rows().rowCount() > 4);
    }

    void otherCapturesSayHowToMakeOne() {
        test::Fixture f;
        test::addSample(f.workspace, "graph_breaks");
        auto page = f.show<InductorPage>(1200, 800);
        QVERIFY2(page->message().contains("capture --passes"), qPrintable(page->message()));
    }

    void writesATable() {
        Shown s;
        QTemporaryDir folder;
        const QString path = folder.filePath("passes.csv");
        QVERIFY(s.page->exportTo(path));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        QVERIFY(text.startsWith("number,phase,graph,pass,ms,"));
        QVERIFY(text.contains("joint,joint,pass_pattern_0,"));
        // "+1 -2" is no formula.
        QVERIFY2(text.contains(",'+") && !text.contains(",+"), text);
        QVERIFY(!s.page->exportTo(folder.filePath("no/such/folder.csv")));
    }
};

QTEST_MAIN(TestInductorPage)
#include "tst_inductor_page.moc"
