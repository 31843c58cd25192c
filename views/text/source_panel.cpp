// SPDX-License-Identifier: BSD-3-Clause
#include "views/text/source_panel.h"

namespace dynascope::views {

struct SourcePanel::Private {};

SourcePanel::SourcePanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {}

SourcePanel::~SourcePanel() = default;

void SourcePanel::focusFilter() {}

void SourcePanel::refresh() {
    if (showNothingOpen()) return;
    showMessage(tr("No source line is known in this capture."));
}

void SourcePanel::restyle() {}

} // namespace dynascope::views
