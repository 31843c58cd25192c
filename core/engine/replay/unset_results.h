// SPDX-License-Identifier: BSD-3-Clause
//
// Results that PyTorch allocates and leaves as they are, so that two runs need not agree in them.
#pragma once

#include "core/engine/exec/program.h"

#include <cstddef>
#include <set>

namespace dynascope::engine {

/// Leaves of the program's result, in their order, that are the random state of a fused attention without dropout:
/// `philox_seed`, `philox_offset`, `rng_state` and `unused` of its schema, which its kernels write only where they draw
/// numbers (ATen/native/transformers/cuda/attention.cu). AOTAutograd saves them for backward all the same.
[[nodiscard]] std::set<std::size_t> unsetResults(const Program& program);

} // namespace dynascope::engine
