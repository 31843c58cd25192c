// SPDX-License-Identifier: BSD-3-Clause
#include "views/profile/profile_times.h"

#include "core/base/text.h"
#include "core/profile/node_times.h"
#include "core/profile/shown_profile.h"
#include "views/workspace/labels.h"

#include <algorithm>
#include <iterator>

namespace dynascope::views {

namespace {

NodeTimes timesOf(const session::Compile& compile, const profile::StageTimes& stage) {
    NodeTimes out;
    for (const auto& [node, time] : stage.nodes) {
        const double us = time / 1000;
        out.us.emplace(node, us);
        out.most = std::max(out.most, us);
        out.sum += us;
    }
    out.joined = stage.share();
    out.inParts = stage.inParts;
    std::vector<std::string> from;
    for (const int measured : stage.passedOnFrom)
        from.emplace_back(compile.stages[std::size_t(measured)]->shortLabel());
    out.passedOnFrom = joined(from, ", ");
    return out;
}

} // namespace

ProfileTimes::ProfileTimes(Workspace& workspace, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace) {
    connect(&workspace, &Workspace::timesWanted, this, [this] {
        m_wanted = true;
        ask();
    });
    connect(&workspace, &Workspace::placeChanged, this, [this] {
        if (m_wanted) ask();
    });
}

void ProfileTimes::ask() {
    const Workspace::Capture* capture = m_workspace.capture();
    if (!capture || m_asked.lock() == capture->session) return;
    const session::SessionPtr session = capture->session;
    m_asked = session;
    const int number = profile::shownProfile(*session);
    if (number < 0) return m_workspace.profiles().cancel(this);
    m_workspace.profiles().ask(session, number, this, [this](const Result<JoinedProfilePtr>& profile) {
        if (profile) find(*profile); // else there is no heat
    });
}

void ProfileTimes::find(const JoinedProfilePtr& profile) {
    using Times = std::vector<profile::StageTimes>;
    m_workspace.tasks().run<Times>(
        QStringLiteral("profile.times"), this,
        [profile](const TaskContext& task) {
            Times times;
            {
                const std::lock_guard lock(profile->mutex);
                times = stageTimes(*profile->facts);
            }
            Times passed = passedOn(profile->joined->session, times, task);
            times.insert(times.end(), std::make_move_iterator(passed.begin()),
                         std::make_move_iterator(passed.end()));
            return times;
        },
        [this, session = profile->joined->session](const Times& times) {
            for (const profile::StageTimes& of : times) {
                const session::Compile& compile = session->compiles[std::size_t(of.compile)];
                const session::StagePtr& stage = compile.stages[std::size_t(of.stage)];
                const auto known = m_workspace.nodeTimes(stage.get());
                if (!known || known->joined) m_workspace.setNodeTimes(stage, timesOf(compile, of));
            }
        });
}

} // namespace dynascope::views
