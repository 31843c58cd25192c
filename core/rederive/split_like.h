// SPDX-License-Identifier: BSD-3-Clause
//
// Which of PyTorch's partitioners split a joint graph: the capture does not say. Any thread.
#pragma once

#include "core/passes/partition/joint.h"
#include "core/session/session.h"

#include <string>

namespace dynascope::engine {

struct Split {
    passes::partition::Partition parts;
    std::string how; ///< a clause where it is not by the minimum cut; else empty
};

/// The split by the minimum cut. Where that is not what the capture has, and default_partition's is, which aot_autograd()
/// takes where a backend names no other, that one: forward and backward are then as captured in every node. Inductor
/// splits by the minimum cut; without `forward` and `backward`, the captured graphs, nothing else is tried.
[[nodiscard]] Result<Split> splitLike(const passes::partition::Joint& joint, const session::StagePtr& forward,
                                      const session::StagePtr& backward,
                                      const passes::partition::Config& settings);

} // namespace dynascope::engine
