// SPDX-License-Identifier: BSD-3-Clause
//
// AOTAutograd's outermost layer: a tensor that is passed more than once. Follows AOTDedupeWrapper of
// torch/_functorch/_aot_autograd/runtime_wrappers.py. Identity is that of objects; numbers are never
// repeated.
#pragma once

#include "core/base/result.h"
#include "core/passes/aot/call_arguments.h"
#include "core/passes/aot/metadata.h"

#include <vector>

namespace dynascope::passes::aot {

struct DedupePlan {
    enum class Strategy {
        Leafify,    ///< a repeat that nobody writes becomes a detached alias; with no repeat, nothing at all
        Specialize, ///< the graph takes each tensor once, and only serves calls with the same repeats
    };
    Strategy strategy = Strategy::Leafify;
    std::vector<OuterIndex> leafified; ///< repeats that became aliases; under Specialize empty
    std::vector<bool> keep;            ///< by outer argument; all true under Leafify
    std::vector<KeptIndex> keptOf;     ///< by outer argument: where its tensor stands now
};

/// Fails with PyTorch's words where tensor subclasses or an export rule out Specialize.
[[nodiscard]] Result<DedupePlan> planDedupe(const CallArguments<OuterIndex>& arguments,
                                            const ViewAndMutationMeta<OuterIndex>& meta,
                                            const CallKind& kind);

/// The arguments that are kept. Leafified ones become objects of their own, which are added to `objects`.
[[nodiscard]] CallArguments<KeptIndex>
dedupedArguments(const DedupePlan& plan, const CallArguments<OuterIndex>& arguments, TensorObjects& objects);

/// What is known of the kept arguments and of the outputs. PyTorch also sends the numbers of intermediate
/// bases through the map of arguments; here they stay what they are.
[[nodiscard]] ViewAndMutationMeta<KeptIndex> dedupedMetadata(const DedupePlan& plan,
                                                             const ViewAndMutationMeta<OuterIndex>& meta);

} // namespace dynascope::passes::aot
