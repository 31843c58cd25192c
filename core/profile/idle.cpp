// SPDX-License-Identifier: BSD-3-Clause
#include "core/profile/idle.h"

#include "core/profile/contexts.h"
#include "core/profile/graph_calls.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace dynascope::profile {

namespace {

/// A stretch of a thread in which one event was the innermost; none for nothing.
struct Stretch {
    std::int64_t start = 0, end = 0;
    std::uint32_t event = none;
};

bool onCpu(const Event& event) {
    return takesTime(event.kind) && !isOnDevice(event.kind);
}

/// Of a thread, in order of time.
std::vector<Stretch> stretchesOf(const Profile& profile, const Track& track) {
    std::vector<Stretch> out;
    std::vector<std::uint32_t> open;
    std::int64_t at = 0;
    const auto until = [&](std::int64_t end, std::uint32_t event) {
        if (end > at) out.push_back({at, end, event});
        at = std::max(at, end);
    };
    const auto close = [&](std::int64_t start) {
        while (!open.empty() && profile.events[open.back()].end() <= start) {
            until(profile.events[open.back()].end(), open.back());
            open.pop_back();
        }
    };
    for (std::uint32_t i = track.first; i < track.last; ++i) {
        const Event& event = profile.events[i];
        if (!onCpu(event)) continue;
        close(event.start);
        until(event.start, open.empty() ? none : open.back());
        open.push_back(i);
    }
    close(std::numeric_limits<std::int64_t>::max());
    return out;
}

class Finder {
public:
    explicit Finder(const Joined& joined)
        : m_joined(joined)
        , m_profile(*joined.profile) {
        findRuns();
    }

    IdleReport run() {
        std::map<std::uint8_t, std::vector<std::uint32_t>> devices;
        for (std::uint32_t i = 0; i < m_profile.events.size(); ++i)
            if (isOnDevice(event(i).kind)) devices[event(i).device].push_back(i);
        for (auto& [device, events] : devices) {
            std::ranges::sort(events, {}, [&](std::uint32_t i) { return event(i).start; });
            addDevice(device, events);
        }
        std::ranges::stable_sort(m_out.gaps, std::ranges::greater(), &IdleGap::duration);
        for (auto& [key, graph] : m_graphs) {
            graph.calls = m_calls[key].size();
            m_out.graphs.push_back(graph);
        }
        std::ranges::stable_sort(m_out.graphs, std::ranges::greater(), &LaunchedGraph::waits);
        return std::move(m_out);
    }

private:
    using GraphKey = std::tuple<int, int, std::uint8_t>;
    [[nodiscard]] const Event& event(std::uint32_t i) const { return m_profile.events[i]; }

    /// The call of a graph around each event of the CPU: those around an event stand before it.
    void findRuns() {
        m_runs.assign(m_profile.events.size(), none);
        for (std::uint32_t i = 0; i < m_runs.size(); ++i) {
            if (!onCpu(event(i))) continue;
            const Role role = roleOf(m_profile.nameOf(event(i)));
            const bool runs = role == Role::Call || role == Role::Forward || role == Role::Backward;
            if (runs)
                m_runs[i] = i;
            else if (event(i).parent != none)
                m_runs[i] = m_runs[event(i).parent];
        }
    }

    /// The call that launched an event of a device; none where that is not known.
    [[nodiscard]] std::uint32_t launchOf(std::uint32_t i) const {
        const std::uint32_t launch = event(i).launch;
        return launch == none ? none : m_profile.launches[launch].event;
    }

    void addDevice(std::uint8_t device, const std::vector<std::uint32_t>& events) {
        DeviceIdle out;
        out.device = device;
        out.busy = m_profile.busy[device];
        std::uint32_t last = events.front();
        for (const std::uint32_t i : events) {
            addKernel(i);
            if (event(i).start > event(last).end()) addGap(gapBetween(last, i), out);
            if (event(i).end() >= event(last).end()) last = i;
        }
        out.span = event(last).end() - event(events.front()).start;
        m_out.devices.push_back(out);
    }

    IdleGap gapBetween(std::uint32_t before, std::uint32_t after) {
        IdleGap out;
        out.start = event(before).end();
        out.duration = event(after).start - out.start;
        out.before = before;
        out.after = after;
        out.device = event(after).device;
        const std::uint32_t launch = launchOf(after);
        if (launch == none) return out;
        // What one call launches together, a CUDA graph, waits for no launch of its own.
        const bool waited = launch != launchOf(before) && event(launch).end() > out.start;
        out.cause = waited ? IdleCause::Launch : IdleCause::Device;
        if (out.cause == IdleCause::Launch) lookAtThread(launch, out);
        return out;
    }

    void addGap(const IdleGap& gap, DeviceIdle& device) {
        device.idle[static_cast<std::size_t>(gap.cause)] += static_cast<double>(gap.duration);
        device.cpu.add(gap.cpu);
        m_out.gaps.push_back(gap);
        if (gap.cause != IdleCause::Launch || launchOf(gap.before) == none) return;
        const std::uint32_t run = m_runs[launchOf(gap.after)];
        if (run == none || run != m_runs[launchOf(gap.before)]) return;
        if (LaunchedGraph* graph = graphOf(gap.after)) graph->waits += static_cast<double>(gap.duration);
    }

    void addKernel(std::uint32_t i) {
        LaunchedGraph* graph = graphOf(i);
        if (!graph) return;
        ++graph->kernels;
        if (const std::uint32_t launch = launchOf(i);
            launch != none && isGraphLaunch(m_profile.nameOf(event(launch))))
            ++graph->replayed;
        graph->busy += event(i).self;
        if (const std::uint32_t launch = launchOf(i); launch != none && m_runs[launch] != none)
            m_calls[{graph->compile, graph->stage, graph->device}].insert(m_runs[launch]);
    }

    /// Null where it is of no graph that is known.
    LaunchedGraph* graphOf(std::uint32_t i) {
        const std::uint32_t index = m_joined.rowOf[i];
        if (index == none) return nullptr;
        const Row& row = m_joined.rows[index];
        if (row.compile < 0 || row.stage < 0) return nullptr;
        LaunchedGraph& out = m_graphs[{row.compile, row.stage, row.device}];
        out.compile = row.compile;
        out.stage = row.stage;
        out.device = row.device;
        return &out;
    }

    /// What the thread of a launch did while the device waited for it.
    void lookAtThread(std::uint32_t launch, IdleGap& gap) {
        const std::uint32_t track = event(launch).track;
        const auto [known, isNew] = m_stretches.try_emplace(track);
        if (isNew) known->second = stretchesOf(m_profile, m_profile.tracks[track]);
        const std::int64_t end = std::min(event(launch).end(), gap.start + gap.duration);
        auto at = std::ranges::upper_bound(known->second, gap.start, {}, &Stretch::end);
        std::int64_t most = 0, covered = 0;
        for (; at != known->second.end() && at->start < end; ++at) {
            const std::int64_t part = std::min(at->end, end) - std::max(at->start, gap.start);
            if (at->event == none || part <= 0) continue;
            covered += part;
            gap.cpu.spent[static_cast<std::size_t>(spentOn(m_joined, at->event))] +=
                static_cast<double>(part);
            if (part > most) {
                most = part;
                gap.longest = at->event;
            }
        }
        gap.cpu.nothing += static_cast<double>(std::max<std::int64_t>(0, end - gap.start - covered));
    }

    const Joined& m_joined;
    const Profile& m_profile;
    IdleReport m_out;
    std::vector<std::uint32_t> m_runs;                                   ///< by event
    std::unordered_map<std::uint32_t, std::vector<Stretch>> m_stretches; ///< by track
    std::map<GraphKey, LaunchedGraph> m_graphs;
    std::map<GraphKey, std::set<std::uint32_t>> m_calls;
};

} // namespace

std::string_view idleCauseName(IdleCause cause) {
    static constexpr std::array<std::string_view, idleCauseCount> names = {"launch", "device", "unknown"};
    return names[static_cast<std::size_t>(cause)];
}

void ThreadTime::add(const ThreadTime& other) {
    for (std::size_t i = 0; i < spentCount; ++i)
        spent[i] += other.spent[i];
    nothing += other.nothing;
}

IdleReport idleReport(const Joined& joined) {
    return Finder(joined).run();
}

} // namespace dynascope::profile
