// SPDX-License-Identifier: BSD-3-Clause
//
// The window: it makes the docks, the pages of the centre and the parts that each do one thing of it
// (window_part.h), and ties them to the workspace. It holds no state of its own about what is open.
#pragma once

#include "app/gui/action_registry.h"
#include "app/gui/settings.h"
#include "app/gui/window_pages.h"
#include "app/gui/window_part.h"
#include "views/theme/theme.h"
#include "views/workspace/workspace.h"

#include <QMainWindow>
#include <string>
#include <vector>

class QStackedWidget;

namespace dynascope::views {
class Engine;
class Follower;
class LessonRun;
class Notebook;
class Palette;
class Passes;
class Rederivations;
class ReplayRuns;
class Stepper;
} // namespace dynascope::views

namespace dynascope::app {

class CanvasActions;
class Comparing;
class EngineActions;
class FlightActions;
class Following;
class MessageBar;
class NoteActions;
class ProgressLine;
class HelpActions;
class LessonActions;
class ProfileActions;
class RecordPrograms;
class RunsActions;
class SessionKeeper;
class StepActions;
class WelcomePage;
class WindowActions;
class WindowDocks;
class WindowLayout;
class WindowMenus;
class WindowStatus;

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    MainWindow(views::Workspace& workspace, views::Theme& theme, Settings& settings,
               QWidget* parent = nullptr, std::vector<std::string> engineCommand = {});
    ~MainWindow() override;

    void openPaths(const QStringList& paths);
    /// Opens two captures and shows what tells them apart; of one path the ranks.
    void comparePaths(const QStringList& paths);
    /// A bundled lesson by its name, or any by the path of its file.
    void openLesson(const QString& nameOrPath);
    /// Captures that are opened from now on are read on as they grow.
    void followAll();
    void resetLayout();
    /// Whether it sees to it, whenever it is shown or un-maximised, that all of it is on its screen. Off at first:
    /// pictures are taken at any size.
    void setKeptOnScreen(bool on) { m_keptOnScreen = on; }

    [[nodiscard]] ActionRegistry& actionRegistry() { return *m_actions; }
    [[nodiscard]] WindowDocks& docks() { return *m_docks; }
    [[nodiscard]] WindowPages& pages() { return *m_pages; }
    /// A page by its class; made on first use.
    template <typename T>
    [[nodiscard]] T& page() {
        return m_pages->get<T>();
    }
    [[nodiscard]] views::Palette& palette() { return *m_palette; }
    /// Has the engine, its passes, the stepper and what was derived anew.
    [[nodiscard]] EngineActions& engineActions() { return *m_engine; }
    [[nodiscard]] views::ReplayRuns& replays() { return *m_replays; }
    [[nodiscard]] views::Notebook& notebook() { return *m_notebook; }
    [[nodiscard]] SessionKeeper& session() { return *m_session; }
    [[nodiscard]] views::Follower& follower();
    /// No task runs, every canvas has its layout: nothing on screen will change by itself.
    [[nodiscard]] bool isSettled() const;

signals:
    void painted(); ///< once, after the first paint

protected:
    void closeEvent(QCloseEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool focusNextPrevChild(bool next) override;

private:
    void makeCentre();
    void makeSession();
    void makeParts();
    void connectDrops();
    void makePalette();
    void connectWorkspace();
    void showPage(const views::Place& now);
    /// Connects a page that was made just now.
    void connectPage(views::Page page, QWidget& widget);
    void updateTitle();
    void updateActions();
    void keepOnScreen();

    views::Workspace& m_workspace;
    views::Theme& m_theme;
    Settings& m_settings;
    ActionRegistry* m_actions;
    EngineActions* m_engine = nullptr;
    views::Notebook* m_notebook = nullptr;
    views::ReplayRuns* m_replays = nullptr;
    SessionKeeper* m_session = nullptr;
    Following* m_following = nullptr;
    WindowDocks* m_docks = nullptr;
    WindowStatus* m_status = nullptr;
    QStackedWidget* m_stack = nullptr;
    WindowPages* m_pages = nullptr;
    WelcomePage* m_welcome = nullptr;
    CanvasActions* m_canvas = nullptr;
    Comparing* m_comparing = nullptr;
    NoteActions* m_notes = nullptr;
    RecordPrograms* m_programs = nullptr;
    ProfileActions* m_profiles = nullptr;
    FlightActions* m_flight = nullptr;
    RunsActions* m_runs = nullptr;
    HelpActions* m_help = nullptr;
    views::LessonRun* m_lesson = nullptr;
    LessonActions* m_lessons = nullptr;
    StepActions* m_steps = nullptr;
    WindowLayout* m_layout = nullptr;
    WindowMenus* m_menus = nullptr;
    WindowActions* m_does = nullptr;
    MessageBar* m_message = nullptr;
    ProgressLine* m_progress = nullptr;
    views::Palette* m_palette = nullptr;
    bool m_keptOnScreen = false;
    bool m_laidOut = false;
    bool m_painted = false;
};

} // namespace dynascope::app
