// SPDX-License-Identifier: BSD-3-Clause
//
// The status bar: what is selected, what is open, where we are, and how far a file has been read or
// saved.
#pragma once

#include "app/gui/chrome.h"
#include "views/theme/theme.h"
#include "views/workspace/workspace.h"

#include <QObject>

class QLabel;
class QPushButton;
class QStatusBar;
class QTimer;

namespace dynascope::app {

class WindowStatus : public QObject {
    Q_OBJECT
public:
    /// `line` is the window's progress bar; it stays hidden for the first 100 ms of a task.
    WindowStatus(QStatusBar& bar, ProgressLine& line, views::Workspace& workspace, views::Theme& theme);

    void setZoom(double factor);
    void setProblems(const QString& text); ///< as views::problemsText says them
    /// That the capture that is shown is read on as it grows; empty where it is not.
    void setFollowing(const QString& text, const QString& path);

private:
    void refresh();
    void countCaptures();
    void show(QWidget& part, bool on);
    void taskStarted(const QString& tag);
    void taskFinished(const QString& tag);
    void progressed(const QString& tag, const QString& phase, quint64 done, quint64 total);

    QStatusBar& m_bar;
    views::Workspace& m_workspace;
    ProgressLine& m_line;
    QLabel *m_selection, *m_counts, *m_place, *m_progress, *m_following;
    QPushButton* m_cancel;
    QTimer* m_delay;
    QString m_task; ///< whose progress is shown: "open", "save", or none
    double m_zoom = 0;
    QString m_problems, m_counted; ///< m_counted: compiles and graphs of all captures
};

} // namespace dynascope::app
