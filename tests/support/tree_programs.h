// SPDX-License-Identifier: BSD-3-Clause
//
// Programs under CUDA-graph trees, for the simulator and for real runs alike.
#pragma once

#include "core/replay/tree_simulator.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace dynascope::test {

/// A fresh tensor of the program's own.
inline replay::TreeArgument user() {
    return {};
}
inline replay::TreeArgument parameter(replay::Address key) {
    return {replay::TreeArgument::Kind::Parameter, key, 0, 0, false};
}
/// `last`: the program gives its own reference up with the call.
inline replay::TreeArgument output(std::size_t call, std::size_t index, bool last = false) {
    return {replay::TreeArgument::Kind::Output, 0, call, index, last};
}

inline replay::TreeEvent call(replay::FunctionId function, std::vector<replay::TreeArgument> inputs,
                              std::string stack = {}) {
    replay::TreeEvent out;
    out.function = function;
    out.inputs = std::move(inputs);
    out.stack = std::move(stack);
    return out;
}
inline replay::TreeEvent drop(std::size_t call, std::vector<std::size_t> outputs) {
    replay::TreeEvent out;
    out.kind = replay::TreeEvent::Kind::Drop;
    out.call = call;
    out.outputs = std::move(outputs);
    return out;
}
inline replay::TreeEvent mark(replay::TreeEvent::Kind kind = replay::TreeEvent::Kind::Invocation) {
    replay::TreeEvent out;
    out.kind = kind;
    return out;
}

inline std::vector<replay::TreeStep::Action> actions(const replay::TreeManager& manager) {
    std::vector<replay::TreeStep::Action> out;
    for (const replay::TreeStep& step : manager.steps())
        if (step.event == replay::TreeStep::Event::Call) out.push_back(step.action);
    return out;
}

/// One to four functions of two inputs, called on each other's outputs, on fresh tensors and on parameters,
/// with new generations and drops between. What is said to stay at its address does.
inline replay::TreeProgram randomTreeProgram(unsigned seed, int events) {
    using Out = replay::SimulatedOutput::Kind;
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return std::size_t(random() % n); };
    replay::TreeProgram program;
    for (std::size_t i = 0, n = 1 + below(4); i < n; ++i) {
        replay::SimulatedFunction function;
        function.outputs.resize(1 + below(3));
        if (below(3) == 0) function.outputs.push_back({Out::Output, 0});
        if (below(4) == 0) function.outputs.push_back({Out::Input, below(2)});
        if (below(2) == 0) function.function.staticInputs = {1};
        if (below(4) == 0) function.function.mutatedInputs = {0};
        function.function.name = "f" + std::to_string(i);
        function.function.inputs = {{"x", {}, {}}, {"y", {}, {}}};
        program.functions.push_back(std::move(function));
    }
    std::size_t calls = 0;
    const auto argument = [&]() -> replay::TreeArgument {
        if (calls == 0 || below(3) == 0) return below(2) ? user() : parameter(1 + below(2));
        // Apart, since compilers evaluate arguments in the order they like.
        const std::size_t back = 1 + below(std::min<std::size_t>(calls, 4));
        return output(calls - back, below(2));
    };
    for (int i = 0; i < events; ++i) {
        const std::size_t kind = below(4);
        if (kind == 0) {
            program.events.push_back(mark());
        } else if (kind == 1 && calls > 0) {
            const std::size_t dropped = below(calls);
            program.events.push_back(drop(dropped, {below(2), below(4)}));
        } else {
            const std::size_t chosen = below(program.functions.size());
            const bool fixed = !program.functions[chosen].function.staticInputs.empty();
            const replay::TreeArgument first = argument();
            program.events.push_back(call(static_cast<replay::FunctionId>(chosen),
                                          {first, fixed ? parameter(1 + chosen) : argument()}));
            ++calls;
        }
    }
    return program;
}

} // namespace dynascope::test
