// SPDX-License-Identifier: BSD-3-Clause
//
// The 28 px row above a canvas: which stage it shows, how many nodes, what differs, and the canvas's buttons.
#pragma once

#include "core/diff/graph_diff.h"
#include "views/theme/theme.h"
#include "views/workspace/workspace.h"

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QToolButton>
#include <QWidget>

namespace dynascope::views::canvas {

/// A or B in a disc of the accent colour.
class SideDisc : public QWidget {
    Q_OBJECT
public:
    SideDisc(const Theme& theme, QString letter, QWidget* parent = nullptr);
    void setActive(bool active);

signals:
    void clicked();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    const Theme& m_theme;
    QString m_letter;
    bool m_active = true;
};

/// GUI thread only.
class PaneHeader : public QWidget {
    Q_OBJECT
public:
    enum class Kind { A, B, Merged };
    PaneHeader(const Theme& theme, Kind kind, QWidget* parent = nullptr);

    void setStage(const QString& name, const QString& detail);
    void setCounts(const diff::GraphDiff* diff);
    /// "Laying out 6,012 nodes, 2.1 s" with Cancel; empty when nothing runs.
    void setProgress(const QString& text);
    [[nodiscard]] QString progress() const { return m_progress->text(); }
    /// Single mode: both discs, the one of `side` on.
    void setSwitch(bool visible, Side side);
    /// Part of the graph is drawn: offers to draw all of it.
    void setPart(bool part);
    QToolButton* addButton(const QString& icon, const QString& toolTip, bool checkable);

signals:
    void cancelled();
    void wholeAsked();
    void sideChosen(dynascope::views::Side side);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void restyle();
    void elide();

    const Theme& m_theme;
    Kind m_kind;
    SideDisc* m_discA;
    SideDisc* m_discB;
    QLabel* m_name;
    QLabel* m_detail;
    QLabel* m_progress;
    QPushButton* m_cancel;
    QPushButton* m_whole;
    QLabel* m_counts;
    QProgressBar* m_bar;
    QString m_fullName, m_fullDetail;
    std::vector<std::pair<QToolButton*, QString>> m_buttons;
    std::vector<std::pair<diff::Change, std::size_t>> m_numbers;
};

} // namespace dynascope::views::canvas
