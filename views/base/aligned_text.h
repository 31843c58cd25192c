// SPDX-License-Identifier: BSD-3-Clause
//
// Two stages as two columns of code whose rows follow the node-aligned diff, so that a node stands beside
// what it became even where every line of text differs. Pure functions: run them on a worker.
#pragma once

#include "core/diff/graph_diff.h"
#include "core/ir/graph.h"
#include "views/base/code_view.h"
#include "views/base/graph_column.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace dynascope::views {

struct AlignedText {
    std::array<CodeDocumentPtr, 2> document; ///< B may be null
    std::vector<CodeRow> rows;
    std::array<std::vector<ir::NodeIndex>, 2> nodeOfLine; ///< empty where the side is no graph
    std::array<std::size_t, 6> counts{};                  ///< rows by diff::Change
};

using AlignedTextPtr = std::shared_ptr<const AlignedText>;

/// Linear in the printed text, apart from changed lines, whose words are compared.
[[nodiscard]] AlignedText alignGraphs(const ir::Graph& a, const ir::Graph& b, const diff::GraphDiff& diff,
                                      const AlignOptions& options);
/// The same of columns that were printed with these options.
[[nodiscard]] AlignedText alignColumns(const ir::Graph& a, const ir::Graph& b,
                                       const std::array<GraphColumnPtr, 2>& columns,
                                       const diff::GraphDiff& diff, const AlignOptions& options);
/// One graph alone, every row Same.
[[nodiscard]] AlignedText singleColumn(const GraphColumn& column);
/// Two dis listings by their instructions: offsets, line numbers and indices of names and constants, which
/// move with every inserted instruction, make no difference.
[[nodiscard]] AlignedText alignBytecode(const std::string& a, const std::string& b);
/// Two texts by their lines, for code and for graphs that could not be read.
[[nodiscard]] AlignedText alignTexts(const std::string& a, const std::string& b, Language language);

} // namespace dynascope::views
