// SPDX-License-Identifier: BSD-3-Clause
//
// The docks of the window. Their contents are made when they are first seen.
#pragma once

#include "app/gui/chrome.h"
#include "views/theme/theme.h"
#include "views/workspace/workspace.h"

#include <QDockWidget>
#include <QHash>
#include <QJsonObject>
#include <functional>
#include <vector>

class QMainWindow;
class QToolBar;

namespace dynascope::views {
class CapturePanel;
class LessonRun;
class Notebook;
class NotesPanel;
class Passes;
class ProblemModel;
class RecordsPanel;
} // namespace dynascope::views

namespace dynascope::app {

/// Builds its content on the first showEvent.
class LazyDock : public QDockWidget {
    Q_OBJECT
public:
    LazyDock(views::PanelId id, const QString& title, std::function<QWidget*()> make, QWidget* parent);
    [[nodiscard]] views::PanelId id() const { return m_id; }
    /// The content, made now if need be.
    QWidget* content();
    /// Open, though perhaps behind another tab.
    [[nodiscard]] bool isOpen() const { return toggleViewAction()->isChecked(); }

protected:
    void showEvent(QShowEvent* event) override;

private:
    views::PanelId m_id;
    std::function<QWidget*()> m_make;
    bool m_made = false;
};

/// Owned by the window. GUI thread only.
class WindowDocks : public QObject {
    Q_OBJECT
public:
    WindowDocks(QMainWindow& window, views::Workspace& workspace, views::Passes& passes,
                views::Notebook& notebook, views::LessonRun& lesson, views::Theme& theme);

    [[nodiscard]] const std::vector<LazyDock*>& all() const { return m_docks; }
    [[nodiscard]] const std::vector<LazyDock*>& right() const { return m_right; }
    [[nodiscard]] const std::vector<LazyDock*>& bottom() const { return m_bottom; } ///< one is open at a time
    [[nodiscard]] LazyDock* find(views::PanelId id) const;                          ///< or null
    /// Opens a dock and brings it to the front; false where the panel is no dock.
    bool raise(views::PanelId id);
    [[nodiscard]] views::CapturePanel& capturePanel();
    [[nodiscard]] views::RecordsPanel& recordsPanel();
    [[nodiscard]] views::NotesPanel& notesPanel();
    void stepProblem(int direction);
    /// Which docks are open and where, by name, and how wide or high their areas are.
    [[nodiscard]] QJsonObject state() const;
    /// Docks that `state` does not name stay as they are; so does what it says wrong.
    void restore(const QJsonObject& state);
    [[nodiscard]] std::size_t problemCount() const;
    [[nodiscard]] QString problemsText() const; ///< by kind, as views::problemsText says them

    /// Pages that have lists of their own and leave no room for the capture's tree.
    [[nodiscard]] static bool fillsWindow(views::Page page);
    /// The right docks belong to the stages page; the graph breaks page has its own panel there.
    void setPage(views::Page page);
    /// Docks in their places with the sizes of DESIGN_LANGUAGE for this window width.
    void reset(int windowWidth);
    /// Sizes only; call once the window is laid out.
    void applyDefaultSizes(int windowWidth);

signals:
    void problemsChanged();                                                ///< problemsText() may be another
    void placeMissing(int capture, const dynascope::ir::Address& address); ///< of a note that was chosen

private:
    LazyDock* add(views::PanelId id, const QString& title, Qt::DockWidgetArea area,
                  std::function<QWidget*()> make);
    void makeBottomBar();
    void toggleBottom(LazyDock* dock);
    void refreshChips();

    QMainWindow& m_window;
    views::Workspace& m_workspace;
    views::Notebook& m_notebook;
    views::Theme& m_theme;
    views::ProblemModel* m_problems;
    std::vector<LazyDock*> m_docks, m_right, m_bottom;
    LazyDock *m_lesson = nullptr, *m_capture = nullptr, *m_records = nullptr, *m_problemsDock = nullptr,
             *m_notes = nullptr;
    QHash<LazyDock*, DockTab*> m_tabs;
    std::vector<LazyDock*> m_hiddenRight; ///< to come back with the stages page
    bool m_hiddenCapture = false;         ///< some pages have a list of their own at the left
    views::Page m_page = views::Page::Welcome;
    int m_defaultWidth = 0; ///< sizes still to be given once the right docks show
};

} // namespace dynascope::app
