// SPDX-License-Identifier: BSD-3-Clause
//
// How often caches answered, counted and worded alike everywhere.
#pragma once

#include "core/session/session.h"

#include <span>
#include <string>

namespace dynascope::session {

struct CacheCounts {
    std::size_t hits = 0, misses = 0, bypasses = 0;

    /// "2 hits, 1 miss, 1 bypass": what there is of it, empty for none.
    [[nodiscard]] std::string words() const;
};
[[nodiscard]] CacheCounts countCaches(std::span<const CacheEvent> events);

} // namespace dynascope::session
