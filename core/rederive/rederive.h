// SPDX-License-Identifier: BSD-3-Clause
//
// Derives the graphs of a capture's later stages from those of earlier ones and holds them against what
// PyTorch captured: metadata, joint and inference graphs from Dynamo's, forward and backward from the joint.
#pragma once

#include "core/engine/client/client.h"
#include "core/ir/symbol_value.h"
#include "core/rederive/rederived_stage.h"
#include "core/session/session.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::engine {

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
