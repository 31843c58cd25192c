// SPDX-License-Identifier: BSD-3-Clause
//
// What AOTAutograd found out about the inputs and outputs of a graph before it traced it, as rows. Pure
// functions.
#pragma once

#include "core/computed/alias_table.h"
#include "views/base/row_table.h"

#include <vector>

namespace dynascope::views {

enum class InputAliasColumn { Index, Name, Type, Writes, How, Gradient, From, Why };
[[nodiscard]] std::vector<TableColumn> inputAliasColumns();
[[nodiscard]] std::vector<TableRow> inputAliasRows(const computed::AliasTable& table);

enum class OutputAliasColumn { Index, Name, Type, Kind, Of, Gradient, Why };
[[nodiscard]] std::vector<TableColumn> outputAliasColumns();
[[nodiscard]] std::vector<TableRow> outputAliasRows(const computed::AliasTable& table);

/// The placeholder of an input by its index, "input 3" where the graph has none.
[[nodiscard]] QString inputName(const computed::AliasTable& table, std::size_t input);
/// What a tangent is the gradient of: "output 0".
[[nodiscard]] QString tangentSubject(const computed::AliasTable& table, const passes::aot::Tangent& tangent);
/// "0: gradient of output 0": what backward is given, in its order.
[[nodiscard]] std::vector<QString> tangentTexts(const computed::AliasTable& table);

} // namespace dynascope::views
