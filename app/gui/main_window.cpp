// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/main_window.h"

#include "app/gui/canvas_actions.h"
#include "app/gui/chrome.h"
#include "app/gui/comparing.h"
#include "app/gui/engine_actions.h"
#include "app/gui/flight_actions.h"
#include "app/gui/following.h"
#include "app/gui/help_actions.h"
#include "app/gui/lesson_actions.h"
#include "app/gui/navigation_bar.h"
#include "app/gui/note_actions.h"
#include "app/gui/profile_actions.h"
#include "app/gui/record_programs.h"
#include "app/gui/runs_actions.h"
#include "app/gui/session_keeper.h"
#include "app/gui/stages_page.h"
#include "app/gui/step_actions.h"
#include "app/gui/welcome_page.h"
#include "app/gui/window_actions.h"
#include "app/gui/window_docks.h"
#include "app/gui/window_layout.h"
#include "app/gui/window_menus.h"
#include "app/gui/window_status.h"
#include "core/remote/address.h"
#include "views/answers/answers_page.h"
#include "views/base/panel_turns.h"
#include "views/capture/capture_panel.h"
#include "views/capture/filter_edit.h"
#include "views/compile_time/records_panel.h"
#include "views/engine/engine.h"
#include "views/engine/engine_status.h"
#include "views/engine/passes.h"
#include "views/engine/rederivations.h"
#include "views/functionalize/stepper.h"
#include "views/notes/notebook.h"
#include "views/notes/notes_panel.h"
#include "views/palette/palette.h"
#include "views/replay/replay_runs.h"
#include "views/workspace/follower.h"
#include "views/workspace/labels.h"

#include <QCloseEvent>
#include <QFileInfo>
#include <QKeyEvent>
#include <QMenuBar>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTimer>
#include <QTreeView>
#include <QVBoxLayout>
#include <numeric>

namespace dynascope::app {

using namespace views;

namespace {
constexpr int noticeMs = 6000;
} // namespace

MainWindow::MainWindow(Workspace& workspace, Theme& theme, Settings& settings, QWidget* parent,
                       std::vector<std::string> engineCommand)
    : QMainWindow(parent)
    , m_workspace(workspace)
    , m_theme(theme)
    , m_settings(settings)
    , m_actions(new ActionRegistry(this)) {
    setObjectName(QStringLiteral("mainWindow"));
    setWindowTitle(tr("Dynascope"));
    setUnifiedTitleAndToolBarOnMac(false);
    makeCentre();
    m_engine = new EngineActions({*this, m_workspace, m_theme, m_settings, *m_actions, *m_message},
                                 std::move(engineCommand));
    makeSession();
    makeParts();
    m_does->add();
    m_menus->documentKeys();
    m_menus->rebuild();
    menuBar()->setCornerWidget(m_pages->makeBar(this), Qt::TopRightCorner);
    auto* bar = new NavigationBar(m_workspace, m_theme, *m_actions, m_engine->stepper(), this);
    connect(bar, &NavigationBar::searchAsked, this, [this] { m_palette->open(); });
    addToolBar(Qt::TopToolBarArea, bar);
    m_status = new WindowStatus(*statusBar(), *m_progress, m_workspace, m_theme);
    connect(m_following, &Following::told, m_status, &WindowStatus::setFollowing);
    statusBar()->insertWidget(0, new EngineStatus(m_engine->engine(), m_theme, statusBar()));
    makePalette();
    connectWorkspace();
    connect(&m_theme, &Theme::changed, m_menus, &WindowMenus::refreshIcons);
    m_menus->refreshIcons();
    showPage(m_workspace.place());
}

MainWindow::~MainWindow() {
    m_notebook->undoStack().disconnect(m_notes); // it tells of its end when the actions are gone
}

void MainWindow::makeCentre() {
    m_welcome = new WelcomePage(m_theme);
    m_welcome->setRecentFiles(m_settings.recentFiles());
    connect(m_welcome, &WelcomePage::openRequested, this, [this](const QString& path) { openPaths({path}); });
    connect(m_welcome, &WelcomePage::openDialogRequested, this, [this] { m_does->openDialog(); });
    connect(m_welcome, &WelcomePage::pasteRequested, this, [this] { m_does->pasteGraph(); });
    connect(m_welcome, &WelcomePage::recordRequested, this, [this] { m_programs->ask(); });
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

void MainWindow::makeSession() {
    m_notebook = new Notebook(m_workspace, this);
    m_replays = new ReplayRuns(m_workspace, m_engine->engine(), *m_notebook, this);
    m_replays->setGivenInputs([this](const session::Stage& stage) -> ReplayRuns::GivenInputs {
        const Passes& passes = m_engine->passes();
        if (!passes.hasGivenInputs(stage)) return {};
        return passes.sourceOf(stage).on;
    });
    m_session = new SessionKeeper(m_workspace, *m_notebook, m_engine->passes(), m_engine->rederived(),
                                  m_settings, *this);
    connect(&m_engine->rederived(), &Rederivations::derived, m_notebook, &Notebook::addDerivation);
    m_session->setLayout([this](int capture) { return m_layout->ofSession(capture); });
    connect(m_notebook, &Notebook::changed, this, [this] {
        updateTitle();
        m_notes->updateActions();
    });
    connect(m_session, &SessionKeeper::failed, this,
            [this](const QString& message) { m_message->showMessage(message); });
    connect(m_session, &SessionKeeper::told, m_message, &MessageBar::showNotice);
    connect(m_session, &SessionKeeper::saved, this, [this](const QString& file) {
        m_settings.addRecentFile(file);
        m_welcome->setRecentFiles(m_settings.recentFiles());
        statusBar()->showMessage(tr("Saved %1").arg(file), noticeMs);
    });
    connect(m_session, &SessionKeeper::opened, this,
            [this](int capture, const store::SessionContents& saved) {
                m_layout->restoreSession(capture, saved);
            });
}

void MainWindow::makeParts() {
    const WindowPart::Shared shared{*this, m_workspace, m_theme, m_settings, *m_actions, *m_message};
    m_following = new Following(shared);
    m_pages = new WindowPages(*this, *m_stack, *m_welcome,
                              {m_workspace, m_theme, m_engine->passes(), m_engine->stepper(),
                               m_engine->rederived(), *m_replays, m_stack},
                              *m_actions, m_settings);
    connect(m_pages, &WindowPages::made, this,
            [this](Page page, QWidget* widget) { connectPage(page, *widget); });
    m_engine->connectTo(*m_pages, *m_replays);
    m_lesson = new LessonRun(m_workspace.tasks(), this);
    m_docks = new WindowDocks(*this, m_workspace, m_engine->passes(), *m_notebook, *m_lesson, m_theme);
    m_canvas = new CanvasActions(shared, *m_pages);
    m_comparing = new Comparing(shared);
    m_notes = new NoteActions(shared, *m_notebook);
    m_programs = new RecordPrograms(shared, *m_pages);
    m_profiles = new ProfileActions(shared);
    m_flight = new FlightActions(shared);
    m_runs = new RunsActions(shared, *m_comparing);
    m_help = new HelpActions(shared, *m_pages, m_engine->engine());
    m_lessons =
        new LessonActions(shared, *m_pages, *m_docks, *m_lesson, m_engine->passes(), m_engine->stepper());
    m_steps = new StepActions(shared, *m_pages, m_engine->stepper());
    m_layout = new WindowLayout(shared, *m_pages, *m_docks, m_engine->passes());
    m_menus = new WindowMenus(shared);
    m_does = new WindowActions(shared, {*m_pages, *m_docks, *m_layout, *m_session, *m_canvas, *m_comparing,
                                        *m_engine, *m_steps, *m_notes, *m_following, *m_programs, *m_help,
                                        *m_lessons, *m_profiles, *m_flight, *m_runs});
    for (WindowPart* part : std::initializer_list<WindowPart*>{m_engine, m_following, m_programs})
        connect(part, &WindowPart::changed, this, &MainWindow::updateActions);
    connect(m_engine, &EngineActions::passesListed, this, [this] {
        m_menus->rebuild();
        m_menus->refreshIcons();
        updateActions();
    });
    connect(m_notes, &NoteActions::writingAsked, this, [this] {
        m_docks->raise(PanelId::Notes);
        m_docks->notesPanel().editHere();
    });
    connect(m_docks, &WindowDocks::placeMissing, m_notes, &NoteActions::tellMissing);
    connect(m_menus, &WindowMenus::pathChosen, this, [this](const QString& path) { openPaths({path}); });
    connect(m_does, &WindowActions::pathsChosen, this, &MainWindow::openPaths);
    connect(m_runs, &RunsActions::pathsChosen, this, &MainWindow::openPaths);
    connectDrops();
}

void MainWindow::makePalette() {
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
    m_notes->connectPalette(*m_palette);
    connect(m_does, &WindowActions::searchAsked, m_palette, &Palette::open);
    connect(m_canvas, &CanvasActions::searchAsked, m_palette,
            [this] { m_palette->open(QStringLiteral("@")); });
}

void MainWindow::connectWorkspace() {
    m_workspace.setFirstPage([&settings = m_settings](const Workspace::Capture& capture) {
        return settings.opensOnAnswers() ? firstPage(capture) : Page::Stages;
    });
    connect(&m_workspace, &Workspace::placeChanged, this, &MainWindow::showPage);
    connect(&m_workspace, &Workspace::captureOpened, this, [this](int capture) {
        const session::Session& session = *m_workspace.captures()[std::size_t(capture)].session;
        if (const QString path = toQString(session.path);
            QFileInfo::exists(path) || remote::isAddress(session.path)) {
            m_settings.addRecentFile(path);
            m_welcome->setRecentFiles(m_settings.recentFiles());
        }
        updateActions();
        // Once it is shown, so that back leads from the comparison to the capture.
        QMetaObject::invokeMethod(m_comparing, &Comparing::goOn, Qt::QueuedConnection);
        // An empty filter field would swallow the keys that step through stages.
        if (CapturePanel& panel = m_docks->capturePanel();
            focusWidget() == panel.filterEdit() && panel.filterEdit()->text().isEmpty())
            panel.tree()->setFocus(Qt::OtherFocusReason);
    });
    const auto update = [this] {
        updateActions();
        updateTitle();
    };
    connect(&m_workspace, &Workspace::captureClosed, this, update);
    connect(&m_workspace, &Workspace::captureReplaced, this, update);
    connect(m_docks, &WindowDocks::problemsChanged, this,
            [this] { m_status->setProblems(m_docks->problemsText()); });
    connect(&m_workspace, &Workspace::openFailed, this,
            [this](const QString& message) { m_message->showMessage(message, QStringLiteral("open")); });
    connect(&m_workspace, &Workspace::captureOpened, this,
            [this] { m_message->clear(QStringLiteral("open")); });
    connect(&m_workspace, &Workspace::openFailed, this, [this] { m_comparing->giveUp(); });
    connect(&m_workspace.tasks(), &TaskRunner::failed, this, [this](const QString& tag, const QString& why) {
        m_message->showMessage(tr("A fault of Dynascope's own, in its task %1: %2. What is shown may be "
                                  "incomplete; the rest goes on.")
                                   .arg(tag, why));
    });
    connect(&m_workspace, &Workspace::stagesChanged, this, &MainWindow::updateActions);
    connect(&m_workspace, &Workspace::nodeSelected, this, &MainWindow::updateActions);
    connect(&m_workspace, &Workspace::panelRequested, m_does, &WindowActions::raisePanel);
    connect(&m_workspace, &Workspace::sourceRequested, this, [this] { m_does->raisePanel(PanelId::Source); });
    connect(&m_workspace, &Workspace::recordRequested, this, [this](int capture, int record) {
        m_docks->raise(PanelId::Records);
        m_docks->recordsPanel().showRecord(capture, record);
    });
}

void MainWindow::openPaths(const QStringList& paths) {
    m_message->hide();
    for (const QString& path : paths)
        m_workspace.open(path);
    if (m_settings.opensOnAnswers()) m_pages->prepare(Page::Answers);
    m_pages->prepare(Page::Stages);
}

void MainWindow::comparePaths(const QStringList& paths) {
    m_comparing->openBoth(paths);
}

void MainWindow::openLesson(const QString& nameOrPath) {
    m_lessons->open(nameOrPath);
}

void MainWindow::resetLayout() {
    m_layout->reset();
}

void MainWindow::followAll() {
    m_following->followAll();
}

Follower& MainWindow::follower() {
    return m_following->follower();
}

void MainWindow::showPage(const Place& now) {
    if (m_pages->show(now.page)) m_docks->setPage(now.page);
    updateTitle();
    updateActions();
}

bool MainWindow::isSettled() const {
    return m_workspace.tasks().isIdle() && !m_workspace.isOpening() && !m_engine->engine().isBusy() &&
           PanelTurns::of(m_workspace).isIdle() && !m_session->isBusy() && !m_comparing->isWaiting() &&
           m_pages->isSettled(m_workspace.place().page);
}

void MainWindow::updateTitle() {
    const session::Session* session = m_workspace.session();
    const int capture = m_workspace.place().capture;
    setWindowTitle(session ? tr("%1[*] - Dynascope").arg(m_session->title(capture)) : tr("Dynascope"));
    setWindowModified(session && m_notebook->isModified(capture));
}

void MainWindow::updateActions() {
    m_does->update();
}

void MainWindow::showEvent(QShowEvent* event) {
    if (!m_laidOut) {
        m_laidOut = true;
        m_layout->restore();
    }
    QMainWindow::showEvent(event);
    keepOnScreen();
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::WindowStateChange) keepOnScreen();
}

// A panel behind another tab counts as visible with Qt, which moves it out of the window: the focus would be lost
// there.
bool MainWindow::focusNextPrevChild(bool next) {
    const auto isBehind = [](const QWidget* widget) {
        while (widget && !qobject_cast<const QDockWidget*>(widget))
            widget = widget->parentWidget();
        return widget && widget->visibleRegion().isEmpty();
    };
    const QWidget* first = focusWidget();
    do
        if (!QMainWindow::focusNextPrevChild(next)) return false;
    while (focusWidget() != first && isBehind(focusWidget()));
    return true;
}

// How wide its frame is the window manager says some time after it has taken the window.
void MainWindow::keepOnScreen() {
    if (!m_keptOnScreen) return;
    for (const int after : {0, 100, 500})
        QTimer::singleShot(after, m_layout, &WindowLayout::keepOnScreen);
}

void MainWindow::paintEvent(QPaintEvent* event) {
    QMainWindow::paintEvent(event);
    if (m_painted) return;
    m_painted = true;
    QTimer::singleShot(0, this, &MainWindow::painted); // children paint in the same pass
}

void MainWindow::closeEvent(QCloseEvent* event) {
    std::vector<int> all(m_workspace.captures().size());
    std::iota(all.begin(), all.end(), 0);
    if (!m_session->mayClose(all, [this] { close(); })) {
        event->ignore();
        return;
    }
    m_layout->save();
    m_settings.setRecentChoices(m_palette->recent());
    QMainWindow::closeEvent(event);
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        m_workspace.clearSelection();
        return;
    }
    QMainWindow::keyPressEvent(event);
}

} // namespace dynascope::app
