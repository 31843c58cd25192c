// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/log.h"

#include "core/base/shown_text.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace dynascope::log {

namespace detail {
std::atomic<Topics> chosen = 0;
} // namespace detail

namespace {

constexpr std::array<std::string_view, topicCount> topicNames{
    "answers", "capture", "compare", "computed", "dynamo", "engine", "find",   "inductor", "journal",
    "layout",  "profile", "ranks",   "rederive", "remote", "replay", "report", "store",    "tasks"};
static_assert(!topicNames.back().empty());

std::atomic<Sink> lineSink = nullptr;
const Stopwatch sinceStart;

void toStderr(Topic topic, const std::string& line) {
    const std::int64_t ms = sinceStart.ms();
    std::array<char, 32> time{};
    std::snprintf(time.data(), time.size(), "[%5lld.%03lld] ", static_cast<long long>(ms / 1000),
                  static_cast<long long>(ms % 1000));
    // One call, so that lines of two threads do not mix.
    const std::string whole = time.data() + std::string(nameOf(topic)) + ": " + line + "\n";
    std::fwrite(whole.data(), 1, whole.size(), stderr);
}

} // namespace

std::string_view nameOf(Topic topic) {
    return topicNames.at(static_cast<std::size_t>(topic));
}

Choice choose(std::string_view list) {
    Choice out;
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        const std::string_view name = trimmed(list.substr(0, comma));
        list.remove_prefix(std::min(comma + 1, list.size()));
        const auto* const found = std::find(topicNames.begin(), topicNames.end(), name);
        if (name == "all") {
            out.topics = (1U << topicCount) - 1;
        } else if (found != topicNames.end()) {
            out.topics |= 1U << static_cast<unsigned>(found - topicNames.begin());
        } else if (!name.empty() &&
                   std::find(out.unknown.begin(), out.unknown.end(), name) == out.unknown.end()) {
            out.unknown.emplace_back(name);
        }
    }
    return out;
}

void chooseByEnvironment() {
    const char* const list = std::getenv("DYNASCOPE_LOG");
    if (!list) return;
    const Choice choice = choose(list);
    setTopics(choice.topics);
    if (choice.unknown.empty()) return;
    std::string names, known = "all";
    for (const std::string& name : choice.unknown)
        names += (names.empty() ? "'" : ", '") + name + "'";
    for (const std::string_view name : topicNames)
        known.append(", ").append(name);
    std::fprintf(stderr, "DYNASCOPE_LOG: no topic is called %s; there are %s\n",
                 withoutControlCodes(names).c_str(), known.c_str());
}

void setTopics(Topics topics) {
    detail::chosen.store(topics, std::memory_order_relaxed);
}

Topics topics() {
    return detail::chosen.load(std::memory_order_relaxed);
}

void setSink(Sink sink) {
    lineSink.store(sink);
}

void detail::write(Topic topic, std::string_view text) {
    std::string line = withoutControlCodes(text);
    std::replace(line.begin(), line.end(), '\n', ' ');
    const Sink sink = lineSink.load();
    (sink ? sink : toStderr)(topic, line);
}

} // namespace dynascope::log
