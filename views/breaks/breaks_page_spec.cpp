// SPDX-License-Identifier: BSD-3-Clause
#include "views/breaks/breaks_page.h"

namespace dynascope::views {

PageSpec breaksPageSpec() {
    PageSpec spec;
    spec.page = Page::Breaks;
    spec.name = "breaks";
    spec.title = BreaksPage::tr("Graph breaks");
    spec.icon = "scissors";
    spec.key = QKeySequence(BreaksPage::tr("Ctrl+2"));
    spec.tip = BreaksPage::tr("Why graphs were cut, and what each cut costs");
    spec.lacks = [](const Workspace& workspace) {
        return workspace.capture()->breaks.breaks > 0 ? QString()
                                                      : BreaksPage::tr("this capture has no graph break");
    };
    spec.make = [](const PageServices& services) -> QWidget* {
        return new BreaksPage(services.workspace, services.theme);
    };
    spec.about = PageSpec::About::Rank;
    spec.pictures = [](PagePictures& pictures, const Place& place) {
        if (pictures.workspace().captures()[std::size_t(place.capture)].breaks.groups.empty()) return;
        pictures.workspace().go(place);
        pictures.take(QStringLiteral("breaks"));
    };
    return spec;
}

} // namespace dynascope::views
