// SPDX-License-Identifier: BSD-3-Clause
//
// Any place in the window on a recording of a million steps: from the step that is asked for to the picture
// of every pane in sight. Each tab of the state pane, the graph as cards and as text, steps on and back.
#include "core/capture/open.h"
#include "tests/support/dynamo_parts.h"
#include "tests/support/recordings.h"
#include "views/canvas/graph_canvas.h"
#include "views/dynamo/dynamo_page.h"
#include "views/dynamo/partial_graph.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QTabWidget>
#include <QTest>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <random>
#include <vector>

using namespace dynascope;
using namespace dynascope::views;

namespace {

constexpr std::uint32_t stepCount = 1'000'000;

/// In milliseconds: as a reader waits, and what the processor worked, where other programs run beside.
struct Times {
    std::vector<double> waited, worked;

    void print(const char* name) {
        std::sort(waited.begin(), waited.end());
        std::sort(worked.begin(), worked.end());
        const std::size_t middle = waited.size() / 2;
        std::printf("%-36s median %6.1f ms, longest %6.1f ms; processor %6.1f and %6.1f ms\n", name,
                    waited[middle], waited.back(), worked[middle], worked.back());
    }
};

/// Until the step is shown and drawn.
void goTo(DynamoPage& page, dynamo::StepIndex step, Times& times) {
    QElapsedTimer timer;
    timer.start();
    const std::clock_t before = std::clock();
    page.goToStep(step);
    QCoreApplication::sendPostedEvents();
    QCoreApplication::processEvents(QEventLoop::ExcludeUserInputEvents);
    times.waited.push_back(double(timer.nsecsElapsed()) / 1e6);
    times.worked.push_back(double(std::clock() - before) * 1e3 / CLOCKS_PER_SEC);
}

} // namespace

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication app(argc, argv);
    const auto session = capture::openText(test::longRecording(stepCount), "long");
    if (!session) return 1;
    TaskRunner tasks;
    Workspace workspace(tasks);
    Theme theme;
    theme.setScheme(ColourScheme::Dark);
    DynamoPage page(workspace, theme);
    test::in(page).graph()->canvas()->setMotion(false);
    page.resize(1900, 1200);
    page.show();
    QElapsedTimer timer;
    timer.start();
    workspace.addCapture({*session, session::summarizeBreaks(**session)}, true);
    while (!page.canStep())
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 5);
    std::printf("first picture in %.0f ms\n", double(timer.nsecsElapsed()) / 1e6);

    std::mt19937 random(1);
    for (const PartialGraph::Form form : {PartialGraph::Form::Cards, PartialGraph::Form::Text}) {
        test::in(page).graph()->setForm(form);
        const bool cards = form == PartialGraph::Form::Cards;
        Times any, on, back;
        for (int i = 0; i < 200; ++i)
            goTo(page, random() % stepCount, any);
        any.print(cards ? "any step, graph as cards" : "any step, graph as text");
        dynamo::StepIndex at = stepCount / 2;
        goTo(page, at, any);
        for (int i = 0; i < 200; ++i)
            goTo(page, ++at, on);
        on.print("one step on");
        for (int i = 0; i < 200; ++i)
            goTo(page, --at, back);
        back.print("one step back");
    }
    test::in(page).graph()->setForm(PartialGraph::Form::Cards);
    for (int tab = 1; tab < test::in(page).stateTabs()->count(); ++tab) {
        test::in(page).stateTabs()->setCurrentIndex(tab);
        Times any;
        for (int i = 0; i < 100; ++i)
            goTo(page, random() % stepCount, any);
        any.print(qPrintable(QStringLiteral("any step, tab ") + test::in(page).stateTabs()->tabText(tab)));
    }
    Times far;
    for (int i = 0; i < 20; ++i)
        goTo(page, i % 2 == 0 ? stepCount - 1 : 0, far);
    far.print("from end to end");
    return 0;
}
