// SPDX-License-Identifier: BSD-3-Clause
#include "core/rederive/workload.h"

#include "core/base/log.h"
#include "core/engine/cases/run_on.h"
#include "core/engine/wire/replay.h"
#include "core/ir/text.h"
#include "core/replay/coverage.h"
#include "core/replay/tree_function.h"
#include "core/session/handed_over.h"
#include "core/session/resume.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace dynascope::engine {

namespace {

constexpr std::uint64_t seedsOfARank = 1'000'000; ///< more than a graph has inputs

std::vector<const ir::Node*> placeholdersOf(const ir::Graph& graph) {
    std::vector<const ir::Node*> out;
    for (const ir::NodePtr& node : graph.nodes())
        if (node->op == ir::Op::Placeholder) out.push_back(node.get());
    return out;
}

class Builder {
public:
    Builder(const session::Session& session, const ir::SymbolValues& symbols, bool valuesByRank)
        : m_session(session)
        , m_symbols(symbols)
        , m_valuesByRank(valuesByRank)
        , m_handed(session::handedOver(session)) {}

    Workload run() {
        const replay::CoverageReport report =
            replay::cudagraphCoverage(m_session, replay::GraphBackend::ReduceOverhead);
        std::vector<const replay::GraphCoverage*> backwards;
        for (const replay::GraphCoverage& graph : report.graphs) {
            if (graph.part == "backward") {
                backwards.push_back(&graph);
            } else {
                add(graph);
            }
        }
        std::for_each(backwards.rbegin(), backwards.rend(), [&](const auto* graph) { add(*graph); });
        return std::move(m_out);
    }

private:
    void add(const replay::GraphCoverage& chosen) {
        const session::Compile& compile = m_session.compiles[chosen.compile];
        WorkloadGraph out;
        out.name = session::compileName(m_session, compile) + ' ' + chosen.part;
        const session::Stage& stage = *chosen.stage;
        out.address = {compile.rank, compile.id.toString(), stage.attempt, stage.name, stage.k, {}};
        const Result<ir::GraphPtr> graph = stage.graph();
        if (!graph) return leave(out, graph.error().toString());
        out.graph = *graph;
        const auto rank = static_cast<std::uint64_t>(m_valuesByRank ? std::max(compile.rank, 0) : 0);
        Result<wire::RunOn> on =
            runOnOfGraph(&compile, *out.graph, {m_symbols, 1 + rank * seedsOfARank, false});
        if (!on) return leave(out, on.error().message);
        out.inputs = std::move(on->inputs);
        out.attributes = std::move(on->attributes);
        out.isBackward = chosen.part == "backward";
        connect(chosen, compile, out);
        m_out.graphs.push_back(std::move(out));
    }

    void leave(const WorkloadGraph& graph, const std::string& why) {
        m_out.left.push_back(graph.name + ": " + why);
        m_out.leftStages.push_back(graph.address);
    }

    void connect(const replay::GraphCoverage& chosen, const session::Compile& compile, WorkloadGraph& graph) {
        const std::size_t index = chosen.compile, self = m_out.graphs.size();
        const std::vector<const ir::Node*> inputs = placeholdersOf(*graph.graph);
        const auto forward = m_forwards.find(index);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (!inputs[i]->meta || !inputs[i]->meta->tensor)
                continue; // a number, or an object that goes through
            if (graph.isBackward && forward != m_forwards.end()) {
                const std::vector<std::string> saved =
                    replay::resultNames(*m_out.graphs[forward->second].graph);
                const auto found = std::find(saved.begin(), saved.end(), inputs[i]->name);
                if (found != saved.end()) {
                    graph.wires.push_back(
                        {i, forward->second, static_cast<std::size_t>(found - saved.begin()), false});
                    continue;
                }
            }
            const std::string source = i < chosen.sources.size() ? chosen.sources[i] : std::string();
            const bool isStatic =
                !graph.isBackward && std::binary_search(chosen.fixed.begin(), chosen.fixed.end(), i);
            if (isStatic && source.empty()) graph.kept.push_back(i);
            if (source.empty()) continue;
            const session::HandedInput origin = originOf(index, source);
            if (!graph.isBackward && origin.isResult()) {
                wireResult(i, origin, graph);
                continue;
            }
            if (!isStatic && !isParameter(compile, source)) continue;
            graph.kept.push_back(i);
            const auto [first, isNew] = m_parameters.emplace(
                std::tuple(compile.origin(), functionOf(origin.compile), origin.outputSource),
                std::pair(self, i));
            if (!isNew) graph.wires.push_back({i, first->second.first, first->second.second, true});
        }
        if (!graph.isBackward) m_forwards[index] = self;
    }

    /// What an input of a frame that goes on after a break was where it was made; else itself.
    [[nodiscard]] session::HandedInput originOf(std::size_t compile, const std::string& source) const {
        for (const session::HandedInput& input : m_handed[compile])
            if (input.source == source) return input;
        return {source, compile, 0, source};
    }

    void wireResult(std::size_t input, const session::HandedInput& origin, WorkloadGraph& graph) const {
        const auto forward = m_forwards.find(origin.compile);
        const auto output = forward == m_forwards.end() ? SIZE_MAX : forwardOutput(origin);
        if (output == SIZE_MAX) return;
        const ir::Graph& made = *m_out.graphs[forward->second].graph;
        const std::vector<std::string> results = replay::resultNames(made);
        if (output >= results.size() || results[output].empty() ||
            !sameShape(made, results[output], *graph.graph, input))
            return;
        graph.wires.push_back({input, forward->second, output, false});
    }

    [[nodiscard]] std::size_t forwardOutput(const session::HandedInput& origin) const {
        const session::Compile& compile = m_session.compiles[origin.compile];
        for (const auto* name : {"aot_forward_graph", "aot_inference_graph"})
            if (const session::StagePtr stage = compile.findStage(name))
                if (const Result<ir::GraphPtr> graph = stage->graph())
                    if (const std::size_t at = session::forwardOutput(**graph, origin.output); at != SIZE_MAX)
                        return at;
        return SIZE_MAX;
    }

    /// A result that the caller regenerates is returned as another view than the frame after it takes.
    static bool sameShape(const ir::Graph& made, const std::string& result, const ir::Graph& taking,
                          std::size_t input) {
        const ir::NodeIndex from = made.find(result);
        std::size_t ordinal = 0;
        for (const ir::NodePtr& node : taking.nodes()) {
            if (node->op != ir::Op::Placeholder || ordinal++ != input) continue;
            if (from == ir::npos) return false;
            const std::optional<ir::ValueMeta>& meta = made.node(from).meta;
            return meta && meta->tensor && node->meta && node->meta->tensor &&
                   meta->tensor->dtype == node->meta->tensor->dtype &&
                   meta->tensor->sizes == node->meta->tensor->sizes &&
                   meta->tensor->strides == node->meta->tensor->strides;
        }
        return false;
    }

    [[nodiscard]] std::string functionOf(std::size_t compile) const {
        return std::string(session::originalFunction(m_session.compiles[compile].function));
    }

    static bool isParameter(const session::Compile& compile, const std::string& source) {
        return std::any_of(
            compile.inputs.begin(), compile.inputs.end(),
            [&](const session::TensorInput& input) { return input.isParameter && input.source == source; });
    }

    const session::Session& m_session;
    const ir::SymbolValues& m_symbols;
    bool m_valuesByRank;
    std::vector<std::vector<session::HandedInput>> m_handed; ///< by compile
    std::map<std::size_t, std::size_t> m_forwards;           ///< by compile: index of its forward
    /// By rank and run, function and source: graph and input that hold it.
    std::map<std::tuple<std::pair<int, int>, std::string, std::string>, std::pair<std::size_t, std::size_t>>
        m_parameters;
    Workload m_out;
};

class WorkloadCall {
public:
    WorkloadCall(Client& client, const Workload& workload, const WorkloadOptions& options,
                 const TaskContext& task)
        : m_client(client)
        , m_workload(workload)
        , m_options(options) {
        m_call.timeout = std::chrono::hours(24);
        m_call.task = task;
    }

    tl::expected<WorkloadRun, CallError> run() {
        m_plans.resize(m_workload.graphs.size());
        for (std::size_t i = 0; i < m_workload.graphs.size(); ++i)
            if (const auto done = record(i); !done) return tl::unexpected(done.error());
        if (m_out.graphs.empty()) return tl::unexpected(nothingLeft());
        for (std::uint64_t i = 0; i < m_options.rerecords; ++i)
            for (std::size_t at = 0; at < m_out.graphs.size(); ++at)
                if (const auto done = recordAgain(at); !done) return tl::unexpected(done.error());
        wire::ReplayRequest request;
        for (const std::size_t graph : m_out.graphs)
            request.plans.push_back(m_plans[graph]);
        request.iterations = m_options.iterations;
        request.nodeIterations = m_options.nodeIterations;
        request.verifyEvery = m_options.verifyEvery;
        request.times = m_options.times;
        request.live = m_options.onEvents != nullptr;
        if (m_options.onRecorded) m_options.onRecorded(m_out);
        replay::LiveReader reader;
        CallOptions call = m_call;
        std::string fault; // written by the reader thread before the answer comes
        if (m_options.onEvents)
            call.onData = [&](std::string_view piece) {
                if (const auto events = reader.read(piece)) {
                    m_options.onEvents(*events);
                } else if (fault.empty()) {
                    fault = events.error().message;
                }
            };
        auto reply = m_client.replay(request, call);
        if (reply && fault.empty() && m_options.onEvents && reply->liveEvents.value_or(0) != reader.events())
            fault = "live events are missing";
        if (!fault.empty()) return tl::unexpected(CallError{CallError::Kind::Refused, fault, 0, {}});
        if (!reply) return tl::unexpected(std::move(reply.error()));
        if (const auto read = takeRun(std::move(*reply)); !read)
            return tl::unexpected(CallError{CallError::Kind::Refused, read.error().message, 0, {}});
        (void)m_client.drop({std::move(request.plans)});
        return std::move(m_out);
    }

private:
    tl::expected<void, CallError> record(std::size_t index) {
        const WorkloadGraph& graph = m_workload.graphs[index];
        for (const WorkloadGraph::Wire& wire : graph.wires)
            if (m_plans[wire.graph].empty()) {
                m_out.left.push_back(graph.name + ": reads results of " + m_workload.graphs[wire.graph].name +
                                     ", which was left out");
                return {};
            }
        auto recording = callRecord(index);
        if (!recording) {
            const bool ofThisGraph = recording.error().kind == CallError::Kind::Refused &&
                                     recording.error().code != static_cast<int>(ErrorCode::NoBackend);
            if (!ofThisGraph || recording.error().code == 0) return tl::unexpected(recording.error());
            m_out.left.push_back(graph.name + ": " + recording.error().message);
            return {};
        }
        m_out.graphs.push_back(index);
        m_out.recordings.push_back(std::move(*recording));
        m_out.rerecordings.emplace_back();
        return {};
    }

    tl::expected<void, CallError> recordAgain(std::size_t at) {
        auto recording = callRecord(m_out.graphs[at]);
        if (!recording) return tl::unexpected(recording.error());
        m_out.rerecordings[at].push_back(
            {recording->recordUs, recording->rerecording.value_or(replay::Rerecording())});
        m_out.recordings[at] = std::move(*recording);
        return {};
    }

    /// In the place of the graph's plan, where it has one; what it reads of other graphs has one.
    tl::expected<replay::ReplayRecording, CallError> callRecord(std::size_t index) {
        const WorkloadGraph& graph = m_workload.graphs[index];
        wire::RecordRequest request;
        request.title = graph.name;
        request.on.inputs = graph.inputs;
        request.on.attributes = graph.attributes;
        request.backend = m_options.backend;
        request.threads = m_options.threads;
        request.oneDnn = m_options.oneDnn;
        request.kept = {graph.kept.begin(), graph.kept.end()};
        for (const WorkloadGraph::Wire& row : graph.wires) {
            wire::InputWire& to = request.wires.emplace_back();
            to.input = row.input;
            to.plan = m_plans[row.graph];
            (row.ofInputs ? to.source : to.output) = row.item;
        }
        if (!m_plans[index].empty()) request.again = m_plans[index];
        auto reply = m_client.record(textOf(graph), request, m_call);
        if (!reply) return tl::unexpected(reply.error());
        m_plans[index] = std::move(reply->plan);
        return std::move(reply->recording);
    }

    [[nodiscard]] CallError nothingLeft() const {
        std::string why = "no graph can be replayed";
        if (!m_workload.left.empty()) why = m_workload.left.front();
        if (!m_out.left.empty()) why = m_out.left.front();
        return cannotRun(std::move(why));
    }

    Result<void> takeRun(wire::ReplayReply reply) {
        if (reply.run.graphs.size() != m_out.graphs.size())
            return failure("the engine answered for other graphs");
        m_out.run = std::move(reply.run);
        for (std::size_t i = 0; i < m_out.graphs.size(); ++i) {
            replay::GraphRun& graph = m_out.run.graphs[i];
            if (const auto changed = reply.recordings.find(graph.plan); changed != reply.recordings.end())
                m_out.recordings[i] = std::move(changed->second);
            const std::size_t nodes = m_out.recordings[i].nodes.size();
            for (const replay::NodeTime& node : graph.nodes)
                if (node.node >= nodes) return failure("a time of no node");
            for (const replay::Divergence& row : graph.divergences)
                if (row.node >= nodes) return failure("a divergence of no node");
            graph.plan = m_workload.graphs[m_out.graphs[i]].name;
        }
        return {};
    }

    Client& m_client;
    const Workload& m_workload;
    const WorkloadOptions& m_options;
    CallOptions m_call;
    std::vector<std::string> m_plans; ///< by graph of the workload; empty where it was left out
    WorkloadRun m_out;
};

} // namespace

std::string textOf(const WorkloadGraph& graph) {
    return graph.graph->style().form == ir::TextStyle::Form::Readable ? ir::printReadable(*graph.graph).text
                                                                      : ir::printFx(*graph.graph);
}

Workload workloadOf(const session::Session& session, const ir::SymbolValues& symbols, bool valuesByRank) {
    const log::Stopwatch watch;
    Workload out = Builder(session, symbols, valuesByRank).run();
    log::write(log::Topic::Replay, "put a workload of ", out.graphs.size(), " graphs together in ",
               watch.ms(), " ms, ", out.left.size(), " left out");
    return out;
}

tl::expected<WorkloadRun, CallError> runWorkload(Client& client, const Workload& workload,
                                                 const WorkloadOptions& options, const TaskContext& task) {
    return WorkloadCall(client, workload, options, task).run();
}

} // namespace dynascope::engine
