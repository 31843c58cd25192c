// SPDX-License-Identifier: BSD-3-Clause
//
// The kinds about CUDA graphs. They need no engine: core/replay answers them.
#include "core/ir/text.h"
#include "core/oracle/oracle_case.h"
#include "core/replay/mutation_check.h"
#include "core/replay/skip_check.h"
#include "core/replay/tree_simulator.h"

#include <algorithm>
#include <map>

namespace dynascope::engine {

namespace {

using nlohmann::json;
using replay::RaisedError;

/// Numbers of an array; nothing where it is none, or has anything else in it.
std::optional<std::vector<std::size_t>> indices(const json& list) {
    if (!list.is_array()) return {};
    std::vector<std::size_t> out;
    for (const json& entry : list) {
        if (!entry.is_number_unsigned()) return {};
        out.push_back(entry.get<std::size_t>());
    }
    return out;
}

json errorJson(const RaisedError& error) {
    return {{"error", {{"type", error.type}, {"message", error.message}}}};
}

json orNull(const std::optional<std::string>& text) {
    return text ? json(*text) : json();
}

} // namespace

void judgeCheckForMutation(const json& oracleCase, CaseReport& report) {
    Part part(report, "message");
    const auto staticInputs = indices(field(oracleCase, "static_input_idxs"));
    const auto mutated = indices(field(oracleCase, "mutated_input_idxs"));
    const auto recorded = indices(field(oracleCase, "cudagraph_recorded_inputs"));
    const json& traces = field(oracleCase, "placeholder_mutating_stack_traces");
    const json& trees = field(oracleCase, "cudagraph_trees");
    if (!staticInputs || !mutated || !recorded || !traces.is_array() || !trees.is_boolean() ||
        !oracleCase.contains("expected_message"))
        return part.fail("inputs and their traces are needed");
    std::vector<std::string> uses;
    for (const json& trace : traces)
        uses.push_back(trace.is_string() ? trace.get<std::string>() : std::string());
    replay::MutationQuestion question;
    question.trees = trees.get<bool>();
    question.staticInputs = *staticInputs;
    question.mutatedInputs = *mutated;
    question.mutatingUses = uses;
    const replay::MutationCheck check = replay::checkForMutation(question, [&](std::size_t input) {
        return std::find(recorded->begin(), recorded->end(), input) != recorded->end();
    });
    part.compare(oracleCase["expected_message"], orNull(check.message));
}

namespace {

/// The graph of a skip case with its devices, dtypes and storages.
std::optional<replay::ReplayGraphFacts> factsOfCase(const json& oracleCase) {
    const Result<ir::GraphPtr> graph = ir::readGraph(stringField(oracleCase, "graph"));
    const json& devices = field(oracleCase, "node_device");
    const json& dtypes = field(oracleCase, "node_dtype");
    const json& storages = field(oracleCase, "storage_group");
    if (!graph || !devices.is_object() || !dtypes.is_object() || !storages.is_object()) return {};
    replay::ReplayGraphFacts facts{*graph, std::vector<replay::ReplayNodeFacts>((*graph)->size())};
    for (ir::NodeIndex i = 0; i < facts.nodes.size(); ++i) {
        const char* name = (*graph)->node(i).name.c_str();
        replay::ReplayNodeFacts& node = facts.nodes[i];
        node.device = stringField(devices, name);
        node.dtype = ir::shortDtype(stringField(dtypes, name));
        node.known = node.tensor = !node.device.empty();
        if (const json& storage = field(storages, name); storage.is_number_integer())
            node.storage = storage.get<int>();
    }
    return facts;
}

} // namespace

void judgeCheckForSkip(const json& oracleCase, CaseReport& report) {
    const auto facts = factsOfCase(oracleCase);
    const json& fixed = field(oracleCase, "num_fixed");
    const json& allowed = field(oracleCase, "config_cudagraph_backend_support_input_mutation");
    if (!facts || !fixed.is_number_unsigned() || !allowed.is_boolean())
        return Part(report, "case").fail("a graph with its devices, dtypes and storages is needed");
    const replay::InputMutations mutations = replay::findInputMutations(*facts);
    replay::SkipOptions options;
    options.fixedInputs = fixed.get<std::size_t>();
    options.allowInputMutation = allowed.get<bool>();
    const replay::SkipCheck skip = replay::checkForSkip(*facts, mutations, options);
    const replay::DeviceIndex device = replay::deviceIndex(*facts);
    Part(report, "find_input_mutations")
        .compare(field(oracleCase, "find_input_mutations"),
                 mutations.error ? errorJson(*mutations.error) : json(mutations.inputs));
    Part(report, "check_for_skip")
        .compare(field(oracleCase, "check_for_skip"),
                 skip.error ? errorJson(*skip.error) : orNull(skip.message));
    Part(report, "get_device_index")
        .compare(field(oracleCase, "get_device_index"), device.error   ? errorJson(*device.error)
                                                        : device.index ? json(*device.index)
                                                                       : json());
}

namespace {

json nodeJson(replay::NodeId node) {
    return node == replay::noNode ? json() : json(node);
}

/// A step as the harness of the cases wrote it down.
json stepJson(const replay::TreeManager& manager, const replay::TreeStep& step) {
    using Action = replay::TreeStep::Action;
    if (step.event != replay::TreeStep::Event::Call) return json::object();
    json out{{"action", replay::actionName(step.action)},
             {"node", nodeJson(step.node)},
             {"path_state_after", replay::pathStateName(manager.state().path)},
             {"current_node_after", nodeJson(manager.state().current)},
             {"checkpoints", step.checkpoints},
             {"previous_outputs_invalidated", step.invalidated},
             {"output_ptrs", nullptr}};
    if (step.action == Action::Record) out["parent"] = nodeJson(step.parent);
    if (step.action == Action::Eager) return out;
    out["output_ptrs"] = json::array();
    for (const replay::TreeValue& value : step.outputs)
        out["output_ptrs"].push_back(value.storageAddress);
    if (step.action == Action::Failed) out["error"] = step.error;
    return out;
}

/// {"None": {"0": ..}, "-1": {..}}: by node and function.
template <typename Map>
json byNodeAndFunction(const Map& map) {
    json out = json::object();
    for (const auto& [key, value] : map)
        out[key.first == replay::noNode ? std::string("None") : std::to_string(key.first)]
           [std::to_string(key.second)] = value;
    return out;
}

} // namespace

void judgeTreeTrace(const json& oracleCase, CaseReport& report) {
    Result<replay::TreeProgram> program = replay::readTreeCase(oracleCase.dump());
    const json& trace = field(oracleCase, "trace");
    if (!program) return Part(report, "case").fail(program.error().message);
    if (!trace.is_array() || trace.size() != program->events.size())
        return Part(report, "case").fail("a trace with one entry for each event is needed");
    replay::TreeSimulation simulation(std::move(*program));
    json got = json::array();
    while (simulation.next())
        got.push_back(stepJson(simulation.manager(), simulation.manager().steps().back()));
    std::size_t i = 0;
    while (i + 1 < trace.size() && got[i] == trace[i])
        ++i;
    Part steps(report, "trace");
    if (got == trace)
        steps.compare(nullptr, nullptr);
    else
        steps.fail("event " + std::to_string(i) + " gives " + got[i].dump() + ", expected " +
                   trace[i].dump());
    const replay::TreeState& state = simulation.manager().state();
    Part(report, "mutation_hints")
        .compare(field(oracleCase, "non_cudagraph_managed_mutation_hint"), byNodeAndFunction(state.hints));
    Part(report, "rerecords").compare(field(oracleCase, "num_rerecord"), byNodeAndFunction(state.rerecords));
}

namespace {

/// Ordinals of the placeholders that hold tensors of one storage. Placeholders are named after the inputs,
/// with "_1".
std::vector<std::vector<std::size_t>> inputGroups(const ir::Graph& graph, const json& inputs) {
    std::map<std::string, int> storageOf;
    for (const json& input : inputs)
        if (const json& storage = field(input, "storage"); storage.is_number_integer())
            storageOf[stringField(input, "name") + "_1"] = storage.get<int>();
    std::map<int, std::vector<std::size_t>> groups;
    std::size_t ordinal = 0;
    for (const ir::NodePtr& node : graph.nodes()) {
        if (node->op != ir::Op::Placeholder) continue;
        if (const auto found = storageOf.find(node->name); found != storageOf.end())
            groups[found->second].push_back(ordinal);
        ++ordinal;
    }
    std::vector<std::vector<std::size_t>> out;
    for (auto& [storage, members] : groups)
        out.push_back(std::move(members));
    return out;
}

} // namespace

void judgeInputMutations(const json& oracleCase, CaseReport& report) {
    const json& expected = field(oracleCase, "cudagraph_find_input_mutations_on_before");
    if (expected.is_null()) return;
    Part part(report, "find_input_mutations");
    const Result<ir::GraphPtr> graph = ir::readGraph(stringField(oracleCase, "before"));
    const json& inputs = field(field(oracleCase, "inputs"), "inputs");
    if (!graph || !inputs.is_array()) return part.fail("a graph `before` and inputs are needed");
    replay::ReplayGraphFacts facts = replay::factsOf(*graph, inputGroups(**graph, inputs));
    std::size_t ordinal = 0;
    for (ir::NodeIndex i = 0; i < facts.nodes.size(); ++i)
        if ((*graph)->node(i).op == ir::Op::Placeholder && ordinal < inputs.size())
            facts.nodes[i].known =
                inputs[ordinal++].contains("storage"); // make_fx keeps no value of a number
    const replay::InputMutations mutations = replay::findInputMutations(facts);
    part.compare(expected, mutations.error ? errorJson(*mutations.error) : json(mutations.inputs));
}

} // namespace dynascope::engine
