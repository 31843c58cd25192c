// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/timing.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace dynascope::capture {

namespace {

std::optional<TimingBuilder::Work> workOf(std::string_view name) {
    using Work = TimingBuilder::Work;
    if (name.find("bw_compiler") != std::string_view::npos ||
        name.find("backward_compile") != std::string_view::npos)
        return Work::Backward;
    if (name == "inductor_compile") return Work::Inductor;
    if (name == "aot_trace_joint_graph") return Work::JointTrace;
    if (name == "create_aot_dispatcher_function") return Work::Autograd;
    return std::nullopt;
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
    m_underWay.clear();
}

std::uint32_t NamePool::number(std::string_view text) {
    const auto found = m_numbers.find(text);
    if (found != m_numbers.end()) return found->second;
    const auto number = static_cast<std::uint32_t>(m_texts.size());
    m_numbers.emplace(m_texts.emplace_back(text), number);
    return number;
}

TimingRecord readTiming(const json::element& event, NamePool& names) {
    TimingRecord out;
    const std::string_view phase = json::text(event, "ph");
    out.at = json::number(event, "ts", NAN);
    out.name = names.number(json::text(event, "name"));
    out.category = names.number(json::text(event, "cat"));
    if (phase.size() != 1 || !std::isfinite(out.at)) return out;
    out.phase = phase.front();
    out.pid = json::integer(event, "pid", 0);
    out.tid = json::integer(event, "tid", 0);
    if (out.phase == 'X') out.duration = std::max(0.0, json::number(event, "dur"));
    if (json::element args; event["args"].get(args) == simdjson::SUCCESS)
        out.compileId = parseCompileId(json::text(args, "compile_id"));
    return out;
}

void TimingBuilder::reserve(std::size_t count) {
    // Exactly so for one log; of many logs, each is not to move all that came before it.
    const std::size_t wanted = m_built.events.size() + count, has = m_built.events.capacity();
    if (wanted <= has) return;
    m_built.events.reserve(std::max(wanted, has + has / 2));
    m_built.compileIds.reserve(std::max(wanted, has + has / 2));
}

const session::SharedText& TimingBuilder::shared(const std::string& text) {
    const auto [found, isNew] = m_shared.try_emplace(text);
    if (isNew) found->second = session::SharedText(text);
    return found->second;
}

void TimingBuilder::add(const TimingRecord& event, const NamePool& names, int rank,
                        const session::CompileId& fallback, int run, std::size_t record) {
    if (event.phase == 0) return;
    if (m_built.events.empty() && m_last == 0) m_first = event.at;
    m_first = std::min(m_first, event.at);
    m_last = std::max(m_last, event.at);

    Lane& lane = m_lanes[{m_log, rank, event.pid, event.tid}];
    const std::string& name = names.str(event.name);
    if (event.phase == 'E') {
        end(lane, name, event.at, record);
        return;
    }
    const bool begins = event.phase == 'B';
    if (!begins && event.phase != 'X' && event.phase != 'i' && event.phase != 'I') return;

    session::CompileId id = fallback;
    if (!event.compileId.empty()) {
        id = event.compileId;
        id.run = run;
    }
    const std::size_t index = m_built.events.size();
    session::TimingEvent& built = m_built.events.emplace_back();
    m_built.compileIds.push_back(id);
    built.name = shared(name);
    built.category = shared(names.str(event.category));
    built.startUs = event.at;
    built.pid = event.pid;
    built.tid = event.tid;
    built.rank = rank;
    built.record = record;
    if (!begins) built.endRecord = record;
    built.depth = static_cast<int>(lane.stack.size());
    if (event.phase == 'X') {
        built.durationUs = event.duration;
        m_last = std::max(m_last, event.at + event.duration);
    }
    if (begins) {
        lane.stack.push_back(index);
        lane.byName[name].push_back(index);
        if (const auto work = workOf(name)) ++m_underWay[rank][static_cast<std::size_t>(*work)];
    }
    m_open.push_back(begins);
}

void TimingBuilder::end(Lane& lane, std::string_view name, double at, std::size_t record) {
    const auto found = lane.byName.find(name);
    if (found == lane.byName.end() || found->second.empty()) return;
    // Threads share one tid, so the event that ends need not be the innermost.
    const std::size_t index = found->second.back();
    found->second.pop_back();
    session::TimingEvent& built = m_built.events[index];
    built.durationUs = std::max(0.0, at - built.startUs);
    built.endRecord = record;
    m_open[index] = 0;
    while (!lane.stack.empty() && !m_open[lane.stack.back()])
        lane.stack.pop_back();
    if (const auto work = workOf(name)) --m_underWay[built.rank][static_cast<std::size_t>(*work)];
}

bool TimingBuilder::isUnderWay(int rank, Work work) const {
    const auto found = m_underWay.find(rank);
    return found != m_underWay.end() && found->second[static_cast<std::size_t>(work)] > 0;
}

TimingBuilder::Built TimingBuilder::finish() {
    for (std::size_t i = 0; i < m_built.events.size(); ++i) {
        session::TimingEvent& event = m_built.events[i];
        if (m_open[i]) {
            event.open = true;
            event.durationUs = m_last - event.startUs;
        }
        event.startUs -= m_first;
    }
    Built out = std::move(m_built);
    *this = {};
    return out;
}

} // namespace dynascope::capture
