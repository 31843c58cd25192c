// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/live.h"

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/dynamo/condition.h"
#include "core/dynamo/documents.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

namespace dynascope::dynamo {

namespace json = capture::json;

namespace {

constexpr std::array<std::pair<std::string_view, LiveEvent::Kind>, 5> kinds{{
    {"hello", LiveEvent::Kind::Hello},
    {"stopped", LiveEvent::Kind::Stopped},
    {"running", LiveEvent::Kind::Running},
    {"breakpoint", LiveEvent::Kind::Breakpoint},
    {"error", LiveEvent::Kind::Error},
}};

constexpr std::array<std::pair<std::string_view, LiveStop>, 6> stops{{
    {"start", LiveStop::Start},
    {"breakpoint", LiveStop::Breakpoint},
    {"step", LiveStop::Step},
    {"pause", LiveStop::Pause},
    {"graph break", LiveStop::GraphBreak},
    {"exception", LiveStop::Exception},
}};

constexpr std::array<std::string_view, 2> events{"graph break", "exception"};

template <typename Value, std::size_t size>
Value named(const std::array<std::pair<std::string_view, Value>, size>& table, std::string_view name,
            Value otherwise) {
    for (const auto& [known, value] : table)
        if (known == name) return value;
    return otherwise;
}

std::string line(const nlohmann::json& object) {
    return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

/// "FILE:LINE" or "LINE"; nothing for anything else.
std::optional<LiveBreakpoint> readPlace(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    const std::string_view number = colon == std::string_view::npos ? text : text.substr(colon + 1);
    LiveBreakpoint out;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), out.line);
    if (error != std::errc() || end != number.data() + number.size() || out.line == 0) return std::nullopt;
    if (colon != std::string_view::npos) out.file = text.substr(0, colon);
    return out;
}

} // namespace

Result<LiveEvent> readLiveEvent(std::string_view text) {
    simdjson::dom::parser parser;
    json::element object;
    if (parser.parse(text.data(), text.size()).get(object) != simdjson::SUCCESS || !object.is_object())
        return failure("not a line of the live protocol");
    LiveEvent out;
    out.kind = named(kinds, json::text(object, "event"), LiveEvent::Kind::Other);
    out.protocol = json::smallInteger(object, "protocol", 0);
    out.pid = json::integer(object, "pid");
    out.rank = json::smallInteger(object, "rank");
    out.arguments = texts(object, "arguments");
    out.stop = named(stops, json::text(object, "reason"), LiveStop::Other);
    out.recording = json::text(object, "recording");
    const std::int64_t step = json::integer(object, "step");
    out.step = step >= 0 && step < noStep ? static_cast<StepIndex>(step) : noStep;
    out.compile = json::text(object, "compile");
    out.attempt = json::smallInteger(object, "attempt", 0);
    out.file = json::text(object, "file");
    out.function = json::text(object, "function");
    out.op = json::text(object, "op");
    out.line = static_cast<std::uint32_t>(std::max(json::smallInteger(object, "line", 0), 0));
    out.depth = json::smallInteger(object, "depth", 0);
    out.nodes = json::smallInteger(object, "nodes", 0);
    out.guards = json::smallInteger(object, "guards", 0);
    out.breakpoint = json::smallInteger(
        object, out.kind == LiveEvent::Kind::Breakpoint ? std::string_view("id") : "breakpoint", 0);
    out.text = json::text(object, "text");
    return out;
}

Result<LiveBreakpoint> readLiveBreakpoint(std::string_view whole) {
    const std::string_view text = trimmed(whole);
    LiveBreakpoint out;
    if (std::find(events.begin(), events.end(), text) != events.end()) {
        out.on = text;
        return out;
    }
    const std::size_t mark = text.find(" if ");
    if (auto place = readPlace(trimmed(text.substr(0, mark)))) {
        out = std::move(*place);
        if (mark == std::string_view::npos) return out;
        out.condition = trimmed(text.substr(mark + 4));
    } else {
        out.condition = text;
    }
    if (const Result<Condition> condition = Condition::parse(out.condition); !condition)
        return tl::unexpected(condition.error());
    return out;
}

std::string describe(const LiveBreakpoint& breakpoint) {
    if (!breakpoint.on.empty()) return breakpoint.on;
    if (breakpoint.line == 0) return breakpoint.condition;
    std::string out = breakpoint.file.empty() ? std::string() : breakpoint.file + ':';
    out += std::to_string(breakpoint.line);
    if (!breakpoint.condition.empty()) out += " if " + breakpoint.condition;
    return out;
}

std::string liveCommand(LiveCommand command) {
    static constexpr std::array<std::string_view, 8> names{"continue", "step",        "next",  "line",
                                                           "out",      "graph_break", "pause", "detach"};
    return line({{"command", names[static_cast<std::size_t>(command)]}});
}

std::string liveBreak(const LiveBreakpoint& breakpoint) {
    nlohmann::json object{{"command", "break"}};
    if (!breakpoint.on.empty()) object["on"] = breakpoint.on;
    if (breakpoint.line > 0) object["line"] = breakpoint.line;
    if (!breakpoint.file.empty()) object["file"] = breakpoint.file;
    if (!breakpoint.condition.empty()) object["condition"] = breakpoint.condition;
    return line(object);
}

std::string liveDelete(int breakpoint) {
    return line({{"command", "delete"}, {"id", breakpoint}});
}

bool LiveLines::add(std::string_view bytes) {
    m_bytes += bytes;
    return m_bytes.size() - m_begin <= longest || m_bytes.find('\n', m_begin) - m_begin <= longest;
}

std::optional<std::string> LiveLines::take() {
    const std::size_t end = m_bytes.find('\n', m_begin);
    if (end == std::string::npos) {
        m_bytes.erase(0, std::exchange(m_begin, 0));
        return std::nullopt;
    }
    std::string out = m_bytes.substr(m_begin, end - m_begin);
    m_begin = end + 1;
    return out;
}

} // namespace dynascope::dynamo
