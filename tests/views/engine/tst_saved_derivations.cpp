// SPDX-License-Identifier: BSD-3-Clause
//
// Graphs that were derived anew: verified in the window, kept in session files with their badges, and back
// without an engine.
#include "app/gui/engine_actions.h"
#include "tests/support/patience.h"
#include "tests/views/engine/engine_window.h"

#include "app/gui/chrome.h"
#include "app/gui/session_keeper.h"
#include "app/gui/stages_page.h"
#include "core/computed/saved_stages.h"
#include "tests/support/message_bar.h"
#include "views/engine/rederivations.h"
#include "views/notes/notebook.h"
#include "views/timeline/timeline_view.h"

#include <QTemporaryDir>

using namespace dynascope;
using namespace dynascope::app;
using namespace dynascope::test;
using namespace dynascope::views;

namespace {

constexpr int joint = 1, forward = 2, backward = 3; ///< stages of the sample

struct Opened : EngineWindow {
    using EngineWindow::EngineWindow;
    void settle() { QVERIFY(settles()); }
    /// The sample, its graphs derived anew: of the joint graph the canned engine knows nothing.
    void derive() {
        addCapture(workspace, DYNASCOPE_SOURCE_DIR "/resources/samples/encoder_train.log");
        settle();
        window.actionRegistry().trigger(QStringLiteral("engine.rederive"));
        QTRY_VERIFY_WITH_TIMEOUT(test::messageBar(window).text().contains("2 isomorphic"), test::patience);
    }
    [[nodiscard]] TimelineView& timeline() { return *window.page<StagesPage>().timeline(); }
    /// Clicks the badge of a stage; the stage that shows what was derived.
    int click(int stage) {
        QTest::mouseClick(timeline().viewport(), Qt::LeftButton, {}, timeline().badgeRect(stage).center());
        settle();
        return workspace.place().stageB;
    }
    void save(const QString& file) {
        window.session().setQuestions({{}, [&file](const QString&) { return file; }});
        window.actionRegistry().trigger(QStringLiteral("file.save"));
        QTRY_VERIFY(!window.notebook().file(0).isEmpty() && !window.isWindowModified());
        settle();
    }
};

} // namespace

class TestSavedDerivations : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

private slots:
    void verifiesBesideTheCapturedGraph() {
        Opened w(cannedEngine());
        w.derive();
        const int shown = w.click(forward);
        QVERIFY(w.workspace.isComputed(shown));
        const session::StagePtr stage = w.workspace.stageAt(shown);
        QVERIFY(!w.workspace.verdict(stage.get()).text.starts_with("Run beside"));
        QVERIFY(w.window.actionRegistry().find(QStringLiteral("engine.verify"))->isEnabled());
        w.window.actionRegistry().trigger(QStringLiteral("engine.verify"));
        QTRY_VERIFY_WITH_TIMEOUT(w.workspace.verdict(stage.get()).text.starts_with("Run beside"),
                                 test::patience);
        QVERIFY(w.workspace.verdict(stage.get()).text.find("aot_forward_graph") != std::string::npos);
        QCOMPARE(w.timeline().verdictText(shown), QStringLiteral("isomorphic"));
        // Derived once more, it takes its own place.
        const int count = w.workspace.stageCount();
        w.window.actionRegistry().trigger(QStringLiteral("engine.again"));
        QTRY_VERIFY_WITH_TIMEOUT(w.workspace.stageAt(shown) != stage, test::patience);
        QCOMPARE(w.workspace.stageCount(), count);
        QVERIFY(w.window.engineActions().passes().find(w.workspace.stageAt(shown).get()));
        QVERIFY(!w.window.engineActions().passes().find(stage.get()));
    }

    void tellsWhatTheRunSays() {
        Opened w(cannedEngine("different"));
        w.derive();
        const int shown = w.click(forward);
        w.window.actionRegistry().trigger(QStringLiteral("engine.verify"));
        const session::Stage* stage = w.workspace.stageAt(shown).get();
        QTRY_COMPARE_WITH_TIMEOUT(w.workspace.verdict(stage).kind, computed::StageVerdict::Kind::Different,
                                  test::patience);
        QCOMPARE(w.timeline().verdictText(shown), QStringLiteral("different"));
        w.click(shown);
        QCOMPARE(w.workspace.place().stageA, forward); // beside the one it was held against
        QVERIFY(test::messageBar(w.window).text().contains("captured 11"));
    }

    void comesBackWithoutAnEngine() {
        const QString file = m_folder.filePath(QStringLiteral("derived.dynascope"));
        {
            Opened w(cannedEngine());
            w.derive();
            w.click(forward);
            w.window.actionRegistry().trigger(QStringLiteral("engine.verify"));
            w.settle();
            w.save(file);
            // Deriving is something to save, even where nothing new is shown.
            w.window.actionRegistry().trigger(QStringLiteral("engine.rederive"));
            QTRY_VERIFY_WITH_TIMEOUT(w.window.isWindowModified(), test::patience);
            w.settle();
            w.save(file);
        }
        Opened w({"/nonexistent/dynascope-engine"});
        w.window.openPaths({file});
        QTRY_COMPARE(w.workspace.captures().size(), std::size_t(1));
        w.settle();
        QVERIFY(!w.window.isWindowModified());
        QCOMPARE(w.timeline().verdictText(joint), QStringLiteral("declined"));
        QCOMPARE(w.timeline().verdictText(forward), QStringLiteral("isomorphic"));
        QCOMPARE(w.timeline().verdictText(backward), QStringLiteral("isomorphic"));
        QVERIFY(w.window.engineActions()
                    .rederived()
                    .text(w.workspace.stageAt(joint).get())
                    .contains("no method 'aot'"));
        const engine::RederivedStage* row =
            w.window.engineActions().rederived().find(w.workspace.stageAt(forward).get());
        QVERIFY(row && row->derived && !row->decisions.empty());
        // The one that was shown is there, the other can be.
        const int captured = int(w.workspace.compile()->stages.size());
        QCOMPARE(w.workspace.stageCount(), captured + 1);
        QCOMPARE(w.timeline().verdictText(captured), QStringLiteral("isomorphic"));
        QCOMPARE(w.click(forward), captured);
        QVERIFY(w.workspace.diff());
        QCOMPARE(w.workspace.diff()->added + w.workspace.diff()->removed, 0U);
        QCOMPARE(w.click(backward), captured + 1);
        QVERIFY(w.workspace.diff());
        QCOMPARE(w.workspace.diff()->added + w.workspace.diff()->removed, 0U);
        QVERIFY(w.window.isWindowModified());
    }

    /// Closed while the engine was at it.
    void nothingIsKeptOfWhatWasClosed() {
        Opened w(cannedEngine());
        addCapture(w.workspace, DYNASCOPE_SOURCE_DIR "/resources/samples/encoder_train.log");
        w.settle();
        const session::SessionPtr session = w.workspace.capture()->session;
        const QSignalSpy done(&w.window.engineActions().rederived(), &Rederivations::done);
        w.window.actionRegistry().trigger(QStringLiteral("engine.rederive"));
        QVERIFY(w.window.engineActions().rederived().isRunning(*session, 0));
        QVERIFY(!w.window.engineActions().rederived().isRunning(*session, 1));
        w.workspace.close(0);
        w.settle();
        QCOMPARE(done.count(), 0);
        QVERIFY(w.window.engineActions().rederived().toSave(*session).empty());
    }

    void aStrangersRowsAreHarmless() {
        Opened w(cannedEngine());
        w.derive();
        w.click(forward);
        w.settle();
        const session::Session& session = *w.workspace.session();
        const std::vector<store::SavedStage> good =
            computed::toStore(w.window.engineActions().passes().stagesToSave(session),
                              w.window.engineActions().rederived().toSave(session));
        QCOMPARE(good.size(), std::size_t(4)); // the stage that is shown, and three rows
        QVERIFY(good[2].graph.empty());        // kept once
        computed::RestoredStages read = computed::fromStore(session, good);
        QCOMPARE(read.lost, std::size_t(0));
        QCOMPARE(read.rederived.size(), std::size_t(3));
        QCOMPARE(read.known.size(), std::size_t(1));
        QCOMPARE(read.known[0].twin, w.workspace.stageAt(forward));
        QCOMPARE(read.rederived[1].said.row.derived, *read.known[0].stage->graph());
        const auto lost = [&](std::size_t at, const std::string& recording) {
            std::vector<store::SavedStage> bad = good;
            bad[at].recording = recording;
            return computed::fromStore(session, bad).lost;
        };
        QCOMPARE(lost(0, R"({"how":{"passes":[],"derived":{"stage":"nothing"}}})"), std::size_t(1));
        QCOMPARE(lost(0, R"({"how":{"passes":[],"derived":3}})"), std::size_t(1));
        for (const char* text : {"", "{", "3", "{\"rederived\":3}", "{\"rederived\":{\"verdict\":\"fine\"}}"})
            QCOMPARE(lost(1, text), std::size_t(1));
        for (const char* odd :
             {R"("nodes":-1)", R"("decisions":3)", R"("captured":{"a":1})", R"("rank":"x")"})
            QCOMPARE(lost(1, std::string(R"({"rederived":{"verdict":"different",)") + odd + "}}"),
                     std::size_t(1));
        QCOMPARE(lost(1, R"({"rederived":{"verdict":"different"},"metadata":7})"), std::size_t(1));
        // Without a number it is of the first days, when not all was said; a number from the future is not
        // understood.
        QVERIFY(good[1].recording.find("\"version\":1") != std::string::npos);
        QCOMPARE(lost(1, R"({"rederived":{"verdict":"different"}})"), std::size_t(0));
        QCOMPARE(lost(1, R"({"version":1,"rederived":{"verdict":"different"}})"), std::size_t(1));
        QCOMPARE(lost(1, R"({"version":2,"rederived":{"verdict":"different"}})"), std::size_t(1));
        QCOMPARE(lost(1, R"({"version":"x","rederived":{"verdict":"different"}})"), std::size_t(1));
    }
};

QTEST_MAIN(TestSavedDerivations)
#include "tst_saved_derivations.moc"
