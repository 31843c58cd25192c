// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/ranks/ranks.h"

#include <map>
#include <string>
#include <vector>

namespace dynascope::ranks {

/// One cache in one compile: which ranks it served, by "hit", "miss", ...
struct CacheRow {
    std::string compile, cache;
    std::map<std::string, std::vector<int>> ranks; ///< by the last word on it
    std::vector<int> others;                       ///< that have the compile and no word of this cache
};

/// By compile, as the report lists them, then by the cache's name. Pure.
[[nodiscard]] std::vector<CacheRow> cachesByRank(const session::Session& session, const Report& report);

} // namespace dynascope::ranks
