// SPDX-License-Identifier: BSD-3-Clause
//
// The window: menus, toolbar, docks and the pages of the centre. It wires views to the workspace and
// holds no state of its own about what is open.
#pragma once

#include "app/gui/action_registry.h"
#include "app/gui/settings.h"
#include "app/gui/window_pages.h"
#include "views/models/workspace.h"
#include "views/theme/theme.h"

#include <QMainWindow>
#include <functional>
#include <map>
#include <memory>
#include <string>

class QStackedWidget;

namespace dynascope::views {
class CompareView;
class DynamoPage;
class Engine;
class Follower;
class Rederivations;
class ReplayRuns;
class TreePanel;
enum class StepCommand;
class Notebook;
class Passes;
class Stepper;
class Palette;
} // namespace dynascope::views

namespace dynascope::app {

class MessageBar;
class ProgressLine;
class RecordDialog;
class SessionKeeper;
class StagesPage;
class WelcomePage;
class WindowDocks;
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
    void resetLayout();

    [[nodiscard]] ActionRegistry& actionRegistry() { return *m_actions; }
    [[nodiscard]] WindowDocks& docks() { return *m_docks; }
    [[nodiscard]] WindowPages& pages() { return *m_pages; }
    [[nodiscard]] views::Palette& palette() { return *m_palette; }
    /// A page by its class; made on first use.
    template <typename T>
    [[nodiscard]] T& page() {
        return m_pages->get<T>();
    }
    [[nodiscard]] RecordDialog& recorder(); ///< made on first use
    [[nodiscard]] views::Engine& engine() { return *m_engine; }
    [[nodiscard]] views::Passes& passes() { return *m_passes; }
    [[nodiscard]] views::Stepper& stepper() { return *m_stepper; }
    [[nodiscard]] views::Rederivations& rederived() { return *m_rederived; }
    [[nodiscard]] views::ReplayRuns& replays() { return *m_replays; }
    [[nodiscard]] views::Notebook& notebook() { return *m_notebook; }
    [[nodiscard]] SessionKeeper& session() { return *m_session; }
    [[nodiscard]] views::Follower& follower() { return *m_follower; }
    [[nodiscard]] const MessageBar& messageBar() const { return *m_message; }
    [[nodiscard]] const WindowStatus& status() const { return *m_status; }
    /// Every canvas has its layout, every stage and diff is read: nothing on screen will change by itself.
    [[nodiscard]] bool isSettled() const;

signals:
    void painted(); ///< once, after the first paint

protected:
    void closeEvent(QCloseEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    // main_window.cpp
    void makeCentre();
    void makeToolBar();
    void requestPanel(views::PanelId panel);
    void updateTitle();
    void saveLayout();
    void restoreLayout();
    void showPage(const views::Place& now);
    /// Connects a page that was made just now.
    void connectPage(views::Page page, QWidget& widget);
    /// What the keys that step move: of the tree on the page Replay, or null.
    [[nodiscard]] views::TreePanel* shownTree() const; ///< with a run; null for none
    // window_engine.cpp
    void makeEngine(std::vector<std::string> command);
    void makeEngineActions();
    /// A banner about a request; where the engine stopped it goes when that runs again.
    void showEngineMessage(const QString& message, const QString& cause);
    void makePassActions();
    void connectTimeline();
    /// Steps what the page shows: a recording tree, a recording of Dynamo, or else a functionalization.
    void stepShown(const std::function<void(views::TreePanel&)>& inTree,
                   const std::function<void(views::Stepper&)>& inOps, views::StepCommand inDynamo);
    // window_dynamo.cpp
    void connectDynamo(views::DynamoPage& page);
    void recordDialog();
    /// Opens what was recorded, or reads it again where it is open, on the page Dynamo.
    void showRecorded(const QString& path);
    /// Names and enables the actions that step, by the page that is shown.
    void updateDynamoActions();
    void openFunctionalize();
    void verifyStage();
    /// Shows the stage against what it was made from, at the node where values part, and says both values.
    void showFirstDifference(int stage);
    /// Opens the form for the inputs of what `from` goes back to; then runs `pass`, if one is named.
    void askInputs(const QString& pass, int from, const QString& why);
    /// The metadata behind a captured graph beside what was derived.
    void showMetadata(int stage);
    /// A captured stage against what was derived anew for it, at the first difference.
    void showRederived(int stage);
    void removeStage(int stage);
    /// What made a computed stage is run once more: its last pass, or deriving the graphs anew.
    void computeAgain(int stage);
    [[nodiscard]] int stageForPass(const QString& pass) const;
    void updateEngineActions();
    // window_session.cpp
    void makeSession();
    void makeNoteActions();
    void updateNoteActions();
    void stepBookmark(int direction);
    void connectNotes(); ///< to the palette and the panel
    void tellMissing(int capture, const ir::Address& address);
    void goToNote(int capture, const ir::Address& address);
    /// What a session file keeps of the window: the place, and docks, panels and canvases.
    [[nodiscard]] std::map<std::string, std::string> sessionLayout(int capture) const;
    void restoreSession(int capture, const store::SessionContents& saved);
    void closeCapture(int capture);
    [[nodiscard]] bool mayQuit();
    // window_follow.cpp
    void makeFollower();
    void makeFollowActions();
    void updateFollowActions();
    void updateFollowing();
    // window_compare.cpp
    void compareDialog();
    void compareRanks();
    void compareWithNext();
    void showLastComparison();
    void openWaiting();
    void compareWaiting();
    [[nodiscard]] session::SessionPtr sessionAt(const QString& path) const; ///< of an open capture, or null
    /// The compile before this one of the same function, or the one after the first; -1 where it is alone.
    [[nodiscard]] int otherOfFrame(int compile) const;
    [[nodiscard]] views::CompareView* canvas(); ///< of the page that is shown
    // window_menus.cpp
    void documentKeys();
    void makeMenus();
    void updateActions();
    void refreshIcons();
    // window_actions.cpp
    void makeFileActions();
    void makeViewActions();
    void makeGoActions();
    void makeWindowActions();
    void makeCanvasActions();
    void openDialog();
    void openFolder();
    void pasteGraph();
    void exportSvg();
    void filterFocused();
    void stepCompile(int direction);
    void traceLine();
    void setFontSize(int pixels);
    void about();

    views::Workspace& m_workspace;
    views::Theme& m_theme;
    Settings& m_settings;
    ActionRegistry* m_actions;
    views::Engine* m_engine = nullptr;
    views::Passes* m_passes = nullptr;
    views::Stepper* m_stepper = nullptr;
    views::Notebook* m_notebook = nullptr;
    views::ReplayRuns* m_replays = nullptr;
    views::Rederivations* m_rederived = nullptr;
    SessionKeeper* m_session = nullptr;
    views::Follower* m_follower = nullptr;
    WindowDocks* m_docks = nullptr;
    WindowStatus* m_status = nullptr;
    QStackedWidget* m_stack = nullptr;
    WindowPages* m_pages = nullptr;
    WelcomePage* m_welcome = nullptr;
    /// What is still being opened for a comparison: `a` and the paths, or two paths.
    struct Waiting {
        session::SessionPtr a;
        QStringList paths;
    } m_waiting;
    RecordDialog* m_record = nullptr; ///< made on first use
    QString m_recorded;               ///< path of a recording that is being opened
    MessageBar* m_message = nullptr;
    ProgressLine* m_progress = nullptr;
    views::Palette* m_palette = nullptr;
    bool m_laidOut = false;
    bool m_painted = false;
};

} // namespace dynascope::app
