// SPDX-License-Identifier: BSD-3-Clause
//
// The pages of the centre: made on first use, reached by action, and which of them a capture has something
// for.
#include "app/gui/action_specs.h"
#include "app/gui/main_window.h"
#include "app/gui/stages_page.h"
#include "app/gui/welcome_page.h"
#include "app/gui/window_docks.h"
#include "app/gui/window_status.h"
#include "views/autograd/autograd_page.h"
#include "views/autograd/convention_panel.h"
#include "views/breaks/breaks_page.h"
#include "views/canvas/compare_view.h"
#include "views/compare/compare_page.h"
#include "views/dynamo/dynamo_page.h"
#include "views/engine/functionalize_page.h"
#include "views/memory/memory_page.h"
#include "views/replay/live_trees.h"
#include "views/replay/replay_page.h"
#include "views/replay/tree_panel.h"

#include <QHBoxLayout>
#include <QMenuBar>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>

namespace dynascope::app {

using namespace views;

void MainWindow::makePageActions() {
    const QString capture = QStringLiteral("Capture");
    m_actions->addToggle(spec("go.stages", tr("Stages"), capture, {QKeySequence(tr("Ctrl+1"))}, "layers",
                              tr("The stages of a compile")),
                         [this](bool) { goTo(Page::Stages); });
    m_actions->addToggle(spec("go.breaks", tr("Graph breaks"), capture, {QKeySequence(tr("Ctrl+2"))},
                              "scissors", tr("Why graphs were cut, and what each cut costs")),
                         [this](bool) { goTo(Page::Breaks); });
    m_actions->addToggle(spec("go.memory", tr("Memory"), capture, {QKeySequence(tr("Ctrl+4"))}, "rank",
                              tr("Who held which memory when: the snapshot of an allocator")),
                         [this](bool) { goTo(Page::Memory); });
    m_actions->addToggle(spec("go.compare", tr("Compare"), capture, {QKeySequence(tr("Ctrl+5"))}, "diff",
                              tr("The last comparison, or a new one")),
                         [this](bool) { showLastComparison(); });
    m_actions->addToggle(
        spec("go.replay", tr("Replay"), capture, {QKeySequence(tr("Ctrl+6"))}, "tree",
             tr("Which graphs would be CUDA graphs and why not, and runs of CUDA-graph trees")),
        [this](bool) { goTo(Page::Replay); });
    m_actions->addToggle(
        spec("go.autograd", tr("Autograd"), capture, {QKeySequence(tr("Ctrl+7"))}, "side-by-side",
             tr("Where the joint graph is cut, what is saved for backward, what aliases what")),
        [this](bool) { goTo(Page::Autograd); });
    m_actions->addToggle(
        spec("go.dynamo", tr("Dynamo"), capture, {QKeySequence(tr("Ctrl+8"))}, "clock",
             tr("Dynamo's steps, forwards and backwards: a recording of what it saw at every instruction")),
        [this](bool) { goTo(Page::Dynamo); });
}

void MainWindow::updatePageActions() {
    const Workspace::Capture* capture = m_workspace.capture();
    const bool compiles = capture && !capture->session->compiles.empty();
    const bool memory = capture && capture->session->memory, tree = capture && capture->session->tree;
    const bool recorded = capture && !capture->session->recordings.empty();
    const Page page = m_workspace.place().page;
    const auto update = [&](const char* id, Page of, bool enabled, const QString& needs) {
        m_actions->setEnabled(QLatin1String(id), enabled, capture ? needs : tr("needs an open capture"));
        if (QAction* action = m_actions->find(QLatin1String(id))) action->setChecked(page == of);
    };
    update("go.stages", Page::Stages, capture && (compiles || !(memory || tree || recorded)),
           tr("needs a capture with compiles"));
    update("go.breaks", Page::Breaks, capture && capture->breaks.breaks > 0,
           tr("this capture has no graph break"));
    update("go.memory", Page::Memory, memory, tr("needs a memory snapshot"));
    update("go.compare", Page::Compare, capture, {});
    update("go.replay", Page::Replay, compiles || tree || memory, tr("needs compiled graphs"));
    update("go.autograd", Page::Autograd, compiles, tr("needs compiled graphs"));
    update("go.dynamo", Page::Dynamo, recorded,
           tr("needs a recording: dynascope-cli capture -o DIR -- python script.py"));
}

void MainWindow::makePageSwitch() {
    auto* box = new QWidget(this);
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 2, 8, 2);
    row->setSpacing(2);
    for (const char* id : {"go.stages", "go.breaks", "go.functionalize", "go.memory", "go.compare",
                           "go.replay", "go.autograd", "go.dynamo"}) {
        auto* button = new QToolButton(box);
        button->setDefaultAction(m_actions->find(QLatin1String(id)));
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
        button->setFocusPolicy(Qt::TabFocus);
        row->addWidget(button);
    }
    menuBar()->setCornerWidget(box, Qt::TopRightCorner);
}

StagesPage& MainWindow::stagesPage() {
    if (!m_stages) {
        m_stages = new StagesPage(m_workspace, m_theme);
        m_pages->addWidget(m_stages);
        makeCanvasActions();
        connectTimeline();
        connect(m_stages->compare(), &CompareView::zoomChanged, m_status, &WindowStatus::setZoom);
        const QByteArray saved = m_settings.layout(QStringLiteral("stages"));
        m_stages->applyDefaultSizes(width());
        if (!saved.isEmpty()) m_stages->restoreState(saved);
    }
    return *m_stages;
}

BreaksPage& MainWindow::breaksPage() {
    if (!m_breaks) {
        m_breaks = new BreaksPage(m_workspace, m_theme);
        m_pages->addWidget(m_breaks);
    }
    return *m_breaks;
}

MemoryPage& MainWindow::memoryPage() {
    if (!m_memory) {
        m_memory = new MemoryPage(m_workspace, m_theme);
        m_pages->addWidget(m_memory);
    }
    return *m_memory;
}

ReplayPage& MainWindow::replayPage() {
    if (!m_replay) {
        m_replay = new ReplayPage(m_workspace, *m_replays, m_theme);
        m_pages->addWidget(m_replay);
        m_replay->applyDefaultSizes(width());
        for (const TreePanel* panel : {m_replay->tree(), m_replay->trees()})
            connect(&panel->walk(), &TreeWalk::moved, this, &MainWindow::updateActions);
        connect(&m_replay->liveTrees(), &LiveTrees::changed, this, &MainWindow::updateActions);
        connect(m_replay->tabs(), &QTabBar::currentChanged, this, &MainWindow::updateActions);
    }
    return *m_replay;
}

AutogradPage& MainWindow::autogradPage() {
    if (!m_autograd) {
        m_autograd = new AutogradPage(m_workspace, m_theme);
        m_pages->addWidget(m_autograd);
        m_autograd->applyDefaultSizes(width());
        m_autograd->convention()->setPasses(*m_passes);
        m_autograd->setRederived(*m_rederived);
    }
    return *m_autograd;
}

TreePanel* MainWindow::shownTree() const {
    if (!m_replay || m_workspace.place().page != Page::Replay) return nullptr;
    TreePanel* panel = m_replay->shownTree();
    return panel && panel->walk().run() ? panel : nullptr;
}

void MainWindow::showPage(const Place& now) {
    QWidget* page = m_welcome;
    if (now.page == Page::Stages) page = &stagesPage();
    if (now.page == Page::Breaks) page = &breaksPage();
    if (now.page == Page::Functionalize) page = &functionalizePage();
    if (now.page == Page::Memory) page = &memoryPage();
    if (now.page == Page::Compare) page = &comparePage();
    if (now.page == Page::Replay) page = &replayPage();
    if (now.page == Page::Autograd) page = &autogradPage();
    if (now.page == Page::Dynamo) page = &dynamoPage();
    if (m_pages->currentWidget() != page) {
        m_pages->setCurrentWidget(page);
        m_docks->setPage(now.page);
    }
    updateTitle();
    updateActions();
}

void MainWindow::goTo(Page page) {
    Place place = m_workspace.place();
    place.page = page;
    m_workspace.go(place);
    m_pages->currentWidget()->setFocus(Qt::ShortcutFocusReason); // not the filter field beside it
}

} // namespace dynascope::app
