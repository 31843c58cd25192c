// SPDX-License-Identifier: BSD-3-Clause
#include "core/ranks/caches.h"

#include "core/session/session.h"

#include <algorithm>
#include <iterator>

namespace dynascope::ranks {

std::vector<CacheRow> cachesByRank(const session::Session& session, const Report& report) {
    std::vector<CacheRow> out;
    for (const CompileRow& row : report.rows) {
        std::map<std::string, std::map<int, std::string>> said; // by cache, then rank
        std::vector<int> present;
        for (std::size_t i = 0; i < row.compiles.size(); ++i) {
            if (row.compiles[i] == none) continue;
            present.push_back(report.ranks[i]);
            for (const session::CacheEvent& event : session.compiles[row.compiles[i]].caches)
                said[event.cache][report.ranks[i]] = session::outcomeName(event.outcome);
        }
        for (const auto& [cache, byRank] : said) {
            CacheRow& one = out.emplace_back();
            one.compile = row.id;
            one.cache = cache;
            for (const auto& [rank, outcome] : byRank)
                one.ranks[outcome].push_back(rank);
            std::ranges::copy_if(present, std::back_inserter(one.others),
                                 [&](int rank) { return !byRank.contains(rank); });
        }
    }
    return out;
}

} // namespace dynascope::ranks
