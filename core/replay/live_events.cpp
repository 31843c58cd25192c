// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/live_events.h"

#include <algorithm>

namespace dynascope::replay {

namespace {

constexpr std::string_view magic = "DYNLIVE1";

template <typename Number>
void put(std::string& out, Number value) {
    for (std::size_t i = 0; i < sizeof(Number); ++i)
        out += static_cast<char>(value >> (8 * i) & 0xff);
}

/// Takes a number from the front of `bytes`, which has it.
template <typename Number>
Number take(std::string_view& bytes) {
    Number out = 0;
    for (std::size_t i = 0; i < sizeof(Number); ++i)
        out = static_cast<Number>(out | static_cast<Number>(static_cast<unsigned char>(bytes[i])) << (8 * i));
    bytes.remove_prefix(sizeof(Number));
    return out;
}

} // namespace

std::string liveBatch(std::uint64_t first, std::span<const ReplayEvent> events) {
    std::string out;
    out.reserve(liveBatchHeader + events.size() * liveEventBytes);
    out += magic;
    put(out, first);
    put(out, static_cast<std::uint32_t>(events.size()));
    put(out, std::uint32_t{0});
    for (const ReplayEvent& event : events) {
        put(out, static_cast<std::uint8_t>(event.kind));
        put(out, static_cast<std::uint8_t>(event.planned));
        put(out, event.graph);
        put(out, event.node);
        put(out, event.ns);
        put(out, event.address);
        put(out, event.bytes);
    }
    return out;
}

Result<std::span<const ReplayEvent>> LiveReader::read(std::string_view batch) {
    const auto refuse = [this](std::string why) {
        m_failed = true;
        return failure("no batch of live events: " + std::move(why));
    };
    if (m_failed) return refuse("one before it was none");
    if (batch.size() < liveBatchHeader || !batch.starts_with(magic)) return refuse("no header");
    batch.remove_prefix(magic.size());
    const auto first = take<std::uint64_t>(batch);
    const auto count = take<std::uint32_t>(batch);
    if (take<std::uint32_t>(batch) != 0) return refuse("no header");
    if (count > maxLiveBatch || batch.size() != count * liveEventBytes)
        return refuse(std::to_string(batch.size()) + " bytes for " + std::to_string(count) + " events");
    if (first != m_events)
        return refuse("event " + std::to_string(first) + " after " + std::to_string(m_events) + " events");
    m_batch.clear();
    m_batch.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto kind = take<std::uint8_t>(batch), planned = take<std::uint8_t>(batch);
        if (kind > static_cast<std::uint8_t>(ReplayEvent::Kind::Free) || planned > 1)
            return refuse("no kind " + std::to_string(kind));
        ReplayEvent event{static_cast<ReplayEvent::Kind>(kind), planned == 1, 0, 0, 0, 0, 0};
        event.graph = take<std::uint16_t>(batch);
        event.node = take<std::uint32_t>(batch);
        event.ns = take<std::uint64_t>(batch);
        event.address = take<std::uint64_t>(batch);
        event.bytes = take<std::uint64_t>(batch);
        if (event.ns < m_ns) return refuse("time runs backwards");
        m_ns = event.ns;
        m_batch.push_back(event);
    }
    m_events += count;
    return std::span<const ReplayEvent>(m_batch);
}

} // namespace dynascope::replay
