// SPDX-License-Identifier: BSD-3-Clause
//
// The canvas with a joint graph of 6,000 nodes: time to the first picture, the longest stall of the GUI
// thread, and the time of one paint, folded and with every block open. Medians of 5 runs; paints of 15.
//
//   bench_canvas GRAPH
//
// does so once with a graph of one's own, as large_inputs.py writes it, reading the file included, and ends
// with 1 where the first picture takes 2 s or more, or all of it 500 MB of private memory.
#include "core/capture/open.h"
#include "core/ir/text.h"
#include "tests/bench/heartbeat.h"
#include "views/canvas/compare_view.h"
#include "views/canvas/graph_canvas.h"

#include <QApplication>
#include <QPixmap>
#include <QTest>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

using namespace dynascope;
using namespace dynascope::views;
using canvas::GraphCanvas;

namespace {

constexpr int copies = 18; // of the 342 nodes of gpt2_train's joint graph

void rename(ir::Argument& argument, const std::string& suffix) {
    if (argument.isNode()) argument = ir::Argument::node(argument.text + suffix);
    for (ir::Argument& item : argument.items)
        rename(item, suffix);
}

/// The joint graph many times over, as print_readable text. With `changed`, every 50th node has another
/// argument.
std::string jointGraph(const ir::Graph& graph, bool changed) {
    ir::GraphBuilder builder;
    builder.setName("joint");
    ir::TextStyle style;
    style.form = ir::TextStyle::Form::Readable;
    builder.setStyle(style);
    ir::Node output;
    const auto add = [&](bool placeholders) {
        for (int copy = 0; copy < copies; ++copy) {
            const std::string suffix = "_c" + std::to_string(copy);
            std::size_t count = 0;
            for (const ir::NodePtr& original : graph.nodes()) {
                if ((original->op == ir::Op::Placeholder) != placeholders) continue;
                ir::Node node = *original;
                for (ir::Argument& argument : node.args)
                    rename(argument, suffix);
                for (auto& [key, argument] : node.kwargs)
                    rename(argument, suffix);
                if (node.op == ir::Op::Output) {
                    output = std::move(node);
                    continue;
                }
                if (node.op == ir::Op::Placeholder) node.target += suffix;
                node.name += suffix;
                if (changed && ++count % 50 == 0 && !placeholders)
                    node.args.push_back(ir::Argument::integer(7));
                builder.add(std::move(node));
            }
        }
    };
    add(true);
    add(false);
    builder.add(std::move(output));
    return ir::printReadable(*builder.build()).text;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
}

double paintTime(CompareView& view) {
    std::vector<double> times;
    for (int i = 0; i < 15; ++i) {
        QElapsedTimer timer;
        timer.start();
        const QPixmap picture = view.grab();
        times.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    return median(std::move(times));
}

struct Run {
    double first = 0, settled = 0, stall = 0, paint = 0, openAll = 0, stallOpen = 0, paintAll = 0,
           paintNear = 0;
    std::size_t drawn = 0, opened = 0, painted = 0, nodes = 0;
};

Run measure(const session::SessionPtr& session, const std::vector<session::StagePtr>& stages) {
    Run run;
    TaskRunner tasks;
    Workspace workspace(tasks);
    Theme theme;
    theme.setScheme(ColourScheme::Dark);
    CompareView view(workspace, theme);
    view.setMotion(false);
    view.setLayoutProgram(qEnvironmentVariable("DYNASCOPE_CLI"));
    view.resize(1600, 900);
    view.show();
    QTest::qWait(50);
    const auto canvases = view.findChildren<GraphCanvas*>();
    const auto settle = [&view] {
        while (!view.isSettled())
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 5);
    };
    Heartbeat heart;
    QElapsedTimer timer;
    timer.start();
    heart.start();
    workspace.addCapture({session, session::summarizeBreaks(*session)}, true);
    while (canvases[1]->painted().items == 0)
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 5);
    run.first = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    settle();
    run.settled = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    run.stall = heart.stop();
    run.nodes = stages.back()->nodeCount();
    run.drawn = canvases[1]->scene()->items.size();
    run.paint = paintTime(view);

    timer.start();
    heart.start();
    view.openAll();
    settle();
    QCoreApplication::processEvents();
    run.openAll = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    run.stallOpen = heart.stop();
    run.opened = canvases[1]->scene()->items.size();
    run.paintNear = paintTime(view);
    canvases[1]->zoomTo(GraphCanvas::smallestZoom);
    run.paintAll = paintTime(view);
    run.painted = canvases[1]->painted().items;
    return run;
}

/// Both graphs in one text, so that they become two stages of one capture.
session::SessionPtr sessionOf(const ir::Graph& graph) {
    auto session = capture::openText("===== before =====\n" + jointGraph(graph, false) +
                                         "\n===== after =====\n" + jointGraph(graph, true),
                                     "bench");
    if (session) return *session;
    std::fprintf(stderr, "%s\n", session.error().toString().c_str());
    return nullptr;
}

ir::GraphPtr readJoint() {
    std::ifstream file(DYNASCOPE_TEST_DATA "/graphs/gpt2_train.aot_joint.txt", std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    auto graph = ir::readGraph(text);
    return graph ? *graph : nullptr;
}

} // namespace

namespace {

/// One large graph: its first picture, and that opening all of it can be cancelled.
int measureLarge(const QString& path) {
    MemoryPeak memory;
    Heartbeat heart;
    QElapsedTimer timer;
    TaskRunner tasks;
    Workspace workspace(tasks);
    Theme theme;
    CompareView view(workspace, theme);
    view.setMotion(false);
    view.resize(1600, 900);
    view.show();
    QTest::qWait(500); // fonts and the first, empty paint
    timer.start();
    heart.start();
    workspace.open(path);
    const auto canvases = view.findChildren<GraphCanvas*>();
    const auto drawn = [&canvases] {
        return std::any_of(canvases.begin(), canvases.end(),
                           [](const GraphCanvas* canvas) { return canvas->painted().items > 0; });
    };
    while (!drawn() && timer.elapsed() < 600'000)
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 5);
    const double first = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    while (!view.isSettled())
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 5);
    const double settled = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    const double stall = heart.stop();
    const auto shown = std::find_if(canvases.begin(), canvases.end(),
                                    [](const GraphCanvas* canvas) { return canvas->painted().items > 0; });
    if (shown == canvases.end()) return 1;
    std::printf("%zu nodes, %zu cards drawn at first\n", (*shown)->scene()->graph->size(),
                (*shown)->scene()->items.size());
    std::printf("%-44s %8.1f ms\n", "first picture, reading the file included", first);
    std::printf("%-44s %8.1f ms\n", "settled", settled);
    std::printf("%-44s %8.1f ms\n", "longest stall of the GUI thread", stall);
    std::printf("%-44s %8.1f ms\n", "paint of the window, folded", paintTime(view));
    std::printf("%-44s %8.1f MiB\n", "most private memory", memory.look());

    heart.start();
    timer.start();
    view.openAll();
    for (int turn = 0; turn < 100; ++turn)
        QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
    view.closeAll();
    while (!view.isSettled())
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 5);
    std::printf("%-44s %8.1f ms\n", "every block opened, and folded again at once",
                static_cast<double>(timer.nsecsElapsed()) / 1e6);
    std::printf("%-44s %8.1f ms\n", "longest stall of the GUI thread meanwhile", heart.stop());
    return first < 2000 && memory.look() * 1.048576 < 500 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication app(argc, argv);
    if (argc > 1) return measureLarge(QString::fromLocal8Bit(argv[1]));
    const ir::GraphPtr graph = readJoint();
    if (!graph) return 1;
    std::vector<Run> runs;
    for (int i = 0; i < 5; ++i) {
        // Read anew each time: stages keep the graph they have read.
        const session::SessionPtr session = sessionOf(*graph);
        if (!session || session->compiles.empty()) return 1;
        runs.push_back(measure(session, session->compiles.front().stages));
    }
    const auto show = [&runs](const char* name, double Run::*field) {
        std::vector<double> values;
        for (const Run& run : runs)
            values.push_back(run.*field);
        std::printf("%-44s %8.1f ms\n", name, median(values));
    };
    std::printf("%zu nodes a side, %zu cards drawn at first, %zu with all blocks open\n", runs[0].nodes,
                runs[0].drawn, runs[0].opened);
    show("first picture, reading included", &Run::first);
    show("settled, with diff", &Run::settled);
    show("longest stall of the GUI thread", &Run::stall);
    show("paint of the window, folded", &Run::paint);
    show("every block opened and laid out", &Run::openAll);
    show("longest stall of the GUI thread meanwhile", &Run::stallOpen);
    show("paint of the window, all open, as it is", &Run::paintNear);
    show("paint of the window, all open, 5 % zoom", &Run::paintAll);
    std::printf("%zu cards painted a side at 5 %% zoom\n", runs[0].painted);
    return 0;
}
