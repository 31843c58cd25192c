// SPDX-License-Identifier: BSD-3-Clause
#include "core/rederive/split_like.h"

#include "core/passes/match_in_order.h"

namespace dynascope::engine {

Result<Split> splitLike(const passes::partition::Joint& joint, const session::StagePtr& forward,
                        const session::StagePtr& backward, const passes::partition::Config& settings) {
    auto cut = passes::partition::minCutPartition(joint, settings);
    const auto first = forward ? forward->graph() : Result<ir::GraphPtr>(nullptr);
    const auto second = backward ? backward->graph() : Result<ir::GraphPtr>(nullptr);
    const auto isCaptured = [&](const passes::partition::Partition& parts) {
        return passes::matchInOrder(**first, *parts.forward).same &&
               passes::matchInOrder(**second, *parts.backward).same;
    };
    if (first && *first && second && *second && !(cut && isCaptured(*cut)))
        if (auto other = passes::partition::defaultPartition(joint); other && isCaptured(*other))
            return Split{std::move(*other),
                         "split by default_partition, which aot_autograd() takes where a backend "
                         "names no other; the minimum cut splits otherwise"};
    if (!cut) return tl::unexpected(cut.error());
    return Split{std::move(*cut), {}};
}

} // namespace dynascope::engine
