// SPDX-License-Identifier: BSD-3-Clause
//
// What the window connects of a page when it is made, and of what is dropped on it.
#include "app/gui/main_window.h"

#include "app/gui/canvas_actions.h"
#include "app/gui/drop_target.h"
#include "app/gui/engine_actions.h"
#include "app/gui/flight_actions.h"
#include "app/gui/profile_actions.h"
#include "app/gui/record_programs.h"
#include "app/gui/settings.h"
#include "app/gui/stages_page.h"
#include "app/gui/welcome_page.h"
#include "app/gui/window_menus.h"
#include "app/gui/window_status.h"
#include "views/answers/answers_page.h"
#include "views/answers/stage_checker.h"
#include "views/canvas/compare_view.h"
#include "views/compare/compare_page.h"
#include "views/compare/pair_graphs.h"
#include "views/dynamo/dynamo_page.h"
#include "views/functionalize/functionalize_page.h"
#include "views/inductor/pass_place.h"
#include "views/replay/live_trees.h"
#include "views/replay/replay_page.h"
#include "views/replay/tree_panel.h"
#include "views/timeline/timeline_view.h"

#include <QTabBar>

namespace dynascope::app {

using namespace views;

void MainWindow::connectDrops() {
    auto* drops = new DropTarget(*this);
    connect(drops, &DropTarget::hovered, m_welcome, &WelcomePage::setDropHint);
    connect(drops, &DropTarget::pathsDropped, m_profiles, &ProfileActions::takeDropped);
    connect(drops, &DropTarget::textDropped, this,
            [this](const QString& text) { m_workspace.openText(text, tr("dropped text")); });
    connect(m_profiles, &ProfileActions::pathsLeft, m_flight, &FlightActions::takeDropped);
    connect(m_flight, &FlightActions::pathsLeft, this, &MainWindow::openPaths);
}

void MainWindow::connectPage(Page page, QWidget& widget) {
    if (page == Page::Stages) {
        auto& stages = static_cast<StagesPage&>(widget);
        m_canvas->addActions();
        m_canvas->connectCanvas(*stages.compare());
        m_menus->rebuild();
        m_menus->refreshIcons();
        m_engine->connectTimeline(stages.timeline());
        connect(stages.timeline(), &TimelineView::passRequested, this, [this](int row) {
            Place place = m_workspace.place();
            place.page = Page::Inductor;
            place.own.set(PassPlace{row});
            m_workspace.go(place);
        });
        connect(stages.compare(), &CompareView::zoomChanged, m_status, &WindowStatus::setZoom);
    } else if (page == Page::Functionalize) {
        connect(&static_cast<FunctionalizePage&>(widget), &FunctionalizePage::canvasRequested, this,
                [this] { m_actions->trigger(QStringLiteral("go.stages")); });
    } else if (page == Page::Compare) {
        static_cast<void>(this->page<StagesPage>()); // its canvas brings the actions that this one takes too
        for (const ActionRegistry::Entry& entry : m_actions->entries())
            if (entry.action && entry.spec.scope == Scope::Canvas)
                static_cast<ComparePage&>(widget).graphs()->canvas()->addAction(entry.action);
        m_canvas->connectCanvas(*static_cast<ComparePage&>(widget).graphs()->canvas());
    } else if (page == Page::Replay) {
        auto& replay = static_cast<ReplayPage&>(widget);
        for (const TreePanel* panel : {replay.tree(), replay.trees()})
            connect(&panel->walk(), &TreeWalk::moved, this, &MainWindow::updateActions);
        connect(&replay.liveTrees(), &LiveTrees::changed, this, &MainWindow::updateActions);
        connect(replay.tabs(), &QTabBar::currentChanged, this, &MainWindow::updateActions);
    } else if (page == Page::Answers) {
        StageChecker& checker = static_cast<AnswersPage&>(widget).checker();
        checker.setAutomatic(m_settings.checksStages());
        connect(m_engine, &EngineActions::checksStagesChanged, &checker, &StageChecker::setAutomatic);
    } else if (page == Page::Dynamo) {
        m_programs->connectPage(static_cast<DynamoPage&>(widget));
    }
}

} // namespace dynascope::app
