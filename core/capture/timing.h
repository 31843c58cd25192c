// SPDX-License-Identifier: BSD-3-Clause
//
// chromium_event payloads (Chrome's Trace Event Format) joined into intervals.
#pragma once

#include "core/base/json.h"
#include "core/session/session.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dynascope::capture {

/// What one chromium_event says. Names stand in a NamePool.
struct TimingRecord {
    double at = 0, duration = 0; ///< microseconds
    std::int64_t pid = 0, tid = 0;
    session::CompileId compileId; ///< of args; its run says nothing
    std::uint32_t name = 0, category = 0;
    char phase = 0;         ///< 'B', 'E', 'X', ...; 0 where the event cannot be used
    std::uint8_t error = 0; ///< simdjson::error_code of the text that it was read from
};

/// Texts by number, each once.
class NamePool {
public:
    NamePool() = default;
    NamePool(NamePool&&) = default;
    NamePool& operator=(NamePool&&) = default;
    NamePool(const NamePool&) = delete; // views look into it
    NamePool& operator=(const NamePool&) = delete;
    ~NamePool() = default;
    std::uint32_t number(std::string_view text);
    [[nodiscard]] const std::string& str(std::uint32_t number) const { return m_texts[number]; }
    [[nodiscard]] std::size_t size() const { return m_texts.size(); }

private:
    std::deque<std::string> m_texts; // which stay where they are
    std::unordered_map<std::string_view, std::uint32_t> m_numbers;
};

/// Linear in the event.
[[nodiscard]] TimingRecord readTiming(const json::element& event, NamePool& names);

/// Collects the events of a session, rank by rank. Linear in their number.
class TimingBuilder {
public:
    /// Further events are those of another log: none that is open ends in it.
    void beginLog();
    /// `fallback` is the compile id of the record itself; the event's own args.compile_id goes first, in
    /// `run`. `record` is the index of that record; `names` is where the event's name stands.
    void add(const TimingRecord& event, const NamePool& names, int rank, const session::CompileId& fallback,
             int run, std::size_t record);
    /// Makes room for so many events more.
    void reserve(std::size_t count);

    /// What events say that a rank is at work on.
    enum class Work : std::uint8_t { Backward, Inductor, JointTrace, Autograd };
    /// True while such an event of that rank is open.
    [[nodiscard]] bool isUnderWay(int rank, Work work) const;

    struct Built {
        std::vector<session::TimingEvent> events;
        std::vector<session::CompileId> compileIds; ///< of each
    };
    /// Closes what is open at the last time seen and counts times from the first event. Leaves the builder
    /// empty.
    [[nodiscard]] Built finish();

private:
    using Thread = std::tuple<int, int, std::int64_t, std::int64_t>; // log, rank, pid, tid
    struct Lane {
        std::vector<std::size_t> stack; // begun, innermost last; may hold closed ones
        std::map<std::string, std::vector<std::size_t>, std::less<>> byName; // begun and not ended
    };

    void end(Lane& lane, std::string_view name, double at, std::size_t record);
    const session::SharedText& shared(const std::string& text);

    Built m_built;
    std::vector<char> m_open;
    std::map<Thread, Lane> m_lanes;
    std::map<int, std::array<int, 4>> m_underWay; // open events by rank and Work, of this log
    std::unordered_map<std::string, session::SharedText> m_shared;
    int m_log = 0;
    double m_first = 0, m_last = 0;
};

/// "1/0", "!0/1/0"; frame -1 where the text is no compile id.
[[nodiscard]] session::CompileId parseCompileId(std::string_view text);

} // namespace dynascope::capture
