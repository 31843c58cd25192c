// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/cache_counts.h"

namespace dynascope::session {

std::string CacheCounts::words() const {
    std::string out;
    const auto add = [&out](std::size_t count, const char* one, const char* many) {
        if (count == 0) return;
        if (!out.empty()) out += ", ";
        out += std::to_string(count) + ' ' + (count == 1 ? one : many);
    };
    add(hits, "hit", "hits");
    add(misses, "miss", "misses");
    add(bypasses, "bypass", "bypasses");
    return out;
}

CacheCounts countCaches(std::span<const CacheEvent> events) {
    CacheCounts out;
    for (const CacheEvent& event : events)
        ++(event.outcome == CacheEvent::Outcome::Hit    ? out.hits
           : event.outcome == CacheEvent::Outcome::Miss ? out.misses
                                                        : out.bypasses);
    return out;
}

} // namespace dynascope::session
