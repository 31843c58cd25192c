// SPDX-License-Identifier: BSD-3-Clause
#include "views/inputs/inputs_panel.h"

namespace dynascope::views {

struct InputsPanel::Private {};

InputsPanel::InputsPanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {}

InputsPanel::~InputsPanel() = default;

void InputsPanel::focusFilter() {}

void InputsPanel::refresh() {
    if (showNothingOpen()) return;
    showMessage(tr("No input tensors are recorded for this compile."));
}

void InputsPanel::restyle() {}

} // namespace dynascope::views
