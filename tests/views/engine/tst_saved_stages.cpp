// SPDX-License-Identifier: BSD-3-Clause
//
// Computed stages in session files: they come back with their recordings and verdicts, and no engine is
// asked.
#include "app/gui/engine_actions.h"
#include "tests/support/patience.h"
#include "tests/views/engine/engine_window.h"

#include "app/gui/session_keeper.h"
#include "app/gui/stages_page.h"
#include "core/computed/saved_stages.h"
#include "views/engine/engine_status.h"
#include "views/notes/note_places.h"
#include "views/notes/notebook.h"
#include "views/timeline/timeline_view.h"

#include <QTemporaryDir>

using namespace dynascope;
using namespace dynascope::app;
using namespace dynascope::test;
using namespace dynascope::computed;
using namespace dynascope::views;

class TestSavedStages : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    /// Two computed stages, saved.
    QString save() {
        const QString file = m_folder.filePath(QStringLiteral("s.dynascope"));
        EngineWindow w(cannedEngine());
        addCase(w.workspace);
        w.window.actionRegistry().trigger(QStringLiteral("engine.run.functionalize"));
        [&] { QTRY_VERIFY_WITH_TIMEOUT(w.window.engineActions().stepper().recording(), test::patience); }();
        [&] { QTRY_VERIFY_WITH_TIMEOUT(w.settles(), test::patience); }();
        w.window.session().setQuestions({{}, [&file](const QString&) { return file; }});
        w.window.actionRegistry().trigger(QStringLiteral("file.save"));
        [&] { QTRY_VERIFY(!w.window.notebook().file(0).isEmpty()); }();
        return file;
    }

private slots:
    void comesBackWithoutAnEngine() {
        const QString file = save();
        EngineWindow w({"/nonexistent/dynascope-engine"});
        w.window.openPaths({file});
        QTRY_COMPARE(w.workspace.captures().size(), std::size_t(1));
        QVERIFY(w.settles());
        QCOMPARE(w.workspace.stageCount(), 5);
        QCOMPARE(w.workspace.place().stageA, 0);
        QCOMPARE(w.workspace.place().stageB, 4);
        QVERIFY(!w.window.isWindowModified());
        // The same links, verdict and steps as on the day it was computed.
        QVERIFY(w.workspace.diff());
        QCOMPARE(w.workspace.diff()->removed, 0U);
        const TimelineView* timeline = w.window.page<StagesPage>().timeline();
        QTRY_VERIFY(timeline->isSettled());
        QCOMPARE(timeline->verdictText(4), QStringLiteral("isomorphic"));
        const FunctionalRecording* recording = w.window.engineActions().stepper().recording();
        QVERIFY(recording);
        EngineFixture fresh;
        fresh.functionalize();
        const FunctionalRecording* now = fresh.stepper.recording();
        QCOMPARE(recording->opCount(), now->opCount());
        QCOMPARE(recording->keptCount(), now->keptCount());
        QCOMPARE(recording->run().eager.size(), now->run().eager.size());
        QVERIFY(!now->run().eager.empty());
        QCOMPARE(recording->run().writeBacks.size(), now->run().writeBacks.size());
        QCOMPARE(recording->run().microseconds, now->run().microseconds);
        for (int op = 0; op < now->opCount(); ++op) {
            QCOMPARE(recording->statementText(op), now->statementText(op));
            const auto& phases = now->phases(op);
            QCOMPARE(recording->phases(op).size(), phases.size());
            for (int phase = 0; phase < int(phases.size()); ++phase) {
                const Scoreboard a = recording->scoreboard(op, phase), b = now->scoreboard(op, phase);
                QCOMPARE(a.storages.size(), b.storages.size());
                QCOMPARE(a.views.size(), b.views.size());
                for (std::size_t i = 0; i < b.views.size(); ++i)
                    QCOMPARE(a.views[i].chain, b.views[i].chain);
            }
        }
        // Gone from the file as well, once that is saved.
        w.workspace.removeComputed(4);
        QVERIFY(w.window.isWindowModified());
        w.window.actionRegistry().trigger(QStringLiteral("file.save"));
        QTRY_VERIFY(!w.window.isWindowModified());
        const auto saved = capture::openSaved(file.toStdString());
        QVERIFY(saved && saved->saved);
        QVERIFY(saved->saved->stages.empty());
    }

    /// A session file of the day when the engine's replies were stored as they came
    /// (tests/data/store/README.md).
    void opensFilesWithoutVersions() {
        EngineWindow w({"/nonexistent/dynascope-engine"});
        const QString file = m_folder.filePath(QStringLiteral("old.dynascope"));
        QVERIFY(
            QFile::copy(QStringLiteral(DYNASCOPE_TEST_DATA "/store/computed_unversioned.dynascope"), file));
        w.window.openPaths({file});
        QTRY_COMPARE(w.workspace.captures().size(), std::size_t(1));
        QVERIFY(w.settles());
        QCOMPARE(w.workspace.stageCount(), 7);
        const auto check = [&w] {
            for (const int stage : {4, 5, 6}) {
                const session::StagePtr made = w.workspace.stageAt(stage);
                const computed::StageVerdict verdict = w.workspace.verdict(made.get());
                QVERIFY(verdict.kind == computed::StageVerdict::Kind::Equal && verdict.isomorphic);
                QCOMPARE(verdict.text, std::string("14 checks of outputs and inputs after the call"));
                const computed::ComputedStage* known = w.window.engineActions().passes().find(made.get());
                QVERIFY(known && known->reply && known->source);
                QCOMPARE(known->recording != nullptr, stage != 5); // dce records no scorecard
                if (!known->recording) continue;
                const FunctionalRecording& recording = *known->recording;
                QCOMPARE(recording.opCount(), 9);
                QCOMPARE(recording.keptCount(), 17);
                QCOMPARE(recording.run().eager.size(), std::size_t(8));
                QCOMPARE(recording.run().mode.removesViews, stage == 6);
                std::size_t rows = 0, emitted = 0, storages = 0, views = 0, cells = 0;
                for (int op = 0; op < recording.opCount(); ++op) {
                    rows += recording.step(op).rows.size();
                    emitted += recording.step(op).emitted.size();
                    for (int phase = 0; phase < int(recording.phases(op).size()); ++phase) {
                        const Scoreboard board = recording.scoreboard(op, phase);
                        storages += board.storages.size();
                        views += board.views.size();
                        for (const StorageState& storage : board.storages)
                            cells += storage.cells.size();
                    }
                }
                // As on the day when it was saved.
                QCOMPARE(rows, std::size_t(18));
                QCOMPARE(emitted, std::size_t(21));
                QCOMPARE(storages, std::size_t(35));
                QCOMPARE(views, std::size_t(71));
                QCOMPARE(cells, std::size_t(315));
            }
            const std::vector<store::SavedStage> stored =
                computed::toStore(w.window.engineActions().passes().stagesToSave(*w.workspace.session()));
            QCOMPARE(stored.size(), std::size_t(3));
            for (const store::SavedStage& stage : stored)
                QCOMPARE(QByteArray::fromStdString(stage.recording).contains("\"version\":1"), true);
        };
        check();
        // Saved again it has one, and is the same.
        const std::vector<store::SavedStage> stored =
            computed::toStore(w.window.engineActions().passes().stagesToSave(*w.workspace.session()));
        const computed::RestoredStages again = computed::fromStore(*w.workspace.session(), stored);
        QCOMPARE(again.lost, std::size_t(0));
        QCOMPARE(again.known.size(), std::size_t(3));
        for (std::size_t i = 0; i < 3; ++i) {
            const computed::ComputedStage* first =
                w.window.engineActions().passes().find(w.workspace.stageAt(4 + int(i)).get());
            QCOMPARE(wire::encode(*again.known[i].reply), wire::encode(*first->reply));
        }
    }

    void goesOnWithAnEngine() {
        const QString file = save();
        EngineWindow w(cannedEngine());
        w.window.openPaths({file});
        QTRY_COMPARE(w.workspace.captures().size(), std::size_t(1));
        QVERIFY(w.settles());
        QCOMPARE(w.window.findChild<EngineStatus*>()->text(), QStringLiteral("Engine not started"));
        const session::StagePtr before = w.workspace.stageAt(4);
        w.window.engineActions().passes().recompute(4);
        QTRY_VERIFY_WITH_TIMEOUT(w.workspace.stageAt(4) != before, test::patience);
        QVERIFY(w.settles());
        QCOMPARE(w.workspace.stageCount(), 5);
        QVERIFY(w.window.isWindowModified());
    }

    void keepsChains() {
        EngineFixture f;
        f.functionalize();
        const computed::ComputedStage* first = f.passes.find(f.workspace.stageAt(4).get());
        QVERIFY(first);
        const session::Session& session = *f.workspace.session();
        std::vector<computed::StageToSave> stages = f.passes.stagesToSave(session);
        QCOMPARE(stages.size(), std::size_t(1));
        QCOMPARE(stages[0].parent, -1);
        QCOMPARE(stages[0].root.stage, f.workspace.stageAt(0)->name);
        stages[0].removed = true;
        stages.push_back(stages[0]);
        stages[1].parent = 0;
        stages[1].removed = false;
        stages[1].known.passes.push_back("dce");
        std::vector<store::SavedStage> stored = computed::toStore(stages);
        computed::RestoredStages read = computed::fromStore(session, stored);
        QCOMPARE(read.lost, std::size_t(0));
        QCOMPARE(read.known.size(), std::size_t(2));
        const std::vector<Workspace::Computed>& made = read.compiles.at(0).stages;
        QVERIFY(made[0].removed && !made[1].removed);
        QCOMPARE(made[0].from, 0);
        QCOMPARE(made[1].from, 4);
        QCOMPARE(made[1].source, made[0].stage);
        QCOMPARE(made[0].origins, f.workspace.computedOf(*f.workspace.compile()).front().origins);
        QCOMPARE(read.verdicts.size(), std::size_t(2));
        QCOMPARE(read.verdicts[0].second, f.workspace.verdict(f.workspace.stageAt(4).get()));
        QVERIFY(read.known[0].recording && !read.known[1].recording); // dce records no scorecard
        // Saved again it is the same.
        QCOMPARE(read.known[0].graphText, first->graphText);
        QCOMPARE(read.known[0].attributes, first->attributes);

        // A parent that is not understood takes its children along; the rest stays.
        stored.push_back(stored[0]);
        stored[0].recording = "{";
        read = computed::fromStore(session, stored);
        QCOMPARE(read.lost, std::size_t(2));
        QCOMPARE(read.known.size(), std::size_t(1));
    }

    void aStrangersStagesAreHarmless() {
        EngineFixture f;
        f.functionalize();
        const session::Session& session = *f.workspace.session();
        const std::vector<store::SavedStage> good = computed::toStore(f.passes.stagesToSave(session));
        const auto lost = [&](auto change) {
            std::vector<store::SavedStage> bad = good;
            change(bad[0]);
            const computed::RestoredStages read = computed::fromStore(session, bad);
            for (const computed::ComputedStage& known : read.known)
                if (known.recording)
                    for (int op = 0; op < known.recording->opCount(); ++op)
                        for (int p = 0; p < int(known.recording->phases(op).size()); ++p)
                            (void)known.recording->scoreboard(op, p);
            return read.lost;
        };
        using Stage = store::SavedStage;
        QCOMPARE(lost([](Stage& s) { s.graph = "no graph"; }), std::size_t(1));
        QCOMPARE(lost([](Stage& s) { s.root.compileId = "9/9"; }), std::size_t(1));
        QCOMPARE(lost([](Stage& s) { s.root.stage = "nothing"; }), std::size_t(1));
        QCOMPARE(lost([](Stage& s) { s.recording = std::string(1 << 20, '['); }), std::size_t(1));
        QCOMPARE(lost([](Stage& s) { s.recording = R"({"how":{"passes":[]}})"; }), std::size_t(1));
        QCOMPARE(lost([](Stage& s) { s.recording = R"({"how":{"passes":[1]}})"; }), std::size_t(1));
        QCOMPARE(lost([](Stage& s) { s.verdict = "[[["; }), std::size_t(0));
        QCOMPARE(lost([](Stage& s) { s.recording = R"({"how":{"passes":["functionalize"]}})"; }),
                 std::size_t(0));
        QCOMPARE(lost([](Stage& s) { s.recording = R"({"how":{"passes":["functionalize"]},"reply":3})"; }),
                 std::size_t(1));
        QCOMPARE(lost([](Stage& s) { // a version that is to come
                     QByteArray text = QByteArray::fromStdString(s.recording);
                     QVERIFY(text.contains("\"version\":1"));
                     s.recording = text.replace("\"version\":1", "\"version\":2").toStdString();
                 }),
                 std::size_t(1));
        // Replies with every number and name turned into something else.
        for (const char* from : {"\"storage\":", "\"generation\":", "\"cells\":", "\"values\":",
                                 "\"emitted\":", "\"views\":", "\"shape\":", "\"why\":"})
            for (const char* to :
                 {"-1,\"x\":", "[[1,\"a\"]],\"x\":", "1e999,\"x\":", "{},\"x\":", "null,\"x\":"})
                QVERIFY(lost([&](Stage& s) {
                            QByteArray text = QByteArray::fromStdString(s.recording);
                            text.replace(from, QByteArray(from) + to);
                            s.recording = text.toStdString();
                        }) <= 1);
    }
};

QTEST_MAIN(TestSavedStages)
#include "tst_saved_stages.moc"
