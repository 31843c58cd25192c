// SPDX-License-Identifier: BSD-3-Clause
//
// AOTAutograd's graph of a captured Dynamo graph, traced by the engine at numbers. Internal to rederive.
#pragma once

#include "core/base/result.h"
#include "core/engine/cases/traced_graph.h"
#include "core/engine/client/client.h"
#include "core/engine/wire/verify.h"
#include "core/ir/symbol_number.h"
#include "core/session/session.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace dynascope::engine {

struct DynamoTrace {
    TracedGraph traced;
    wire::Any metadata;                 ///< wire::AotTrace's
    double microseconds = 0;            ///< of both, in the engine
    std::vector<wire::Any> numbersRead; ///< out of tensors, in order
};
/// On inputs as the capture describes them, symbolic sizes at `hints`. Grad mode is that of the guards, or,
/// where the capture has none, what makes the graph be of training or not as PyTorch's is (`joint`). Fails
/// with the engine's words.
[[nodiscard]] tl::expected<DynamoTrace, CallError>
traceDynamoGraph(Client& engine, const session::Compile& compile, const ir::GraphPtr& graph,
                 const ir::SymbolValues& hints, bool joint, const CallOptions& options = {});

/// Whether no answer came because there is no engine, or no more.
[[nodiscard]] bool isLost(const CallError& error);

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

/// The engine's method "verify" on a graph and what is said to compute the same, which is filled into the
/// request.
[[nodiscard]] Answer<wire::VerifyReply> verifyAgainst(Client& engine, const ir::Graph& graph,
                                                      const ir::Graph& computed,
                                                      wire::VerifyRequest request = {},
                                                      const CallOptions& options = {});

/// What comes of running both graphs on the same seeded inputs.
struct NumericalComparison {
    enum class Outcome : std::uint8_t { Equal, Different, Unknown } outcome = Outcome::Unknown;
    std::string reason;            ///< one sentence; may be empty
    std::optional<CallError> lost; ///< of Unknown: the engine was
};
[[nodiscard]] NumericalComparison compareNumerically(Client& engine, const ir::Graph& captured,
                                                     const ir::Graph& derived, const ir::SymbolValues& hints,
                                                     const CallOptions& options = {});

} // namespace dynascope::engine
