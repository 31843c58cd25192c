// SPDX-License-Identifier: BSD-3-Clause
//
// What a build may want to keep small of a capture: graph breaks, recompiles, compile time, memory, graphs that are no
// CUDA graphs, nodes; each with what it is made of, worst first. Pure functions of a Session; any thread.
#pragma once

#include "core/base/task.h"
#include "core/session/session.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::report {

enum class Kind : std::uint8_t { GraphBreaks, Recompiles, CompileSeconds, PeakBytes, NoCudaGraph, Nodes };
inline constexpr std::array kinds{Kind::GraphBreaks, Kind::Recompiles,  Kind::CompileSeconds,
                                  Kind::PeakBytes,   Kind::NoCudaGraph, Kind::Nodes};
/// "graph-breaks": rules of SARIF, cases of JUnit; never changed.
[[nodiscard]] std::string_view kindName(Kind kind);
/// "3 graph breaks", "1.5 s of compile time", "80 MiB at the peak of one graph".
[[nodiscard]] std::string figureText(Kind kind, double value);

/// One thing that a figure is made of.
struct Part {
    double value = 0;      ///< how much of the figure: breaks, seconds, bytes, nodes
    std::string compile;   ///< "0/0", with its rank or run where needed; empty where it is of none
    std::string text;      ///< "Call to torch._dynamo.graph_break()": no end of sentence
    std::string advice;    ///< what to do first; may be empty
    ir::SourceLocation at; ///< the program's line; its file is empty where none is known
};

struct Figure {
    /// Nothing where the capture does not say it: `unknown` says why.
    std::optional<double> value;
    bool atLeast = false; ///< something is not counted
    std::string unknown;
    std::vector<Part> parts; ///< most of the figure first, then in the order of compilation
};

/// By Kind. Graph breaks count as the page Graph breaks counts them, compile time with backward; the peak is that of the
/// graph with the highest, without its inputs, by lifetimes; a graph on the CPU is judged as on one GPU; nodes are those
/// of the graphs that the backend got last.
struct Figures {
    std::array<Figure, kinds.size()> of;
    [[nodiscard]] const Figure& operator[](Kind kind) const { return of[static_cast<std::size_t>(kind)]; }
    [[nodiscard]] Figure& operator[](Kind kind) { return of[static_cast<std::size_t>(kind)]; }
};
/// Reads every graph that would run. What was cancelled is incomplete.
[[nodiscard]] Figures figuresOf(const session::Session& session, const TaskContext& task = {});

} // namespace dynascope::report
