// SPDX-License-Identifier: BSD-3-Clause
#include "views/ranks/ranks_page.h"
#include "views/workspace/labels.h"
#include "views/workspace/ranks_place.h"

#include <QJsonObject>

namespace dynascope::views {

PageSpec ranksPageSpec() {
    PageSpec spec;
    spec.page = Page::Ranks;
    spec.name = "ranks";
    spec.title = RanksPage::tr("Ranks");
    spec.icon = "rank";
    spec.key = QKeySequence(RanksPage::tr("Ctrl+Shift+7"));
    spec.manual = "ranks";
    spec.tip = RanksPage::tr("Which ranks will hang, may be wrong or are slower, and why");
    spec.lacks = [](const Workspace& workspace) {
        return workspace.capture()->session->ranks.size() < 2
                   ? RanksPage::tr("this capture has one rank: open the folder that all ranks wrote to")
                   : QString();
    };
    spec.make = [](const PageServices& services) -> QWidget* {
        return new RanksPage(services.workspace, services.theme);
    };
    spec.about = PageSpec::About::Capture;
    spec.fillsWindow = true;
    spec.placeName = "ranks";
    spec.savePlace = [](const Workspace& workspace) {
        const RanksPlace place = workspace.place().own.of<RanksPlace>();
        if (place.compile.empty() && place.reason.empty()) return QJsonValue();
        return QJsonValue(
            QJsonObject{{"compile", toQString(place.compile)}, {"reason", toQString(place.reason)}});
    };
    spec.restorePlace = [](const OpenCapture& /*capture*/, const QJsonValue& saved, Place& place) {
        const QJsonObject object = saved.toObject();
        setRanks(place, object["compile"].toString().toStdString(),
                 object["reason"].toString().toStdString());
    };
    spec.pictures = [](PagePictures& pictures, const Place& place) {
        if (pictures.workspace().captures()[std::size_t(place.capture)].session->ranks.size() < 2) return;
        pictures.workspace().go(place);
        pictures.takeInBothLooks(QStringLiteral("ranks"));
    };
    return spec;
}

} // namespace dynascope::views
