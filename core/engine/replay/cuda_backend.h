// SPDX-License-Identifier: BSD-3-Clause
//
// CUDA graphs as a replay backend: the program is captured once into a private pool and launched as one from
// then on.
#pragma once

#include "core/engine/replay/backend.h"
#include "core/engine/replay/cuda_device.h"

namespace dynascope::engine {

/// Programs of operators alone, such as AOTAutograd's graphs; torch-level calls choose the CPU by themselves
/// and are refused. Inputs and constants are copied to the device unless they lie there already.
///
/// Random numbers continue from launch to launch, so that a verified launch of a graph that draws some
/// differs.
///
/// Times of nodes are CUPTI's, added up by FX node; without CUPTI there are none. What is allocated comes
/// from PyTorch's allocator trace, and its place in the arena is that in the pool's segments, one after the
/// other.
[[nodiscard]] std::unique_ptr<ReplayBackend> makeCudaBackend(std::shared_ptr<CudaDevice> device);

} // namespace dynascope::engine
