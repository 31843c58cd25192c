// SPDX-License-Identifier: BSD-3-Clause
#include "views/replay/replay_page.h"

#include "views/replay/tree_panel.h"

namespace dynascope::views {

namespace {

/// The recording tree at its end and halfway, or the graphs that would be CUDA graphs.
void takeReplayPictures(PagePictures& pictures, const Place& place) {
    pictures.workspace().go(place);
    pictures.takeInBothLooks(QStringLiteral("replay"));
    TreeWalk& walk = static_cast<ReplayPage&>(pictures.page()).tree()->walk();
    if (!walk.run()) return;
    walk.moveTo(walk.run()->size() / 2);
    pictures.take(QStringLiteral("replay-halfway"));
    walk.moveTo(SIZE_MAX);
}

} // namespace

PageSpec replayPageSpec() {
    PageSpec spec;
    spec.page = Page::Replay;
    spec.name = "replay";
    spec.title = ReplayPage::tr("Replay");
    spec.icon = "tree";
    spec.key = QKeySequence(ReplayPage::tr("Ctrl+6"));
    spec.manual = "cudagraphs";
    spec.tip = ReplayPage::tr("Which graphs would be CUDA graphs and why not, and runs of CUDA-graph trees");
    spec.lacks = [](const Workspace& workspace) {
        const session::Session& session = *workspace.capture()->session;
        const bool any = !session.compiles.empty() || session.tree || session.memory;
        return any ? QString() : ReplayPage::tr("needs compiled graphs");
    };
    spec.make = [](const PageServices& services) -> QWidget* {
        return new ReplayPage(services.workspace, services.replays, services.theme);
    };
    spec.about = PageSpec::About::Capture;
    spec.fillsWindow = true;
    spec.pictures = takeReplayPictures;
    return spec;
}

} // namespace dynascope::views
