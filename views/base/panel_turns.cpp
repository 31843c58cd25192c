// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/panel_turns.h"

#include "views/base/panel.h"
#include "views/workspace/workspace.h"

#include <QElapsedTimer>
#include <algorithm>

namespace dynascope::views {

namespace {
constexpr int mostTurnMs = 10; ///< half a frame or so: what is laid out and painted comes after it
}

PanelTurns& PanelTurns::of(Workspace& workspace) {
    if (auto* there = workspace.findChild<PanelTurns*>({}, Qt::FindDirectChildrenOnly)) return *there;
    return *new PanelTurns(workspace);
}

PanelTurns::PanelTurns(Workspace& workspace)
    : QObject(&workspace) {
    m_timer.setSingleShot(true);
    m_timer.setInterval(0);
    connect(&m_timer, &QTimer::timeout, this, &PanelTurns::run);
}

void PanelTurns::ask(Panel& panel) {
    ask(panel, [&panel] { panel.refreshIfShown(); });
}

void PanelTurns::ask(QObject& who, std::function<void()> work) {
    if (std::ranges::none_of(m_waiting, [&who](const Waiting& waiting) { return waiting.who == &who; }))
        m_waiting.push_back({&who, std::move(work)});
    if (!m_timer.isActive()) m_timer.start();
}

void PanelTurns::run() {
    QElapsedTimer timer;
    timer.start();
    while (!m_waiting.empty() && timer.elapsed() < mostTurnMs) {
        const Waiting next = std::move(m_waiting.front());
        m_waiting.pop_front();
        if (next.who) next.work();
    }
    if (!m_waiting.empty()) m_timer.start();
}

} // namespace dynascope::views
