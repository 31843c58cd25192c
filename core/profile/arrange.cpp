// SPDX-License-Identifier: BSD-3-Clause
//
// Order, nesting, self times, launches and steps of events: the second half of read().
#include "core/profile/scan_events.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <unordered_map>

namespace dynascope::profile {

namespace {

bool isBefore(const Event& a, const Event& b) {
    if (a.track != b.track) return a.track < b.track;
    if (a.start != b.start) return a.start < b.start;
    if (a.duration != b.duration) return a.duration > b.duration;
    return a.depth < b.depth; // the order of the text
}

void sortEvents(Profile& profile) {
    std::uint32_t order = 0;
    profile.start = INT64_MAX;
    for (Event& event : profile.events) {
        event.depth = order++;
        profile.start = std::min(profile.start, event.start);
    }
    for (Event& event : profile.events)
        event.start -= profile.start;
    if (!std::ranges::is_sorted(profile.events, isBefore)) std::ranges::sort(profile.events, isBefore);
    std::uint32_t i = 0;
    for (std::uint32_t t = 0; t < profile.tracks.size(); ++t) {
        profile.tracks[t].first = i;
        while (i < profile.events.size() && profile.events[i].track == t) {
            profile.duration = std::max(profile.duration, profile.events[i].end());
            ++i;
        }
        profile.tracks[t].last = i;
    }
}

/// The events around a moment of one thread, innermost last. Each moment is given to the innermost, so that self times
/// add up to what they cover together, also where one outlasts what it began in.
class Stack {
public:
    Stack(std::vector<Event>& events, bool takesTime)
        : m_events(events)
        , m_takesTime(takesTime) {}

    /// Events come by start. What they cover that no earlier one did.
    std::int64_t push(std::uint32_t index) {
        Event& event = m_events[index];
        runTo(event.start);
        event.parent = m_open.empty() ? none : m_open.back();
        event.depth = static_cast<std::uint32_t>(m_open.size());
        m_open.push_back(index);
        const std::int64_t from = std::max(event.start, m_covered);
        m_covered = std::max(m_covered, event.end());
        return std::max<std::int64_t>(0, event.end() - from);
    }
    void finish() { runTo(INT64_MAX); }

private:
    void runTo(std::int64_t time) {
        while (!m_open.empty()) {
            Event& top = m_events[m_open.back()];
            const std::int64_t until = std::min(time, top.end());
            if (m_takesTime && until > m_now) top.self += static_cast<double>(until - m_now);
            m_now = std::max(m_now, until);
            if (top.end() > time) return;
            m_open.pop_back();
        }
        m_now = std::max(m_now, time);
    }

    std::vector<Event>& m_events;
    bool m_takesTime;
    std::vector<std::uint32_t> m_open;
    std::int64_t m_now = INT64_MIN, m_covered = INT64_MIN;
};

void nest(Profile& profile) {
    for (const Track& track : profile.tracks) {
        Stack work(profile.events, true), other(profile.events, true), python(profile.events, false);
        for (std::uint32_t i = track.first; i < track.last; ++i) {
            Event& event = profile.events[i];
            event.depth = 0;
            if (event.kind == Kind::Python)
                python.push(i);
            else if (event.kind == Kind::Other)
                profile.busy[event.device] += static_cast<double>(other.push(i));
            else if (takesTime(event.kind) && !isOnDevice(event.kind))
                profile.busy[event.device] += static_cast<double>(work.push(i));
        }
        work.finish();
        other.finish();
        python.finish();
    }
}

/// Kernels of one device that run at the same time share it in equal parts.
void shareDevice(Profile& profile, const std::vector<std::uint32_t>& onDevice, double& busy) {
    struct Edge {
        std::int64_t time;
        bool begins;
    };
    std::vector<Edge> edges;
    edges.reserve(2 * onDevice.size());
    for (const std::uint32_t i : onDevice) {
        edges.push_back({profile.events[i].start, true});
        edges.push_back({profile.events[i].end(), false});
    }
    std::ranges::sort(edges, [](const Edge& a, const Edge& b) { return a.time < b.time; });
    std::vector<std::int64_t> times;
    std::vector<double> shares; // what one that runs all the time has had by then
    std::size_t running = 0;
    for (std::size_t i = 0; i < edges.size();) {
        const std::int64_t time = edges[i].time;
        const double before = shares.empty() ? 0 : shares.back();
        const double length = times.empty() ? 0 : static_cast<double>(time - times.back());
        shares.push_back(running == 0 ? before : before + length / static_cast<double>(running));
        if (running > 0) busy += length;
        times.push_back(time);
        for (; i < edges.size() && edges[i].time == time; ++i)
            edges[i].begins ? ++running : --running;
    }
    const auto shareAt = [&](std::int64_t time) {
        return shares[static_cast<std::size_t>(std::ranges::lower_bound(times, time) - times.begin())];
    };
    for (const std::uint32_t i : onDevice)
        profile.events[i].self = shareAt(profile.events[i].end()) - shareAt(profile.events[i].start);
}

void shareDevices(Profile& profile) {
    std::vector<std::vector<std::uint32_t>> byDevice(profile.devices.size());
    for (std::uint32_t i = 0; i < profile.events.size(); ++i)
        if (isOnDevice(profile.events[i].kind)) byDevice[profile.events[i].device].push_back(i);
    for (std::size_t device = 0; device < byDevice.size(); ++device)
        if (!byDevice[device].empty()) shareDevice(profile, byDevice[device], profile.busy[device]);
}

/// What of a track starts at a time: the innermost that takes time; none where nothing does.
std::uint32_t startingAt(const Profile& profile, std::uint32_t track, std::int64_t time) {
    const auto begin = profile.events.begin() + profile.tracks[track].first;
    const auto end = profile.events.begin() + profile.tracks[track].last;
    auto at = std::partition_point(begin, end, [&](const Event& event) { return event.start < time; });
    std::uint32_t out = none;
    for (; at != end && at->start == time; ++at)
        if (takesTime(at->kind)) out = static_cast<std::uint32_t>(at - profile.events.begin());
    return out;
}

/// Arrows from launches: by where they end.
std::unordered_map<std::uint32_t, std::uint32_t> flowLaunches(const Profile& profile,
                                                              const std::vector<Flow>& flows) {
    std::unordered_map<std::int64_t, std::uint32_t> starts;
    for (const Flow& flow : flows) {
        const std::int64_t time = flow.time - profile.start;
        if (!flow.starts || starts.contains(flow.id)) continue;
        if (const std::uint32_t event = startingAt(profile, flow.track, time); event != none)
            starts.emplace(flow.id, event);
    }
    std::unordered_map<std::uint32_t, std::uint32_t> out;
    for (const Flow& flow : flows) {
        if (flow.starts) continue;
        const auto start = starts.find(flow.id);
        if (start == starts.end()) continue;
        const std::uint32_t event = startingAt(profile, flow.track, flow.time - profile.start);
        if (event != none) out.emplace(event, start->second);
    }
    return out;
}

void linkLaunches(Profile& profile, const std::vector<Flow>& flows) {
    std::unordered_map<std::int64_t, std::uint32_t> byCorrelation, byExternal;
    bool any = false;
    for (std::uint32_t i = 0; i < profile.events.size(); ++i) {
        const Event& event = profile.events[i];
        any = any || isOnDevice(event.kind);
        if (event.kind == Kind::Runtime && profile.launches[event.launch].correlation >= 0)
            byCorrelation.emplace(profile.launches[event.launch].correlation, i);
    }
    if (!any) return;
    for (std::uint32_t i = 0; i < profile.events.size(); ++i)
        if (profile.events[i].kind == Kind::Operator && profile.events[i].external >= 0)
            byExternal.emplace(profile.events[i].external, i);
    const auto byFlow = flowLaunches(profile, flows);
    for (std::uint32_t i = 0; i < profile.events.size(); ++i) {
        const Event& event = profile.events[i];
        if (!isOnDevice(event.kind)) continue;
        Launch& launch = profile.launches[event.launch];
        if (const auto call = byCorrelation.find(launch.correlation); call != byCorrelation.end()) {
            launch.event = call->second;
            launch.link = LaunchLink::Correlation;
        } else if (const auto flow = byFlow.find(i); flow != byFlow.end()) {
            launch.event = flow->second;
            launch.link = LaunchLink::Flow;
        } else if (const auto op = byExternal.find(event.external); op != byExternal.end()) {
            launch.event = op->second;
            launch.link = LaunchLink::ExternalId;
        }
    }
}

/// "gpu:0" is what the runtime's calls say it is: PyTorch calls HIP's devices cuda too. Each has the model that the
/// profile's list of devices says.
void nameDevices(Scanned& scanned) {
    std::string kind;
    for (const std::string_view start : {"cuda", "xpu", "mtia"})
        if (std::ranges::any_of(scanned.deviceKinds,
                                [&](const std::string& name) { return name.starts_with(start); }))
            kind = kind.empty() ? std::string(start) : "gpu";
    for (std::string& device : scanned.profile.devices) {
        const auto model =
            device.starts_with("gpu:") ? scanned.models.find(device.substr(4)) : scanned.models.end();
        scanned.profile.models.push_back(model == scanned.models.end() ? std::string() : model->second);
        if (!kind.empty() && device.starts_with("gpu")) device = kind + device.substr(3);
    }
}

/// Turns of one annotation that do not overlap, in order of time.
std::vector<Step> turnsOf(const Profile& profile, const std::vector<std::uint32_t>& events) {
    std::vector<Step> out;
    for (const std::uint32_t i : events)
        out.push_back({profile.events[i].name, profile.events[i].start, profile.events[i].duration});
    std::ranges::stable_sort(out, [](const Step& a, const Step& b) { return a.start < b.start; });
    std::vector<Step> apart;
    for (const Step& step : out)
        if (apart.empty() || step.start >= apart.back().start + apart.back().duration) apart.push_back(step);
    return apart;
}

void findSteps(Profile& profile) {
    std::vector<std::uint32_t> steps;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> outermost;
    std::unordered_map<std::uint32_t, double> time;
    for (std::uint32_t i = 0; i < profile.events.size(); ++i) {
        const Event& event = profile.events[i];
        if (event.kind != Kind::Annotation) continue;
        const std::string& name = profile.nameOf(event);
        if (name.starts_with("ProfilerStep#")) {
            steps.push_back(i);
        } else if (event.parent == none && !name.starts_with("## Call ")) {
            outermost[event.name].push_back(i);
            time[event.name] += static_cast<double>(event.duration);
        }
    }
    if (!steps.empty()) {
        profile.steps = turnsOf(profile, steps);
        return;
    }
    const auto most = std::ranges::max_element(time, [](const auto& a, const auto& b) {
        return std::pair(a.second, b.first) < std::pair(b.second, a.first);
    });
    if (most != time.end()) profile.steps = turnsOf(profile, outermost[most->first]);
}

} // namespace

void arrange(Scanned& scanned) {
    Profile& profile = scanned.profile;
    nameDevices(scanned);
    profile.busy.assign(profile.devices.size(), 0);
    sortEvents(profile);
    nest(profile);
    shareDevices(profile);
    linkLaunches(profile, scanned.flows);
    findSteps(profile);
}

} // namespace dynascope::profile
