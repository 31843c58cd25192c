// SPDX-License-Identifier: BSD-3-Clause
#include "views/answers/answers_page.h"

#include <algorithm>

namespace dynascope::views {

Page firstPage(const Workspace::Capture& capture) {
    const auto& compiles = capture.session->compiles;
    // A recording of passes by itself has graphs there alone.
    const bool staged = std::ranges::any_of(
        compiles, [](const session::Compile& compile) { return !compile.stages.empty(); });
    if (!staged && !capture.session->passRecordings.empty()) return Page::Inductor;
    if (compiles.empty() && !capture.session->profiles.empty()) return Page::Profile;
    const bool compiled = std::any_of(compiles.begin(), compiles.end(), [](const session::Compile& compile) {
        return !compile.id.empty() && compile.status != session::Status::Exported;
    });
    return compiled ? Page::Answers : Page::Stages;
}

PageSpec answersPageSpec() {
    PageSpec spec;
    spec.page = Page::Answers;
    spec.name = "answers";
    spec.title = AnswersPage::tr("Answers");
    spec.icon = "info";
    spec.key = QKeySequence(AnswersPage::tr("Alt+Home"));
    spec.manual = "first-minute";
    spec.tip = AnswersPage::tr("What is asked first of a capture, answered");
    spec.lacks = [](const Workspace&) { return QString(); };
    spec.make = [](const PageServices& services) -> QWidget* {
        return new AnswersPage(services.workspace, services.theme, services.rederived);
    };
    spec.about = PageSpec::About::Capture;
    spec.pictures = [](PagePictures& pictures, const Place& place) {
        pictures.workspace().go(place);
        pictures.takeInBothLooks(QStringLiteral("answers"));
    };
    return spec;
}

} // namespace dynascope::views
