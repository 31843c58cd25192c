// SPDX-License-Identifier: BSD-3-Clause
//
// The window with a long capture: the longest time between two turns of the event loop while it opens on its
// answers, as the settings have it at first, is closed, opens on its stages, is filtered, opened to the last row, and gone through compile by compile; then 1,000 notes on it.
//
//   bench_window CAPTURE
//
// Ends with 1 where the window worked 50 ms or more in a turn: what other programs take of the processor is printed
// and does not count. Offscreen unless QT_QPA_PLATFORM says otherwise.
#include "app/gui/main_window.h"
#include "app/gui/settings.h"
#include "tests/bench/heartbeat.h"
#include "views/capture/capture_panel.h"
#include "views/capture/filter_edit.h"
#include "views/notes/notebook.h"
#include "views/notes/notes_panel.h"

#include <QApplication>
#include <QLineEdit>
#include <QStandardPaths>
#include <QTreeView>
#include <cstdio>
#include <functional>

using namespace dynascope;
using namespace dynascope::views;

namespace {

constexpr double mostMs = 50;

void turn(int ms) {
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < ms) {
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 5);
        // What was deleted later goes in the loop of exec(), and would be painted on here.
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
}

class Bench {
public:
    explicit Bench(app::MainWindow& window)
        : m_window(window) {}

    /// Runs `work` and the event loop until the window is settled.
    void measure(const char* name, const std::function<void()>& work) {
        QElapsedTimer timer;
        timer.start();
        m_heart.start();
        work();
        do
            turn(20);
        while (!m_window.isSettled() && timer.elapsed() < 300'000);
        const double ms = static_cast<double>(timer.nsecsElapsed()) / 1e6;
        const double longest = m_heart.stop();
        const double worked = m_heart.longestWork();
        std::printf("%-36s %9.1f ms, longest turn %8.1f ms, %7.1f ms of it work%s\n", name, ms, longest,
                    worked, worked >= mostMs ? "  <-" : "");
        std::fflush(stdout);
        m_good &= worked < mostMs;
    }
    [[nodiscard]] bool good() const { return m_good; }

private:
    app::MainWindow& m_window;
    Heartbeat m_heart;
    bool m_good = true;
};

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: bench_window CAPTURE\n");
        return 2;
    }
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    Theme theme;
    theme.apply(app);
    TaskRunner tasks;
    Workspace workspace(tasks);
    app::Settings settings{QString()};
    app::MainWindow window(workspace, theme, settings);
    window.resize(1600, 1000);
    window.show();
    turn(500);
    MemoryPeak memory;
    Bench bench(window);
    const QString path = QString::fromLocal8Bit(argv[1]);

    const auto open = [&] {
        window.openPaths({path});
        while (workspace.isOpening())
            turn(5);
    };
    bench.measure("open, on the answers", open);
    bench.measure("close", [&] { workspace.close(0); });
    settings.setOpensOnAnswers(false);
    bench.measure("open, on the stages", open);
    if (workspace.captures().empty()) return 2;
    const session::Session& session = *workspace.captures().front().session;
    std::printf("%zu compiles, %zu records\n", session.compiles.size(), session.records.size());
    auto* panel = window.findChild<CapturePanel*>();
    const auto filter = [&](const char* text) {
        panel->filterEdit()->setFocus();
        panel->filterEdit()->setText(QLatin1String(text));
        emit panel->filterEdit()->textEdited(QLatin1String(text));
        turn(400); // it waits for the next key first
    };
    bench.measure("filter: f", [&] { filter("f"); });
    bench.measure("filter: status:break", [&] { filter("status:break"); });
    bench.measure("filter: op:aten.add", [&] { filter("op:aten.add"); });
    bench.measure("filter cleared", [&] {
        panel->clearFilter();
        turn(400);
    });
    bench.measure("every row opened", [&] { panel->expandAll(); });
    bench.measure("scrolled to the end and back", [&] {
        panel->tree()->scrollToBottom();
        turn(100);
        panel->tree()->scrollToTop();
    });
    const int last = static_cast<int>(session.compiles.size()) - 1;
    bench.measure("100 compiles selected", [&] {
        for (int i = 1; i <= 100; ++i) {
            workspace.selectCompile(0, static_cast<int>(std::int64_t{last} * i / 100));
            turn(60);
        }
    });
    bench.measure("rows closed", [&] { panel->collapseAll(); });

    constexpr int notes = 1000;
    bench.measure("1,000 notes written", [&] {
        for (int i = 0; i < notes; ++i) {
            const session::Compile& compile = session.compiles[static_cast<std::size_t>(last) * i / notes];
            ir::Address address;
            address.rank = compile.rank;
            address.compileId = compile.id.toString();
            window.notebook().setNote(0, address, QStringLiteral("note %1: look here again").arg(i));
            turn(1);
        }
    });
    bench.measure("list of notes shown", [&] { emit workspace.panelRequested(PanelId::Notes); });
    if (auto* list = window.findChild<NotesPanel*>()) {
        bench.measure("list of notes filtered", [&] {
            for (QLineEdit* edit : list->findChildren<QLineEdit*>())
                edit->setText(QStringLiteral("note 77"));
            turn(100);
        });
    }
    std::printf("most private memory %.1f MiB\n", memory.look());
    return bench.good() ? 0 : 1;
}
