// SPDX-License-Identifier: BSD-3-Clause
//
// What live events cost: replays of a chain of small ops with and without them, two million events in the
// run, and how they arrive. The exit status is 1 if one is missing.
//
//   build/release/bench/bench_live [COMMAND...]      default: bin/dynascope-engine of the same build
#include "core/engine/client/client.h"
#include "core/replay/live_events.h"

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

using namespace dynascope;
using nlohmann::json;

namespace {

constexpr int ops = 100;
constexpr std::uint64_t wanted = 2'000'000;

std::string chain() {
    std::string text = "graph():\n    %x : [num_users=1] = placeholder[target=x]\n", last = "x";
    for (int i = 0; i < ops; ++i) {
        const std::string name = "add_" + std::to_string(i);
        text += "    %" + name +
                " : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%" + last +
                ", 1), kwargs = {})\n";
        last = name;
    }
    return text + "    return (" + last + ",)\n";
}

json inputs() {
    const json x{{"name", "x"},         {"storage", 0},       {"shape", {4}}, {"stride", {1}},
                 {"storage_offset", 0}, {"dtype", "float32"}, {"via", "set"}};
    return {{"storages", {{{"dtype", "float32"}, {"data", {1, 2, 3, 4}}}}}, {"inputs", {x}}};
}

double medianUs(const json& answer) {
    return answer["run"]["replay"]["us"][1].get<double>();
}

} // namespace

int main(int argc, char** argv) {
    std::vector<std::string> command(argv + 1, argv + argc);
    if (command.empty()) command = {DYNASCOPE_BIN_DIR "/dynascope-engine"};
    engine::Client client(command);
    const auto recorded = client.callOnGraph("record", chain(), {{"inputs", inputs()}});
    if (!recorded) {
        std::fprintf(stderr, "%s\n", recorded.error().message.c_str());
        return 1;
    }
    // A replay begins and ends; an op begins, takes memory, gives some back and ends.
    const std::uint64_t iterations = wanted / (4 * ops) + 1;
    json params{{"plans", {(*recorded)["plan"]}}, {"iterations", iterations}, {"eager", false}};
    const auto quiet = client.call("replay", params);
    params["live"] = true;
    replay::LiveReader reader;
    std::uint64_t batches = 0;
    bool whole = true;
    engine::CallOptions options;
    options.onData = [&](std::string_view piece) {
        whole &= reader.read(piece).has_value();
        ++batches;
    };
    const auto start = std::chrono::steady_clock::now();
    const auto live = client.call("replay", params, options);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (!quiet || !live) {
        std::fprintf(stderr, "%s\n", (quiet ? live : quiet).error().message.c_str());
        return 1;
    }
    const auto sent = (*live)["live_events"].get<std::uint64_t>();
    const double without = medianUs(*quiet), with = medianUs(*live);
    std::printf("%llu events sent, %llu arrived in %llu batches within %.2f s\n",
                static_cast<unsigned long long>(sent), static_cast<unsigned long long>(reader.events()),
                static_cast<unsigned long long>(batches), time.count());
    std::printf("a replay of %d ops: %.1f us without, %.1f us with live events (%.0f ns an event)\n", ops,
                without, with,
                (with - without) * 1000 * static_cast<double>(iterations) / static_cast<double>(sent));
    return whole && sent == reader.events() && sent >= wanted ? 0 : 1;
}
