// SPDX-License-Identifier: BSD-3-Clause
//
// chromium_event payloads (Chrome's Trace Event Format) joined into intervals.
#pragma once

#include "core/capture/json.h"
#include "core/session/session.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace dynascope::capture {

/// Collects the events of a session, rank by rank. Linear in their number.
class TimingBuilder {
public:
    /// Further events are those of another log: none that is open ends in it.
    void beginLog();
    /// `fallback` is the compile id of the record itself; the event's own args.compile_id goes first, in
    /// `run`. `record` is the index of that record.
    void add(const json::element& event, int rank, const session::CompileId& fallback, int run,
             std::size_t record);
    /// True while an event of that rank is open in which a backward graph is compiled.
    [[nodiscard]] bool inBackward(int rank) const;

    struct Built {
        session::TimingEvent event;
        session::CompileId compileId;
    };
    /// Closes what is open at the last time seen and counts times from the first event. Leaves the builder
    /// empty.
    [[nodiscard]] std::vector<Built> finish();

private:
    using Thread = std::tuple<int, int, std::int64_t, std::int64_t>; // log, rank, pid, tid
    struct Lane {
        std::vector<std::size_t> stack; // begun, innermost last; may hold closed ones
        std::map<std::string, std::vector<std::size_t>, std::less<>> byName; // begun and not ended
    };

    void end(Lane& lane, std::string_view name, double at, std::size_t record);

    std::vector<Built> m_events;
    std::vector<char> m_open;
    std::map<Thread, Lane> m_lanes;
    std::map<int, int> m_backward; // open backward compiles by rank, of this log
    int m_log = 0;
    double m_first = 0, m_last = 0;
};

/// "1/0", "!0/1/0"; frame -1 where the text is no compile id.
[[nodiscard]] session::CompileId parseCompileId(std::string_view text);

} // namespace dynascope::capture
