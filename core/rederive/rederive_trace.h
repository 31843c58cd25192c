// SPDX-License-Identifier: BSD-3-Clause
//
// AOTAutograd's graph of a captured Dynamo graph, traced by the engine at numbers. Internal to rederive.
#pragma once

#include "core/engine/cases/traced_graph.h"
#include "core/engine/client/client.h"
#include "core/engine/wire/verify.h"
#include "core/ir/symbol_value.h"
#include "core/session/session.h"

#include <cstdint>
#include <optional>
#include <string>

namespace dynascope::engine {

struct DynamoTrace {
    TracedGraph traced;
    wire::Any metadata;                                   ///< wire::AotTrace's
    double microseconds = 0;                              ///< of both, in the engine
    std::vector<std::optional<wire::Number>> numbersRead; ///< out of tensors, in order
};
/// On inputs as the capture describes them, symbolic sizes at `hints`. Grad mode is that of the guards, or,
/// where the capture has none, what makes the graph be of training or not as PyTorch's is (`joint`). `keepsWrites`:
/// the backend asked for writes to inputs to stay in the graph, as Inductor and aot_eager do. Fails with the engine's
/// words.
[[nodiscard]] tl::expected<DynamoTrace, CallError>
traceDynamoGraph(Client& engine, const session::Compile& compile, const ir::GraphPtr& graph,
                 const ir::SymbolValues& hints, bool joint, bool keepsWrites,
                 const CallOptions& options = {});

/// Whether no answer came because there is no engine, or no more.
[[nodiscard]] bool isLost(const CallError& error);

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
