// SPDX-License-Identifier: BSD-3-Clause
#include "views/breaks/break_run_times.h"

#include "core/profile/break_costs.h"
#include "core/profile/shown_profile.h"
#include "views/workspace/joined_profiles.h"

#include <map>
#include <utility>

namespace dynascope::views {

std::vector<std::optional<BreakRunTime>> breakRunTimes(const profile::Joined& joined,
                                                       const session::BreakSummary& breaks) {
    std::vector<std::optional<BreakRunTime>> out(breaks.groups.size());
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> groups;
    for (std::size_t group = 0; group < breaks.groups.size(); ++group)
        for (const session::BreakOccurrence& one : breaks.groups[group].occurrences)
            groups.emplace(std::pair(one.compile, one.index), group);
    for (const profile::BreakCost& cost : breakCosts(joined))
        if (const auto group = groups.find({std::size_t(cost.compile), cost.graphBreak});
            group != groups.end()) {
            if (!out[group->second]) out[group->second].emplace();
            BreakRunTime& of = *out[group->second];
            of.all += cost.inAStep / 1000;
            of.eager += cost.eager / 1000;
            of.frame += cost.frame / 1000;
            of.guards += cost.guards / 1000;
        }
    return out;
}

void showBreakRunTimes(Workspace& workspace, ReasonsModel& model) {
    const session::SessionPtr session = workspace.capture()->session;
    const int number = profile::shownProfile(*session);
    if (number < 0) return workspace.profiles().cancel(&model);
    using Times = std::vector<std::optional<BreakRunTime>>;
    const auto show = [&workspace, &model, session](Times times) {
        if (workspace.capture() && workspace.capture()->session == session)
            model.setRunTimes(std::move(times));
    };
    workspace.profiles().ask(session, number, &model,
                             [&workspace, &model, show,
                              breaks = workspace.capture()->breaks](const Result<JoinedProfilePtr>& profile) {
                                 if (!profile) return; // the column stays empty
                                 workspace.tasks().run<Times>(
                                     QStringLiteral("breaks.profile"), &model,
                                     [joined = (*profile)->joined, breaks](const TaskContext&) {
                                         return breakRunTimes(*joined, breaks);
                                     },
                                     show);
                             });
}

} // namespace dynascope::views
