// SPDX-License-Identifier: BSD-3-Clause
//
// Layout of captured and generated graphs. The peer in the same run is Graphviz dot: with this program's
// options, and, where that ends in sensible time, as a user of `dot` gets it. Medians of 9 runs, 3 for dot.
#include "core/ir/text.h"
#include "core/layout/fold.h"
#include "core/layout/layout.h"

#include <gvc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <vector>

using namespace dynascope;

namespace {

double median(int runs, const std::function<void()>& work) {
    std::vector<double> times;
    for (int i = 0; i < runs; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work();
        times.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
    return times[static_cast<std::size_t>(runs / 2)];
}

ir::GraphPtr read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    auto graph = ir::readGraph(text);
    if (graph) return *graph;
    std::fprintf(stderr, "%s: %s\n", path.c_str(), graph.error().message.c_str());
    return nullptr;
}

layout::LayoutInput uncollapsed(const ir::Graph& graph) {
    layout::LayoutInput input;
    input.boxes.resize(graph.size());
    for (ir::NodeIndex i = 0; i < graph.size(); ++i)
        for (const ir::NodeIndex user : graph.users(i))
            input.edges.push_back({i, user, 1});
    return input;
}

layout::LayoutInput generated(std::size_t boxes) {
    std::mt19937 random(9);
    layout::LayoutInput input;
    input.boxes.resize(boxes);
    for (std::size_t i = 1; i < boxes; ++i) {
        for (unsigned k = 0, n = 1 + random() % 2; k < n; ++k) {
            const std::size_t reach = random() % 20 == 0 ? i : std::min<std::size_t>(i, 6);
            input.edges.push_back(
                {static_cast<std::uint32_t>(i - 1 - random() % reach), static_cast<std::uint32_t>(i), 1});
        }
    }
    return input;
}

/// dot as it comes: default limits, splines as curves.
double plainDot(const layout::LayoutInput& input) {
    GVC_t* context = gvContext();
    std::string text = "digraph{node[shape=box,fixedsize=true,width=2.9,height=0.78,label=\"\"]";
    for (std::size_t i = 0; i < input.boxes.size(); ++i)
        text += "n" + std::to_string(i) + ";";
    for (const layout::Edge& e : input.edges)
        text += "n" + std::to_string(e.from) + "->n" + std::to_string(e.to) + ";";
    text += "}";
    const double ms = median(1, [&] {
        Agraph_t* graph = agmemread(text.c_str());
        gvLayout(context, graph, "dot");
        gvFreeLayout(context, graph);
        agclose(graph);
    });
    gvFreeContext(context);
    return ms;
}

void compare(const char* what, const layout::LayoutInput& input, bool withPlain) {
    layout::LayoutResult result;
    const double layered = median(9, [&] { result = *layout::layoutLayered(input); });
    std::printf("%-34s %6zu boxes  layered %8.2f ms (%.0f x %.0f)", what, input.boxes.size(), layered,
                result.width, result.height);
    const double dot = median(3, [&] { result = *layout::layoutDot(input); });
    std::printf("  dot %8.1f ms (%.0f x %.0f), %.0f times", dot, result.width, result.height, dot / layered);
    if (withPlain) {
        const double plain = plainDot(input);
        std::printf("  plain dot %8.1f ms, %.0f times", plain, plain / layered);
    }
    std::printf("\n");
}

void collapsed(const char* what, const ir::Graph& graph, const ir::Graph* dynamo) {
    std::size_t items = 0;
    const double ms = median(9, [&] {
        const layout::GroupTree tree = layout::groupNodes(graph, layout::moduleHints(graph, dynamo));
        const layout::FoldedGraph folded = layout::fold(graph, tree, layout::initialOpen(tree));
        layout::LayoutInput input;
        for (const layout::VisibleItem& item : folded.items)
            input.boxes.push_back({208, 56, item.cluster});
        for (const layout::VisibleEdge& edge : folded.edges)
            input.edges.push_back({edge.from, edge.to, 1});
        for (const int parent : folded.openParent)
            input.clusters.push_back({parent, 28, 12});
        items = layout::layoutLayered(input)->boxes.size();
    });
    std::printf("%-34s %6zu nodes  grouped, folded to %zu items and laid out in %.2f ms\n", what,
                graph.size(), items, ms);
}

} // namespace

/// Without arguments, the graphs of tests/data. With GRAPH [DYNAMO_GRAPH], that graph collapsed.
int main(int argc, char** argv) {
    if (argc > 1) {
        const auto graph = read(argv[1]);
        const auto dynamo = argc > 2 ? read(argv[2]) : nullptr;
        if (!graph) return 2;
        collapsed(argv[1], *graph, dynamo.get());
        return 0;
    }
    const std::string data = DYNASCOPE_TEST_DATA "/graphs/";
    const auto joint = read(data + "gpt2_train.aot_joint.txt");
    const auto dynamo = read(data + "gpt2_train.dynamo_output.txt");
    const auto resnet = read(data + "resnet.aot_inference.txt");
    if (!joint || !dynamo || !resnet) return 2;
    compare("gpt2_train joint, uncollapsed", uncollapsed(*joint), false);
    compare("resnet inference, uncollapsed", uncollapsed(*resnet), true);
    collapsed("gpt2_train joint, collapsed", *joint, dynamo.get());
    const layout::LayoutInput large = generated(10'000);
    const double ms = median(3, [&] { (void)layout::layoutLayered(large); });
    std::printf("%-34s %6zu boxes  layered %8.2f ms\n", "generated", large.boxes.size(), ms);
    return 0;
}
