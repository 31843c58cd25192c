// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/spans.h"

#include <algorithm>

namespace dynascope::session {

namespace {

struct RecordRange {
    std::size_t first = SIZE_MAX, last = 0;
    [[nodiscard]] bool contains(std::size_t record) const {
        return record != SIZE_MAX && first <= record && record <= last;
    }
};

RecordRange recordsOf(const TimingEvent& event) {
    return {event.record, event.open                    ? SIZE_MAX - 1
                          : event.endRecord == SIZE_MAX ? event.record
                                                        : event.endRecord};
}

/// All stages within.
StageSpan stagesIn(const Compile& compile, const RecordRange& range) {
    StageSpan out;
    for (std::size_t i = 0; i < compile.stages.size(); ++i) {
        if (!range.contains(compile.stages[i]->record)) continue;
        if (out.first < 0) out.first = static_cast<int>(i);
        out.last = static_cast<int>(i);
    }
    return out;
}

/// Of the stages within, the one recorded first after `after`, else the one recorded last.
StageSpan nextStage(const Compile& compile, const RecordRange& range, std::size_t after) {
    int next = -1, last = -1;
    const auto recordOf = [&](int stage) { return compile.stages[static_cast<std::size_t>(stage)]->record; };
    for (int i = 0; i < static_cast<int>(compile.stages.size()); ++i) {
        const std::size_t record = recordOf(i);
        if (!range.contains(record)) continue;
        if (record > after && (next < 0 || record < recordOf(next))) next = i;
        if (last < 0 || record > recordOf(last)) last = i;
    }
    return next >= 0 ? StageSpan{next, next} : StageSpan{last, last};
}

} // namespace

StageSpan stagesOf(const Session& session, const SpanTree& tree, int span) {
    if (span < 0 || static_cast<std::size_t>(span) >= tree.spans.size()) return {};
    const auto eventOf = [&](int index) -> const TimingEvent& {
        return session.timings[tree.spans[static_cast<std::size_t>(index)].event];
    };
    const TimingEvent& event = eventOf(span);
    if (event.compile < 0 || static_cast<std::size_t>(event.compile) >= session.compiles.size()) return {};
    const Compile& compile = session.compiles[static_cast<std::size_t>(event.compile)];
    if (const StageSpan own = stagesIn(compile, recordsOf(event)); own.first >= 0) return own;
    for (int above = tree.spans[static_cast<std::size_t>(span)].parent; above >= 0;
         above = tree.spans[static_cast<std::size_t>(above)].parent) {
        const TimingEvent& outer = eventOf(above);
        if (outer.compile != event.compile) continue;
        if (const StageSpan found = nextStage(compile, recordsOf(outer), event.record); found.first >= 0)
            return found;
    }
    return nextStage(compile, {0, SIZE_MAX - 1}, event.record);
}

} // namespace dynascope::session
