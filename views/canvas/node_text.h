// SPDX-License-Identifier: BSD-3-Clause
//
// What a node says of itself on a card, in a tooltip and on the clipboard. Pure functions of the graph.
#pragma once

#include "core/diff/graph_diff.h"
#include "core/ir/graph.h"

#include <QString>

namespace dynascope::views::canvas {

/// The three lines of a card; `right` stands at the right of the name.
struct CardText {
    QString name, right, target, args;
};

[[nodiscard]] CardText cardText(const ir::Graph& graph, ir::NodeIndex node);

/// Arguments as a reader of Python would write an index: "(:, 0)" for "(slice(None, None, None), 0)".
[[nodiscard]] QString argumentText(const ir::Argument& argument);

/// "y[:, 0]" for an operator.setitem, the name of what is written for other in-place ops; empty if it writes
/// nothing.
[[nodiscard]] QString writtenView(const ir::Node& node);
/// Name of the node that an in-place op writes to; empty where it is not known.
[[nodiscard]] QString writtenNode(const ir::Node& node);

/// Rich text with everything escaped: name, op, target, arguments, metadata, bytes, source line, users and
/// what the diff state means. `details` may be null.
[[nodiscard]] QString tooltipHtml(const ir::Graph& graph, ir::NodeIndex node, diff::Change change,
                                  bool inDiff, const std::vector<diff::FieldChange>* details);

/// "32 KiB", "80 bytes".
[[nodiscard]] QString bytesText(std::uint64_t bytes);

/// One sentence: why a node carries this diff state.
[[nodiscard]] QString changeReason(diff::Change change, const std::vector<diff::FieldChange>* details);

} // namespace dynascope::views::canvas
