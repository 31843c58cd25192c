// SPDX-License-Identifier: BSD-3-Clause
//
// Reading and printing a graph of 10,000 nodes, in both forms. Medians of 21 runs.
#include "core/ir/text.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <utility>
#include <vector>

using namespace dynascope::ir;

namespace {

constexpr std::size_t nodeCount = 10'000;

/// A training-like mix: two inputs a node, views with lists, keyword arguments, unpacked tuples.
std::string makeFxText() {
    std::string text = "graph():";
    std::vector<std::string> names;
    for (std::size_t i = 0; i < 100; ++i) {
        names.push_back("primals_" + std::to_string(i + 1));
        text += "\n    %" + names.back() + " : [num_users=1] = placeholder[target=" + names.back() + "]";
    }
    const auto recent = [&](std::size_t back) { return "%" + names[names.size() - 1 - back % 50]; };
    while (names.size() < nodeCount - 1) {
        const std::size_t i = names.size();
        std::string name;
        std::string call;
        switch (i % 5) {
        case 0:
            name = "mm_";
            call =
                "torch.ops.aten.mm.default](args = (" + recent(0) + ", " + recent(i % 37) + "), kwargs = {})";
            break;
        case 1:
            name = "view_";
            call = "torch.ops.aten.view.default](args = (" + recent(0) + ", [8, 128, 768]), kwargs = {})";
            break;
        case 2:
            name = "add_";
            call = "torch.ops.aten.add.Tensor](args = (" + recent(0) + ", " + recent(7) + "), kwargs = {})";
            break;
        case 3:
            name = "convert_element_type_";
            call = "torch.ops.prims.convert_element_type.default](args = (" + recent(0) +
                   ", torch.float32), kwargs = {layout: torch.strided, device: cpu})";
            break;
        default:
            name = "getitem_";
            call = "operator.getitem](args = (" + recent(0) + ", 1), kwargs = {})";
        }
        name += std::to_string(i);
        text += "\n    %" + name + " : [num_users=1] = call_function[target=" + call;
        names.push_back(std::move(name));
    }
    return text + "\n    return (" + names.back() + ",)";
}

/// Wall time and processor time of one run in milliseconds; the second stands also on a busy machine.
struct Timing {
    double wall = 0;
    double cpu = 0;
};

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

Timing measure(const std::function<void()>& run) {
    std::vector<double> wall;
    std::vector<double> cpu;
    for (int i = 0; i < 21; ++i) {
        const auto start = std::chrono::steady_clock::now();
        const std::clock_t cpuStart = std::clock();
        run();
        cpu.push_back(static_cast<double>(std::clock() - cpuStart) * 1e3 / CLOCKS_PER_SEC);
        wall.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    return {median(std::move(wall)), median(std::move(cpu))};
}

void report(const char* what, Timing time, std::size_t bytes) {
    std::printf("%-20s %7.2f ms  %7.2f ms cpu  %6.0f ns/node  %6.0f MB/s\n", what, time.wall, time.cpu,
                time.wall * 1e6 / nodeCount, static_cast<double>(bytes) / 1e3 / time.wall);
}

} // namespace

int main() {
    const std::string fx = makeFxText();
    const auto graph = readGraph(fx);
    if (!graph) {
        std::printf("%s\n", graph.error().toString().c_str());
        return 1;
    }
    const std::string readable = printReadable(**graph).text;
    const auto readableGraph = readGraph(readable);
    if (!readableGraph) {
        std::printf("%s\n", readableGraph.error().toString().c_str());
        return 1;
    }
    std::size_t sink = 0; // keeps the work from being optimised away
    std::printf("%zu nodes, FX %zu bytes, readable %zu bytes\n", (*graph)->size(), fx.size(),
                readable.size());
    report("FX read", measure([&] { sink += (*readGraph(fx))->size(); }), fx.size());
    report("FX print", measure([&] { sink += printFx(**graph).size(); }), fx.size());
    report("FX read and print", measure([&] { sink += printFx(**readGraph(fx)).size(); }), fx.size());
    report("readable read", measure([&] { sink += (*readGraph(readable))->size(); }), readable.size());
    report("readable print", measure([&] { sink += printReadable(**readableGraph).text.size(); }),
           readable.size());
    report("JSON print", measure([&] { sink += printJson(**graph).size(); }), fx.size());
    return sink != 0 && printFx(**graph) == fx ? 0 : 1;
}
