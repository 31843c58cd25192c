// SPDX-License-Identifier: BSD-3-Clause
#include "views/records/compile_time_panel.h"

namespace dynascope::views {

struct CompileTimePanel::Private {};

CompileTimePanel::CompileTimePanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {}

CompileTimePanel::~CompileTimePanel() = default;

void CompileTimePanel::focusFilter() {}

void CompileTimePanel::refresh() {
    if (showNothingOpen()) return;
    showMessage(tr("No timing events are recorded in this capture."));
}

void CompileTimePanel::restyle() {}

} // namespace dynascope::views
