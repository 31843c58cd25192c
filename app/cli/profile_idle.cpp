// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/profile_idle.h"

#include "app/cli/table.h"
#include "core/base/words.h"
#include "core/profile/launch_coverage.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace dynascope::cli {

namespace {

using nlohmann::json;
using profile::IdleCause;
using profile::IdleGap;
using profile::LaunchCoverage;
using profile::LaunchedGraph;

constexpr std::array<std::string_view, profile::spentCount> spentKeys = {
    "computed", "guards", "wrappers", "collectives", "after_breaks", "outside", "group_threads", "other"};

double microseconds(double nanoseconds) {
    return nanoseconds / 1000;
}

std::string timeWords(double nanoseconds) {
    return micros(microseconds(nanoseconds)) + " us";
}

/// "wrappers 12.3 us, nothing recorded 4 us", the most first.
std::string threadText(const profile::ThreadTime& cpu) {
    std::vector<std::pair<double, std::string>> parts{{cpu.nothing, "nothing recorded"}};
    for (std::size_t i = 0; i < profile::spentCount; ++i)
        parts.emplace_back(cpu.spent[i], profile::spentWords(profile::Spent(i)));
    std::ranges::stable_sort(parts, [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string out;
    for (const auto& [spent, what] : parts)
        if (spent > 0) out += (out.empty() ? "" : ", ") + what + ' ' + timeWords(spent);
    return out;
}

json threadJson(const profile::ThreadTime& cpu) {
    json out{{"nothing_us", microseconds(cpu.nothing)}};
    for (std::size_t i = 0; i < profile::spentCount; ++i)
        // What a thread did is told without graphs, so that collectives are among what is computed.
        if (profile::Spent(i) != profile::Spent::Collective)
            out[std::string(spentKeys[i]) + "_us"] = microseconds(cpu.spent[i]);
    return out;
}

std::string launchBoundText(profile::Facts& facts, const LaunchedGraph& graph, LaunchCoverage& coverage) {
    const std::string words = graph.replayed > 0 ? std::string() : profile::coverageWords(coverage.of(graph));
    return "launch-bound: " + launchedName(*facts.joined(), graph) + " waits " + timeWords(graph.waits) +
           " for launches of " + count(graph.kernels, "kernel") + " that take " + timeWords(graph.busy) +
           ", in " + count(graph.calls, "call") +
           (graph.replayed > 0
                ? "; " + count(graph.replayed, "kernel") + " of these ran as a CUDA graph already"
                : "; a CUDA graph could save so much at most" +
                      (words.empty() ? "" : "; under mode=\"reduce-overhead\": " + words)) +
           '\n';
}

/// "cuda:0 idle 40 us of 111 us, from its first event to its last: 30 us until what came next was launched, ...".
std::string deviceText(const profile::Profile& profile, const profile::DeviceIdle& device) {
    const auto part = [&](IdleCause cause) { return device.idle[static_cast<std::size_t>(cause)]; };
    std::string out = profile.devices[device.device] + " idle " + timeWords(device.all()) + " of " +
                      timeWords(static_cast<double>(device.span)) + " from its first event to its last";
    const char* separator = ": ";
    const auto add = [&](double spent, const std::string& what) {
        if (spent <= 0) return;
        out += separator + timeWords(spent) + ' ' + what;
        separator = ", ";
    };
    add(part(IdleCause::Launch), "until what came next was launched");
    add(part(IdleCause::Device), "though it was launched");
    add(part(IdleCause::Unknown), "before what nothing says the launch of");
    out += '\n';
    if (const std::string words = threadText(device.cpu); !words.empty())
        out += "  the CPU meanwhile: " + words + '\n';
    return out;
}

std::string gapsText(const profile::Joined& joined, const std::vector<IdleGap>& gaps, std::size_t top) {
    const profile::Profile& profile = *joined.profile;
    const auto name = [&](std::uint32_t event) {
        return event == profile::none ? std::string() : elide(profile.nameOf(profile.events[event]), 40);
    };
    using enum Table::Align;
    Table table({Right, Right, Left, Left, Left, Left});
    table.add({"idle us", "at us", "device", "waits for", "before", "the CPU was mostly in"});
    const std::size_t shown = top == 0 ? gaps.size() : std::min(top, gaps.size());
    for (std::size_t i = 0; i < shown; ++i)
        table.add({micros(microseconds(static_cast<double>(gaps[i].duration))),
                   micros(microseconds(static_cast<double>(gaps[i].start))), profile.devices[gaps[i].device],
                   std::string(idleCauseName(gaps[i].cause)), name(gaps[i].after), name(gaps[i].longest)});
    std::string out = table.toString("  ");
    if (shown < gaps.size()) out += "  and " + count(gaps.size() - shown, "further gap") + '\n';
    return out;
}

json gapJson(const profile::Profile& profile, const IdleGap& gap) {
    const auto name = [&](std::uint32_t event) {
        return event == profile::none ? json() : json(profile.nameOf(profile.events[event]));
    };
    return {{"device", profile.devices[gap.device]},
            {"start_us", microseconds(static_cast<double>(gap.start))},
            {"duration_us", microseconds(static_cast<double>(gap.duration))},
            {"cause", idleCauseName(gap.cause)},
            {"before", name(gap.before)},
            {"after", name(gap.after)},
            {"cpu_event", name(gap.longest)},
            {"cpu", threadJson(gap.cpu)}};
}

bool hasDevice(const profile::Facts& facts) {
    const auto& events = facts.joined()->profile->events;
    return std::ranges::any_of(events, [](const profile::Event& event) { return isOnDevice(event.kind); });
}

} // namespace

json idleJson(profile::Facts& facts) {
    if (!hasDevice(facts)) return nullptr;
    const profile::Joined& joined = *facts.joined();
    const profile::IdleReport report = idleReport(joined);
    LaunchCoverage coverage(facts);
    json devices = json::array(), graphs = json::array(), gaps = json::array();
    for (const profile::DeviceIdle& device : report.devices) {
        json idle = json::object();
        for (std::size_t i = 0; i < profile::idleCauseCount; ++i)
            idle[std::string(idleCauseName(static_cast<IdleCause>(i)))] = microseconds(device.idle[i]);
        devices.push_back({{"device", joined.profile->devices[device.device]},
                           {"span_us", microseconds(static_cast<double>(device.span))},
                           {"busy_us", microseconds(device.busy)},
                           {"idle_us", idle},
                           {"cpu_while_waiting", threadJson(device.cpu)}});
    }
    for (const LaunchedGraph& graph : report.graphs) {
        const replay::GraphCoverage* of = coverage.of(graph);
        graphs.push_back({{"graph", launchedName(*facts.joined(), graph)},
                          {"device", joined.profile->devices[graph.device]},
                          {"calls", graph.calls},
                          {"kernels", graph.kernels},
                          {"busy_us", microseconds(graph.busy)},
                          {"waits_us", microseconds(graph.waits)},
                          {"launch_bound", graph.isLaunchBound()},
                          {"cuda_graph", of ? json(coverageVerdictName(of->verdict)) : json()}});
    }
    for (const IdleGap& gap : report.gaps)
        gaps.push_back(gapJson(*joined.profile, gap));
    return {{"devices", devices}, {"graphs", graphs}, {"gaps", gaps}};
}

std::string idleText(profile::Facts& facts, std::size_t top) {
    if (!hasDevice(facts)) return {};
    const profile::Joined& joined = *facts.joined();
    const profile::IdleReport report = idleReport(joined);
    LaunchCoverage coverage(facts);
    std::string out;
    for (const profile::DeviceIdle& device : report.devices)
        out += deviceText(*joined.profile, device);
    for (const LaunchedGraph& graph : report.graphs)
        if (graph.isLaunchBound()) out += launchBoundText(facts, graph, coverage);
    if (!report.gaps.empty()) out += gapsText(joined, report.gaps, top);
    return out;
}

} // namespace dynascope::cli
