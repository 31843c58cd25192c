// SPDX-License-Identifier: BSD-3-Clause
#include "views/text/output_code_panel.h"

namespace dynascope::views {

struct OutputCodePanel::Private {};

OutputCodePanel::OutputCodePanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {}

OutputCodePanel::~OutputCodePanel() = default;

void OutputCodePanel::focusFilter() {}

void OutputCodePanel::refresh() {
    if (showNothingOpen()) return;
    showMessage(tr("This compile has no output code."));
}

void OutputCodePanel::restyle() {}

} // namespace dynascope::views
