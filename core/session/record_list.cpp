// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/record_list.h"

#include <functional>

namespace dynascope::session {

Record RecordList::operator[](std::size_t index) const {
    const Row& row = m_rows[index];
    const Common& common = m_common[row.common];
    return {common.type,
            row.rank,
            row.compileId,
            row.attempt,
            row.line,
            {common.header, row.headerOffset, row.headerLength, common.headerTabbed},
            {common.payload, row.payloadOffset, row.payloadLength, common.payloadTabbed},
            row.seconds,
            common.origin,
            common.known};
}

std::size_t RecordList::hashOf(std::string_view type, std::string_view origin, const ByteSourcePtr& payload) {
    return std::hash<std::string_view>()(type) ^ std::hash<std::string_view>()(origin) * 31 ^
           std::hash<ByteSourcePtr>()(payload);
}

void RecordList::moveTo(const ByteSourcePtr& before, const ByteSourcePtr& now) {
    m_commonByHash.clear();
    for (std::size_t i = 0; i < m_common.size(); ++i) {
        Common& common = m_common[i];
        if (common.header == before) common.header = now;
        if (common.payload == before) common.payload = now;
        m_commonByHash.emplace(hashOf(common.type, common.origin, common.payload),
                               static_cast<std::uint32_t>(i));
    }
}

void RecordList::push_back(const Record& record) {
    const std::size_t hash = hashOf(record.type, record.origin, record.payload.source);
    const auto same = [&](const Common& one) {
        return one.header == record.header.source && one.payload == record.payload.source &&
               one.known == record.known && one.headerTabbed == record.header.tabbed &&
               one.payloadTabbed == record.payload.tabbed && one.type == record.type &&
               one.origin == record.origin;
    };
    const auto [first, last] = m_commonByHash.equal_range(hash);
    auto found = first;
    while (found != last && !same(m_common[found->second]))
        ++found;
    if (found == last) {
        found = m_commonByHash.emplace(hash, static_cast<std::uint32_t>(m_common.size()));
        m_common.push_back({record.type, record.origin, record.header.source, record.payload.source,
                            record.known, record.header.tabbed, record.payload.tabbed});
    }
    m_rows.push_back({record.header.offset, record.header.length, record.payload.offset,
                      record.payload.length, record.line, record.seconds, record.compileId, record.rank,
                      record.attempt, found->second});
}

} // namespace dynascope::session
