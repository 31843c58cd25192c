// SPDX-License-Identifier: BSD-3-Clause
#include "views/breaks/breaks_page.h"

#include "views/workspace/break_place.h"
#include "views/workspace/labels.h"

namespace dynascope::views {

PageSpec breaksPageSpec() {
    PageSpec spec;
    spec.page = Page::Breaks;
    spec.name = "breaks";
    spec.title = BreaksPage::tr("Graph breaks");
    spec.icon = "scissors";
    spec.key = QKeySequence(BreaksPage::tr("Ctrl+2"));
    spec.manual = "breaks";
    spec.tip = BreaksPage::tr("Why graphs were cut, and what each cut costs");
    spec.lacks = [](const Workspace& workspace) {
        return workspace.capture()->breaks.breaks > 0 ? QString()
                                                      : BreaksPage::tr("this capture has no graph break");
    };
    spec.make = [](const PageServices& services) -> QWidget* {
        return new BreaksPage(services.workspace, services.theme);
    };
    spec.about = PageSpec::About::Rank;
    spec.start.set(BreakPlace());
    spec.placeName = "break";
    spec.savePlace = [](const Workspace& workspace) {
        const int group = breakGroup(workspace.place());
        return group < 0 ? QJsonValue()
                         : QJsonValue(toQString(breakAddress(*workspace.capture(), group).toString()));
    };
    spec.restorePlace = [](const OpenCapture& capture, const QJsonValue& saved, Place& place) {
        const auto address = ir::Address::parse(saved.toString().toStdString());
        const bool isBreak = address && address->stage == breakStage;
        const int group = isBreak ? breakGroupAt(capture, *address) : -1;
        place.page = group < 0 ? Page::Stages : Page::Breaks;
        place.own.set(BreakPlace{group});
    };
    spec.pictures = [](PagePictures& pictures, const Place& place) {
        if (pictures.workspace().captures()[std::size_t(place.capture)].breaks.groups.empty()) return;
        pictures.workspace().go(place);
        pictures.take(QStringLiteral("breaks"));
    };
    return spec;
}

} // namespace dynascope::views
