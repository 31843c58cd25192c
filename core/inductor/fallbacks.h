// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of PyTorch's own kernels where Inductor generates no code, with what they read and write: which to look at first.
#pragma once

#include "core/inductor/compile_passes.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dynascope::inductor {

struct FallbackCost {
    const Fallback* fallback = nullptr; ///< never null, in the recording
    const PassPhase* phase = nullptr;   ///< "inductor"; never null
    std::string file;                   ///< of the program's line that the node comes from; empty: not known
    std::uint32_t line = 0;
    bool ofReplaced = false; ///< the line is that of nodes that a pattern replaced by one of this name
    std::uint64_t read = 0, written = 0; ///< bytes, each tensor whole
    bool isWhole = true;                 ///< false: a size is not a number, and is not counted

    [[nodiscard]] std::uint64_t bytes() const { return read + written; }
};

/// Those with most bytes first. Sizes are of the values in the post-grad graph and of what the scheduler's operations
/// give back. `passes` has its stages.
[[nodiscard]] Result<std::vector<FallbackCost>> fallbacksOf(const CompilePasses& passes,
                                                            const TaskContext& task = {});

} // namespace dynascope::inductor
