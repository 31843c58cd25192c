// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/dynamo_page.h"

namespace dynascope::views {

PageSpec dynamoPageSpec() {
    PageSpec spec;
    spec.page = Page::Dynamo;
    spec.name = "dynamo";
    spec.title = DynamoPage::tr("Dynamo");
    spec.icon = "clock";
    spec.key = QKeySequence(DynamoPage::tr("Ctrl+8"));
    spec.tip = DynamoPage::tr(
        "Dynamo's steps, forwards and backwards: a recording of what it saw at every instruction");
    spec.lacks = [](const Workspace& workspace) {
        return workspace.capture()->session->recordings.empty()
                   ? DynamoPage::tr("needs a recording: dynascope-cli capture -o DIR -- python script.py")
                   : QString();
    };
    spec.make = [](const PageServices& services) -> QWidget* {
        return new DynamoPage(services.workspace, services.theme);
    };
    spec.about = PageSpec::About::Capture;
    spec.fillsWindow = true;
    return spec;
}

} // namespace dynascope::views
