// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/tree_function.h"
#include "core/replay/tree_simulator.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace dynascope::replay {

namespace {

using nlohmann::json;

/// More of anything is no case but an attempt to fill the memory: a call costs what lives on its path.
constexpr std::size_t mostArguments = 10'000, mostCalls = 2'000, mostValues = 50'000;
/// None at 0, and all below what a simulation gives out.
constexpr Address parameterBase = 1;
constexpr std::size_t mostParameters = UINT32_MAX;

const json& member(const json& object, const char* key) {
    static const json none;
    const auto found = object.is_object() ? object.find(key) : object.end();
    return !object.is_object() || found == object.end() ? none : *found;
}

std::optional<std::size_t> size(const json& value, std::size_t limit) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= limit) return {};
    return value.get<std::size_t>();
}

std::optional<std::vector<std::size_t>> sizes(const json& list, std::size_t limit) {
    if (!list.is_array()) return {};
    std::vector<std::size_t> out;
    for (const json& entry : list) {
        const auto value = size(entry, limit);
        if (!value) return {};
        out.push_back(*value);
    }
    return out;
}

std::optional<SimulatedFunction> functionOf(const json& entry, std::size_t number, std::size_t& arguments) {
    const auto inputs = size(member(entry, "n_inputs"), mostArguments);
    const auto outputs = size(member(entry, "n_outputs"), mostArguments);
    if (!inputs || !outputs) return {};
    const auto fixed = sizes(member(entry, "static_input_idxs"), *inputs);
    const auto mutated = sizes(member(entry, "mutated_input_idxs"), *inputs);
    const json& mode = member(entry, "mode");
    if (!fixed || !mutated) return {};
    SimulatedFunction out;
    out.outputs.resize(*outputs);
    out.function.name = "f" + std::to_string(number);
    out.function.staticInputs = *fixed;
    out.function.mutatedInputs = *mutated;
    constexpr std::array modes{CompilationMode::Inference, CompilationMode::Forward,
                               CompilationMode::Backward};
    const auto* const named = std::find_if(modes.begin(), modes.end(), [&](CompilationMode known) {
        return mode == compilationModeName(known);
    });
    if (named == modes.end()) return {};
    out.function.mode = *named;
    for (std::size_t i = 0; i < *inputs; ++i)
        out.function.inputs.push_back({"input " + std::to_string(i), {}, {}});
    arguments = *inputs;
    return out;
}

std::optional<TreeArgument> argumentOf(const json& entry, std::size_t calls) {
    if (!entry.is_array() || entry.empty()) return {};
    TreeArgument out;
    if (entry[0] == "user" && entry.size() == 1) return out;
    if (entry[0] == "param" && entry.size() == 2) {
        const auto key = size(entry[1], mostParameters);
        if (!key) return {};
        out.kind = TreeArgument::Kind::Parameter;
        out.address = parameterBase + *key;
        return out;
    }
    if (entry[0] != "out" || entry.size() < 3 || entry.size() > 4) return {};
    const auto call = size(entry[1], calls), output = size(entry[2], mostArguments);
    if (!call || !output) return {};
    out.kind = TreeArgument::Kind::Output;
    out.call = *call;
    out.output = *output;
    out.lastReference = entry.size() == 4;
    return !out.lastReference || entry[3] == "last" ? std::optional(out) : std::nullopt;
}

/// `arguments` by function, `calls` so far.
std::optional<TreeEvent> eventOf(const json& entry, const std::vector<std::size_t>& arguments,
                                 std::size_t calls) {
    TreeEvent out;
    const json& op = member(entry, "op");
    if (op == "mark_step") {
        // The traces count Dynamo's own generations.
        out.kind = TreeEvent::Kind::Invocation;
        return out;
    }
    if (op == "user_mark" || op == "eager_backward") {
        out.kind = op == "user_mark" ? TreeEvent::Kind::UserMark : TreeEvent::Kind::EagerBackward;
        return out;
    }
    if (op == "drop") {
        const auto call = size(member(entry, "step"), calls);
        const auto outputs = sizes(member(entry, "outputs"), mostArguments);
        if (!call || !outputs) return {};
        out.kind = TreeEvent::Kind::Drop;
        out.call = *call;
        out.outputs = *outputs;
        return out;
    }
    const auto function = size(member(entry, "fn"), arguments.size());
    const json& inputs = member(entry, "inputs");
    if (op != "call" || !function || !inputs.is_array() || inputs.size() != arguments[*function]) return {};
    out.function = static_cast<FunctionId>(*function);
    if (const json& stack = member(entry, "stack"); stack.is_string()) out.stack = stack.get<std::string>();
    for (const json& input : inputs) {
        const auto argument = argumentOf(input, calls);
        if (!argument) return {};
        out.inputs.push_back(*argument);
    }
    return out;
}

} // namespace

Result<TreeProgram> readTreeCase(std::string_view text) {
    const json oracleCase = json::parse(text, nullptr, false);
    const json& functions = member(oracleCase, "functions");
    const json& events = member(oracleCase, "events");
    const json& limit = member(oracleCase, "cudagraph_unexpected_rerecord_limit");
    if (!functions.is_array() || !events.is_array() || !limit.is_number_integer())
        return failure("a case needs functions, events and a limit of re-recordings");
    TreeProgram out;
    out.options.rerecordLimit = limit.get<std::int64_t>();
    std::vector<std::size_t> arguments(functions.size());
    for (std::size_t i = 0; i < functions.size(); ++i) {
        auto function = functionOf(functions[i], i, arguments[i]);
        if (!function) return failure("function " + std::to_string(i) + " cannot be read");
        out.functions.push_back(std::move(*function));
    }
    std::size_t calls = 0, values = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
        auto event = eventOf(events[i], arguments, calls);
        if (!event) return failure("event " + std::to_string(i) + " cannot be read");
        if (event->kind == TreeEvent::Kind::Call) {
            ++calls;
            values += event->inputs.size() + out.functions[event->function].outputs.size();
        }
        if (calls > mostCalls || values > mostValues) return failure("the case has too many calls");
        out.events.push_back(std::move(*event));
    }
    return out;
}

} // namespace dynascope::replay
