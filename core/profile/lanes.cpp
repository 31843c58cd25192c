// SPDX-License-Identifier: BSD-3-Clause
#include "core/profile/lanes.h"

#include "core/profile/contexts.h"
#include "core/profile/graph_calls.h"

#include <algorithm>
#include <array>

namespace dynascope::profile {

namespace {

bool isComputed(Part part) {
    return part == Part::Kernel || part == Part::Node;
}

class LaneMaker {
public:
    LaneMaker(const Joined& joined, const TaskContext& task)
        : m_joined(joined)
        , m_profile(*joined.profile)
        , m_task(task) {
        for (std::size_t i = 0; i < m_profile.names.size(); ++i)
            m_roles.push_back(roleOf(m_profile.names.text(static_cast<std::uint32_t>(i))));
    }

    std::vector<Lane> make() {
        std::vector<Lane> tracks;
        for (std::uint32_t t = 0; t < m_profile.tracks.size(); ++t)
            if (!addTrack(t, tracks)) return {};
        std::vector<Lane> out;
        for (std::size_t i = 0; i < m_across.size(); ++i)
            if (!m_across[i].empty()) out.push_back(packed(static_cast<Lane::What>(i), m_across[i]));
        std::ranges::stable_sort(tracks, [this](const Lane& a, const Lane& b) {
            const auto rank = [](const Lane& lane) {
                return lane.what == Lane::What::Stream ? 0 : lane.what == Lane::What::Thread ? 1 : 2;
            };
            return rank(a) != rank(b) ? rank(a) < rank(b) : rank(a) == 1 && m_busy[a.track] > m_busy[b.track];
        });
        std::ranges::move(tracks, std::back_inserter(out));
        return out;
    }

private:
    static constexpr std::size_t acrossLanes = static_cast<std::size_t>(Lane::What::Thread);

    bool addTrack(std::uint32_t t, std::vector<Lane>& out) {
        Lane thread{Lane::What::Thread, t, 0, {}, 0}, foreign{Lane::What::Foreign, t, 0, {}, 0};
        std::vector<std::uint32_t> onDevice;
        double busy = 0;
        for (std::uint32_t i = m_profile.tracks[t].first; i < m_profile.tracks[t].last; ++i) {
            if ((i & 0xFFFFU) == 0 && m_task.cancelled()) return false;
            const Event& event = m_profile.events[i];
            if (isOnDevice(event.kind)) {
                onDevice.push_back(i);
            } else if (event.kind == Kind::Other) {
                nest(foreign, i);
            } else if (takesTime(event.kind)) {
                nest(thread, i);
                addAcross(i);
                busy += event.self;
            }
        }
        m_busy.push_back(busy);
        if (!onDevice.empty()) {
            out.push_back(packed(Lane::What::Stream, onDevice));
            out.back().track = t;
            out.back().device = m_profile.events[onDevice.front()].device;
        }
        if (!thread.rows.empty()) out.push_back(std::move(thread));
        if (!foreign.rows.empty()) out.push_back(std::move(foreign));
        return true;
    }

    void nest(Lane& lane, std::uint32_t i) const {
        const std::uint32_t depth = m_profile.events[i].depth;
        if (depth >= mostLaneRows) {
            ++lane.leftOut;
            return;
        }
        if (lane.rows.size() <= depth) lane.rows.resize(depth + 1);
        lane.device = m_profile.events[i].device;
        lane.rows[depth].push_back(i);
    }

    void addAcross(std::uint32_t i) {
        const auto add = [&](Lane::What what) { m_across[static_cast<std::size_t>(what)].push_back(i); };
        switch (m_roles[m_profile.events[i].name]) {
        case Role::Region:
            return add(Lane::What::Regions);
        case Role::Guards:
            return add(Lane::What::Guards);
        case Role::Forward:
        case Role::Backward:
            if (isEngineCall(m_profile.nameOf(m_profile.events[i]))) return; // around the same call
            return add(Lane::What::Graphs);
        case Role::Call:
        case Role::Pregraph:
        case Role::Prologue:
            return add(Lane::What::Graphs);
        case Role::Plain:
            break;
        }
        if (isWithin(i, isComputed))
            add(Lane::What::Computed);
        else if (isWithin(i, [](Part part) { return part == Part::AfterBreak; }))
            add(Lane::What::Broken);
    }

    /// Whether an event is of such a part, and what is around it is not.
    template <typename Fits>
    [[nodiscard]] bool isWithin(std::uint32_t i, Fits fits) const {
        const std::uint32_t row = m_joined.rowOf[i], parent = m_profile.events[i].parent;
        if (row == none || !fits(m_joined.rows[row].part)) return false;
        const std::uint32_t around = parent == none ? none : m_joined.rowOf[parent];
        return around == none || !fits(m_joined.rows[around].part);
    }

    /// Each event in the first row that is free by then, the longest of those that begin together first.
    [[nodiscard]] Lane packed(Lane::What what, std::vector<std::uint32_t> events) const {
        std::ranges::stable_sort(events, [this](std::uint32_t a, std::uint32_t b) {
            const Event &x = m_profile.events[a], &y = m_profile.events[b];
            return x.start != y.start ? x.start < y.start : x.duration > y.duration;
        });
        Lane out{what, none, 0, {}, 0};
        std::vector<std::int64_t> ends;
        for (const std::uint32_t i : events) {
            const Event& event = m_profile.events[i];
            std::size_t row = 0;
            while (row < ends.size() && ends[row] > event.start)
                ++row;
            if (row == mostLaneRows) {
                ++out.leftOut;
                continue;
            }
            if (row == ends.size()) {
                ends.push_back(0);
                out.rows.emplace_back();
            }
            ends[row] = event.end();
            out.rows[row].push_back(i);
        }
        return out;
    }

    const Joined& m_joined;
    const Profile& m_profile;
    const TaskContext& m_task;
    std::vector<Role> m_roles;  ///< by name
    std::vector<double> m_busy; ///< by track
    std::array<std::vector<std::uint32_t>, acrossLanes> m_across;
};

} // namespace

std::string_view spentWords(Spent spent) {
    static constexpr std::array<std::string_view, spentCount> names{"kernels and nodes",
                                                                    "guards",
                                                                    "wrappers",
                                                                    "collectives",
                                                                    "eager code after graph breaks",
                                                                    "outside compiled code",
                                                                    "threads of process groups",
                                                                    "of no known node"};
    return names[static_cast<std::size_t>(spent)];
}

Spent spentOn(const Row& row) {
    if (isComputed(row.part)) return Spent::Computed;
    if (row.brokenCompile >= 0) return Spent::Broken;
    if (row.part == Part::Guards) return Spent::Guards;
    if (isOverhead(row.part)) return Spent::Wrappers;
    if (row.part == Part::GroupThread) return Spent::Groups;
    return row.part == Part::Eager ? Spent::Outside : Spent::Other;
}

Spent spentOn(const Joined& joined, std::uint32_t event) {
    const std::uint32_t row = joined.rowOf[event];
    return row == none ? Spent::Other : spentOn(joined.rows[row]);
}

std::vector<Lane> lanesOf(const Joined& joined, const TaskContext& task) {
    return LaneMaker(joined, task).make();
}

std::uint32_t eventAt(const Profile& profile, const std::vector<std::uint32_t>& row, std::int64_t time) {
    const auto after =
        std::ranges::upper_bound(row, time, {}, [&](std::uint32_t i) { return profile.events[i].start; });
    if (after == row.begin()) return none;
    const std::uint32_t event = *std::prev(after);
    return profile.events[event].end() >= time ? event : none;
}

std::string boxLabel(const Joined& joined, std::uint32_t event) {
    const std::string_view name = joined.profile->nameOf(joined.profile->events[event]);
    const std::uint32_t index = joined.rowOf[event];
    const auto idOf = [&joined](const Row& row) {
        return joined.session->compiles[static_cast<std::size_t>(row.compile)].id.toString();
    };
    switch (roleOf(name)) {
    case Role::Region:
        // As the capture names it, which tells its runs apart.
        return index != none && joined.rows[index].compile >= 0 ? idOf(joined.rows[index])
                                                                : std::string(subjectOf(name));
    case Role::Guards:
        return index != none && joined.rows[index].compile >= 0 ? idOf(joined.rows[index]) : "guards";
    case Role::Call:
        if (index != none && joined.rows[index].compile >= 0) {
            const Row& row = joined.rows[index];
            return idOf(row) + (row.backward ? " backward" : " forward");
        }
        return std::string(name);
    case Role::Forward:
    case Role::Backward:
        if (index != none && joined.rows[index].compile >= 0 && !isEngineCall(name))
            return idOf(joined.rows[index]) +
                   (roleOf(name) == Role::Backward ? " backward wrapper" : " forward wrapper");
        return std::string(name);
    default:
        return std::string(isGeneratedKernel(name) ? withoutGraphNumber(name) : name);
    }
}

} // namespace dynascope::profile
