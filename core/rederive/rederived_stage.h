// SPDX-License-Identifier: BSD-3-Clause
//
// What deriving a stage of a capture anew said. A value.
#pragma once

#include "core/engine/client/call_error.h"
#include "core/ir/graph.h"
#include "core/passes/partition/joint.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
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
inline constexpr std::array<std::string_view, 6> rederivedNames{"isomorphic", "equivalent",  "different",
                                                                "declined",   "not derived", "only derived"};
[[nodiscard]] constexpr std::string_view rederivedName(Rederived verdict) {
    return rederivedNames[static_cast<std::size_t>(verdict)];
}

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
    /// would have taken or did take too long: the verdict is of the others; or where a partitioner other than the
    /// minimum cut's was found to have split a joint graph. Else empty.
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

/// What deriving a captured stage anew said.
struct Rederivation {
    RederivedStage row;
    std::optional<RederivedStage> metadata; ///< of a joint or inference graph: of what lies behind it
};

} // namespace dynascope::engine
