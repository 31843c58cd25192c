// SPDX-License-Identifier: BSD-3-Clause
//
// What this machine does at most, for a roofline to be drawn with: measured by the engine.
#pragma once

#include "core/base/task.h"
#include "core/engine/client/client.h"
#include "core/profile/grouped.h"

#include <set>
#include <span>
#include <string>

namespace dynascope::engine {

struct PeakRequest {
    std::string backend = "cpu";        ///< or "cuda:1"
    std::set<std::string> types{"f32"}; ///< of products: "f32", "bf16", "f16", "f64"; others are left out
};

struct MeasuredPeaks {
    profile::Peaks peaks;
    std::string device; ///< "this CPU with 2 threads", "NVIDIA H200 (cuda:0)"

    /// "794 TFLOP/s of matrix products in bf16, 51.2 TFLOP/s in f32, 4.30 TB/s of a stream, measured on NVIDIA H200 (cuda:0)".
    [[nodiscard]] std::string toString() const;
};

/// What a profile with these rows asks for: its main device, and the types that its products have; f32 without any.
[[nodiscard]] PeakRequest peaksFor(const profile::Profile& profile,
                                   std::span<const profile::GroupedRow> rows);

/// What speaks against peaks that were measured here bounding a profile, in a sentence; empty where nothing is known to.
[[nodiscard]] std::string peakDoubt(const MeasuredPeaks& peaks, const profile::Profile& profile);

/// The fastest of 30 runs each, by the engine's own timing of nodes: of products of two square matrices (1,024 wide on a
/// CPU, 4,096 on a GPU) and of adding two vectors (64 MiB each, 256 MiB on a GPU: larger than caches are), what is read
/// and what is written. Takes some seconds; blocks.
[[nodiscard]] tl::expected<MeasuredPeaks, CallError> measurePeaks(Client& client, const PeakRequest& request,
                                                                  const TaskContext& task = {});

} // namespace dynascope::engine
