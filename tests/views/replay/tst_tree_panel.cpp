// SPDX-License-Identifier: BSD-3-Clause
//
// A run of CUDA-graph trees, stepped both ways by key and mouse.
#include "tests/support/archive.h"
#include "tests/support/parts.h"
#include "tests/views/panel_test.h"
#include "views/inspector/fact_view.h"
#include "views/notes/notebook.h"
#include "views/replay/replay_page.h"
#include "views/replay/tree_facts.h"
#include "views/replay/tree_panel.h"
#include "views/replay/tree_picture.h"
#include "views/replay/tree_rows.h"

#include <QTabBar>
#include <QToolButton>
#include <set>

using namespace dynascope;
using namespace dynascope::views;
using replay::TreeStep;

namespace {

struct Shown : test::Fixture {
    std::unique_ptr<TreePanel> panel;

    explicit Shown(const char* name) {
        open(name);
        panel = show<TreePanel>(1280, 700);
        settle();
    }
    void open(const char* name) {
        const std::map<std::string, std::string> cases = test::oracleCases();
        auto session = capture::openText(cases.at(name), name);
        if (!session) qFatal("%s", session.error().toString().c_str());
        workspace.addCapture({*session, session::summarizeBreaks(**session)});
    }
    [[nodiscard]] TreeWalk& walk() const { return panel->walk(); }
    [[nodiscard]] TreePicture& picture() const { return *test::part<TreePicture>(*panel, "treePicture"); }
    [[nodiscard]] QString facts() const { return FactView::plainText(treeFacts(walk())); }
    void press(const char* name) {
        for (QToolButton* button : panel->findChildren<QToolButton*>())
            if (button->accessibleName() == QLatin1String(name)) QTest::mouseClick(button, Qt::LeftButton);
    }
};

} // namespace

class TestTreePanel : public QObject {
    Q_OBJECT

private slots:
    void casesGoToThePage() {
        Shown s("cg_tree_094");
        QCOMPARE(s.workspace.session()->kind, session::Kind::TreeCase);
        QCOMPARE(s.workspace.place().page, Page::Replay);
        QCOMPARE(s.panel->message(), QString());
        Engine engine({"/no/such/engine"});
        Notebook notebook(s.workspace);
        ReplayRuns runs(s.workspace, engine, notebook);
        const auto page = std::make_unique<ReplayPage>(s.workspace, runs, s.theme);
        page->resize(1280, 700);
        page->show();
        s.settle();
        QVERIFY(page->tree()->isVisible());
        QVERIFY(!page->tabs()->isVisible());
    }

    void showsTheRun() {
        Shown s("cg_tree_094");
        const QAbstractItemModelTester events(test::part<RowTable>(*s.panel, "tree.events")->model(),
                                              QAbstractItemModelTester::FailureReportingMode::Fatal);
        const QAbstractItemModelTester inputs(test::part<RowTable>(*s.panel, "tree.inputs")->model(),
                                              QAbstractItemModelTester::FailureReportingMode::Fatal);
        QCOMPARE(test::part<RowTable>(*s.panel, "tree.events")->rows().rowCount(), 48);
        QCOMPARE(s.walk().position(), std::size_t(48));
        QCOMPARE(s.walk().run()->recordings(48), std::size_t(10));
        QCOMPARE(s.walk().run()->rerecords(48), std::size_t(3));
        QCOMPARE(s.walk().run()->counted(48), std::size_t(2));
        for (replay::NodeId node = 0; node < 10; ++node)
            QVERIFY2(!s.picture().nodeRect(node).isEmpty(), qPrintable(QString::number(node)));
        QVERIFY(s.picture().nodeRect(-1).isEmpty()); // a warm-up
        QVERIFY(s.picture().plainText().startsWith("#0 "));
        // No two cards overlap.
        for (replay::NodeId a = 0; a < 10; ++a)
            for (replay::NodeId b = a + 1; b < 10; ++b)
                QVERIFY(!s.picture().nodeRect(a).intersects(s.picture().nodeRect(b)));
    }

    /// Every place that counts re-records has one number, at every event.
    void countsAgree() {
        Shown s("cg_tree_094");
        while (s.walk().position() > 0) {
            const std::size_t position = s.walk().position(), count = s.walk().run()->rerecords(position);
            std::size_t events = 0, cards = 0;
            for (std::size_t i = 0; i < position; ++i)
                events += treeActionName(s.walk().run()->step(i)) == "re-record" ? 1 : 0;
            QCOMPARE(events, count);
            cards = std::size_t(s.picture().plainText().count("re-record"));
            QCOMPARE(cards, count);
            std::set<std::size_t> listed;
            for (const Rerecord& at : rerecordsOf(*s.walk().run(), position))
                listed.insert(at.step);
            QCOMPARE(listed.size(), count);
            QCOMPARE(test::part<QTabBar>(*s.panel, "tree.lowerTabs")->tabText(1),
                     count == 0 ? QString("Re-records") : QString("Re-records %1").arg(count));
            std::int64_t counted = 0;
            for (const auto& [key, value] : s.walk().state().rerecords)
                counted += value;
            QCOMPARE(std::size_t(counted), s.walk().run()->counted(position));
            s.walk().back();
        }
    }

    void stepsBothWays() {
        Shown s("cg_tree_094");
        s.picture().setFocus();
        std::vector<replay::TreeState> states{s.walk().state()};
        while (s.walk().position() > 0) {
            QTest::keyClick(&s.picture(), Qt::Key_Left);
            states.push_back(s.walk().state());
        }
        QCOMPARE(states.size(), std::size_t(49));
        QCOMPARE(s.walk().state(), replay::TreeState{});
        QCOMPARE(test::part<RowTable>(*s.panel, "tree.events")->selected(), -1);
        QVERIFY(s.picture().nodeRect(0).isEmpty()); // not recorded yet
        QVERIFY(s.facts().startsWith("Before the first event"));
        QTest::keyClick(&s.picture(), Qt::Key_Left); // no further
        for (std::size_t i = states.size() - 1; i-- > 0;) {
            s.press("Step forward");
            QVERIFY(s.walk().state() == states[i]);
        }
        s.press("First event");
        QCOMPARE(s.walk().position(), std::size_t(0));
        s.press("Last event");
        QCOMPARE(s.walk().position(), std::size_t(48));
        QTest::keyClick(&s.picture(), Qt::Key_Home);
        QTest::keyClick(&s.picture(), Qt::Key_End);
        QCOMPARE(s.walk().position(), std::size_t(48));
    }

    /// Every re-recording says which invariant broke, for which input and from which address to which.
    void saysWhyItRecordedAgain() {
        Shown s("cg_tree_094");
        s.press("First event");
        std::size_t managed = 0, addresses = 0;
        while (s.walk().toMark(1)) {
            const TreeStep& step = *s.walk().step();
            const replay::InvariantCheck* cause = rerecordCause(step);
            if (!cause) continue;
            QVERIFY(s.facts().contains(QString::fromUtf8(replay::invariantStatusText(cause->status).data())));
            if (cause->status == replay::InvariantStatus::ManagedAddressChanged) {
                ++managed;
                QVERIFY(!cause->moved.empty());
                const replay::MovedInput& moved = cause->moved.front();
                const QString text = QStringLiteral("%1 → %2").arg(moved.recorded).arg(moved.now);
                QVERIFY2(s.facts().contains(text), qPrintable(s.facts()));
                QVERIFY(s.facts().contains(QString::fromStdString(moved.name)));
            }
            addresses += cause->moved.size();
            QCOMPARE(treeActionName(step), QString("re-record"));
        }
        QVERIFY(managed > 0);
        QVERIFY(addresses > 0);
        QVERIFY(!s.walk().toMark(1));
        s.press("Previous mark");
        QVERIFY(s.walk().position() < s.walk().run()->marks().back() + 1);
    }

    void listsWhatBrokeEachRecording() {
        Shown s("cg_tree_094");
        QTest::mouseClick(test::part<QTabBar>(*s.panel, "tree.lowerTabs"), Qt::LeftButton, {},
                          test::part<QTabBar>(*s.panel, "tree.lowerTabs")->tabRect(1).center());
        RowTable& list = *test::part<RowTable>(*s.panel, "tree.rerecords");
        QVERIFY(list.isVisible());
        const QAbstractItemModelTester tester(list.model(),
                                              QAbstractItemModelTester::FailureReportingMode::Fatal);
        QCOMPARE(test::part<QTabBar>(*s.panel, "tree.lowerTabs")->tabText(1), QString("Re-records 3"));
        const std::vector<Rerecord> all = rerecordsOf(*s.walk().run(), SIZE_MAX);
        QCOMPARE(std::size_t(list.rows().rowCount()), all.size());
        const auto cell = [&](int row, RerecordColumn column) {
            return list.rows().index(row, int(column)).data().toString();
        };
        int addresses = 0;
        for (int row = 0; row < list.rows().rowCount(); ++row) {
            const Rerecord& at = all[std::size_t(row)];
            QCOMPARE(cell(row, RerecordColumn::Event), QString::number(at.step + 1));
            QVERIFY(!cell(row, RerecordColumn::Invariant).isEmpty());
            if (at.moved == SIZE_MAX) continue;
            ++addresses;
            const replay::MovedInput& moved = at.cause->moved[at.moved];
            QCOMPARE(cell(row, RerecordColumn::Recorded), QString::number(moved.recorded));
            QCOMPARE(cell(row, RerecordColumn::Now), QString::number(moved.now));
            QVERIFY(!cell(row, RerecordColumn::What).isEmpty());
        }
        QVERIFY(addresses > 0);
        // Its event is a link; before that event nothing was recorded anew.
        const std::size_t first = all.front().step;
        QTest::mouseClick(list.viewport(), Qt::LeftButton, {},
                          list.cellRect(0, int(RerecordColumn::Event)).center());
        QCOMPARE(s.walk().position(), first + 1);
        s.walk().back();
        QCOMPARE(list.rows().rowCount(), 0);
        QCOMPARE(test::part<QTabBar>(*s.panel, "tree.lowerTabs")->tabText(1), QString("Re-records"));
    }

    void listsAndTreeMoveTogether() {
        Shown s("cg_tree_094");
        RowTable& events = *test::part<RowTable>(*s.panel, "tree.events");
        events.scrollTo(events.model()->index(5, 0));
        QTest::mouseClick(events.viewport(), Qt::LeftButton, {}, events.cellRect(5, 1).center());
        QCOMPARE(s.walk().position(), std::size_t(6));
        QTest::keyClick(&events, Qt::Key_Down);
        QCOMPARE(s.walk().position(), std::size_t(7));
        s.press("Last event");
        QCOMPARE(events.selected(), 47);
        // A card: what is known of the recording, and the way to the event that made it.
        QTest::mouseClick(s.picture().viewport(), Qt::LeftButton, {}, s.picture().nodeRect(2).center());
        QCOMPARE(s.walk().selected(), replay::NodeId(2));
        QVERIFY(s.facts().contains("Recording #2"));
        const std::size_t made = s.walk().run()->log().find(2)->step;
        emit test::part<FactView>(*s.panel, "tree.detail")->followed(QString("step:%1").arg(made + 1));
        QCOMPARE(s.walk().position(), made + 1);
        QCOMPARE(s.walk().selected(), replay::NodeId(2));
        s.walk().back(); // now it does not exist yet
        QCOMPARE(s.walk().selected(), replay::noNode);
        QTest::keyClick(&s.picture(), Qt::Key_PageDown);
        QVERIFY(s.walk().selected() != replay::noNode);
        QTest::keyClick(&s.picture(), Qt::Key_Escape);
        QCOMPARE(s.walk().selected(), replay::noNode);
        QTest::keyClick(&s.picture(), Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QApplication::clipboard()->text(), s.picture().plainText());
    }

    void warmupsOnRequest() {
        Shown s("cg_tree_094");
        for (QToolButton* button : s.panel->findChildren<QToolButton*>())
            if (button->text() == "Warm-ups") QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(!s.picture().nodeRect(-1).isEmpty());
        QVERIFY(s.picture().plainText().contains("warm-up 1"));
        s.picture().setShowsWarmups(false);
        s.walk().moveTo(0);
        while (s.walk().state().path != replay::PathState::Warmup)
            s.walk().forward(); // on the path even without being asked for
        QCOMPARE(s.walk().state().path, replay::PathState::Warmup);
        QVERIFY(!s.picture().nodeRect(-1).isEmpty());
    }

    void categoriesOfARun() {
        Shown s("cg_tree_058");
        const RunCategories all = runCategories(*s.walk().run(), s.walk().position());
        std::size_t slow = 0, fast = 0, found = 0;
        for (const RunFunction& function : all.functions) {
            slow += function.slow;
            fast += function.fast;
        }
        for (const RunInput& input : all.inputs)
            for (const std::size_t count : input.found)
                found += count;
        QVERIFY(slow > 0 && fast > 0 && found > 0);
        std::size_t calls = 0, eager = 0;
        for (std::size_t i = 0; i < s.walk().run()->size(); ++i) {
            calls += s.walk().run()->step(i).event == TreeStep::Event::Call;
            eager += s.walk().run()->step(i).action == TreeStep::Action::Eager;
        }
        QCOMPARE(slow + fast, calls);
        QCOMPARE(eager, std::size_t(7));
        // They count as the reader steps.
        s.walk().moveTo(0);
        const RunCategories none = runCategories(*s.walk().run(), 0);
        for (const RunFunction& function : none.functions)
            QCOMPARE(function.slow + function.fast, std::size_t(0));
        // The event of the last look is a link.
        s.walk().moveTo(SIZE_MAX);
        RowTable& inputs = *test::part<RowTable>(*s.panel, "tree.inputs");
        int row = 0;
        while (inputs.rows().index(row, int(RunInputColumn::Last)).data().toString().isEmpty())
            ++row;
        const auto at = inputs.rows().index(row, int(RunInputColumn::Last)).data().toULongLong();
        inputs.scrollTo(inputs.model()->index(row, int(RunInputColumn::Last)));
        QTest::mouseClick(inputs.viewport(), Qt::LeftButton, {},
                          inputs.cellRect(row, int(RunInputColumn::Last)).center());
        QCOMPARE(s.walk().position(), std::size_t(at));
    }

    /// Every case of the kind is walked from end to end; nothing that is written down is empty.
    void allCases() {
        test::Fixture f;
        const std::map<std::string, std::string> cases = test::oracleCases();
        int count = 0;
        for (const auto& [name, text] : cases) {
            if (!name.starts_with("cg_tree_")) continue;
            ++count;
            auto session = capture::openText(text, name);
            QVERIFY2(session, name.c_str());
            TreeWalk walk;
            TreePicture picture(walk, f.theme);
            picture.resize(400, 300);
            const auto program = session::attachedAs<replay::TreeProgram>((*session)->tree);
            QVERIFY(program);
            walk.setRun(std::make_shared<const replay::TreeRun>(*program, TaskContext{}));
            QCOMPARE(eventRows(*walk.run()).size(), walk.run()->size());
            for (; walk.position() > 0; walk.back()) {
                QVERIFY(!treeFacts(walk).sections.empty());
                QVERIFY(!treeWhy(*walk.run(), walk.position() - 1).isEmpty());
            }
            QVERIFY(!picture.grab().isNull());
        }
        QCOMPARE(count, 40);
    }

    void followsTheCapture() {
        Shown s("cg_tree_094");
        s.open("cg_tree_058");
        s.settle();
        QCOMPARE(test::part<RowTable>(*s.panel, "tree.events")->rows().rowCount(), 24);
        s.workspace.addCapture(test::captureOf(session::Session{}));
        s.settle();
        QVERIFY(s.panel->message().contains("cudagraph_tree_trace"));
        QVERIFY(!s.walk().run());
        s.workspace.goBack();
        s.settle();
        QCOMPARE(test::part<RowTable>(*s.panel, "tree.events")->rows().rowCount(), 24);
    }
};

QTEST_MAIN(TestTreePanel)
#include "tst_tree_panel.moc"
