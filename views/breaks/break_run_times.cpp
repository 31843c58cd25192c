// SPDX-License-Identifier: BSD-3-Clause
#include "views/breaks/break_run_times.h"

#include "core/profile/break_costs.h"
#include "core/profile/shown_profile.h"

#include <map>
#include <utility>

namespace dynascope::views {

std::vector<std::optional<double>> breakRunTimes(const session::SessionPtr& session,
                                                 const session::BreakSummary& breaks,
                                                 const TaskContext& task) {
    const int number = profile::shownProfile(*session);
    if (number < 0) return {};
    const auto joined = profile::join(
        session, session::attachedAs<profile::Profile>(session->profiles[std::size_t(number)]), task);
    if (!joined) return {};
    std::vector<std::optional<double>> out(breaks.groups.size());
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> groups;
    for (std::size_t group = 0; group < breaks.groups.size(); ++group)
        for (const session::BreakOccurrence& one : breaks.groups[group].occurrences)
            groups.emplace(std::pair(one.compile, one.index), group);
    for (const profile::BreakCost& cost : breakCosts(**joined))
        if (const auto group = groups.find({std::size_t(cost.compile), cost.graphBreak});
            group != groups.end())
            out[group->second] = out[group->second].value_or(0) + cost.inAStep / 1000;
    return out;
}

void showBreakRunTimes(Workspace& workspace, ReasonsModel& model) {
    const session::SessionPtr session = workspace.capture()->session;
    if (session->profiles.empty()) return;
    using Times = std::vector<std::optional<double>>;
    workspace.tasks().run<Times>(
        QStringLiteral("breaks.profile"), &model,
        [session, breaks = workspace.capture()->breaks](const TaskContext& task) {
            return breakRunTimes(session, breaks, task);
        },
        [&workspace, &model, session](Times times) {
            if (workspace.capture() && workspace.capture()->session == session)
                model.setRunTimes(std::move(times));
        });
}

} // namespace dynascope::views
