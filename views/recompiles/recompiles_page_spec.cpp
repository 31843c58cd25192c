// SPDX-License-Identifier: BSD-3-Clause
#include "views/recompiles/recompiles_page.h"
#include "views/workspace/labels.h"
#include "views/workspace/recompile_place.h"

#include <algorithm>

namespace dynascope::views {

namespace {

constexpr auto addressStage = "recompile"; // of saved places; never changed

bool hasRecompiles(const session::Session& session) {
    return std::any_of(session.compiles.begin(), session.compiles.end(), RecompilePlace::isListed);
}

/// Asked after every choice, of a session that may have 10,000 compiles and never changes.
class HasRecompiles {
public:
    bool operator()(const session::SessionPtr& session) {
        if (m_of.lock() != session) {
            m_has = hasRecompiles(*session);
            m_of = session;
        }
        return m_has;
    }

private:
    std::weak_ptr<const session::Session> m_of;
    bool m_has = false;
};

} // namespace

PageSpec recompilesPageSpec() {
    PageSpec spec;
    spec.page = Page::Recompiles;
    spec.name = "recompiles";
    spec.title = RecompilesPage::tr("Recompiles");
    spec.icon = "recompile";
    spec.key = QKeySequence(RecompilesPage::tr("Ctrl+9"));
    spec.manual = "recompiles";
    spec.tip = RecompilesPage::tr("What was compiled again, which guard failed, and what to do");
    spec.lacks = [](const Workspace& workspace) {
        static HasRecompiles has;
        return has(workspace.capture()->session) ? QString()
                                                 : RecompilesPage::tr("this capture has no recompile");
    };
    spec.make = [](const PageServices& services) -> QWidget* {
        return new RecompilesPage(services.workspace, services.theme);
    };
    spec.about = PageSpec::About::Rank;
    spec.start.set(RecompilePlace());
    spec.placeName = "recompile";
    spec.savePlace = [](const Workspace& workspace) {
        const int compile = workspace.place().own.of<RecompilePlace>().compile;
        if (compile < 0) return QJsonValue();
        const session::Compile& made = workspace.session()->compiles[std::size_t(compile)];
        ir::Address address;
        address.rank = made.rank;
        address.compileId = made.id.toString();
        address.stage = addressStage;
        return QJsonValue(toQString(address.toString()));
    };
    spec.restorePlace = [](const OpenCapture& capture, const QJsonValue& saved, Place& place) {
        const auto address = ir::Address::parse(saved.toString().toStdString());
        const session::Compile* made = address && address->stage == addressStage
                                           ? capture.session->find(address->rank, address->compileId)
                                           : nullptr;
        place.page = made && RecompilePlace::isListed(*made) ? Page::Recompiles : Page::Stages;
        place.own.set(RecompilePlace{made ? int(made - capture.session->compiles.data()) : -1});
    };
    spec.pictures = [](PagePictures& pictures, const Place& place) {
        if (!hasRecompiles(*pictures.workspace().captures()[std::size_t(place.capture)].session)) return;
        pictures.workspace().go(place);
        pictures.takeInBothLooks(QStringLiteral("recompiles"));
    };
    return spec;
}

} // namespace dynascope::views
