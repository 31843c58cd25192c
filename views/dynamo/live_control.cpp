// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/live_control.h"

#include "views/dynamo/breakpoints_model.h"
#include "views/dynamo/live_bar.h"
#include "views/dynamo/live_session.h"
#include "views/dynamo/recording_watch.h"
#include "views/workspace/labels.h"

#include <utility>
#include <vector>

namespace dynascope::views {

LiveControl::LiveControl(LiveBar& bar, RecordingWatch& watch, BreakpointsModel& breakpoints, QObject* parent)
    : QObject(parent)
    , m_bar(bar)
    , m_watch(watch)
    , m_breakpoints(breakpoints) {
    connect(&bar, &LiveBar::stopped, this, [this](const QString& path, dynamo::StepIndex step) {
        emit stopped();
        if (!m_watch.isOf(path)) return emit stoppedElsewhere(path);
        m_watch.await(step);
        m_watch.lookAgain();
        m_watch.look();
    });
    connect(&bar, &LiveBar::changed, this, &LiveControl::changed);
    connect(&breakpoints, &BreakpointsModel::edited, this, &LiveControl::tellBreakpoints);
    connect(&breakpoints, &QAbstractItemModel::modelReset, this, &LiveControl::tellBreakpoints);
}

void LiveControl::setSession(LiveSession* session) {
    m_bar.setSession(session);
    tellBreakpoints();
}

void LiveControl::tellBreakpoints() {
    if (!m_bar.session()) return;
    std::vector<dynamo::LiveBreakpoint> out;
    for (const dynamo::Breakpoint& breakpoint : m_breakpoints.enabled())
        out.push_back(breakpoint.where());
    m_bar.session()->setBreakpoints(std::move(out));
}

bool LiveControl::waitsHere() const {
    const LiveSession::Program* program = m_bar.waiting();
    return program && m_watch.isOf(toQString(program->recording()));
}

bool LiveControl::awaitStep() {
    if (!waitsHere() || m_bar.waiting()->last.step == dynamo::noStep) return false;
    m_watch.await(m_bar.waiting()->last.step);
    m_watch.lookIn(0);
    return true;
}

void LiveControl::send(dynamo::LiveCommand command) {
    m_bar.send(command);
}

} // namespace dynascope::views
