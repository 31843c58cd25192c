// SPDX-License-Identifier: BSD-3-Clause
#include "core/rederive/tree_workload.h"

#include "core/engine/wire/tree.h"
#include "core/ir/text.h"
#include "core/replay/tree_function.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace dynascope::engine {

namespace {

using nlohmann::json;
using replay::CompilationMode;

/// Keys of parameters in one iteration, so many that those of the next follow.
constexpr std::uint64_t keysOfAnIteration = 1'000'000;

using Place = std::pair<std::size_t, std::size_t>; ///< graph, and input or output of it

class CaseWriter {
public:
    CaseWriter(const Workload& workload, const TreeWorkloadOptions& options)
        : m_workload(workload)
        , m_options(options) {
        for (std::size_t i = 0; i < workload.graphs.size(); ++i)
            for (const WorkloadGraph::Wire& wire : workload.graphs[i].wires)
                if (!wire.ofInputs && workload.graphs[i].isBackward) {
                    m_lastReader[{wire.graph, wire.item}] = {i, wire.input};
                    m_read.insert(wire.graph);
                    m_reads.insert(i);
                }
    }

    json run() {
        json functions = json::array();
        for (std::size_t i = 0; i < m_workload.graphs.size(); ++i)
            functions.push_back(functionOf(i));
        for (std::uint64_t i = 0; i < m_options.iterations; ++i)
            addIteration(i);
        return {{"functions", std::move(functions)},
                {"events", std::move(m_events)},
                {"cudagraph_unexpected_rerecord_limit", m_options.rerecordLimit}};
    }

private:
    json functionOf(std::size_t index) {
        const WorkloadGraph& graph = m_workload.graphs[index];
        // What forward saved is as good as a parameter to backward: nobody moves it.
        std::set<std::size_t> fixed(graph.kept.begin(), graph.kept.end());
        for (const WorkloadGraph::Wire& wire : graph.wires)
            if (wire.ofInputs || graph.isBackward) fixed.insert(wire.input);
        const CompilationMode mode = m_reads.contains(index)  ? CompilationMode::Backward
                                     : m_read.contains(index) ? CompilationMode::Forward
                                                              : CompilationMode::Inference;
        const replay::TreeFunction about =
            replay::treeFunctionOf(graph.graph, graph.name, mode, {fixed.begin(), fixed.end()});
        m_inputs.push_back(about.inputs.size());
        m_outputs.push_back(about.outputStacks.size());
        return {{"n_inputs", m_inputs.back()},
                {"n_outputs", m_outputs.back()},
                {"static_input_idxs", about.staticInputs},
                {"mutated_input_idxs", about.mutatedInputs},
                {"mode", replay::compilationModeName(mode)}};
    }

    void addIteration(std::uint64_t iteration) {
        m_events.push_back({{"op", "mark_step"}});
        const std::size_t first = m_calls;
        for (std::size_t i = 0; i < m_workload.graphs.size(); ++i) {
            m_events.push_back(callOf(i, first, iteration));
            ++m_calls;
        }
        if (iteration < m_options.hold) return;
        for (std::size_t i = 0; i < m_workload.graphs.size(); ++i) {
            json outputs = json::array();
            for (std::size_t k = 0; k < m_outputs[i]; ++k)
                outputs.push_back(k);
            if (!outputs.empty())
                m_events.push_back({{"op", "drop"},
                                    {"step", first + i - m_options.hold * m_workload.graphs.size()},
                                    {"outputs", std::move(outputs)}});
        }
    }

    json callOf(std::size_t index, std::size_t firstCall, std::uint64_t iteration) {
        const WorkloadGraph& graph = m_workload.graphs[index];
        const std::uint64_t moved = m_options.moveParameters > 0 ? iteration / m_options.moveParameters : 0;
        json inputs = json::array();
        for (std::size_t i = 0; i < m_inputs[index]; ++i)
            inputs.push_back(json::array({"user"}));
        for (const std::size_t kept : graph.kept)
            if (kept < inputs.size()) inputs[kept] = parameter({index, kept}, moved);
        for (const WorkloadGraph::Wire& wire : graph.wires) {
            if (wire.input >= inputs.size()) continue;
            if (wire.ofInputs) {
                inputs[wire.input] = parameter({wire.graph, wire.item}, moved);
                continue;
            }
            inputs[wire.input] = json::array({"out", firstCall + wire.graph, wire.item});
            // Autograd frees what it saved when it has been used, unless the program holds on to it. A frame
            // that goes on after a break holds what it was given.
            if (m_options.hold == 0 && graph.isBackward &&
                m_lastReader.at({wire.graph, wire.item}) == Place(index, wire.input))
                inputs[wire.input].push_back("last");
        }
        return {{"op", "call"}, {"fn", index}, {"inputs", std::move(inputs)}, {"stack", graph.name}};
    }

    json parameter(Place place, std::uint64_t moved) {
        const std::uint64_t key = m_parameters.emplace(place, m_parameters.size()).first->second;
        return json::array({"param", moved * keysOfAnIteration + key});
    }

    const Workload& m_workload;
    const TreeWorkloadOptions& m_options;
    std::map<Place, Place> m_lastReader; ///< of an output
    std::set<std::size_t> m_read, m_reads;
    std::map<Place, std::uint64_t> m_parameters;
    std::vector<std::size_t> m_inputs, m_outputs;
    std::size_t m_calls = 0;
    json m_events = json::array();
};

} // namespace

json treeCaseOf(const Workload& workload, const TreeWorkloadOptions& options) {
    return CaseWriter(workload, options).run();
}

namespace {

CallOptions callOptions(const TaskContext& task) {
    CallOptions call;
    call.timeout = std::chrono::hours(24);
    call.task = task;
    return call;
}

/// What to run, with its functions at the engine.
Answer<wire::TreeRequest> bring(Client& client, const Workload& workload, const TreeWorkloadOptions& options,
                                const CallOptions& call) {
    if (workload.graphs.empty())
        return tl::unexpected(
            cannotRun(workload.left.empty() ? "there is no graph to run" : workload.left.front()));
    std::string tree;
    for (const WorkloadGraph& graph : workload.graphs) {
        wire::TreeFunctionRequest request{{graph.inputs, graph.attributes, {}}, graph.name, tree};
        auto reply = client.treeFunction(textOf(graph), request, call);
        if (!reply) {
            reply.error().message = graph.name + ": " + reply.error().message;
            return tl::unexpected(std::move(reply.error()));
        }
        tree = std::move(reply->tree);
    }
    return wire::TreeRequest{tree, treeCaseOf(workload, options), options.backend, options.verify};
}

} // namespace

tl::expected<replay::TreeReport, CallError> runTree(Client& client, const Workload& workload,
                                                    const TreeWorkloadOptions& options,
                                                    const TaskContext& task) {
    const CallOptions call = callOptions(task);
    const auto request = bring(client, workload, options, call);
    if (!request) return tl::unexpected(request.error());
    auto reply = client.tree(*request, call);
    if (!reply) return tl::unexpected(std::move(reply.error()));
    return std::move(reply->report);
}

tl::expected<LiveTree, CallError> LiveTree::begin(Client& client, const Workload& workload,
                                                  const TreeWorkloadOptions& options,
                                                  const TaskContext& task) {
    const CallOptions call = callOptions(task);
    const auto request = bring(client, workload, options, call);
    if (!request) return tl::unexpected(request.error());
    LiveTree out(client);
    auto program = replay::readTreeCase(request->program.dump());
    if (!program) return tl::unexpected(cannotRun(program.error().message));
    out.m_program = std::move(*program);
    for (std::size_t i = 0; i < workload.graphs.size(); ++i) {
        replay::TreeFunction& function = out.m_program.functions[i].function;
        replay::describe(function, *workload.graphs[i].graph);
        function.name = workload.graphs[i].name;
    }
    auto reply = client.treeBegin(*request, call);
    if (!reply) return tl::unexpected(std::move(reply.error()));
    out.m_run = std::move(reply->run);
    return out;
}

tl::expected<replay::TreeLogPart, CallError> LiveTree::next(std::size_t steps, const TaskContext& task) {
    auto reply = m_client->treeNext({m_run, steps}, callOptions(task));
    if (!reply) return tl::unexpected(std::move(reply.error()));
    return std::move(reply->part);
}

void LiveTree::drop() {
    m_client->treeDrop({m_run});
}

} // namespace dynascope::engine
