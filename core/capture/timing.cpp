// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/timing.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace dynascope::capture {

namespace {

bool isBackwardName(std::string_view name) {
    return name.find("bw_compiler") != std::string_view::npos ||
           name.find("backward_compile") != std::string_view::npos;
}

bool takeInteger(std::string_view& text, int& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

} // namespace

session::CompileId parseCompileId(std::string_view text) {
    session::CompileId out;
    if (text.starts_with('!')) {
        text.remove_prefix(1);
        if (!takeInteger(text, out.autograd)) return {};
        if (text.empty()) return out;
        if (text.front() != '/') return {};
        text.remove_prefix(1);
    }
    if (!takeInteger(text, out.frame) || !text.starts_with('/')) return {};
    text.remove_prefix(1);
    // A restart is spelled "0/0_1".
    if (!takeInteger(text, out.compile) || (!text.empty() && text.front() != '_')) return {};
    return out;
}

void TimingBuilder::beginLog() {
    ++m_log;
    m_backward.clear();
}

void TimingBuilder::add(const json::element& event, int rank, const session::CompileId& fallback, int run,
                        std::size_t record) {
    const std::string_view phase = json::text(event, "ph");
    const double at = json::number(event, "ts", NAN);
    if (phase.size() != 1 || !std::isfinite(at)) return;
    const std::int64_t pid = json::integer(event, "pid", 0);
    const std::int64_t tid = json::integer(event, "tid", 0);
    if (m_events.empty() && m_last == 0) m_first = at;
    m_first = std::min(m_first, at);
    m_last = std::max(m_last, at);

    Lane& lane = m_lanes[{m_log, rank, pid, tid}];
    const std::string_view name = json::text(event, "name");
    if (phase == "E") {
        end(lane, name, at, record);
        return;
    }
    if (phase != "B" && phase != "X" && phase != "i" && phase != "I") return;

    Built built;
    built.compileId = fallback;
    if (json::element args; event["args"].get(args) == simdjson::SUCCESS) {
        session::CompileId own = parseCompileId(json::text(args, "compile_id"));
        own.run = run;
        if (!own.empty()) built.compileId = own;
    }
    built.event.name = name;
    built.event.category = json::text(event, "cat");
    built.event.startUs = at;
    built.event.pid = pid;
    built.event.tid = tid;
    built.event.rank = rank;
    built.event.record = record;
    if (phase != "B") built.event.endRecord = record;
    built.event.depth = static_cast<int>(lane.stack.size());
    if (phase == "X") {
        built.event.durationUs = std::max(0.0, json::number(event, "dur"));
        m_last = std::max(m_last, at + built.event.durationUs);
    }
    if (phase == "B") {
        lane.stack.push_back(m_events.size());
        lane.byName[built.event.name].push_back(m_events.size());
        if (isBackwardName(name)) ++m_backward[rank];
    }
    m_open.push_back(phase == "B");
    m_events.push_back(std::move(built));
}

void TimingBuilder::end(Lane& lane, std::string_view name, double at, std::size_t record) {
    const auto found = lane.byName.find(name);
    if (found == lane.byName.end() || found->second.empty()) return;
    // Threads share one tid, so the event that ends need not be the innermost.
    const std::size_t index = found->second.back();
    found->second.pop_back();
    Built& built = m_events[index];
    built.event.durationUs = std::max(0.0, at - built.event.startUs);
    built.event.endRecord = record;
    m_open[index] = 0;
    while (!lane.stack.empty() && !m_open[lane.stack.back()])
        lane.stack.pop_back();
    if (isBackwardName(name)) --m_backward[built.event.rank];
}

bool TimingBuilder::inBackward(int rank) const {
    const auto found = m_backward.find(rank);
    return found != m_backward.end() && found->second > 0;
}

std::vector<TimingBuilder::Built> TimingBuilder::finish() {
    for (std::size_t i = 0; i < m_events.size(); ++i) {
        session::TimingEvent& event = m_events[i].event;
        if (m_open[i]) {
            event.open = true;
            event.durationUs = m_last - event.startUs;
        }
        event.startUs -= m_first;
    }
    std::vector<Built> out = std::move(m_events);
    *this = {};
    return out;
}

} // namespace dynascope::capture
