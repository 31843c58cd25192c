// SPDX-License-Identifier: BSD-3-Clause
//
// Derives the graphs of a capture's later stages from those of earlier ones and holds them against what
// PyTorch captured. So far: forward and backward from the joint graph.
#pragma once

#include "core/passes/partition/joint.h"
#include "core/session/session.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::engine {

enum class Rederived : std::uint8_t {
    Isomorphic, ///< the same operators, arguments and results, in the same order
    Different,
    Declined, ///< not derived, and why
};
[[nodiscard]] std::string_view rederivedName(Rederived verdict);

struct RederivedStage {
    std::string compile; ///< "0/0"
    int rank = 0;
    std::string stage; ///< "aot_forward_graph"
    std::string from;  ///< the stage that it was derived from
    Rederived verdict = Rederived::Isomorphic;
    std::string reason;                     ///< one sentence; empty where isomorphic
    std::size_t nodes = 0, matched = 0;     ///< of the captured graph; before the first difference
    std::vector<std::string> captured, got; ///< lines around the first difference
    /// Of a forward graph: what is saved for backward and what is computed again, with bytes and reasons.
    std::vector<passes::partition::Decision> decisions;
};

/// One entry for each forward and backward graph of each compile, in order. Graphs that cannot be read are
/// declined.
[[nodiscard]] std::vector<RederivedStage> rederive(const session::Session& session);

} // namespace dynascope::engine
