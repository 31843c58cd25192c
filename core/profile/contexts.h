// SPDX-License-Identifier: BSD-3-Clause
//
// What is around each event of a profile: the compiled region, the graph that runs, the backward; and whose they are.
// Internal to core/profile.
#pragma once

#include "core/profile/graph_calls.h"
#include "core/profile/join.h"

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dynascope::profile {

/// What an event is to a compile, by its name.
enum class Role : std::uint8_t { Plain, Region, Call, Guards, Pregraph, Prologue, Forward, Backward };
[[nodiscard]] Role roleOf(std::string_view name);
/// "autograd::engine::evaluate_function: AddmmBackward0"
[[nodiscard]] bool isEngineCall(std::string_view name);
/// "0/0" of "Torch-Compiled Region: 0/0"; KEY of "## Call CompiledFxGraph KEY ##".
[[nodiscard]] std::string_view subjectOf(std::string_view name);

/// The compile of a region, or of a backward.
struct Owner {
    int compile = -1;
    Link link = Link::None;
};

/// References must outlive it.
class Contexts {
public:
    Contexts(const Profile& profile, const CompileIndex& index);

    [[nodiscard]] bool onCpu(std::uint32_t i) const {
        return takesTime(m_profile.events[i].kind) && !isOnDevice(m_profile.events[i].kind);
    }
    [[nodiscard]] Role role(std::uint32_t i) const { return m_roles[m_profile.events[i].name]; }
    /// The innermost around an event, or itself; none where there is none.
    [[nodiscard]] std::uint32_t region(std::uint32_t i) const { return m_around[i].region; }
    [[nodiscard]] std::uint32_t run(std::uint32_t i) const { return m_around[i].run; }
    [[nodiscard]] bool isBackward(std::uint32_t i) const { return m_around[i].backward != none; }
    /// Of the region around an event, else of the backward around it.
    [[nodiscard]] Owner owner(std::uint32_t i) const;
    /// What follows an event in the same event; none for the last.
    [[nodiscard]] std::uint32_t next(std::uint32_t i) const { return m_next[i]; }
    /// What an event directly holds, in order of time.
    [[nodiscard]] std::vector<std::uint32_t> inside(std::uint32_t i) const;
    /// Tracks, those with compiled regions first.
    [[nodiscard]] std::vector<std::uint32_t> tracks() const;

private:
    struct Around {
        std::uint32_t region = none, run = none, backward = none;
    };
    void findAround();
    void linkSiblings();
    void resolveRegions(const CompileIndex& index);
    void resolveBackwards();

    const Profile& m_profile;
    std::vector<Role> m_roles;    ///< by name
    std::vector<Around> m_around; ///< by event
    std::vector<std::uint32_t> m_first, m_next;
    std::unordered_map<std::int64_t, std::vector<std::uint32_t>> m_forwards; ///< by sequence number, by start
    std::unordered_map<std::uint32_t, Owner> m_owners;                       ///< by region or backward
};

} // namespace dynascope::profile
