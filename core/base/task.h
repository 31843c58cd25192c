// SPDX-License-Identifier: BSD-3-Clause
//
// What a long computation takes besides its arguments: a stop token and a place to report progress.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>

namespace dynascope {

/// Progress of one task. `done` and `total` are in the unit the phase names (bytes, nodes, records); `total`
/// is 0 while it is not known.
struct Progress {
    std::string_view phase; ///< "Reading", "Laying out"; valid only during the call.
    std::uint64_t done = 0;
    std::uint64_t total = 0;
};

/// Passed by value into a task. Called on the task's own thread, so a sink that touches a GUI must hand over.
/// A task checks `stop` often enough to end within 50 ms, and then returns cancellation() (result.h).
struct TaskContext {
    std::stop_token stop;
    std::function<void(const Progress&)> onProgress;

    [[nodiscard]] bool cancelled() const { return stop.stop_requested(); }
    void report(std::string_view phase, std::uint64_t done, std::uint64_t total) const {
        if (onProgress) onProgress({phase, done, total});
    }
};

} // namespace dynascope
