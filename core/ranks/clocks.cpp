// SPDX-License-Identifier: BSD-3-Clause
#include "core/ranks/clocks.h"

#include "core/base/json.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <simdjson.h>

namespace dynascope::ranks {

namespace json = capture::json;

std::string utcText(double usSince1970) {
    using namespace std::chrono;
    constexpr double msOfADay = 86'400'000;
    const double ms = std::floor(usSince1970 / 1000), day = std::floor(ms / msOfADay);
    if (!(std::abs(day) < 10'000'000)) return "a time that is no date";
    const year_month_day date{sys_days{days{static_cast<int>(day)}}};
    const auto rest = static_cast<int>(ms - day * msOfADay);
    std::array<char, 64> out{};
    std::snprintf(out.data(), out.size(), "%04d-%02u-%02u %02d:%02d:%02d.%03d UTC",
                  static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                  static_cast<unsigned>(date.day()), rest / 3'600'000, rest / 60'000 % 60, rest / 1000 % 60,
                  rest % 1000);
    return out.data();
}

namespace detail {

namespace {

constexpr std::string_view digestType = "artifact:dynascope_digest";

/// "ts" of a chromium_event; nothing where the record has none.
std::optional<double> timeOf(const session::Session& session, std::size_t record) {
    if (record >= session.records.size()) return std::nullopt;
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    const std::string text = session.records[record].payload.text();
    if (parser.parse(text).get(root) != simdjson::SUCCESS) return std::nullopt;
    const double us = json::number(root, "ts", NAN);
    return std::isfinite(us) ? std::optional(us) : std::nullopt;
}

/// By rank, how far the local time before its lines is ahead of UTC, in quarters of an hour.
std::map<int, int> zones(const session::Session& session) {
    constexpr double quarter = 900, day = 86'400;
    std::map<int, int> out;
    for (const session::TimingEvent& event : session.timings) {
        if (out.contains(event.rank) || event.record >= session.records.size()) continue;
        const double local = session.records[event.record].seconds;
        const auto us = timeOf(session, event.record);
        if (!us || local <= 0) continue;
        const double ahead = std::remainder(local - *us * 1e-6, day);
        out.emplace(event.rank, static_cast<int>(std::lround(ahead / quarter)));
    }
    return out;
}

/// Hosts that digests were made on; `unnamed` where a rank's log is no digest, or does not say.
std::set<std::string> hostsOf(const session::Session& session, bool& unnamed) {
    std::set<std::string> hosts;
    std::set<int> named;
    simdjson::dom::parser parser;
    for (std::size_t i = 0; i < session.records.size(); ++i) {
        if (session.records.type(i) != digestType) continue;
        simdjson::dom::element root;
        const std::string text = session.records[i].payload.text();
        if (parser.parse(text).get(root) != simdjson::SUCCESS) continue;
        const std::string host(json::text(root, "host"));
        if (host.empty()) continue;
        hosts.insert(host);
        named.insert(session.records.rank(i));
    }
    unnamed = named.size() < session.ranks.size();
    return hosts;
}

std::string hostWords(const session::Session& session) {
    constexpr std::size_t mostNamed = 4;
    bool unnamed = false;
    const std::set<std::string> hosts = hostsOf(session, unnamed);
    const std::string limit = "between hosts, times fit together only as well as their clocks agree";
    if (hosts.size() > 1) {
        std::vector<std::string> some(hosts.begin(), hosts.end());
        if (some.size() > mostNamed) some.resize(mostNamed);
        return "Digests were made on " + std::to_string(hosts.size()) + " hosts (" + joined(some, ", ") +
               (some.size() < hosts.size() ? ", ..." : "") + "): " + limit + '.';
    }
    if (!unnamed)
        return "All digests were made on host " + *hosts.begin() +
               "; where the ranks ran there, this is one clock, and " + limit + '.';
    return "Ranks of one host share it; " + limit + ", and logs do not name their host.";
}

} // namespace

std::optional<double> epochOfTimings(const session::Session& session) {
    for (const session::TimingEvent& event : session.timings)
        if (const auto us = timeOf(session, event.record)) return *us - event.startUs;
    return std::nullopt;
}

std::string clockWords(const session::Session& session, const CompileTimes& times) {
    std::array<bool, 2> used{};
    for (const RankTime& rank : times.ranks)
        for (const CompileTime& one : rank.compiles)
            used[static_cast<std::size_t>(one.source)] = true;
    std::string out = "The clock is the system clock of each rank's host, as its log has it (";
    if (used[0]) out += "chromium_event, in microseconds since 1970";
    if (used[0] && used[1]) out += "; of compiles without it ";
    if (used[1]) out += "start_time of compilation_metrics";
    out += "). " + hostWords(session);
    std::map<int, std::vector<int>> byZone;
    for (const auto& [rank, zone] : zones(session))
        byZone[zone].push_back(rank);
    if (byZone.size() > 1)
        out += " The local times before the lines are in several time zones (" +
               rankWords(byZone.begin()->second) + ", " + rankWords(std::next(byZone.begin())->second) +
               (byZone.size() > 2 ? ", ..." : "") +
               "): these ranks ran on several hosts, or were told other zones.";
    return out;
}

} // namespace detail

} // namespace dynascope::ranks
