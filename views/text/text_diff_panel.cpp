// SPDX-License-Identifier: BSD-3-Clause
#include "views/text/text_diff_panel.h"

namespace dynascope::views {

struct TextDiffPanel::Private {};

TextDiffPanel::TextDiffPanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {}

TextDiffPanel::~TextDiffPanel() = default;

void TextDiffPanel::focusFilter() {}

void TextDiffPanel::refresh() {
    if (showNothingOpen()) return;
    showMessage(tr("No stage is selected."));
}

void TextDiffPanel::restyle() {}

} // namespace dynascope::views
