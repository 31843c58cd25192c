// SPDX-License-Identifier: BSD-3-Clause
#include "views/inductor/inductor_page.h"

#include "views/canvas/compare_view.h"
#include "views/engine/passes.h"
#include "views/inductor/pass_place.h"

#include <utility>

namespace dynascope::views {

namespace {

/// The pass that changed most, which has most to show; -1 where none did.
int busiestRow(const session::Session& session, const session::Compile& compile) {
    const inductor::CompilePasses passes = inductor::passesOf(session, compile);
    std::size_t most = 0;
    int out = -1;
    for (std::size_t i = 0; i < passes.rows.size(); ++i) {
        const inductor::Change& change = *passes.rows[i].change;
        if (change.created.size() + change.erased.size() <= most) continue;
        most = change.created.size() + change.erased.size();
        out = int(i);
    }
    return out;
}

} // namespace

PageSpec inductorPageSpec() {
    PageSpec spec;
    spec.page = Page::Inductor;
    spec.name = "inductor";
    spec.title = InductorPage::tr("Inductor");
    spec.icon = "chip";
    spec.key = QKeySequence(InductorPage::tr("Ctrl+Shift+8"));
    spec.manual = "inductor";
    spec.tip = InductorPage::tr("Every pass of AOTAutograd and Inductor, with the graph before and after it");
    spec.lacks = [](const Workspace& workspace) {
        return workspace.capture()->session->passRecordings.empty()
                   ? InductorPage::tr("needs a recording of passes: dynascope-cli capture --passes -o DIR -- "
                                      "python script.py")
                   : QString();
    };
    spec.make = [](const PageServices& services) -> QWidget* {
        auto* page = new InductorPage(services.workspace, services.theme);
        page->setEngine(services.passes.engine());
        return page;
    };
    spec.about = PageSpec::About::Compile;
    spec.fillsWindow = true;
    spec.placeName = "inductor";
    spec.savePlace = [](const Workspace& workspace) {
        return savedPassPlace(workspace.place().own.of<PassPlace>());
    };
    spec.restorePlace = [](const OpenCapture&, const QJsonValue& saved, Place& place) {
        place.own.set(passPlaceOf(saved));
    };
    spec.pictures = [](PagePictures& pictures, const Place& place) {
        const session::SessionPtr session =
            pictures.workspace().captures()[std::size_t(place.capture)].session;
        if (session->passRecordings.empty()) return;
        pictures.workspace().go(place);
        // Else a picture may be taken on the way.
        auto* page = qobject_cast<InductorPage*>(&pictures.page());
        if (page != nullptr) page->canvases()->setMotion(false);
        Place most = pictures.workspace().place();
        if (most.compile >= 0)
            most.own.set(PassPlace{busiestRow(*session, session->compiles[std::size_t(most.compile)])});
        pictures.workspace().go(most);
        pictures.takeInBothLooks(QStringLiteral("inductor"));
        if (page == nullptr) return;
        for (const auto& [tab, name] :
             {std::pair(InductorPage::Tab::Scheduler, QStringLiteral("inductor-scheduler")),
              std::pair(InductorPage::Tab::Buffers, QStringLiteral("inductor-buffers"))}) {
            page->showTab(tab);
            pictures.takeInBothLooks(name);
        }
        page->showTab(InductorPage::Tab::TextDiff);
    };
    return spec;
}

} // namespace dynascope::views
