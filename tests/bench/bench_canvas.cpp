// SPDX-License-Identifier: BSD-3-Clause
//
// The canvas with a joint graph of 6,000 nodes: time to the first picture, the longest stall of the GUI
// thread, and the time of one paint, folded and with every block open. Medians of 5 runs; paints of 15.
#include "core/capture/open.h"
#include "core/ir/text.h"
#include "views/canvas/compare_view.h"
#include "views/canvas/graph_canvas.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QPixmap>
#include <QTest>
#include <QTimer>
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

/// Longest time that the event loop did not turn.
class Heartbeat {
public:
    Heartbeat() {
        m_timer.setInterval(0);
        QObject::connect(&m_timer, &QTimer::timeout, &m_timer, [this] { beat(); });
    }
    void start() {
        m_longest = 0;
        m_since.start();
        m_timer.start();
    }
    double stop() {
        beat();
        m_timer.stop();
        return m_longest;
    }

private:
    void beat() {
        m_longest = std::max(m_longest, static_cast<double>(m_since.nsecsElapsed()) / 1e6);
        m_since.start();
    }
    QTimer m_timer;
    QElapsedTimer m_since;
    double m_longest = 0;
};

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

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication app(argc, argv);
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
