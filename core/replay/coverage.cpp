// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/coverage.h"

#include <algorithm>
#include <charconv>

namespace dynascope::replay {

namespace {

using session::Phase;

/// "static_input_indices" of the compile's last attempt, over the inputs of AOTAutograd's graph.
std::vector<std::size_t> staticInputs(const session::Session& session, const session::Compile& compile) {
    for (auto record = compile.records.rbegin(); record != compile.records.rend(); ++record)
        if (*record < session.records.size() &&
            session.records[*record].type == "artifact:aot_forward_graph_fw_metadata")
            return staticInputsOf(session.records[*record].payload.text());
    return {};
}

/// The last graph of a part of the pipeline: what Inductor lowers where it did, else AOTAutograd's.
session::StagePtr lastGraph(const session::Compile& compile, std::initializer_list<Phase> phases) {
    session::StagePtr found;
    for (const session::StagePtr& stage : compile.stages) {
        if (stage->content != session::Stage::Content::Graph ||
            std::find(phases.begin(), phases.end(), stage->phase) == phases.end())
            continue;
        if (!found || stage->attempt >= found->attempt) found = stage;
    }
    return found;
}

bool isTangent(const std::string& name) {
    // As count_tangents of torch/_inductor/utils.py tells saved tensors from what backward is given.
    for (const char* word : {"tangents", "bwd_seed", "bwd_base_offset", "bwd_rng_state"})
        if (name.find(word) != std::string::npos) return true;
    return false;
}

std::vector<std::size_t> savedInputs(const ir::Graph& graph) {
    std::vector<std::size_t> out;
    std::size_t ordinal = 0;
    for (const ir::NodePtr& node : graph.nodes()) {
        if (node->op != ir::Op::Placeholder) continue;
        if (isTangent(node->name)) break;
        out.push_back(ordinal++);
    }
    return out;
}

/// Inputs that are named as parameters or buffers, as torch.export names them.
std::vector<std::size_t> parameters(const ir::Graph& graph) {
    std::vector<std::size_t> out;
    std::size_t ordinal = 0;
    for (const ir::NodePtr& node : graph.nodes()) {
        if (node->op != ir::Op::Placeholder) continue;
        if (ir::opKind(*node) == ir::OpKind::Parameter) out.push_back(ordinal);
        ++ordinal;
    }
    return out;
}

/// Placeholders of Dynamo's graph: the backend "cudagraphs" takes what AOTAutograd has more for fixed.
std::size_t dynamoInputs(const session::Compile& compile) {
    const session::StagePtr stage = lastGraph(compile, {Phase::Dynamo});
    const Result<ir::GraphPtr> graph = stage ? stage->graph() : Result<ir::GraphPtr>(nullptr);
    if (!graph || !*graph) return SIZE_MAX;
    return static_cast<std::size_t>(
        std::count_if((*graph)->nodes().begin(), (*graph)->nodes().end(),
                      [](const ir::NodePtr& node) { return node->op == ir::Op::Placeholder; }));
}

std::vector<std::size_t> firstInputs(std::size_t count) {
    std::vector<std::size_t> out(count);
    for (std::size_t i = 0; i < count; ++i)
        out[i] = i;
    return out;
}

class Report {
public:
    Report(const session::Session& session, GraphBackend backend, const TaskContext& task)
        : m_session(session)
        , m_task(task) {
        m_out.backend = backend;
    }

    CoverageReport run() {
        for (std::size_t i = 0; i < m_session.compiles.size() && !m_task.cancelled(); ++i)
            visit(i);
        return std::move(m_out);
    }

private:
    void visit(std::size_t index) {
        const session::Compile& compile = m_session.compiles[index];
        const session::StagePtr inference = lastGraph(compile, {Phase::Inference});
        const session::StagePtr forward =
            lastGraph(compile, {Phase::Inference, Phase::Forward, Phase::PostGradForward});
        const session::StagePtr backward = lastGraph(compile, {Phase::Backward, Phase::PostGradBackward});
        if (forward) {
            judge(index, forward, inference ? "inference" : "forward");
            if (backward) judgeBackward(index, backward);
        } else if (backward) {
            judge(index, backward, "backward");
        } else if (const session::StagePtr only =
                       lastGraph(compile, {Phase::Dynamo, Phase::Export, Phase::PreGrad, Phase::Joint})) {
            judge(index, only, "graph");
        }
    }

    void judge(std::size_t index, const session::StagePtr& stage, std::string part) {
        const Result<ir::GraphPtr> graph = stage->graph();
        GraphCoverage out;
        if (graph) {
            const session::Compile& compile = m_session.compiles[index];
            std::vector<std::size_t> fixed = fixedInputs(compile, **graph, part);
            out = judgeGraph(factsOf(*graph), fixed, m_out.backend);
            out.fixed = std::move(fixed);
        } else {
            out.message = "the graph cannot be read: " + graph.error().message;
        }
        out.compile = index;
        out.stage = stage;
        out.part = std::move(part);
        m_out.graphs.push_back(std::move(out));
    }

    std::vector<std::size_t> fixedInputs(const session::Compile& compile, const ir::Graph& graph,
                                         const std::string& part) const {
        if (part == "backward") return savedInputs(graph);
        if (part == "graph") return parameters(graph);
        if (m_out.backend == GraphBackend::ReduceOverhead) return staticInputs(m_session, compile);
        const std::size_t own = placeholdersOf(graph).size(), given = dynamoInputs(compile);
        return firstInputs(given < own ? own - given : 0);
    }

    /// A forward that is skipped takes its backward with it.
    void judgeBackward(std::size_t index, const session::StagePtr& stage) {
        const GraphCoverage forward = m_out.graphs.back();
        judge(index, stage, "backward");
        GraphCoverage& out = m_out.graphs.back();
        const auto follow = [](CoverageVerdict& verdict, CoverageVerdict of) {
            if (of != CoverageVerdict::Skipped || verdict == CoverageVerdict::Skipped) return false;
            verdict = CoverageVerdict::Skipped;
            return true;
        };
        bool follows = follow(out.verdict, forward.verdict);
        if (out.onGpu && forward.onGpu) follows = follow(*out.onGpu, *forward.onGpu) || follows;
        if (!follows) return;
        if (out.message.empty()) out.message = "its forward is skipped";
        out.problems.push_back({"its forward is no CUDA graph", "mend the forward first", {}, true});
    }

    const session::Session& m_session;
    const TaskContext& m_task;
    CoverageReport m_out;
};

} // namespace

std::string_view coverageVerdictName(CoverageVerdict verdict) {
    switch (verdict) {
    case CoverageVerdict::CudaGraph:
        return "CUDA graph";
    case CoverageVerdict::Split:
        return "split";
    case CoverageVerdict::Skipped:
        return "skipped";
    case CoverageVerdict::Unknown:
        break;
    }
    return "unknown";
}

std::size_t CoverageReport::count(CoverageVerdict verdict) const {
    return static_cast<std::size_t>(std::count_if(
        graphs.begin(), graphs.end(), [&](const GraphCoverage& graph) { return graph.verdict == verdict; }));
}

std::size_t CoverageReport::countOnGpu(CoverageVerdict verdict) const {
    return static_cast<std::size_t>(std::count_if(
        graphs.begin(), graphs.end(), [&](const GraphCoverage& graph) { return graph.onGpu == verdict; }));
}

std::vector<std::size_t> staticInputsOf(std::string_view metadata) {
    constexpr std::string_view key = "static_input_indices=[";
    std::vector<std::size_t> out;
    const std::size_t begin = metadata.find(key);
    if (begin == std::string_view::npos) return out;
    metadata.remove_prefix(begin + key.size());
    metadata = metadata.substr(0, metadata.find(']'));
    while (!metadata.empty()) {
        const std::size_t digit = metadata.find_first_of("0123456789");
        if (digit == std::string_view::npos) break;
        metadata.remove_prefix(digit);
        std::size_t value = 0;
        const auto end = std::from_chars(metadata.data(), metadata.data() + metadata.size(), value);
        if (end.ec == std::errc()) out.push_back(value);
        metadata.remove_prefix(static_cast<std::size_t>(end.ptr - metadata.data()));
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

CoverageReport cudagraphCoverage(const session::Session& session, GraphBackend backend,
                                 const TaskContext& task) {
    return Report(session, backend, task).run();
}

} // namespace dynascope::replay
