// SPDX-License-Identifier: BSD-3-Clause
//
// What core/replay says about the graphs of a capture and their inputs, as rows and facts. Pure functions.
#pragma once

#include "core/replay/coverage.h"
#include "core/replay/input_categories.h"
#include "views/base/row_table.h"
#include "views/inspector/facts.h"

#include <map>
#include <string>
#include <vector>

namespace dynascope::views {

/// Where a graph stands: on a GPU where the capture was made without one.
[[nodiscard]] replay::CoverageVerdict verdictOnGpu(const replay::GraphCoverage& graph);
[[nodiscard]] Tone verdictTone(replay::CoverageVerdict verdict);
/// "0/0 forward".
[[nodiscard]] QString coverageName(const session::Session& session, const replay::GraphCoverage& graph);

enum class CoverageColumn { Graph, Function, OnGpu, Captured, Line, Fixed, Nodes, Why };
[[nodiscard]] std::vector<TableColumn> coverageColumns();
[[nodiscard]] std::vector<TableRow> coverageRows(const session::Session& session,
                                                 const replay::CoverageReport& report);
/// Links: "graph:" to the graph, "place:PROBLEM:PLACE" to a node, "line:PROBLEM:PLACE" to its source.
/// `names`: by name of a placeholder what the program calls it.
[[nodiscard]] Facts coverageFacts(const session::Session& session, const replay::GraphCoverage& graph,
                                  const std::map<std::string, std::string>& names = {});
/// The name of the node of a place: of "x by add_" the op that writes.
[[nodiscard]] std::string nodeOf(const replay::CoveragePlace& place);
/// The first place that a graph's problems name, or null.
[[nodiscard]] const replay::CoveragePlace* firstPlace(const replay::GraphCoverage& graph);

[[nodiscard]] QString categoryName(replay::MutationCategory category);
[[nodiscard]] Tone categoryTone(replay::MutationCategory category);
/// What a category means for a CUDA graph; a sentence.
[[nodiscard]] QString categoryMeaning(replay::MutationCategory category);

enum class InputColumn { Input, Type, Category, WrittenBy, Line, Why };
[[nodiscard]] std::vector<TableColumn> inputColumns();
/// `names`: by node what the program calls an input (programNames()).
[[nodiscard]] std::vector<TableRow> inputRows(const ir::Graph& graph,
                                              const replay::InputCategories& categories,
                                              const std::vector<std::string>& names);

} // namespace dynascope::views
