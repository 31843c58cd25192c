// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/main_window.h"

#include "app/gui/breadcrumb.h"
#include "app/gui/chrome.h"
#include "app/gui/engine_buttons.h"
#include "app/gui/op_transport.h"
#include "app/gui/session_keeper.h"
#include "app/gui/stage_stepper.h"
#include "app/gui/stages_page.h"
#include "app/gui/welcome_page.h"
#include "app/gui/window_docks.h"
#include "app/gui/window_status.h"
#include "core/session/mapping_guard.h"
#include "views/canvas/compare_view.h"
#include "views/capture/capture_panel.h"
#include "views/capture/filter_edit.h"
#include "views/compare/compare_page.h"
#include "views/compare/pair_graphs.h"
#include "views/dynamo/dynamo_page.h"
#include "views/engine/engine_status.h"
#include "views/engine/functionalize_page.h"
#include "views/models/follower.h"
#include "views/models/labels.h"
#include "views/notes/notebook.h"
#include "views/palette/palette.h"
#include "views/records/records_panel.h"
#include "views/replay/live_trees.h"
#include "views/replay/replay_page.h"
#include "views/replay/tree_panel.h"
#include "views/timeline/timeline_view.h"

#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMenuBar>
#include <QMimeData>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

namespace dynascope::app {

using namespace views;

MainWindow::MainWindow(Workspace& workspace, Theme& theme, Settings& settings, QWidget* parent,
                       std::vector<std::string> engineCommand)
    : QMainWindow(parent)
    , m_workspace(workspace)
    , m_theme(theme)
    , m_settings(settings)
    , m_actions(new ActionRegistry(this)) {
    setObjectName(QStringLiteral("mainWindow"));
    setWindowTitle(tr("Dynascope"));
    setAcceptDrops(true);
    setUnifiedTitleAndToolBarOnMac(false);
    makeCentre();
    makeEngine(std::move(engineCommand));
    makeSession();
    makeFollower();
    m_pages = new WindowPages(*this, *m_stack, *m_welcome,
                              {m_workspace, m_theme, *m_passes, *m_stepper, *m_rederived, *m_replays},
                              *m_actions, m_settings);
    connect(m_pages, &WindowPages::made, this,
            [this](Page page, QWidget* widget) { connectPage(page, *widget); });
    makeFileActions();
    makeViewActions();
    makeGoActions();
    makeEngineActions();
    m_docks = new WindowDocks(*this, m_workspace, *m_passes, *m_notebook, m_theme);
    makeWindowActions();
    documentKeys();
    makeMenus();
    menuBar()->setCornerWidget(m_pages->makeBar(this), Qt::TopRightCorner);
    makeToolBar();
    m_status = new WindowStatus(*statusBar(), *m_progress, m_workspace, m_theme);
    statusBar()->insertWidget(0, new EngineStatus(*m_engine, m_theme, statusBar()));
    m_palette = new Palette(m_workspace, m_theme, this);
    m_palette->setRecent(m_settings.recentChoices());
    m_palette->setActionSource([this] {
        std::vector<PaletteAction> actions;
        for (const ActionRegistry::Entry& entry : m_actions->entries())
            if (entry.action && (entry.action->isEnabled() || !entry.needs.isEmpty()))
                actions.push_back({entry.spec.id, QString(entry.spec.text).remove(QStringLiteral("...")),
                                   entry.spec.menu, entry.spec.icon,
                                   entry.spec.keys.isEmpty() ? QKeySequence() : entry.spec.keys.first(),
                                   entry.needs});
        return actions;
    });
    connect(m_palette, &Palette::actionChosen, m_actions, &ActionRegistry::trigger);
    connectNotes();

    connect(&m_workspace, &Workspace::placeChanged, this, &MainWindow::showPage);
    connect(&m_workspace, &Workspace::captureOpened, this, [this](int capture) {
        const session::Session& session = *m_workspace.captures()[std::size_t(capture)].session;
        if (const QString path = toQString(session.path); QFileInfo::exists(path)) {
            m_settings.addRecentFile(path);
            m_welcome->setRecentFiles(m_settings.recentFiles());
        }
        m_status->setProblems(m_docks->problemCount());
        updateActions();
        // Once it is shown, so that back leads from the comparison to the capture.
        QMetaObject::invokeMethod(this, &MainWindow::compareWaiting, Qt::QueuedConnection);
        // An empty filter field would swallow the keys that step through stages.
        if (CapturePanel& panel = m_docks->capturePanel();
            focusWidget() == panel.filterEdit() && panel.filterEdit()->text().isEmpty())
            panel.tree()->setFocus(Qt::OtherFocusReason);
    });
    connect(&m_workspace, &Workspace::captureClosed, this, [this] {
        m_status->setProblems(m_docks->problemCount());
        updateActions();
        updateTitle();
    });
    connect(&m_workspace, &Workspace::openFailed, this,
            [this](const QString& message) { m_message->showMessage(message, QStringLiteral("open")); });
    connect(&m_workspace, &Workspace::captureOpened, this,
            [this] { m_message->clear(QStringLiteral("open")); });
    connect(&m_workspace, &Workspace::openFailed, this, [this] { m_waiting = {}; });
    connect(&m_workspace, &Workspace::stagesChanged, this, &MainWindow::updateActions);
    connect(&m_workspace, &Workspace::nodeSelected, this, &MainWindow::updateActions);
    connect(&m_workspace, &Workspace::panelRequested, this, &MainWindow::requestPanel);
    connect(&m_workspace, &Workspace::sourceRequested, this, [this] { requestPanel(PanelId::Source); });
    connect(&m_workspace, &Workspace::recordRequested, this, [this](int capture, int record) {
        m_docks->raise(PanelId::Records);
        m_docks->recordsPanel().showRecord(capture, record);
    });
    // A view that reads on shows zeros; nothing else tells that the file has gone from under it.
    auto* watch = new QTimer(this);
    connect(watch, &QTimer::timeout, this, [this, watch] {
        if (!session::anyFileLost()) return;
        watch->stop();
        QStringList files;
        for (const std::string& path : session::lostFiles())
            files << toQString(path);
        m_message->showMessage(
            tr("%1 was cut short while it was open, and what is shown of it is no longer true. "
               "Capture > Reload reads it again.")
                .arg(files.join(tr(", "))),
            QStringLiteral("lost"));
    });
    watch->start(1000);
    connect(&m_theme, &Theme::changed, this, &MainWindow::refreshIcons);
    refreshIcons();
    showPage(m_workspace.place());
    updateActions();
}

MainWindow::~MainWindow() {
    m_notebook->undoStack().disconnect(this); // it tells of its end when the actions are gone
}

void MainWindow::makeCentre() {
    m_welcome = new WelcomePage(m_theme);
    m_welcome->setRecentFiles(m_settings.recentFiles());
    connect(m_welcome, &WelcomePage::openRequested, this, [this](const QString& path) { openPaths({path}); });
    connect(m_welcome, &WelcomePage::openDialogRequested, this, &MainWindow::openDialog);
    connect(m_welcome, &WelcomePage::pasteRequested, this, &MainWindow::pasteGraph);
    m_stack = new QStackedWidget;
    m_stack->addWidget(m_welcome);
    m_message = new MessageBar(m_theme);
    m_progress = new ProgressLine(m_theme);
    m_progress->hide();
    auto* centre = new QWidget(this);
    auto* box = new QVBoxLayout(centre);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(0);
    box->addWidget(m_progress);
    box->addWidget(m_message);
    box->addWidget(m_stack, 1);
    centre->setMinimumSize(320, 240);
    setCentralWidget(centre);
}

void MainWindow::makeToolBar() {
    auto* bar = new QToolBar(tr("Navigation"), this);
    bar->setObjectName(QStringLiteral("toolBar"));
    bar->setMovable(false);
    bar->setFloatable(false);
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    bar->toggleViewAction()->setEnabled(false);
    bar->setToolButtonStyle(Qt::ToolButtonIconOnly);
    bar->addAction(m_actions->find(QStringLiteral("go.back")));
    bar->addAction(m_actions->find(QStringLiteral("go.forward")));
    bar->addSeparator();
    auto* crumbs = new Breadcrumb(m_workspace, m_theme, bar);
    crumbs->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(crumbs);
    // In a plain widget, since a toolbar sets the visibility of what it holds itself.
    auto* right = new QWidget(bar);
    auto* row = new QHBoxLayout(right);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(m_theme.scaled(10));
    row->addWidget(new StageStepper(m_workspace, m_theme, *m_actions, right));
    row->addWidget(new OpTransport(m_workspace, *m_stepper, m_theme, *m_actions, right));
    row->addWidget(new EngineButtons(m_workspace, m_theme, *m_actions, right));
    auto* search = new SearchField(m_theme, right);
    connect(search, &QAbstractButton::clicked, this, [this] { m_palette->open(); });
    row->addWidget(search);
    bar->addWidget(right);
    const auto fit = [this, bar] { bar->setFixedHeight(m_theme.scaled(38)); };
    connect(&m_theme, &Theme::changed, bar, fit);
    fit();
    addToolBar(Qt::TopToolBarArea, bar);
}

void MainWindow::requestPanel(PanelId panel) {
    const bool onStages = m_workspace.place().page == Page::Stages;
    if (m_docks->raise(panel)) return;
    if (!onStages) m_actions->trigger(QStringLiteral("go.stages"));
    if (auto* stages = m_pages->find<StagesPage>()) stages->raisePanel(panel);
}

void MainWindow::openPaths(const QStringList& paths) {
    m_message->hide();
    for (const QString& path : paths)
        m_workspace.open(path);
}

void MainWindow::showPage(const Place& now) {
    if (m_pages->show(now.page)) m_docks->setPage(now.page);
    updateTitle();
    updateActions();
}

void MainWindow::connectPage(Page page, QWidget& widget) {
    if (page == Page::Stages) {
        makeCanvasActions();
        connectTimeline();
        connect(static_cast<StagesPage&>(widget).compare(), &CompareView::zoomChanged, m_status,
                &WindowStatus::setZoom);
    } else if (page == Page::Functionalize) {
        connect(&static_cast<FunctionalizePage&>(widget), &FunctionalizePage::canvasRequested, this,
                [this] { m_actions->trigger(QStringLiteral("go.stages")); });
    } else if (page == Page::Compare) {
        static_cast<void>(this->page<StagesPage>()); // its canvas brings the actions that this one takes too
        for (const ActionRegistry::Entry& entry : m_actions->entries())
            if (entry.action && entry.spec.scope == Scope::Canvas)
                static_cast<ComparePage&>(widget).graphs()->canvas()->addAction(entry.action);
    } else if (page == Page::Replay) {
        auto& replay = static_cast<ReplayPage&>(widget);
        for (const TreePanel* panel : {replay.tree(), replay.trees()})
            connect(&panel->walk(), &TreeWalk::moved, this, &MainWindow::updateActions);
        connect(&replay.liveTrees(), &LiveTrees::changed, this, &MainWindow::updateActions);
        connect(replay.tabs(), &QTabBar::currentChanged, this, &MainWindow::updateActions);
    } else if (page == Page::Dynamo) {
        connectDynamo(static_cast<DynamoPage&>(widget));
    }
}

bool MainWindow::isSettled() const {
    if (!m_workspace.tasks().isIdle() || m_workspace.isOpening() || m_engine->isBusy() ||
        m_session->isBusy() || !m_waiting.paths.isEmpty())
        return false;
    return m_pages->isSettled(m_workspace.place().page);
}

void MainWindow::updateTitle() {
    const session::Session* session = m_workspace.session();
    const int capture = m_workspace.place().capture;
    setWindowTitle(session ? tr("%1[*] - Dynascope").arg(m_session->title(capture)) : tr("Dynascope"));
    setWindowModified(session && m_notebook->isModified(capture));
}

void MainWindow::resetLayout() {
    m_settings.clearLayout();
    m_docks->reset(width());
    m_pages->applyDefaultSizes();
}

void MainWindow::saveLayout() {
    m_settings.setLayout(QStringLiteral("geometry"), saveGeometry());
    // On another page the right docks are hidden for its sake only.
    m_docks->setPage(Page::Stages);
    m_settings.setLayout(QStringLiteral("docks"), saveState(Settings::schema));
    m_docks->setPage(m_workspace.place().page);
    m_pages->saveStates();
}

void MainWindow::restoreLayout() {
    const QByteArray docks = m_settings.layout(QStringLiteral("docks"));
    const Page page = m_workspace.place().page;
    m_docks->setPage(Page::Stages);
    const bool restored = !docks.isEmpty() && restoreState(docks, Settings::schema);
    m_docks->setPage(page);
    if (!restored) m_docks->reset(width());
}

void MainWindow::showEvent(QShowEvent* event) {
    if (!m_laidOut) {
        m_laidOut = true;
        const QByteArray geometry = m_settings.layout(QStringLiteral("geometry"));
        if (!geometry.isEmpty()) restoreGeometry(geometry);
        restoreLayout();
        if (auto* stages = m_pages->find<StagesPage>();
            stages && m_settings.layout(QStringLiteral("stages")).isEmpty())
            stages->applyDefaultSizes(width());
    }
    QMainWindow::showEvent(event);
}

void MainWindow::paintEvent(QPaintEvent* event) {
    QMainWindow::paintEvent(event);
    if (m_painted) return;
    m_painted = true;
    QTimer::singleShot(0, this, &MainWindow::painted); // children paint in the same pass
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!mayQuit()) {
        event->ignore();
        return;
    }
    saveLayout();
    m_settings.setRecentChoices(m_palette->recent());
    QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!event->mimeData()->hasUrls() && !event->mimeData()->hasText()) return;
    event->acceptProposedAction();
    m_welcome->setDropHint(true);
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent* event) {
    QMainWindow::dragLeaveEvent(event);
    m_welcome->setDropHint(false);
}

void MainWindow::dropEvent(QDropEvent* event) {
    m_welcome->setDropHint(false);
    QStringList paths;
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile()) paths << url.toLocalFile();
    if (!paths.isEmpty())
        openPaths(paths);
    else if (event->mimeData()->hasText())
        m_workspace.openText(event->mimeData()->text(), tr("dropped text"));
    else
        return;
    event->acceptProposedAction();
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        m_workspace.clearSelection();
        return;
    }
    QMainWindow::keyPressEvent(event);
}

} // namespace dynascope::app
