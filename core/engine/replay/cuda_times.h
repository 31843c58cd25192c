// SPDX-License-Identifier: BSD-3-Clause
//
// Times of a CUDA graph's launch, as CUPTI tells them.
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
    Launch, ///< begin and end of the whole launch, which costs next to nothing
    Nodes,  ///< every node; makes the driver launch them so that each can be told from the next
};

/// What CUPTI told of one launch.
struct CudaLaunchTimes {
    std::uint64_t launchNs = 0;      ///< 0 where it was not asked for
    std::vector<CudaNodeTime> nodes; ///< in the order of their ends
};

} // namespace dynascope::engine
