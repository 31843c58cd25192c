// SPDX-License-Identifier: BSD-3-Clause
//
// Derives the graphs of a capture's later stages from those of earlier ones and holds them against what
// PyTorch captured: metadata, joint and inference graphs from Dynamo's, forward and backward from the joint.
#pragma once

#include "core/engine/client/client.h"
#include "core/ir/symbol_value.h"
#include "core/passes/partition/joint.h"
#include "core/session/session.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::engine {

enum class Rederived : std::uint8_t {
    Isomorphic, ///< the same operators, arguments and results, in the same order
    Equivalent, ///< not that, but the same numbers from the same inputs
    Different,
    Declined,   ///< not derived, and why
    NotDerived, ///< there was no engine to ask, or it was lost: nothing is known of the stage
    Alone,      ///< derived, and the capture has nothing to hold it against
};
[[nodiscard]] std::string_view rederivedName(Rederived verdict);

struct RederivedStage {
    std::string compile; ///< "0/0"
    int rank = 0;
    int attempt = 0;   ///< Stage::attempt of both stages: Dynamo's attempts have stages of one name
    std::string stage; ///< "aot_forward_graph"
    std::string from;  ///< the stage that it was derived from
    Rederived verdict = Rederived::Isomorphic;
    std::string reason; ///< one sentence; empty where isomorphic. Of Alone: what was derived
    /// "PyTorch 2.13 here, 2.11 there" where the capture was made by another release than derives it: what
    /// differs may be the release. Else empty.
    std::string versions;
    std::size_t nodes = 0, matched = 0;     ///< of the captured graph; before the first difference. Fields of
                                            ///< metadata
    std::vector<std::string> captured, got; ///< lines around the first difference
    std::string node, nodeGot; ///< there: of the captured graph and of the derived one; empty for none
    ir::GraphPtr derived;      ///< null for metadata, and where nothing was derived
    /// Of metadata: what was derived, as "aot" answers it (protocol.h); else null.
    nlohmann::json metadata;
    [[nodiscard]] bool hasMetadata() const { return !metadata.is_null(); }
    /// One sentence where the guards let inputs through for which the captured code is wrong; else empty.
    std::string missedGuard;
    /// One sentence where sizes were left out that the guards let in, because deriving the graph at these
    /// would have taken or did take too long: the verdict is of the others. Else empty.
    std::string leftOut;
    /// Of a forward graph: one sentence where saved-tensors hooks were on and packed nothing, or what they
    /// packed is not known; else empty.
    std::string hooks;
    /// What deriving it took. A joint graph's time has that of its metadata in it, a forward graph's that of
    /// its backward.
    double microseconds = 0;
    std::optional<CallError> lost; ///< of NotDerived: what became of the engine
    /// Of a forward graph: what is saved for backward and what is computed again, with bytes and reasons.
    std::vector<passes::partition::Decision> decisions;
};

/// How long the engine may take.
struct RederiveLimits {
    std::chrono::milliseconds call = CallOptions().timeout; ///< for any answer; else it is lost
    /// For a graph at sizes that the capture does not have, by an estimate before and by the clock.
    std::chrono::milliseconds scaled = std::chrono::minutes(1);
};

/// The engine's answer to "verify": a derived graph held against the captured one on the same seeded inputs,
/// at the sizes `hints`.
[[nodiscard]] Answer<wire::VerifyReply> verifyDerived(Client& engine, const ir::Graph& captured,
                                                      const ir::Graph& derived, const ir::SymbolValues& hints,
                                                      const CallOptions& options = {});
/// Whether an answer to "verify" is that the graphs differ, of which no run in double precision could tell
/// more, and all of it is as little as sums in another order make: `closeWords`.
[[nodiscard]] bool isClose(const wire::VerifyReply& verified);
inline constexpr std::string_view closeWords =
    "the results differ by no more than 1e-5 times the largest magnitude, as by rounding";

/// One entry for each graph of AOTAutograd's of each compile, and for its metadata. Graphs that cannot be
/// read are declined; those that only the engine can derive are not derived without one (null), or where it
/// is lost. Where the joint graph was
/// derived as PyTorch has it, forward and backward are derived from that, else from the captured one. Sizes
/// that are symbols in the capture are numbers here: the graphs are held against each other at the captured
/// sizes, and at twice and three times those where that takes no longer than `limits` has it.
[[nodiscard]] std::vector<RederivedStage> rederive(const session::Session& session, Client* engine,
                                                   const RederiveLimits& limits = {});
/// Of one compile, by its index. Stops between two stages where the task is cancelled.
[[nodiscard]] std::vector<RederivedStage> rederive(const session::Session& session, std::size_t compile,
                                                   Client* engine, const TaskContext& task,
                                                   const RederiveLimits& limits = {});

} // namespace dynascope::engine
