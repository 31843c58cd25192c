// SPDX-License-Identifier: BSD-3-Clause
//
// What this machine does at most, for a roofline to be drawn with: measured by the engine.
#pragma once

#include "core/base/task.h"
#include "core/engine/client/client.h"

#include <string>

namespace dynascope::engine {

struct MeasuredPeaks {
    double flopsPerSecond = 0; ///< of a product of two matrices of 1024 x 1024 floats
    double bytesPerSecond = 0; ///< of adding two vectors of 64 MiB, what is read and what is written
    int threads = 0;           ///< that the engine used

    /// "31.2 GFLOP/s of a matrix product, 58.1 GB/s of a stream, measured here with 2 threads".
    [[nodiscard]] std::string toString() const;
};

/// The fastest of 30 runs each, on the CPU. Takes some seconds; blocks.
[[nodiscard]] tl::expected<MeasuredPeaks, CallError> measurePeaks(Client& client,
                                                                  const TaskContext& task = {});

} // namespace dynascope::engine
