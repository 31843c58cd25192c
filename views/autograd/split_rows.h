// SPDX-License-Identifier: BSD-3-Clause
//
// What crosses the cut of a joint graph, as rows and facts. Pure functions.
#pragma once

#include "core/computed/joint_split.h"
#include "views/base/row_table.h"
#include "views/inspector/facts.h"

namespace dynascope::views {

enum class ValueColumn { Value, Bytes, What, Type, Why, Readers, Line };
[[nodiscard]] std::vector<TableColumn> valueColumns();
/// In the order of JointSplit::values.
[[nodiscard]] std::vector<TableRow> valueRows(const computed::JointSplit& split);
/// Of one value. Links: "forward:ROW" and "backward:ROW" to rows of the picture, "line:" to its source.
[[nodiscard]] Facts valueFacts(const computed::JointSplit& split, std::size_t value);
/// The peak of backward with everything that was saved for it held to the end: an upper bound, inputs not counted.
[[nodiscard]] std::uint64_t backwardPeak(const computed::JointSplit& split);
/// Of the whole: verdicts against PyTorch's graphs, memory, warnings.
[[nodiscard]] Facts splitFacts(const computed::JointSplit& split);
/// What the program calls an input, else the node's own name.
[[nodiscard]] QString shownName(const computed::CutSide& side, ir::NodeIndex node);
/// The node in forward that makes a value; null where it is in none.
[[nodiscard]] const ir::Node* makerOf(const computed::JointSplit& split, const computed::CutValue& value);

} // namespace dynascope::views
