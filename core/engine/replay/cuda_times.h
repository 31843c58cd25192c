// SPDX-License-Identifier: BSD-3-Clause
//
// Times of a CUDA graph's launch, as the device tells them.
#pragma once

#include <cstdint>
#include <vector>

namespace dynascope::engine {

/// How long one node of a CUDA graph ran.
struct CudaNodeTime {
    std::uint64_t id = 0; ///< CudaNode::id
    std::uint64_t ns = 0;
};

/// What of a launch is timed on the device itself.
enum class CudaTiming : std::uint8_t {
    None,
    Launch, ///< the whole launch, between two events of the device
    Nodes,  ///< every node; makes the driver launch them so that each can be told from the next
};

/// What the device told of one launch.
struct CudaLaunchTimes {
    std::uint64_t launchNs = 0;      ///< 0 where it was not asked for
    std::vector<CudaNodeTime> nodes; ///< in the order of their ends
};

} // namespace dynascope::engine
