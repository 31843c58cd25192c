// SPDX-License-Identifier: BSD-3-Clause
//
// For a whole capture: which compiled graphs would be CUDA graphs, which not, why, where and what to change.
// Needs no GPU: it asks what PyTorch asks at compile time (SPEC section 12).
#pragma once

#include "core/base/task.h"
#include "core/replay/skip_check.h"
#include "core/session/session.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::replay {

enum class GraphBackend : unsigned char {
    ReduceOverhead, ///< torch.compile(mode="reduce-overhead"): Inductor with CUDA-graph trees
    Cudagraphs,     ///< torch.compile(backend="cudagraphs")
};

enum class CoverageVerdict : unsigned char {
    CudaGraph,
    Split,   ///< Inductor cuts the graph around some ops; the pieces between them are CUDA graphs
    Skipped, ///< runs eagerly
    Raises,  ///< PyTorch raises an error while it compiles
    Unknown, ///< the capture does not say enough
};
[[nodiscard]] std::string_view coverageVerdictName(CoverageVerdict verdict); ///< "CUDA graph", "split", ..

struct CoveragePlace {
    std::string node;      ///< its name in the graph
    std::string target;    ///< the op; empty for an input
    ir::SourceLocation at; ///< of the op, or of the first op that reads the input
};

/// CoverageProblem::what of a graph with CPU tensors, which a GPU would take away.
inline constexpr std::string_view runsOnCpu = "runs on the CPU";

struct CoverageProblem {
    std::string what;   ///< "writes an input": a few words
    std::string advice; ///< what to change
    std::vector<CoveragePlace> places;
    bool prevents = false; ///< false: no reason to skip, but worth knowing
};

/// An input that is a result of an earlier graph, handed over at a graph break: it lies in that one's
/// recording. Only where the earlier graph would be recorded.
struct RecordedInput {
    std::size_t input = 0;  ///< ordinal among the placeholders
    std::size_t graph = 0;  ///< index into CoverageReport::graphs
    std::size_t output = 0; ///< position among what that one returns
    friend bool operator==(const RecordedInput&, const RecordedInput&) = default;
};

/// One compiled graph.
struct GraphCoverage {
    std::size_t compile = 0; ///< index into Session::compiles
    session::StagePtr stage; ///< the graph that was judged
    std::string part;        ///< "forward", "backward", "inference", "graph"
    std::size_t nodes = 0;
    std::size_t inputs = 0, fixedInputs = 0; ///< placeholders, and those with fixed addresses among them
    std::vector<std::size_t> fixed;          ///< which: ordinals, ascending; some may be beyond the inputs
    std::vector<RecordedInput> recorded;     ///< ascending; with reduce-overhead only
    std::vector<std::string> sources; ///< by input: what it stands for, "L['x']"; empty where not known
    CoverageVerdict verdict = CoverageVerdict::Unknown;
    /// Of a graph that has CPU tensors only: the verdict if they were on one GPU.
    std::optional<CoverageVerdict> onGpu;
    bool needsNone = false; ///< it has no call, or no tensor of it is on any device
    /// PyTorch's words where it has any as it skips or raises, else why the graph is not known. Inductor has none for a
    /// graph without a CUDA tensor, nor for a reason for which another release or setting would cut the graph.
    std::string message;
    std::string messageOnGpu; ///< PyTorch's words if the tensors were on one GPU, where onGpu has any
    std::vector<CoverageProblem> problems; ///< reasons first, notes after them
};

struct CoverageReport {
    GraphBackend backend = GraphBackend::ReduceOverhead;
    std::vector<GraphCoverage> graphs;
    [[nodiscard]] std::size_t count(CoverageVerdict verdict) const;
    [[nodiscard]] std::size_t countOnGpu(CoverageVerdict verdict) const;
};

/// Judges the last graph of each compile's forward and backward. Reads every graph concerned; stops early
/// where the task is cancelled.
[[nodiscard]] CoverageReport cudagraphCoverage(const session::Session& session, GraphBackend backend,
                                               const TaskContext& task = {});

/// Whether a stage, a cache or a timing event of Inductor's is in the capture. Where a trace has none, another backend
/// compiled it: the mode "reduce-overhead" is Inductor's alone.
[[nodiscard]] bool ranInductor(const session::Session& session);

/// What is known of a graph besides its text. Inputs by ordinal, ascending.
struct CoverageContext {
    GraphBackend backend = GraphBackend::ReduceOverhead;
    std::vector<std::size_t> fixed;    ///< inputs whose addresses stay
    std::vector<std::size_t> recorded; ///< inputs that lie in recordings of other graphs
    /// It is AOTAutograd's, or was made of it, and so calls no Python functions, whatever its higher-order operators
    /// look like.
    bool ofAutograd = false;
    bool cuts = true; ///< see cutsGraphs()
};

/// One graph by itself.
[[nodiscard]] GraphCoverage judgeGraph(const ReplayGraphFacts& facts, const CoverageContext& options);

/// Whether Inductor cut a graph around what cannot be recorded when the compile was captured, in place of giving
/// up all of it: torch._inductor.config.graph_partition as the compile's metrics have it, else its default, which
/// is on since PyTorch 2.9. Reads the compile's metrics.
[[nodiscard]] bool cutsGraphs(const session::Session& session, const session::Compile& compile);

/// PyTorch's words without the stack that goes on behind them, whose lines are among the places of the problems.
[[nodiscard]] std::string_view withoutStack(std::string_view message);

/// "static_input_indices=[0, 1]" of AOTAutograd's metadata; empty where there is none.
[[nodiscard]] std::vector<std::size_t> staticInputsOf(std::string_view metadata);

} // namespace dynascope::replay
