// SPDX-License-Identifier: BSD-3-Clause
#include "views/text/bytecode_panel.h"

namespace dynascope::views {

struct BytecodePanel::Private {};

BytecodePanel::BytecodePanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {}

BytecodePanel::~BytecodePanel() = default;

void BytecodePanel::focusFilter() {}

void BytecodePanel::refresh() {
    if (showNothingOpen()) return;
    showMessage(tr("No bytecode is recorded for this compile."));
}

void BytecodePanel::restyle() {}

} // namespace dynascope::views
