// SPDX-License-Identifier: BSD-3-Clause
#include "views/replay/replay_page.h"

#include "views/replay/coverage_panel.h"
#include "views/replay/tree_panel.h"

namespace dynascope::views {

ReplayPage::ReplayPage(Workspace& workspace, Theme& theme, QWidget* parent)
    : QStackedWidget(parent)
    , m_workspace(workspace)
    , m_coverage(new CoveragePanel(workspace, theme))
    , m_tree(new TreePanel(workspace, theme)) {
    addWidget(m_coverage);
    addWidget(m_tree);
    connect(&m_workspace, &Workspace::placeChanged, this, &ReplayPage::choose);
    connect(&m_workspace, &Workspace::captureClosed, this, &ReplayPage::choose);
    choose();
}

void ReplayPage::choose() {
    const session::Session* session = m_workspace.session();
    QWidget* panel = session && session->tree ? static_cast<QWidget*>(m_tree) : m_coverage;
    setCurrentWidget(panel);
    setFocusProxy(panel);
}

void ReplayPage::applyDefaultSizes(int windowWidth) {
    m_tree->applyDefaultSizes(windowWidth);
}

} // namespace dynascope::views
