// SPDX-License-Identifier: BSD-3-Clause
//
// bench_inductor_page PATH: a recording of passes in the window. How long it takes to open, every step of the passes of
// its first compile until both graphs are drawn, every fusion of its schedules, and two operations that are chosen.
#include "core/capture/open.h"
#include "views/base/row_table.h"
#include "views/canvas/compare_view.h"
#include "views/inductor/inductor_page.h"
#include "views/inductor/schedule_cards.h"
#include "views/inductor/schedule_view.h"

#include <QApplication>
#include <QElapsedTimer>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

using namespace dynascope;
using namespace dynascope::views;

namespace {

double since(const QElapsedTimer& timer) {
    return double(timer.nsecsElapsed()) / 1e6;
}

void print(const char* name, std::vector<double> ms) {
    if (ms.empty()) return;
    std::sort(ms.begin(), ms.end());
    std::printf("%-44s %4zu: median %6.1f ms, longest %6.1f ms\n", name, ms.size(), ms[ms.size() / 2],
                ms.back());
}

/// Until what was asked for is drawn.
double until(const std::function<void()>& act, const std::function<bool()>& done) {
    QElapsedTimer timer;
    timer.start();
    act();
    do {
        QCoreApplication::sendPostedEvents();
        QCoreApplication::processEvents(QEventLoop::ExcludeUserInputEvents);
    } while (!done());
    QCoreApplication::sendPostedEvents();
    QCoreApplication::processEvents(QEventLoop::ExcludeUserInputEvents);
    return since(timer);
}

/// Half a second of reading.
void pause() {
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < 500)
        QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
}

void stepPasses(InductorPage& page) {
    const auto settled = [&page] { return page.isSettled(); };
    std::vector<double> first, again;
    while (page.canRun(StepCommand::Run)) {
        first.push_back(until([&] { page.run(StepCommand::Run); }, settled));
        // A reader looks at a step before asking for the next; meanwhile that is prepared.
        pause();
    }
    print("next pass that changed a graph, first time", first);
    while (page.canRun(StepCommand::BackRun))
        again.push_back(until([&] { page.run(StepCommand::BackRun); }, settled));
    while (page.canRun(StepCommand::Run))
        again.push_back(until([&] { page.run(StepCommand::Run); }, settled));
    print("back and on, seen before", again);
}

void stepFusions(InductorPage& page) {
    page.showTab(InductorPage::Tab::Scheduler);
    ScheduleView& schedule = *page.findChild<ScheduleView*>();
    const auto settled = [&page] { return page.isSettled(); };
    std::vector<double> fusions, choices;
    page.run(StepCommand::First);
    while (page.canRun(StepCommand::Over) && fusions.size() < 400)
        fusions.push_back(until([&] { page.run(StepCommand::Over); }, settled));
    print("next fusion", fusions);
    const auto& rows = schedule.cards().rows().operations;
    for (std::size_t i = 0; i + 1 < rows.size() && i < 200; ++i) {
        const std::string &a = rows[i]->name, &b = rows[(i * 7 + 13) % rows.size()]->name;
        choices.push_back(until([&] { schedule.choose({a, b}); }, settled));
    }
    print("why not fused, two operations chosen", choices);
    std::printf("  %zu operations, %zu fusions, %zu arcs\n", rows.size(),
                schedule.cards().rows().fusions.size(), schedule.cards().rows().edges.size());
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) return std::fprintf(stderr, "bench_inductor_page PATH\n"), 2;
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication app(argc, argv);
    QElapsedTimer timer;
    timer.start();
    const auto session = capture::open(argv[1]);
    if (!session) return std::fprintf(stderr, "%s\n", session.error().toString().c_str()), 1;
    std::printf("read in %.0f ms\n", since(timer));
    TaskRunner tasks;
    Workspace workspace(tasks);
    Theme theme;
    theme.setScheme(ColourScheme::Dark);
    InductorPage page(workspace, theme);
    page.canvases()->setMotion(false);
    page.resize(1900, 1200);
    page.show();
    timer.restart();
    workspace.addCapture({*session, session::summarizeBreaks(**session)}, true);
    Place place = workspace.place();
    place.page = Page::Inductor;
    place.compile = 0;
    workspace.go(place);
    page.applyDefaultSizes(1900);
    while (!(page.row() >= 0 && page.isSettled()))
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 5);
    std::printf("the page's first picture after %.0f ms\n", since(timer));
    stepPasses(page);
    stepFusions(page);
    return 0;
}
