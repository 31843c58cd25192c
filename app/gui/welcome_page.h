// SPDX-License-Identifier: BSD-3-Clause
//
// What the centre shows while nothing is open: where to drop a file, recording a program, what to try first,
// the bundled samples, and recent files.
#pragma once

#include "views/theme/theme.h"

#include <QStringList>
#include <QWidget>

class QScrollArea;
class QVBoxLayout;

namespace dynascope::app {

class WelcomePage : public QWidget {
    Q_OBJECT
public:
    WelcomePage(views::Theme& theme, QWidget* parent = nullptr);
    /// Shown with the next look at the page: it is about to go when a capture was opened.
    void setRecentFiles(const QStringList& files);
    /// Draws the frame of the drop area in the accent.
    void setDropHint(bool on);

signals:
    void openRequested(const QString& path);
    void openDialogRequested();
    void pasteRequested();
    void recordRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void rebuild();
    void rebuildIfShown();

    views::Theme& m_theme;
    QStringList m_recent;
    QScrollArea* m_area;
    bool m_dropHint = false;
    bool m_stale = false; ///< built before the recent files changed
};

} // namespace dynascope::app
