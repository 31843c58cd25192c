// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/coverage.h"

#include "core/base/log.h"
#include "core/passes/aot/metadata_text.h"
#include "core/replay/tree_function.h"
#include "core/session/handed_over.h"
#include "core/session/input_sources.h"
#include "core/session/metrics.h"
#include "core/session/release.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace dynascope::replay {

namespace {

using session::Phase;

/// AOTAutograd's metadata of the compile's last attempt; its inputs are those of AOTAutograd's graph.
std::string metadataText(const session::Session& session, const session::Compile& compile) {
    for (auto record = compile.records.rbegin(); record != compile.records.rend(); ++record)
        if (*record < session.records.size() &&
            session.records[*record].type == "artifact:aot_forward_graph_fw_metadata")
            return session.records[*record].payload.text();
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

std::size_t inputCount(const ir::Graph& graph) {
    return static_cast<std::size_t>(
        std::count_if(graph.nodes().begin(), graph.nodes().end(),
                      [](const ir::NodePtr& node) { return node->op == ir::Op::Placeholder; }));
}

/// Placeholders of Dynamo's graph: the backend "cudagraphs" takes what AOTAutograd has more for fixed.
std::size_t dynamoInputs(const session::Compile& compile) {
    const session::StagePtr stage = lastGraph(compile, {Phase::Dynamo, Phase::Text});
    const Result<ir::GraphPtr> graph = stage ? stage->graph() : Result<ir::GraphPtr>(nullptr);
    return graph && *graph ? inputCount(**graph) : SIZE_MAX;
}

/// AOTAutograd's own graph of the last attempt: those that passes make of it have its inputs and results, but
/// not what it says of them.
ir::GraphPtr autogradGraph(const session::Compile& compile, bool backward) {
    session::StagePtr found;
    for (const session::StagePtr& stage : compile.stages) {
        const bool own = backward
                             ? stage->name == "aot_backward_graph"
                             : stage->name == "aot_forward_graph" || stage->name == "aot_inference_graph";
        if (own && (!found || stage->attempt >= found->attempt)) found = stage;
    }
    const Result<ir::GraphPtr> graph = found ? found->graph() : Result<ir::GraphPtr>(nullptr);
    return graph ? *graph : nullptr;
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
        , m_handed(backend == GraphBackend::ReduceOverhead ? session::handedOver(session)
                                                           : std::vector<std::vector<session::HandedInput>>())
        , m_task(task) {
        m_out.backend = backend;
        for (const session::Compile& compile : session.compiles)
            if (compile.id.autograd >= 0 && compile.id.frame >= 0)
                m_compiledAutograd.emplace(compile.origin(), compile.id.autograd);
    }

    CoverageReport run() {
        for (std::size_t i = 0; i < m_session.compiles.size() && !m_task.cancelled(); ++i)
            visit(i);
        return std::move(m_out);
    }

private:
    void visit(std::size_t index) {
        const session::Compile& compile = m_session.compiles[index];
        if (isGivenToDynamo(compile)) return;
        const session::StagePtr inference = lastGraph(compile, {Phase::Inference});
        const session::StagePtr forward =
            lastGraph(compile, {Phase::Inference, Phase::Forward, Phase::PostGradForward});
        const session::StagePtr backward = lastGraph(compile, {Phase::Backward, Phase::PostGradBackward});
        // Its frame runs as it is. Where the backend "cudagraphs" raised, that is what is asked.
        if ((compile.status == session::Status::Failed || compile.status == session::Status::Skipped) &&
            (m_out.backend == GraphBackend::ReduceOverhead || !forward))
            return;
        if (forward) {
            judge(index, forward, inference ? "inference" : "forward");
            if (backward) judgeBackward(index, backward);
        } else if (backward) {
            judge(index, backward, "backward");
        } else if (const session::StagePtr only = lastGraph(
                       compile, {Phase::Dynamo, Phase::Export, Phase::PreGrad, Phase::Joint, Phase::Text})) {
            judge(index, only, "graph");
        }
    }

    /// Compiled autograd's own graph, which Dynamo compiles under an id that begins with the same number.
    [[nodiscard]] bool isGivenToDynamo(const session::Compile& compile) const {
        return compile.id.autograd >= 0 && compile.id.frame < 0 &&
               m_compiledAutograd.contains({compile.origin(), compile.id.autograd});
    }

    void judge(std::size_t index, const session::StagePtr& stage, std::string part) {
        const Result<ir::GraphPtr> graph = stage->graph();
        GraphCoverage out;
        if (graph) {
            const session::Compile& compile = m_session.compiles[index];
            std::vector<std::string> sources = sourcesOf(compile, **graph, part);
            std::vector<RecordedInput> recorded = recordedInputs(index, sources, part);
            CoverageContext options{m_out.backend, fixedInputs(compile, **graph, part), {}, part != "graph"};
            for (const RecordedInput& input : recorded)
                options.recorded.push_back(input.input);
            const ReplayGraphFacts facts = factsOf(*graph);
            out = judgeGraph(facts, options);
            const bool isCut = out.verdict == CoverageVerdict::Split || out.onGpu == CoverageVerdict::Split;
            if (isCut && !cutsGraphs(m_session, compile)) {
                options.cuts = false;
                out = judgeGraph(facts, options);
            }
            out.fixed = std::move(options.fixed);
            out.recorded = std::move(recorded);
            out.sources = std::move(sources);
        } else {
            out.message = "the graph cannot be read: " + graph.error().message;
        }
        out.compile = index;
        out.stage = stage;
        out.part = std::move(part);
        if (out.part == "forward" || out.part == "inference") m_forwards[index] = m_out.graphs.size();
        m_out.graphs.push_back(std::move(out));
    }

    static std::vector<std::string> sourcesOf(const session::Compile& compile, const ir::Graph& graph,
                                              const std::string& part) {
        const ir::GraphPtr named = part == "graph" ? nullptr : autogradGraph(compile, part == "backward");
        return session::inputSources(compile,
                                     named && inputCount(*named) == inputCount(graph) ? *named : graph);
    }

    /// A graph that goes on after a break takes results of the one before it.
    std::vector<RecordedInput> recordedInputs(std::size_t index, const std::vector<std::string>& sources,
                                              const std::string& part) const {
        std::vector<RecordedInput> out;
        if (index >= m_handed.size() || (part != "forward" && part != "inference")) return out;
        for (std::size_t i = 0; i < sources.size(); ++i) {
            const auto handed =
                std::find_if(m_handed[index].begin(), m_handed[index].end(),
                             [&](const session::HandedInput& input) { return input.source == sources[i]; });
            if (sources[i].empty() || handed == m_handed[index].end() || !handed->isResult()) continue;
            if (auto made = madeBy(handed->compile, handed->output, 0)) {
                made->input = i;
                out.push_back(*made);
            }
        }
        return out;
    }

    /// The recording in whose memory result `output` of a Dynamo graph lies.
    std::optional<RecordedInput> madeBy(std::size_t compile, std::size_t output, int depth) const {
        constexpr int longest = 200;
        const auto forward = m_forwards.find(compile);
        const ir::GraphPtr named = autogradGraph(m_session.compiles[compile], false);
        if (forward == m_forwards.end() || !named || depth > longest) return {};
        const GraphCoverage& graph = m_out.graphs[forward->second];
        const CoverageVerdict verdict = graph.onGpu.value_or(graph.verdict);
        const std::size_t at = session::forwardOutput(*named, output);
        const auto meta = passes::aot::readMetadataText(metadataText(m_session, m_session.compiles[compile]));
        if (at == SIZE_MAX || !meta || output >= meta->meta.outputs.size()) return {};
        const auto& info = meta->meta.outputs[output];
        if (info.input) {
            // It is an input, or a view of one, that was perhaps itself a result before.
            if (graph.inputs != meta->meta.inputs.size()) return {};
            for (const RecordedInput& input : graph.recorded)
                if (input.input == info.input->value) return input;
            return {};
        }
        if (verdict == CoverageVerdict::Split && !isRecordable(named, at)) return {};
        if (verdict != CoverageVerdict::CudaGraph && verdict != CoverageVerdict::Split) return {};
        return RecordedInput{0, forward->second, at};
    }

    /// What an op that cannot be recorded returns does not lie in a recording, nor what is on the CPU.
    static bool isRecordable(const ir::GraphPtr& graph, std::size_t output) {
        const std::vector<std::string> results = resultNames(*graph);
        const ir::NodeIndex node =
            output < results.size() && !results[output].empty() ? graph->find(results[output]) : ir::npos;
        if (node == ir::npos) return false;
        const ReplayGraphFacts facts = factsOf(graph);
        const auto made = static_cast<ir::NodeIndex>(std::max(facts.nodes[node].storage, 0));
        return deviceType(facts.nodes[made].device) == "cuda" && !cannotBeRecorded(facts, made);
    }

    std::vector<std::size_t> fixedInputs(const session::Compile& compile, const ir::Graph& graph,
                                         const std::string& part) const {
        if (part == "backward") return savedInputs(graph);
        if (part == "graph") return parameters(graph);
        if (m_out.backend == GraphBackend::ReduceOverhead)
            return staticInputsOf(metadataText(m_session, compile));
        const std::size_t own = placeholdersOf(graph).size(), given = dynamoInputs(compile);
        return firstInputs(given < own ? own - given : 0);
    }

    /// A forward that is skipped takes its backward with it.
    void judgeBackward(std::size_t index, const session::StagePtr& stage) {
        const GraphCoverage forward = m_out.graphs.back();
        judge(index, stage, "backward");
        GraphCoverage& out = m_out.graphs.back();
        const auto follow = [](CoverageVerdict& verdict, CoverageVerdict of) {
            const bool runs = of != CoverageVerdict::Skipped && of != CoverageVerdict::Raises;
            if (runs || verdict == of) return false;
            verdict = of;
            return true;
        };
        if (forward.needsNone && forward.message.empty()) return; // handed back, and nothing was asked
        bool follows = follow(out.verdict, forward.verdict);
        if (out.onGpu && forward.onGpu) follows = follow(*out.onGpu, *forward.onGpu) || follows;
        if (!follows) return;
        if (out.message.empty())
            out.message =
                out.verdict == CoverageVerdict::Raises ? "its forward raises" : "its forward is skipped";
        out.problems.push_back({"its forward is no CUDA graph", "fix the forward first", {}, true});
    }

    const session::Session& m_session;
    const std::vector<std::vector<session::HandedInput>> m_handed; ///< by compile
    const TaskContext& m_task;
    std::set<std::pair<std::pair<int, int>, int>>
        m_compiledAutograd;                        ///< origin and number of what Dynamo compiled
    std::map<std::size_t, std::size_t> m_forwards; ///< by compile: index into the report's graphs
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
    case CoverageVerdict::Raises:
        return "raises";
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

std::string_view withoutStack(std::string_view message) {
    return message.substr(0, message.find(". Found from"));
}

bool cutsGraphs(const session::Session& session, const session::Compile& compile) {
    const std::map<std::string, session::Metric> settings = session::readSettings(compile);
    const auto set = settings.find("inductor_config.graph_partition");
    if (set != settings.end() && set->second.kind == session::Metric::Kind::Bool)
        return set->second.number != 0;
    // Not told: as the PyTorch that graphs are judged by.
    return session::isSince(session.torchVersion, 9, true);
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

bool ranInductor(const session::Session& session) {
    const auto isInductors = [](const session::StagePtr& stage) {
        return stage->phase == Phase::PreGrad || stage->phase == Phase::PostGradForward ||
               stage->phase == Phase::PostGradBackward || stage->phase == Phase::Code;
    };
    return std::ranges::any_of(session.compiles,
                               [&](const session::Compile& compile) {
                                   // Only Inductor's graphs are cached.
                                   return !compile.caches.empty() ||
                                          std::ranges::any_of(compile.stages, isInductors);
                               }) ||
           std::ranges::any_of(session.timings, [](const session::TimingEvent& event) {
               return event.name == "inductor_compile";
           });
}

CoverageReport cudagraphCoverage(const session::Session& session, GraphBackend backend,
                                 const TaskContext& task) {
    const log::Stopwatch watch;
    CoverageReport out = Report(session, backend, task).run();
    log::write(log::Topic::Replay, session.title, ": judged ", out.graphs.size(),
               " graphs for CUDA graphs in ", watch.ms(), " ms");
    return out;
}

} // namespace dynascope::replay
