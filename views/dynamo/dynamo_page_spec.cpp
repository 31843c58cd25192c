// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/dynamo_page.h"

#include "core/dynamo/recording.h"
#include "views/dynamo/dynamo_place.h"

#include <QJsonObject>
#include <algorithm>

namespace dynascope::views {

PageSpec dynamoPageSpec() {
    PageSpec spec;
    spec.page = Page::Dynamo;
    spec.name = "dynamo";
    spec.title = DynamoPage::tr("Dynamo");
    spec.icon = "clock";
    spec.key = QKeySequence(DynamoPage::tr("Ctrl+8"));
    spec.manual = "dynamo";
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
    spec.placeName = "dynamo";
    spec.savePlace = [](const Workspace& workspace) {
        const auto own = workspace.place().own.of<DynamoPlace>();
        return own.recording < 0 ? QJsonValue()
                                 : QJsonValue(QJsonObject{{QStringLiteral("recording"), own.recording},
                                                          {QStringLiteral("step"), own.step}});
    };
    spec.restorePlace = [](const OpenCapture&, const QJsonValue& saved, Place& place) {
        const auto numberOf = [entries = saved.toObject()](const QString& name) {
            return std::max(-1, entries.value(name).toInt(-1));
        };
        place.own.set(DynamoPlace{numberOf(QStringLiteral("recording")), numberOf(QStringLiteral("step"))});
    };
    spec.pictures = [](PagePictures& pictures, const Place& place) {
        const auto recordings = session::attachedAs<dynamo::Recording>(
            pictures.workspace().captures()[std::size_t(place.capture)].session->recordings);
        if (recordings.empty()) return;
        // In the middle, where stack and graph hold something.
        Place middle = place;
        middle.own.set(DynamoPlace{0, int(recordings.front()->steps().size() / 2)});
        pictures.workspace().go(middle);
        pictures.takeInBothLooks(QStringLiteral("dynamo"));
    };
    return spec;
}

} // namespace dynascope::views
