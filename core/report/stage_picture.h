// SPDX-License-Identifier: BSD-3-Clause
//
// A stage's graph as a picture of an HTML report: folded by modules, laid out, drawn as SVG. Used by core/report only.
#pragma once

#include "core/base/task.h"
#include "core/diff/graph_diff.h"
#include "core/layout/fold.h"
#include "core/layout/layout.h"
#include "core/session/module_classes.h"
#include "core/session/program_names.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::report {

/// How an edge between two items is drawn.
enum class EdgeLook : std::uint8_t {
    Plain,
    Write,    ///< into what writes the value in place
    Gathered, ///< into an item with many edges
    NotDrawn  ///< of a value that many read: the card says how many
};

struct StagePicture {
    ir::GraphPtr graph;
    layout::GroupTree tree;
    std::vector<std::string> names; ///< by node, what the program calls it; may be empty
    layout::FoldedGraph folded;
    std::vector<EdgeLook> looks;           ///< of folded.edges
    std::vector<std::uint32_t> layoutEdge; ///< of folded.edges, into input.edges; ir::npos where none
    std::vector<std::size_t> readers;      ///< by item: items that read it
    layout::LayoutInput input;
    layout::LayoutResult result;
    bool isFolded = false; ///< some nodes stand in blocks
    bool isInside = false; ///< of a part of the graph alone
};

/// Graphs of up to forty nodes are drawn node by node; of larger ones, modules and repeated layers are blocks. The only Error is
/// of a task that was cancelled.
[[nodiscard]] Result<StagePicture> pictureOf(ir::GraphPtr graph, const session::NamingPtr& naming,
                                             const session::ModuleClasses& classes, const TaskContext& task);

/// Items of a picture that are blocks of nodes, without rows of inputs: what they hold can be drawn by itself.
[[nodiscard]] std::vector<std::uint32_t> blocksOf(const StagePicture& picture);
/// What an item holds, of several alike blocks the first, with frames for the blocks inside; null where the task was cancelled.
/// Blocks inside stay closed where the picture would have too many cards.
[[nodiscard]] std::optional<StagePicture> insideOf(const StagePicture& picture, std::uint32_t item,
                                                   const TaskContext& task);

/// `changes` by node, as the later of two graphs; may be empty. `label` names the picture.
[[nodiscard]] std::string svgOf(const StagePicture& picture, const std::vector<diff::Change>& changes,
                                const std::string& label);

/// What became of the nodes of an item, as one change.
[[nodiscard]] diff::Change changeOfItem(const StagePicture& picture, std::size_t item,
                                        const std::vector<diff::Change>& changes);

/// A letter of data and of class names: "same", "respelled", ...
[[nodiscard]] char changeLetter(diff::Change change);

/// Arguments as one line of code, at most `most` bytes of it.
[[nodiscard]] std::string argumentsText(const ir::Node& node, std::size_t most = SIZE_MAX);

} // namespace dynascope::report
