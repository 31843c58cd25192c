// SPDX-License-Identifier: BSD-3-Clause
//
// When a device did nothing between what it ran, why, and what the CPU did meanwhile; and which graphs spend more time
// on waiting for launches than on computing.
#pragma once

#include "core/profile/lanes.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dynascope::profile {

enum class IdleCause : std::uint8_t {
    Launch, ///< what ran next was launched only after the device had finished: it waited for the CPU
    Device, ///< it had been launched before; the device took its time to begin
    Unknown ///< nothing says what launched it
};
inline constexpr std::size_t idleCauseCount = 3;
/// "launch", "device", "unknown"; of JSON, never changed.
[[nodiscard]] std::string_view idleCauseName(IdleCause cause);

/// What a thread did in a stretch of time, in nanoseconds.
struct ThreadTime {
    std::array<double, spentCount> spent{}; ///< by Spent
    double nothing = 0;                     ///< that was recorded: Python, or waiting

    void add(const ThreadTime& other);
};

struct IdleGap {
    std::int64_t start = 0, duration = 0;
    std::uint32_t before = none, after = none; ///< events of the device, that it lies between
    std::uint32_t longest =
        none; ///< IdleCause::Launch: the event in which the launching thread was most of the time
    IdleCause cause = IdleCause::Unknown;
    std::uint8_t device = 0;
    ThreadTime cpu; ///< IdleCause::Launch: of the thread that launched `after`, until it had
};

/// From the first event of a device to its last.
struct DeviceIdle {
    std::uint8_t device = 0;
    std::int64_t span = 0;
    double busy = 0;                           ///< as Profile::busy
    std::array<double, idleCauseCount> idle{}; ///< by IdleCause
    ThreadTime cpu;                            ///< of all gaps that waited for launches

    [[nodiscard]] double all() const { return idle[0] + idle[1] + idle[2]; }
};

/// A graph that has kernels on a device.
struct LaunchedGraph {
    int compile = -1, stage = -1; ///< into Session::compiles and Compile::stages
    std::uint8_t device = 0;
    std::size_t calls = 0, kernels = 0;
    std::size_t replayed = 0; ///< of those, launched together with others, as a CUDA graph
    double busy = 0;          ///< nanoseconds of its kernels
    double waits = 0;         ///< in its calls, between two of its kernels, for the launch of the second

    /// It waits longer than it computes. What it waits is what a CUDA graph could save at most.
    [[nodiscard]] bool isLaunchBound() const { return waits > busy; }
};

struct IdleReport {
    std::vector<DeviceIdle> devices;   ///< but for the CPU
    std::vector<IdleGap> gaps;         ///< the longest first
    std::vector<LaunchedGraph> graphs; ///< those that wait the longest first
};

/// Linear in the events but for sorting.
[[nodiscard]] IdleReport idleReport(const Joined& joined);

} // namespace dynascope::profile
