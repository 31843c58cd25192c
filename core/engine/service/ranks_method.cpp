// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/service/ranks_method.h"

#include "core/engine/cases/graph_inputs.h"
#include "core/engine/collectives/lock_step.h"
#include "core/engine/exec/case_values.h"
#include "core/engine/exec/thread_count.h"
#include "core/engine/replay/replay_run.h"
#include "core/engine/replay/wired_input.h"
#include "core/engine/service/execute.h"
#include "core/ir/text.h"

#include <algorithm>
#include <map>
#include <memory>

namespace dynascope::engine {

namespace {

using nlohmann::json;
using ProgramPtr = std::shared_ptr<const Program>;

constexpr std::size_t mostRanks = 256; ///< threads, each with its graphs' memory
constexpr std::uint64_t mostIterations = 100'000;

/// One graph of a rank, ready to be recorded.
struct Prepared {
    const wire::RankGraph* said = nullptr;
    ProgramPtr program;
    std::vector<c10::IValue> inputs;
    Attributes attributes;
};

std::string nameOf(std::size_t rank, const wire::RankGraph& graph) {
    return "rank " + std::to_string(rank) + ", " + graph.name;
}

class RanksCall {
public:
    RanksCall(const wire::RanksRequest& said, const TaskContext& task)
        : m_said(said)
        , m_task(task)
        , m_prepared(said.ranks.size())
        , m_errors(said.ranks.size()) {
        m_reply.ranks.resize(said.ranks.size());
    }

    tl::expected<wire::RanksReply, Failure> run() {
        auto groups = members();
        if (!groups) return tl::unexpected(std::move(groups.error()));
        for (std::size_t rank = 0; rank < m_said.ranks.size(); ++rank)
            for (const wire::RankGraph& graph : m_said.ranks[rank].graphs) {
                auto prepared = prepare(graph);
                if (!prepared) {
                    prepared.error().message = nameOf(rank, graph) + ": " + prepared.error().message;
                    return tl::unexpected(std::move(prepared.error()));
                }
                m_prepared[rank].push_back(std::move(*prepared));
            }
        const OneThread threads;
        LockStep together(m_said.ranks.size(), std::move(*groups), m_task);
        together.run([&](std::size_t rank) { runRank(rank); });
        if (m_task.cancelled()) return tl::unexpected(Failure{ErrorCode::Cancelled, "cancelled", {}});
        m_reply.meetings = together.meetings();
        if (together.failure()) m_reply.failure = failureOf(*together.failure());
        return std::move(m_reply);
    }

private:
    [[nodiscard]] tl::expected<std::vector<GroupMembers>, Failure> members() const {
        if (m_said.ranks.empty() || m_said.ranks.size() > mostRanks)
            return invalid("1 to " + std::to_string(mostRanks) + " ranks can run here, not " +
                           std::to_string(m_said.ranks.size()));
        if (m_said.iterations > mostIterations || m_said.nodeIterations > mostIterations)
            return invalid("more than " + std::to_string(mostIterations) + " iterations");
        std::vector<GroupMembers> out;
        for (const wire::RankGroup& group : m_said.groups) {
            GroupMembers& members = out.emplace_back(GroupMembers{group.name, {}});
            for (const std::uint64_t rank : group.ranks) {
                if (rank >= m_said.ranks.size() ||
                    std::ranges::find(members.ranks, rank) != members.ranks.end())
                    return invalid("group '" + group.name + "' has a rank that is not there, or one twice");
                members.ranks.push_back(rank);
            }
            if (members.ranks.empty()) return invalid("group '" + group.name + "' has no ranks");
            if (std::ranges::count(out, group.name, &GroupMembers::name) > 1)
                return invalid("two groups have the name '" + group.name + '\'');
        }
        return out;
    }

    tl::expected<ProgramPtr, Failure> programOf(const std::string& text) {
        ProgramPtr& program = m_programs[text];
        if (program) return program;
        Result<ir::GraphPtr> graph = ir::readGraph(text);
        if (!graph) return invalid(graph.error().toString());
        program = std::make_shared<const Program>(compile(std::move(*graph)));
        return program;
    }

    tl::expected<Prepared, Failure> prepare(const wire::RankGraph& graph) {
        auto program = programOf(graph.text);
        if (!program) return tl::unexpected(std::move(program.error()));
        if (!(*program)->unsupported.empty()) return tl::unexpected(unsupportedFailure(**program));
        GraphInputOptions options;
        for (const auto& [name, value] : graph.on.symbols)
            options.symbols[name] = value;
        Result<json> form = graph.on.inputs.is_null() ? inputsOfGraph(*(*program)->graph, options)
                                                      : withPlainScalars(graph.on.inputs);
        if (!form) return invalid(form.error().message);
        Result<CaseInputs> made = makeInputs(*form, {});
        if (!made) return invalid(made.error().message);
        Result<Attributes> attributes = makeAttributes(graph.on.attributes);
        if (!attributes) return invalid(attributes.error().message);
        seedAttributes(**program, *attributes);
        return Prepared{&graph, std::move(*program), std::move(made->values), std::move(*attributes)};
    }

    /// On the rank's thread.
    void runRank(std::size_t rank) {
        try {
            recordAndReplay(rank);
        } catch (const std::exception& error) {
            m_errors[rank] = PlanError{0, RunError{errorText(error), ir::npos, false, {}}};
        }
        if (!m_errors[rank]) return;
        const auto& [graph, error] = *m_errors[rank];
        m_reply.ranks[rank].error = wire::RankError{graph, nodeOf(rank), error.message};
    }

    void recordAndReplay(std::size_t rank) {
        const at::AutoGradMode noGrad(false);
        const std::unique_ptr<ReplayBackend> backend = makeCpuBackend();
        std::vector<std::unique_ptr<RecordedGraph>> graphs;
        RunRequest request;
        for (std::size_t i = 0; i < m_prepared[rank].size(); ++i) {
            Prepared& one = m_prepared[rank][i];
            if (const std::string fault = connect(one, graphs); !fault.empty()) {
                m_errors[rank] = PlanError{i, RunError{fault, ir::npos, false, {}}};
                return;
            }
            auto graph = backend->record({one.program,
                                          std::move(one.inputs),
                                          std::move(one.attributes),
                                          1,
                                          true,
                                          {one.said->kept.begin(), one.said->kept.end()}},
                                         m_task);
            if (!graph) {
                m_errors[rank] = PlanError{i, std::move(graph.error())};
                return;
            }
            m_reply.ranks[rank].recordings.push_back((*graph)->recording());
            graphs.push_back(std::move(*graph));
            request.plans.push_back({one.said->name, graphs.back().get()});
        }
        request.iterations = std::max<std::uint64_t>(m_said.iterations, 1);
        request.nodeIterations = m_said.nodeIterations;
        request.verifyEvery = m_said.verifyEvery;
        request.eager = false;
        request.eagerTwice = false;
        auto run = replayMany(request, m_task);
        if (!run) {
            m_errors[rank] = std::move(run.error());
            return;
        }
        m_reply.ranks[rank].run = std::move(*run);
        if (m_said.outputs) describeOutputs(rank, graphs);
    }

    /// Puts memory of graphs before in the place of inputs; says what does not fit.
    static std::string connect(Prepared& one, const std::vector<std::unique_ptr<RecordedGraph>>& before) {
        for (const wire::RankWire& wire : one.said->wires) {
            if (wire.graph >= before.size()) return "a wire leads to no graph before this one";
            std::string fault =
                wireInput(one.inputs, wire.input, *before[wire.graph], wire.output, wire.source);
            if (!fault.empty()) return fault;
        }
        return {};
    }

    void describeOutputs(std::size_t rank, const std::vector<std::unique_ptr<RecordedGraph>>& graphs) {
        auto& all = m_reply.ranks[rank].outputs.emplace();
        for (const auto& graph : graphs) {
            std::vector<wire::Any>& out = all.emplace_back();
            for (const c10::IValue& value : graph->outputs())
                out.push_back(isDefinedTensor(value) ? describe(value.toTensor()) : json());
        }
    }

    [[nodiscard]] std::string nodeOf(std::size_t rank) const {
        const std::optional<PlanError>& error = m_errors[rank];
        if (!error || error->plan >= m_prepared[rank].size()) return {};
        const ir::Graph& graph = *m_prepared[rank][error->plan].program->graph;
        return error->error.node < graph.size() ? graph.node(error->error.node).name : std::string();
    }

    [[nodiscard]] wire::RanksFailure failureOf(const LockStepFailure& failure) const {
        wire::RanksFailure out;
        out.kind = failure.kind == LockStepFailure::Kind::Hang ? "hang" : "mismatch";
        out.text = failure.text;
        out.ended = {failure.ended.begin(), failure.ended.end()};
        out.never = {failure.never.begin(), failure.never.end()};
        for (const LockStepFailure::Waiting& waiting : failure.waiting) {
            const std::optional<PlanError>& error = m_errors[waiting.rank];
            const auto& graphs = m_prepared[waiting.rank];
            out.waiting.push_back(
                {waiting.rank, waiting.call,
                 error && error->plan < graphs.size() ? graphs[error->plan].said->name : std::string(),
                 nodeOf(waiting.rank)});
        }
        return out;
    }

    const wire::RanksRequest& m_said;
    const TaskContext& m_task;
    std::map<std::string, ProgramPtr> m_programs;   ///< by text
    std::vector<std::vector<Prepared>> m_prepared;  ///< by rank
    std::vector<std::optional<PlanError>> m_errors; ///< by rank
    wire::RanksReply m_reply;
};

} // namespace

tl::expected<wire::RanksReply, Failure> ranksMethod(const wire::RanksRequest& said, const TaskContext& task) {
    return RanksCall(said, task).run();
}

} // namespace dynascope::engine
