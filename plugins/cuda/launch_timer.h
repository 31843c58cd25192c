// SPDX-License-Identifier: BSD-3-Clause
//
// How long the device takes for a launch, told by the device's own events.
#pragma once

#include "plugins/cuda/driver_api.h"

#include <cstdint>
#include <functional>

namespace dynascope::cuda {

/// Nanoseconds between two events around what `launch` asks for on `stream`. The stream is held by a word in
/// the host's memory until all of it is queued, so that the time has none of the host's in it. `launch` must
/// not wait for the stream: it would wait for ever. Waits for the end. Fails where the driver lacks a call or
/// refuses one; then `launch` may not have been called. What `launch` throws goes on, the stream released.
[[nodiscard]] Result<std::uint64_t> timeOnDevice(const DriverApi& api, CUstream stream, CUgraphExec exec,
                                                 const std::function<void()>& launch);

} // namespace dynascope::cuda
