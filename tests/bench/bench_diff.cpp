// SPDX-License-Identifier: BSD-3-Clause
//
// Graph diff of two 10,000-node stages and text diff of their texts. Medians of 15 runs.
#include "core/diff/graph_diff.h"
#include "core/diff/text_diff.h"
#include "core/ir/text.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

using namespace dynascope;

namespace {

constexpr std::size_t nodeCount = 10'000;
constexpr int runs = 15;

double median(const std::function<void()>& work) {
    std::vector<double> times;
    for (int i = 0; i < runs; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work();
        times.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
    return times[runs / 2];
}

ir::Node call(std::string name, std::string target, std::vector<ir::Argument> args) {
    ir::Node node;
    node.name = std::move(name);
    node.target = std::move(target);
    node.args = std::move(args);
    node.meta = ir::parseAnnotation("f32[8, 128, 768][98304, 768, 1]cpu");
    return node;
}

struct Options {
    std::string prefix = "torch.ops.aten."; // of targets
    std::string names = "n";                // prefix of names
    unsigned dropped = 0;                   // of a thousand nodes: left out, their users read their input
    unsigned altered = 0;                   // of a thousand nodes: another constant
};

ir::GraphPtr makeGraph(const Options& options) {
    static const std::vector<std::string> ops{"mm", "add", "mul", "view", "relu", "permute", "clone"};
    std::mt19937 random(1);
    std::mt19937 edits(2);
    ir::GraphBuilder builder;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < nodeCount - 1; ++i) {
        std::string name = options.names + std::to_string(i);
        if (i < 100) {
            ir::Node node = call(name, name, {});
            node.op = ir::Op::Placeholder;
            builder.add(std::move(node));
            names.push_back(std::move(name));
            continue;
        }
        const auto pick = [&] { return names[names.size() - 1 - random() % 40]; };
        const std::string first = pick();
        const std::string second = pick();
        const std::string& op = ops[random() % ops.size()];
        const unsigned edit = edits() % 1000;
        if (edit < options.dropped) {
            names.push_back(first);
            continue;
        }
        const bool altered = edit < options.dropped + options.altered;
        builder.add(call(name, options.prefix + op,
                         {ir::Argument::node(first), ir::Argument::node(second),
                          ir::Argument::integer(altered ? -1 : static_cast<int>(i % 13))}));
        names.push_back(std::move(name));
    }
    ir::Node output = call("output", "output", {ir::Argument::tuple({ir::Argument::node(names.back())})});
    output.op = ir::Op::Output;
    output.meta.reset();
    builder.add(std::move(output));
    return builder.build();
}

void report(const char* what, const ir::Graph& a, const ir::Graph& b) {
    diff::GraphDiff d;
    const double ms = median([&] { d = diff::diffGraphs(a, b); });
    std::printf("%-34s %7.2f ms   +%zu -%zu ~%zu moved %zu, %zu respelled, %zu same\n", what, ms, d.added,
                d.removed, d.changed, d.moved, d.respelled, d.same);
}

} // namespace

int main() {
    const auto plain = makeGraph({});
    Options options;
    options.dropped = 10;
    options.altered = 10;
    const auto edited = makeGraph(options);
    std::printf("diff of %zu-node stages\n", plain->size());
    report("equal, not shared", *plain, *makeGraph({}));
    report("1 % dropped, 1 % changed", *plain, *edited);
    report("other names and spelling", *plain, *makeGraph({"torch.", "m", 0, 0}));
    report("other names, 1 % and 1 %", *plain, *makeGraph({"torch.", "m", 10, 10}));
    options = {"torch.ops.other.x", "z", 0, 0};
    report("nothing in common", *plain, *makeGraph(options));

    const std::string a = ir::printFx(*plain);
    const std::string b = ir::printFx(*edited);
    std::size_t rows = 0;
    const double ms = median([&] { rows = diff::diffTexts(a, b).rows.size(); });
    std::printf("%-34s %7.2f ms   %zu rows\n", "text diff of the edited pair", ms, rows);
    return 0;
}
