// SPDX-License-Identifier: BSD-3-Clause
#include "views/guards/guards_panel.h"

namespace dynascope::views {

struct GuardsPanel::Private {};

GuardsPanel::GuardsPanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {}

GuardsPanel::~GuardsPanel() = default;

void GuardsPanel::focusFilter() {}

void GuardsPanel::refresh() {
    if (showNothingOpen()) return;
    showMessage(tr("No guards are recorded for this compile."));
}

void GuardsPanel::restyle() {}

} // namespace dynascope::views
