// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/service/rank_run.h"

#include "core/engine/cases/graph_inputs.h"
#include "core/engine/exec/case_values.h"
#include "core/engine/replay/wired_input.h"
#include "core/engine/service/execute.h"
#include "core/ir/text.h"

#include <ATen/core/grad_mode.h>
#include <algorithm>

namespace dynascope::engine {

namespace {

using nlohmann::json;
using GraphPtr = std::unique_ptr<RecordedGraph>;

PlanError faultOf(std::size_t graph, std::string message) {
    return {graph, RunError{std::move(message), ir::npos, false, {}}};
}

/// Puts memory of graphs before in the place of inputs; says what does not fit.
std::string connect(const wire::RankGraph& said, std::vector<c10::IValue>& inputs,
                    const std::vector<GraphPtr>& before) {
    for (const wire::RankWire& wire : said.wires) {
        if (wire.graph >= before.size()) return "a wire leads to no graph before this one";
        std::string fault = wireInput(inputs, wire.input, *before[wire.graph], wire.output, wire.source);
        if (!fault.empty()) return fault;
    }
    return {};
}

std::vector<std::optional<wire::RunTensor>> outputsOf(const RecordedGraph& graph, std::int64_t elements) {
    std::vector<std::optional<wire::RunTensor>> out;
    for (const c10::IValue& value : graph.outputs())
        out.push_back(isDefinedTensor(value) ? std::optional(describedTensor(value.toTensor(), elements))
                                             : std::nullopt);
    return out;
}

} // namespace

tl::expected<RankRun, Failure> RankRun::prepare(const wire::RankProgram& program, ProgramsByText& known) {
    RankRun out;
    for (const wire::RankGraph& graph : program.graphs) {
        auto prepared = prepareGraph(graph, known);
        if (!prepared) {
            prepared.error().message = graph.name + ": " + prepared.error().message;
            return tl::unexpected(std::move(prepared.error()));
        }
        out.m_prepared.push_back(std::move(*prepared));
    }
    return out;
}

tl::expected<RankRun::Prepared, Failure> RankRun::prepareGraph(const wire::RankGraph& graph,
                                                               ProgramsByText& known) {
    std::shared_ptr<const Program>& program = known[graph.text];
    if (!program) {
        Result<ir::GraphPtr> read = ir::readGraph(graph.text);
        if (!read) return invalid(read.error().toString());
        program = std::make_shared<const Program>(compile(std::move(*read)));
    }
    if (!program->unsupported.empty()) return tl::unexpected(unsupportedFailure(*program));
    GraphInputOptions options;
    for (const auto& [name, value] : graph.on.symbols)
        options.symbols[name] = value;
    Result<json> form = graph.on.inputs.is_null() ? inputsOfGraph(*program->graph, options)
                                                  : withPlainScalars(graph.on.inputs);
    if (!form) return invalid(form.error().message);
    Result<CaseInputs> made = makeInputs(*form, {});
    if (!made) return invalid(made.error().message);
    Result<Attributes> attributes = makeAttributes(graph.on.attributes);
    if (!attributes) return invalid(attributes.error().message);
    seedAttributes(*program, *attributes);
    return Prepared{&graph, program, std::move(made->values), std::move(*attributes)};
}

wire::RankResult RankRun::run(const How& how, const TaskContext& task) {
    wire::RankResult out;
    std::optional<PlanError> failed;
    try {
        failed = recordAndReplay(how, task, out);
    } catch (const std::exception& error) {
        failed = faultOf(0, errorText(error));
    }
    if (!failed) return out;
    m_failed = failed->plan;
    std::string node;
    if (failed->plan < m_prepared.size()) {
        const ir::Graph& graph = *m_prepared[failed->plan].program->graph;
        if (failed->error.node < graph.size()) node = graph.node(failed->error.node).name;
    }
    out.error = wire::RankError{failed->plan, std::move(node), failed->error.message};
    return out;
}

std::optional<PlanError> RankRun::recordAndReplay(const How& how, const TaskContext& task,
                                                  wire::RankResult& out) {
    const at::AutoGradMode noGrad(false);
    const std::shared_ptr<ReplayBackend> backend = how.backend ? how.backend : makeCpuBackend();
    std::vector<GraphPtr> graphs;
    RunRequest request;
    for (std::size_t i = 0; i < m_prepared.size(); ++i) {
        Prepared& one = m_prepared[i];
        if (std::string fault = connect(*one.said, one.inputs, graphs); !fault.empty())
            return faultOf(i, std::move(fault));
        // One thread of an op: choosing it by measuring would have ranks do different things.
        auto graph = backend->record({one.program,
                                      std::move(one.inputs),
                                      std::move(one.attributes),
                                      1,
                                      true,
                                      {one.said->kept.begin(), one.said->kept.end()}},
                                     task);
        if (!graph) return PlanError{i, std::move(graph.error())};
        out.recordings.push_back((*graph)->recording());
        graphs.push_back(std::move(*graph));
        request.plans.push_back({one.said->name, graphs.back().get()});
    }
    request.iterations = std::max<std::uint64_t>(how.iterations, 1);
    request.nodeIterations = how.nodeIterations;
    request.verifyEvery = how.verifyEvery;
    request.eager = how.eager;
    request.eagerTwice = false;
    auto run = replayMany(request, task);
    if (!run) return std::move(run.error());
    out.run = std::move(*run);
    if (how.outputElements) {
        auto& all = out.outputs.emplace();
        for (const GraphPtr& graph : graphs)
            all.push_back(outputsOf(*graph, *how.outputElements));
    }
    return std::nullopt;
}

std::string RankRun::failedGraph() const {
    return m_failed && *m_failed < m_prepared.size() ? m_prepared[*m_failed].said->name : std::string();
}

} // namespace dynascope::engine
