// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/backend_match.h"

#include <algorithm>

namespace dynascope::dynamo {

CacheAnswer CodeCache::call(const Backend& backend, const GuardCheck& guards) {
    CacheAnswer answer;
    for (auto at = m_order.begin(); at != m_order.end(); ++at) {
        const std::size_t entry = *at;
        std::string reason;
        if (!m_runOnly && !backend.matches(m_backends[entry]))
            reason = "BACKEND_MATCH: it was compiled by another backend";
        else if (const auto failed = guards(entry))
            reason = *failed;
        const bool serves = reason.empty();
        answer.lookups.push_back({entry, std::move(reason)});
        if (!serves) continue;
        std::rotate(m_order.begin(), at, at + 1);
        answer.kind = CacheAnswer::Kind::Hit;
        answer.entry = entry;
        return answer;
    }
    if (m_runOnly || m_order.size() >= m_limit) {
        m_runOnly = true;
        answer.kind = CacheAnswer::Kind::LimitReached;
        return answer;
    }
    answer.entry = m_backends.size();
    m_backends.push_back(backend);
    m_order.insert(m_order.begin(), answer.entry);
    return answer;
}

} // namespace dynascope::dynamo
