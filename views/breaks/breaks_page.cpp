// SPDX-License-Identifier: BSD-3-Clause
#include "views/breaks/breaks_page.h"

namespace dynascope::views {

struct BreaksPage::Private {};

BreaksPage::BreaksPage(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {}

BreaksPage::~BreaksPage() = default;

void BreaksPage::focusFilter() {}

void BreaksPage::refresh() {
    if (showNothingOpen()) return;
    showMessage(tr("No graph breaks: every frame was captured whole."));
}

void BreaksPage::restyle() {}

} // namespace dynascope::views
