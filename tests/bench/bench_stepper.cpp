// SPDX-License-Identifier: BSD-3-Clause
//
// A functionalization of 10,000 ops in the stepper: reading what the engine recorded, opening it, and going
// to the first, middle and last op.
//
//   build/release/bench/bench_stepper [OPS]
#include "core/computed/functional_recording.h"
#include "core/engine/client/client.h"
#include "core/engine/wire/pass.h"
#include "core/ir/text.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace dynascope;
using nlohmann::json;

namespace {

/// Runs `fn`; gives what it made and prints how long it took.
template <typename Fn>
auto timed(const char* what, Fn fn) {
    const auto start = std::chrono::steady_clock::now();
    auto out = fn();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    std::printf("%-34s %9.1f ms\n", what, time.count());
    return out;
}

/// Rounds of: a view, a write through it, a new value, a column of it, a write through that.
std::string program(int ops) {
    std::string text = "graph():\n    %x : [num_users=1] = placeholder[target=x]\n";
    std::string value = "%x";
    const auto call = [&](const std::string& name, const std::string& target, const std::string& args) {
        text += "    %" + name + " : [num_users=1] = call_function[target=torch.ops.aten." + target +
                "](args = (" + args + "), kwargs = {})\n";
        return '%' + name;
    };
    for (int i = 0; i < ops / 5; ++i) {
        const std::string suffix = '_' + std::to_string(i);
        const std::string flat = call("view" + suffix, "view.default", value + ", [64]");
        call("add_" + suffix, "add_.Tensor", flat + ", 1");
        value = call("mul" + suffix, "mul.Tensor", value + ", 0.5");
        const std::string column = call("select" + suffix, "select.int", value + ", 1, 0");
        call("relu_" + suffix, "relu_.default", column);
    }
    return text + "    return (" + value.substr(1) + ",)\n";
}

} // namespace

int main(int argc, char** argv) {
    const int ops = argc > 1 ? std::max(std::atoi(argv[1]), 10) : 10000;
    const std::string text = program(ops);
    const auto source = ir::readGraph(text);
    if (!source) return 1;
    json data = json::array();
    for (int i = 0; i < 64; ++i)
        data.push_back(i % 7);
    const json input{{"name", "x"},         {"storage", 0},       {"shape", {8, 8}}, {"stride", {8, 1}},
                     {"storage_offset", 0}, {"dtype", "float32"}, {"via", "set"}};
    const json inputs{{"storages", {{{"dtype", "float32"}, {"data", data}}}}, {"inputs", {input}}};
    engine::Client client({DYNASCOPE_BIN_DIR "/dynascope-engine"});
    const auto reply = timed("the engine's answer", [&] {
        wire::PassRequest request;
        request.on.inputs = inputs;
        request.passes = {"functionalize"};
        request.options.cells = request.scorecard = true;
        return client.pass(text, request);
    });
    if (!reply) {
        std::fprintf(stderr, "%s\n", reply.error().message.c_str());
        return 1;
    }
    auto run = timed("reading the recording", [&] { return computed::functionalRun(*reply, *source); });
    const auto recording = timed("opening it", [&] { return computed::FunctionalRecording(std::move(run)); });
    for (const int op : {1, recording.opCount() / 2, recording.opCount() - 2, recording.opCount() - 3}) {
        const std::string what = "to op " + std::to_string(op);
        const auto board = timed(what.c_str(), [&] { return recording.scoreboard(op, 0); });
        if (board.storages.empty()) return 1;
    }
    return 0;
}
