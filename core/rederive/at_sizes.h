// SPDX-License-Identifier: BSD-3-Clause
//
// Graphs whose sizes are symbols at numbers: at those of the capture, and at others that its guards let in.
// Internal to rederive. Pure: any thread.
#pragma once

#include "core/base/result.h"
#include "core/ir/graph.h"
#include "core/ir/symbol_number.h"
#include "core/ir/symbol_value.h"
#include "core/session/session.h"

#include <map>
#include <optional>
#include <string>

namespace dynascope::engine {

struct DynamoTrace;

/// The graph with numbers where it computes with symbolic integers, and without slices that take everything,
/// which only symbolic dimensions keep; placeholders stay. Fails where a symbol has no value.
[[nodiscard]] Result<ir::GraphPtr> atHints(const ir::Graph& graph, const ir::SymbolValues& hints);

/// Values of symbols that are no sizes of inputs, by name: "u0" and "zuf1", which depend on data, and floats.
using NumberValues = std::map<std::string, ir::Argument, std::less<>>;
/// As the derived graph's run had them: sizes from results that the captured graph describes with such a
/// symbol, numbers from what was read out of tensors, floats from the capture.
[[nodiscard]] NumberValues numberValues(const session::Compile& compile, const ir::Graph& captured,
                                        const DynamoTrace& derived);
/// The same with values for these as well. What only assertions ask of them was true.
[[nodiscard]] Result<ir::GraphPtr> atHints(const ir::Graph& graph, const ir::SymbolValues& hints,
                                           const NumberValues& numbers);
/// The captured sizes times a number, as far as the captured graph leaves them open: what PyTorch fixed while
/// it traced, or made to follow from others, stays so. Nothing where no size is left to choose.
[[nodiscard]] std::optional<ir::SymbolValues> scaledSizes(const ir::SymbolValues& hints, int times,
                                                          const ir::Graph& dynamo, const ir::Graph& captured);
/// Elements of all that the nodes have at these sizes: what work is estimated by. What has a size that is not
/// known counts nothing.
[[nodiscard]] double elementsAt(const ir::Graph& graph, const ir::SymbolValues& sizes);
/// Whether no guard of the compile's is known to shut out inputs of these sizes, or may do so by a function
/// of them that is not known.
[[nodiscard]] bool guardsAllow(const session::Compile& compile, const ir::SymbolValues& sizes);
/// Values of the floats that a compile's inputs are, by symbol, such as "zf3".
[[nodiscard]] ir::FloatSymbolValues floatValues(const session::Compile& compile);
/// Whether numbers of the graph are symbolic floats.
[[nodiscard]] bool hasSymbolicFloats(const ir::Graph& graph);

} // namespace dynascope::engine
