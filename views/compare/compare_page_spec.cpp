// SPDX-License-Identifier: BSD-3-Clause
#include "views/compare/compare_page.h"

namespace dynascope::views {

PageSpec comparePageSpec() {
    PageSpec spec;
    spec.page = Page::Compare;
    spec.name = "compare";
    spec.title = ComparePage::tr("Compare");
    spec.icon = "diff";
    spec.key = QKeySequence(ComparePage::tr("Ctrl+5"));
    spec.manual = "compare";
    spec.tip = ComparePage::tr("The last comparison, or a new one");
    spec.lacks = [](const Workspace&) { return QString(); };
    spec.make = [](const PageServices& services) -> QWidget* {
        return new ComparePage(services.workspace, services.theme);
    };
    spec.about = PageSpec::About::Capture;
    spec.fillsWindow = true;
    spec.isRestored = false; // a session file holds one capture
    return spec;
}

} // namespace dynascope::views
