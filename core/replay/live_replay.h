// SPDX-License-Identifier: BSD-3-Clause
//
// Where a replay is while it runs: what its events add up to. Written by the engine's reader thread, read by
// the window as often as it draws.
#pragma once

#include "core/replay/live_events.h"

#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>

namespace dynascope::replay {

/// What the window shows of it.
struct LivePlace {
    std::uint64_t events = 0;  ///< taken so far, none left out
    std::uint64_t replays = 0; ///< ended
    std::uint16_t graph = 0;   ///< the last one that an event was about
    std::uint32_t node = 0;    ///< of its recording
    std::uint64_t planned = 0; ///< bytes that are taken in arenas
    std::uint64_t heap = 0;    ///< bytes that are taken elsewhere
    std::uint64_t heapAllocations = 0;
};

/// Thread-safe.
class LiveReplay {
public:
    void take(std::span<const ReplayEvent> events);
    [[nodiscard]] LivePlace place() const;

private:
    mutable std::mutex m_mutex;
    LivePlace m_place;
    /// Bytes by address: of each arena by graph and offset, of the heap by address.
    std::unordered_map<std::uint64_t, std::uint64_t> m_planned, m_heap;
};

} // namespace dynascope::replay
