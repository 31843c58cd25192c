// SPDX-License-Identifier: BSD-3-Clause
//
// Is a computed graph still right? It runs beside eager on the same inputs, and every property that a caller
// could see is compared.
#pragma once

#include "core/engine/verify/locate.h"
#include "core/engine/wire/failure.h"
#include "core/engine/wire/verify.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace dynascope::engine {

struct VerifyRequest {
    Side source; ///< eager: the normative side
    Side computed;
    std::vector<MatchedPair> pairs; ///< may be empty: the difference is then not looked for inside
    nlohmann::json inputs;          ///< of a case
    bool aliasing = false;  ///< also on inputs that share memory in the ways that their geometry allows
    bool strict = false;    ///< strides, storages and identities of outputs count as well
    std::uint64_t seed = 0; ///< of random numbers
};

/// The answer of "verify", but for `matched`, `graph` and `warnings`.
[[nodiscard]] tl::expected<wire::VerifyReply, Failure> verify(const VerifyRequest& request,
                                                              const TaskContext& task);

/// Pairs of nodes from the steps that "pass" answered, all its passes taken together; a node that no step
/// speaks of keeps its name. Without steps nodes that do the same with the same nodes
/// (passes/same_values.h).
[[nodiscard]] std::vector<MatchedPair> matchedPairs(const ir::Graph& source, const ir::Graph& computed,
                                                    const std::vector<wire::PassStep>& steps);

} // namespace dynascope::engine
