// SPDX-License-Identifier: BSD-3-Clause
#include "views/functionalize/functionalize_page.h"

namespace dynascope::views {

PageSpec functionalizePageSpec() {
    PageSpec spec;
    spec.page = Page::Functionalize;
    spec.name = "functionalize";
    spec.title = FunctionalizePage::tr("Functionalize");
    spec.icon = "mutation";
    spec.key = QKeySequence(FunctionalizePage::tr("Ctrl+3"));
    spec.manual = "functionalize";
    spec.tip = FunctionalizePage::tr("Step through the functionalization of the selected graph, op by op");
    spec.lacks = [](const Workspace& workspace) {
        return workspace.compile() ? QString() : FunctionalizePage::tr("needs compiled graphs");
    };
    spec.make = [](const PageServices& services) -> QWidget* {
        return new FunctionalizePage(services.workspace, services.passes, services.stepper, services.theme);
    };
    spec.fillsWindow = true;
    return spec;
}

} // namespace dynascope::views
