// SPDX-License-Identifier: BSD-3-Clause
//
// Profiles that are dropped on the window: attached to the capture that is shown, or opened by themselves.
#include "app/gui/action_registry.h"
#include "app/gui/chrome.h"
#include "tests/support/message_bar.h"
#include "tests/support/open_window.h"

using namespace dynascope;
using namespace dynascope::views;

namespace {

QString data(const char* name) {
    return QStringLiteral(DYNASCOPE_TEST_DATA "/profile/") + QLatin1String(name);
}

} // namespace

class TestProfileWindow : public QObject, private test::OpenWindow {
    Q_OBJECT

private:
    void open(const QString& path) {
        window().openPaths({path});
        QTRY_VERIFY_WITH_TIMEOUT(!workspace().captures().empty(), 30000);
        QVERIFY(settles());
    }
    [[nodiscard]] bool canAttach() {
        return window().actionRegistry().find(QStringLiteral("file.attachProfile"))->isEnabled();
    }
    [[nodiscard]] std::size_t profiles() { return workspace().captures().front().session->profiles.size(); }

private slots:
    void init() { QVERIFY(show()); }
    void cleanup() { close(); }

    void droppedOnItsCapture() {
        QVERIFY(!canAttach());
        open(data("breaks/trace.log.xz"));
        QVERIFY(canAttach());
        drop({data("breaks/profile.json.gz")});
        QTRY_COMPARE_WITH_TIMEOUT(profiles(), std::size_t(1), 30000);
        QVERIFY(settles());
        QCOMPARE(workspace().captures().size(), std::size_t(1));
        QCOMPARE(workspace().place().page, Page::Profile);
        QVERIFY2(test::messageBar(window()).text().contains("is attached to"),
                 qPrintable(test::messageBar(window()).text()));
        QVERIFY(!test::messageBar(window()).text().contains("but"));
    }

    void tintsGraphsOnceSomebodyAsks() {
        open(data("mlp_aot"));
        const auto measured = [this] {
            std::size_t out = 0;
            for (const session::Compile& compile : workspace().session()->compiles)
                for (const session::StagePtr& stage : compile.stages)
                    if (const auto times = workspace().nodeTimes(stage.get());
                        times && times->passedOnFrom.empty()) {
                        if (!times->joined || *times->joined <= 0 || times->us.empty()) return std::size_t(0);
                        ++out;
                    }
            return out;
        };
        QCOMPARE(measured(), std::size_t(0));
        window().actionRegistry().trigger("view.heat");
        QTRY_COMPARE_WITH_TIMEOUT(measured(), std::size_t(2), 30000); // forward and backward, as they ran
        const session::StagePtr& first = workspace().session()->compiles.front().stages.front();
        const auto passed = workspace().nodeTimes(first.get());
        QVERIFY(passed && !passed->us.empty());
        QVERIFY2(passed->passedOnFrom.find("aot_forward") != std::string::npos &&
                     passed->passedOnFrom.find("aot_backward") != std::string::npos,
                 passed->passedOnFrom.c_str());
    }

    void twoAtOnce() {
        open(data("breaks/trace.log.xz"));
        drop({data("breaks/profile.json.gz"), data("mlp_aot/profile.json.gz")});
        QTRY_COMPARE_WITH_TIMEOUT(profiles(), std::size_t(2), 30000);
    }

    void ofAnotherRun() {
        open(data("encoder_inductor/trace.log.xz"));
        drop({data("breaks/profile.json.gz")});
        QTRY_COMPARE_WITH_TIMEOUT(profiles(), std::size_t(1), 30000);
        QVERIFY2(test::messageBar(window()).text().contains("it may be of another run"),
                 qPrintable(test::messageBar(window()).text()));
    }

    void whereNothingIsOpen() {
        drop({data("breaks/profile.json.gz")});
        QTRY_COMPARE_WITH_TIMEOUT(workspace().captures().size(), std::size_t(1), 30000);
        QVERIFY(settles());
        QCOMPARE(workspace().captures().front().session->kind, session::Kind::Profile);
        QVERIFY(!canAttach()); // nothing that a second one could be joined to
    }

    void otherFilesOpen() {
        open(data("breaks/trace.log.xz"));
        drop({data("mlp_aot/trace.log.xz")});
        QTRY_COMPARE_WITH_TIMEOUT(workspace().captures().size(), std::size_t(2), 30000);
        QCOMPARE(profiles(), std::size_t(0));
    }
};

QTEST_MAIN(TestProfileWindow)
#include "tst_profile_window.moc"
