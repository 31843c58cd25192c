// SPDX-License-Identifier: BSD-3-Clause
//
// Recording and replaying in the window, with an engine that answers what a real one did: memory, times,
// earlier runs, heat on the canvas, cancel and refusal.
#include "app/gui/chrome.h"
#include "app/gui/engine_actions.h"
#include "app/gui/stages_page.h"
#include "tests/support/message_bar.h"
#include "tests/support/parts.h"
#include "tests/support/patience.h"
#include "tests/views/engine/engine_window.h"
#include "views/canvas/compare_view.h"
#include "views/canvas/graph_canvas.h"
#include "views/engine/engine.h"
#include "views/inspector/fact_view.h"
#include "views/notes/notebook.h"
#include "views/replay/cuda_panel.h"
#include "views/replay/memory_panel.h"
#include "views/replay/replay_page.h"
#include "views/replay/timing_panel.h"
#include "views/workspace/go_to.h"

#include <QCheckBox>
#include <QComboBox>
#include <QSpinBox>
#include <QTabBar>
#include <QTemporaryDir>
#include <QToolButton>
#include <thread>

using namespace dynascope;
using namespace dynascope::app;
using namespace dynascope::test;
using namespace dynascope::views;

class TestReplayPanels : public QObject {
    Q_OBJECT

    struct Opened : EngineWindow {
        explicit Opened(const char* mode = "", const std::string& replies = "encoder_train_replay")
            : EngineWindow(cannedEngine(mode, replies)) {
            if (!QTest::qWaitForWindowExposed(&window)) qFatal("no window");
            window.activateWindow();
            if (!QTest::qWaitForWindowActive(&window)) qFatal("the window has no focus");
            addCapture(workspace, DYNASCOPE_SOURCE_DIR "/resources/samples/encoder_train.log");
            QTest::keyClick(&window, Qt::Key_6, Qt::ControlModifier);
        }
        [[nodiscard]] ReplayPage& page() { return window.page<ReplayPage>(); }
        void settle() {
            QTest::qWait(0); // what was asked for starts
            QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), test::patience);
            QTest::qWait(0);
            QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), test::patience);
        }
        void run() {
            const std::size_t before = window.replays().runs(*workspace.session()).size();
            QTest::mouseClick(test::part<QToolButton>(page(), "replay.recordButton"), Qt::LeftButton);
            QTRY_COMPARE_WITH_TIMEOUT(window.replays().runs(*workspace.session()).size(), before + 1,
                                      test::patience);
            settle();
        }
        ReplayMemoryPanel& memory() {
            page().tabs()->setCurrentIndex(ReplayPage::MemoryTab);
            settle();
            return *test::part<ReplayMemoryPanel>(page(), "replayMemory");
        }
    };

private slots:
    void recordsAtAClick() {
        Opened w;
        w.page().tabs()->setCurrentIndex(ReplayPage::MemoryTab);
        w.settle();
        QVERIFY(test::part<ReplayMemoryPanel>(w.page(), "replayMemory")
                    ->message()
                    .contains("Nothing was recorded"));
        test::part<QSpinBox>(w.page(), "replay.iterations")->setValue(10);
        w.page().tabs()->setCurrentIndex(ReplayPage::CoverageTab);
        w.run();
        QCOMPARE(w.page().tabs()->currentIndex(), int(ReplayPage::TimingTab)); // what the run was for
        ReplayTimingPanel& timing = *test::part<ReplayTimingPanel>(w.page(), "replayTiming");
        QCOMPARE(test::part<RowTable>(timing, "timing.nodes")->rows().rowCount(), 92);
        QCOMPARE(test::part<RowTable>(timing, "timing.history")->rows().rowCount(), 1);
        const ReplayedRunPtr run = w.window.replays().newest(*w.workspace.session());
        QCOMPARE(run->run.iterations, std::uint64_t(10));
        QCOMPARE(run->graphs.size(), std::size_t(2));
        QCOMPARE(run->graphs[0].name, QStringLiteral("0/0 forward"));
        QVERIFY(run->graphs[1].role.backward);
        QVERIFY(run->graphs[0].role.saved.size() > 10);
        QVERIFY(run->changes.empty());
        QVERIFY(FactView::plainText(timingFacts(*run)).contains("60 planned"));
    }

    void everyNodeLeadsToTheCanvas() {
        Opened w;
        w.run();
        RowTable* table =
            test::part<RowTable>(*test::part<ReplayTimingPanel>(w.page(), "replayTiming"), "timing.nodes");
        // Sorted: the slowest first.
        const QRect cell = table->visualRect(table->model()->index(0, int(TimingColumn::Node)));
        const QString name = table->model()->index(0, int(TimingColumn::Node)).data().toString();
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, cell.center());
        QTest::keyClick(table, Qt::Key_Return);
        w.settle();
        QCOMPARE(w.workspace.place().page, Page::Stages);
        QVERIFY(w.workspace.selectedNode());
        QCOMPARE(QString::fromStdString(w.workspace.selectedNode()->name), name);
        const auto times = w.workspace.nodeTimes(w.workspace.stage(Side::B).stage.get());
        QVERIFY(times);
        QCOMPARE(times->us.at(name.toStdString()), times->most);
    }

    void memoryOfAGraph() {
        Opened w;
        w.run();
        ReplayMemoryPanel& panel = w.memory();
        QVERIFY(panel.memory());
        QCOMPARE(test::part<QComboBox>(panel, "replayMemory.graphs")->count(), 2);
        QCOMPARE(panel.memory()->of().name, QStringLiteral("0/0 backward")); // the larger arena
        test::part<QComboBox>(panel, "replayMemory.graphs")->setCurrentIndex(0);
        emit test::part<QComboBox>(panel, "replayMemory.graphs")->activated(0);
        w.settle();
        QCOMPARE(panel.memory()->of().name, QStringLiteral("0/0 forward"));
        std::array<std::size_t, replay::memoryUses> count{};
        for (const replay::HeldFor& held : panel.memory()->memory.held)
            ++count[std::size_t(held.use)];
        QVERIFY(count[std::size_t(replay::MemoryUse::SavedForBackward)] > 10);
        QVERIFY(count[std::size_t(replay::MemoryUse::ForwardTemporary)] > 10);
        QCOMPARE(count[std::size_t(replay::MemoryUse::BackwardTemporary)], std::size_t(0));
        // A block, at the peak.
        QVERIFY(test::part<RowTable>(panel, "replayMemory.alive")->rows().rowCount() > 5);
        MemoryChart* chart = test::part<MemoryChart>(panel);
        std::size_t largest = 0;
        const auto& lives = panel.memory()->memory.timeline.lives;
        for (std::size_t i = 0; i < lives.size(); ++i)
            if (panel.memory()->memory.held[i].use != replay::MemoryUse::Caller &&
                lives[i].bytes * (lives[i].end - lives[i].begin) >
                    lives[largest].bytes * (lives[largest].end - lives[largest].begin))
                largest = i;
        QTest::mouseClick(chart, Qt::LeftButton, {}, chart->rectOf(largest).center().toPoint());
        QCOMPARE(chart->selected(), largest);
        const QString words = FactView::plainText(memoryFacts(*panel.memory(), largest));
        QVERIFY2(words.contains(panel.memory()->nodeName(largest)), qPrintable(words));
        QVERIFY2(memoryTip(*panel.memory(), largest).contains("saved for backward"),
                 qPrintable(memoryTip(*panel.memory(), largest)));
        // Measured time is another axis for the same blocks.
        const double before = chart->rectOf(largest).width();
        QComboBox* axis = test::part<QComboBox>(panel, "replayMemory.axis");
        const auto chooseAxis = [axis](int at) {
            axis->setCurrentIndex(at);
            emit axis->activated(at);
        };
        chooseAxis(1);
        QVERIFY(chart->rectOf(largest).width() != before);
        QCOMPARE(chart->selected(), largest);
        // Inputs lie above the arena.
        chooseAxis(0);
        const double height = chart->rectOf(largest).height();
        test::part<QCheckBox>(panel, "replayMemory.inputs")->click();
        QVERIFY(chart->rectOf(largest).height() < height);
        // Who is alive leads to its node.
        QTest::keyClick(chart, Qt::Key_P);
        const QRect cell =
            test::part<RowTable>(panel, "replayMemory.alive")->cellRect(0, int(AliveColumn::Node));
        QTest::mouseClick(test::part<RowTable>(panel, "replayMemory.alive")->viewport(), Qt::LeftButton, {},
                          cell.center());
        QVERIFY(chart->selected() != SIZE_MAX);
        const std::string name = panel.memory()->nodeName(chart->selected()).toStdString();
        QTest::keyClick(test::part<RowTable>(panel, "replayMemory.alive"), Qt::Key_Return);
        w.settle();
        QCOMPARE(w.workspace.place().page, Page::Stages);
        QCOMPARE(w.workspace.selectedNode()->name, name);
    }

    void twoRecordingsAgainstEachOther() {
        Opened w;
        w.run();
        w.run();
        ReplayMemoryPanel& panel = w.memory();
        QCOMPARE(test::part<QComboBox>(panel, "replayMemory.others")->count(),
                 4); // none, the other graph, both of the run before
        emit test::part<QComboBox>(panel, "replayMemory.others")
            ->activated(3); // forward, where backward is shown
        w.settle();
        QVERIFY(test::part<RowTable>(panel, "replayMemory.changes")->isVisible());
        QVERIFY(test::part<RowTable>(panel, "replayMemory.changes")->rows().rowCount() > 40);
        QCOMPARE(panel.memory()->of().name, QStringLiteral("0/0 backward"));
        emit test::part<QComboBox>(panel, "replayMemory.others")->activated(2); // backward in the run before
        w.settle();
        for (int row = 0; row < test::part<RowTable>(panel, "replayMemory.changes")->rows().rowCount(); ++row)
            QVERIFY(test::part<RowTable>(panel, "replayMemory.changes")
                        ->rows()
                        .rows()[std::size_t(row)][1]
                        .text.startsWith(u'='));
        emit test::part<QComboBox>(panel, "replayMemory.others")->activated(0);
        w.settle();
        QVERIFY(test::part<RowTable>(panel, "replayMemory.alive")->isVisible());
    }

    void aSlowerRunIsFlagged() {
        Opened w("slower");
        w.run();
        w.run();
        const ReplayedRunPtr run = w.window.replays().newest(*w.workspace.session());
        QCOMPARE(run->changes.front().pace, replay::RunChange::Pace::Slower);
        RowTable* history =
            test::part<RowTable>(*test::part<ReplayTimingPanel>(w.page(), "replayTiming"), "timing.history");
        QCOMPARE(history->rows().rowCount(), 2);
        QCOMPARE(history->rows().rows()[0][int(HistoryColumn::Verdict)].text, QStringLiteral("slower"));
        // A session file keeps both.
        QCOMPARE(w.window.notebook().contents(0).replays.size(), std::size_t(2));
    }

    void cancels() {
        Opened w("slow");
        QVERIFY(!test::part<QToolButton>(w.page(), "replay.cancelButton")->isVisible());
        QTest::mouseClick(test::part<QToolButton>(w.page(), "replay.recordButton"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(w.window.replays().progressText().contains("Replaying"), test::patience);
        QVERIFY(!test::part<QToolButton>(w.page(), "replay.recordButton")->isEnabled());
        QTest::mouseClick(test::part<QToolButton>(w.page(), "replay.cancelButton"), Qt::LeftButton);
        w.settle();
        QVERIFY(!w.window.replays().isRunning());
        QVERIFY(test::part<QToolButton>(w.page(), "replay.recordButton")->isEnabled());
        QVERIFY(!w.window.replays().newest(*w.workspace.session()));
    }

    /// What waits says so, and does not take the progress of what it waits for.
    void waitsForItsTurn() {
        Opened w("slow");
        w.window.engineActions().engine().run<int>(
            QStringLiteral("other"), QStringLiteral("another request"), &w.window,
            [](engine::Client&, const engine::CallOptions& options) -> tl::expected<int, engine::CallError> {
                while (!options.task.cancelled()) {
                    options.task.report("Something else", 1, 2);
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }
                return 0;
            },
            [](const tl::expected<int, engine::CallError>&) {});
        QStringList said;
        QObject::connect(&w.window.replays(), &ReplayRuns::runningChanged, &w.window,
                         [&] { said << w.window.replays().progressText(); });
        QTest::mouseClick(test::part<QToolButton>(w.page(), "replay.recordButton"), Qt::LeftButton);
        QCOMPARE(w.window.replays().progressText(), QString("Waiting until the engine is free"));
        w.window.engineActions().engine().cancel(QStringLiteral("other"));
        QTRY_VERIFY_WITH_TIMEOUT(w.window.replays().progressText().contains("Replaying"), test::patience);
        QVERIFY2(said.filter("Something else").isEmpty(), qPrintable(said.join('\n')));
        QTest::mouseClick(test::part<QToolButton>(w.page(), "replay.cancelButton"), Qt::LeftButton);
        w.settle();
    }

    void aRefusalSaysWhyAndWhatToDo() {
        Opened w("", "sibling_views"); // which has no recording
        w.page().tabs()->setCurrentIndex(ReplayPage::TimingTab);
        QTest::mouseClick(test::part<QToolButton>(w.page(), "replay.recordButton"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(w.window.replays().trouble(*w.workspace.session()), test::patience);
        w.settle();
        const QString said = test::part<ReplayTimingPanel>(w.page(), "replayTiming")->message();
        QVERIFY2(said.contains("aten.special_op has no kernel"), qPrintable(said));
        QVERIFY2(said.contains("recorded on its own"), qPrintable(said));
        QVERIFY(test::messageBar(w.window).text().contains("aten.special_op has no kernel"));
    }

    void addsUpWhatHappens() {
        using Kind = replay::ReplayEvent::Kind;
        replay::LiveReplay live;
        const auto event = [](Kind kind, std::uint32_t node, bool planned, std::uint64_t address,
                              std::uint64_t bytes) {
            return replay::ReplayEvent{kind, planned, 1, node, 0, address, bytes};
        };
        const std::vector first{event(Kind::ReplayBegin, 0, false, 0, 0),
                                event(Kind::NodeBegin, 3, false, 0, 0), event(Kind::Alloc, 3, true, 64, 256),
                                event(Kind::Alloc, 3, false, 64, 32), event(Kind::Free, 3, true, 999, 0)};
        live.take(first);
        QCOMPARE(live.place().node, 3U);
        QCOMPARE(live.place().planned, std::uint64_t(256));
        QCOMPARE(live.place().heap, std::uint64_t(32));
        live.take(std::vector{event(Kind::Free, 3, true, 64, 0), event(Kind::ReplayEnd, 0, false, 0, 0)});
        QCOMPARE(live.place().planned, std::uint64_t(0));
        QCOMPARE(live.place().heap, std::uint64_t(32));
        QCOMPARE(live.place().heapAllocations, std::uint64_t(1));
        QCOMPARE(live.place().replays, std::uint64_t(1));
        QCOMPARE(live.place().events, std::uint64_t(7));
    }

    void cudaNodesBesideTheirMakers() {
        replay::ReplayRecording recording;
        for (const char* name : {"x", "mm", "relu"})
            recording.nodes.push_back({name, "", replay::NodeMode::Planned, {}});
        replay::CudaKernel kernel;
        kernel.label = "gemm";
        kernel.grid = {4, 1, 1};
        kernel.params = {{0, 8, "0010000000000000"}};
        replay::CudaGraph graph;
        graph.graphs.push_back({{{replay::CudaNodeKind::Kernel, 1, 0, kernel},
                                 {replay::CudaNodeKind::Memset, 1, 0, replay::CudaMemset{}},
                                 {replay::CudaNodeKind::Kernel, 2, 0, kernel}},
                                {{0, 2, 0, 0, 0}, {1, 2, 0, 0, 0}}});
        recording.cudaGraph = graph;
        const std::vector<CudaNodeAt> nodes = cudaNodes(graph);
        QCOMPARE(nodes.size(), std::size_t(3));
        QVERIFY((nodes[2].after == std::vector<std::uint32_t>{0, 1}));
        const std::vector<TableRow> rows = cudaRows(recording, nodes);
        QCOMPARE(rows[2][int(CudaColumn::Maker)].text, QStringLiteral("relu"));
        QCOMPARE(rows[2][int(CudaColumn::After)].text, QStringLiteral("0, 1"));
        const std::vector<TableRow> makers = makerRows(recording, nodes);
        QCOMPARE(makers[1][int(MakerColumn::Count)].text, QStringLiteral("2"));
        const QString words = FactView::plainText(cudaFacts(recording, nodes, 0));
        QVERIFY2(words.contains("0x1000") && words.contains("4 × 1 × 1"), qPrintable(words));
    }

    void heatOnTheCanvas() {
        Opened w;
        w.run();
        QTest::keyClick(&w.window, Qt::Key_1, Qt::ControlModifier);
        goToStage(w.workspace, 0, w.window.replays().newest(*w.workspace.session())->graphs[0].stage);
        w.settle();
        CompareView* compare = w.window.page<StagesPage>().compare();
        auto* canvas = compare->findChildren<canvas::GraphCanvas*>().value(1);
        QVERIFY(canvas && canvas->scene());
        QVERIFY(!canvas->heat()); // off until it is asked for
        const auto picture = [&] { return canvas->viewport()->grab().toImage(); };
        const QImage before = picture();
        QTest::keyClick(canvas, Qt::Key_T);
        QVERIFY(canvas->heat());
        QVERIFY(canvas->heat()->measured);
        QVERIFY(canvas->heat()->most > 1);
        QVERIFY(picture() != before);
        QTest::keyClick(canvas, Qt::Key_T);
        QVERIFY(!canvas->heat());
        QCOMPARE(picture(), before);
    }

    void exportsForOtherPrograms() {
        Opened w;
        w.run();
        QTemporaryDir folder;
        ReplayTimingPanel& timing = *test::part<ReplayTimingPanel>(w.page(), "replayTiming");
        const QString csv = folder.filePath("replay.csv"), trace = folder.filePath("replay.json");
        QCOMPARE(timing.writeTo(csv, ReplayTimingPanel::Export::Csv), QString());
        QCOMPARE(timing.writeTo(trace, ReplayTimingPanel::Export::ChromeTrace), QString());
        QFile file(csv);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll().count('\n'), 93);
        QVERIFY(QFileInfo(trace).size() > 5000);
        QVERIFY(!timing.writeTo(folder.filePath("no/such/folder"), ReplayTimingPanel::Export::Csv).isEmpty());
    }
};

QTEST_MAIN(TestReplayPanels)
#include "tst_replay_panels.moc"
