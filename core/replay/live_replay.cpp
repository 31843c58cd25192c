// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/live_replay.h"

#include <algorithm>

namespace dynascope::replay {

void LiveReplay::take(std::span<const ReplayEvent> events) {
    using Kind = ReplayEvent::Kind;
    const std::lock_guard lock(m_mutex);
    m_place.events += events.size();
    for (const ReplayEvent& event : events) {
        m_place.graph = event.graph;
        std::uint64_t& sum = event.planned ? m_place.planned : m_place.heap;
        auto& taken = event.planned ? m_planned : m_heap;
        // Arenas are smaller than 2^48 bytes: the graph fits above.
        const std::uint64_t key =
            event.planned ? event.address | std::uint64_t{event.graph} << 48U : event.address;
        const auto give = [&] {
            const auto at = taken.find(key);
            if (at == taken.end()) return;
            sum -= std::min(sum, at->second);
            taken.erase(at);
        };
        switch (event.kind) {
        case Kind::ReplayBegin:
        case Kind::NodeEnd:
            break;
        case Kind::ReplayEnd:
            ++m_place.replays;
            break;
        case Kind::NodeBegin:
            m_place.node = event.node;
            break;
        case Kind::Alloc:
            give();
            taken.emplace(key, event.bytes);
            sum += event.bytes;
            if (!event.planned) ++m_place.heapAllocations;
            break;
        case Kind::Free:
            give();
            break;
        }
    }
}

LivePlace LiveReplay::place() const {
    const std::lock_guard lock(m_mutex);
    return m_place;
}

} // namespace dynascope::replay
