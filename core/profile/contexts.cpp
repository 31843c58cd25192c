// SPDX-License-Identifier: BSD-3-Clause
#include "core/profile/contexts.h"

#include <algorithm>

namespace dynascope::profile {

namespace {

constexpr std::string_view regionStart = "Torch-Compiled Region: ";
constexpr std::string_view callStart = "## Call CompiledFxGraph ";
constexpr std::string_view engineStart = "autograd::engine::evaluate_function: ";

} // namespace

Role roleOf(std::string_view name) {
    if (name.starts_with(regionStart)) return Role::Region;
    if (name.starts_with(callStart)) return Role::Call;
    if (name == "TorchDynamo Cache Lookup") return Role::Guards;
    if (name == "Pregraph bytecode") return Role::Pregraph;
    if (name == "AOTDispatcher Runtime Wrapper Prologue") return Role::Prologue;
    if (name.starts_with(engineStart)) name.remove_prefix(engineStart.size());
    if (name == "CompiledFunction") return Role::Forward;
    return name == "CompiledFunctionBackward" ? Role::Backward : Role::Plain;
}

bool isEngineCall(std::string_view name) {
    return name.starts_with(engineStart);
}

std::string_view subjectOf(std::string_view name) {
    for (const std::string_view start : {regionStart, callStart})
        if (name.starts_with(start)) {
            name.remove_prefix(start.size());
            return name.substr(0, name.find(' '));
        }
    return {};
}

Contexts::Contexts(const Profile& profile, const CompileIndex& index)
    : m_profile(profile) {
    for (std::size_t i = 0; i < profile.names.size(); ++i)
        m_roles.push_back(roleOf(profile.names.text(static_cast<std::uint32_t>(i))));
    findAround();
    linkSiblings();
    resolveRegions(index);
    resolveBackwards();
}

void Contexts::findAround() {
    m_around.resize(m_profile.events.size());
    for (std::uint32_t i = 0; i < m_around.size(); ++i) {
        if (!onCpu(i)) continue;
        const Event& event = m_profile.events[i];
        Around& around = m_around[i];
        if (event.parent != none) around = m_around[event.parent];
        switch (role(i)) {
        case Role::Region:
            around = {i, none, none};
            break;
        case Role::Forward:
            if (event.sequence >= 0 && around.region != none)
                m_forwards[event.sequence].push_back(around.region);
            around.run = i;
            break;
        case Role::Backward:
            around = {none, i, i};
            break;
        case Role::Call:
            around.run = i;
            break;
        default:
            break;
        }
    }
    for (auto& [sequence, regions] : m_forwards)
        std::ranges::sort(regions, {}, [&](std::uint32_t region) { return m_profile.events[region].start; });
}

void Contexts::linkSiblings() {
    m_first.assign(m_profile.events.size(), none);
    m_next.assign(m_profile.events.size(), none);
    std::vector<std::uint32_t> last(m_profile.events.size(), none);
    std::vector<std::uint32_t> outermost(m_profile.tracks.size(), none);
    for (std::uint32_t i = 0; i < m_profile.events.size(); ++i) {
        if (!onCpu(i)) continue;
        const Event& event = m_profile.events[i];
        std::uint32_t& before = event.parent == none ? outermost[event.track] : last[event.parent];
        if (before != none)
            m_next[before] = i;
        else if (event.parent != none)
            m_first[event.parent] = i;
        before = i;
    }
}

void Contexts::resolveRegions(const CompileIndex& index) {
    std::unordered_map<std::uint32_t, int> byKey; // of runs with one compile id, the one that has the graph
    for (std::uint32_t i = 0; i < m_around.size(); ++i) {
        if (!onCpu(i) || role(i) != Role::Call || region(i) == none) continue;
        const auto ids = index.withId(subjectOf(m_profile.nameOf(m_profile.events[region(i)])));
        if (ids.size() < 2) continue;
        for (const KeyedCode& code : index.withKey(subjectOf(m_profile.nameOf(m_profile.events[i]))))
            if (std::ranges::find(ids, code.compile) != ids.end()) byKey[region(i)] = code.compile;
    }
    for (std::uint32_t i = 0; i < m_around.size(); ++i) {
        if (!onCpu(i) || role(i) != Role::Region) continue;
        const auto ids = index.withId(subjectOf(m_profile.nameOf(m_profile.events[i])));
        if (ids.empty()) continue;
        const auto known = byKey.find(i);
        if (known != byKey.end())
            m_owners[i] = {known->second, Link::CompileId};
        else
            m_owners[i] = {ids.back(), ids.size() == 1 ? Link::CompileId : Link::LastRun};
    }
}

void Contexts::resolveBackwards() {
    for (std::uint32_t i = 0; i < m_around.size(); ++i) {
        if (!onCpu(i) || role(i) != Role::Backward) continue;
        const Event& event = m_profile.events[i];
        const auto known = m_forwards.find(event.sequence);
        if (known != m_forwards.end()) {
            const auto after =
                std::ranges::upper_bound(known->second, event.start, {}, [&](std::uint32_t region) {
                    return m_profile.events[region].start;
                });
            if (after == known->second.begin()) continue;
            const auto owner = m_owners.find(*std::prev(after));
            if (owner != m_owners.end()) m_owners[i] = {owner->second.compile, Link::Sequence};
        } else if (event.parent != none && role(event.parent) == Role::Backward) {
            if (const auto outer = m_owners.find(event.parent); outer != m_owners.end()) {
                const Owner same = outer->second;
                m_owners[i] = same;
            }
        }
    }
}

Owner Contexts::owner(std::uint32_t i) const {
    const Around& around = m_around[i];
    const auto known = m_owners.find(around.region != none ? around.region : around.backward);
    return known == m_owners.end() ? Owner{} : known->second;
}

std::vector<std::uint32_t> Contexts::inside(std::uint32_t i) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t child = m_first[i]; child != none; child = m_next[child])
        out.push_back(child);
    return out;
}

std::vector<std::uint32_t> Contexts::tracks() const {
    std::vector<std::uint32_t> out, others;
    for (std::uint32_t t = 0; t < m_profile.tracks.size(); ++t) {
        const Track& track = m_profile.tracks[t];
        bool any = false;
        for (std::uint32_t i = track.first; i < track.last && !any; ++i)
            any = onCpu(i) && role(i) == Role::Region;
        (any ? out : others).push_back(t);
    }
    out.insert(out.end(), others.begin(), others.end());
    return out;
}

} // namespace dynascope::profile
