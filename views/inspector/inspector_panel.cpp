// SPDX-License-Identifier: BSD-3-Clause
#include "views/inspector/inspector_panel.h"

namespace dynascope::views {

struct InspectorPanel::Private {};

InspectorPanel::InspectorPanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {}

InspectorPanel::~InspectorPanel() = default;

void InspectorPanel::focusFilter() {}

void InspectorPanel::refresh() {
    if (showNothingOpen()) return;
    showMessage(tr("Nothing is selected."));
}

void InspectorPanel::restyle() {}

} // namespace dynascope::views
