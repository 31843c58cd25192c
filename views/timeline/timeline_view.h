// SPDX-License-Identifier: BSD-3-Clause
//
// The stages of one compile as stations on a line, in pipeline order. A and B mark the two that are compared;
// between neighbours stands what changed. Tracks are rows: PyTorch's captured stages now, others join as
// further tracks.
#pragma once

#include "views/models/workspace.h"
#include "views/theme/theme.h"

#include <QAbstractScrollArea>
#include <memory>
#include <optional>
#include <vector>

namespace dynascope::views {

/// GUI thread only. Neighbouring stages are compared on the TaskRunner (tag "timeline"), small graphs first
/// paint later.
///
/// Mouse: click sets B, Shift+click sets A, dragging a disc moves it. Keyboard: Left and Right move the
/// focused station, Enter makes it B, Shift+Enter makes it A, Home and End go to the ends.
class TimelineView : public QAbstractScrollArea {
    Q_OBJECT
public:
    TimelineView(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~TimelineView() override;

    /// Centre of a station in viewport coordinates, for tests and popups; nothing when there is no such
    /// stage.
    [[nodiscard]] std::optional<QPoint> stationCentre(int stage) const;
    /// The text between two neighbours as painted ("=", "+3 −1"), empty until it is known.
    [[nodiscard]] QString changeText(int stage) const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    void changesReady(); ///< every neighbouring pair has been compared

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    struct Counts {
        std::size_t changed = 0, added = 0, removed = 0, moved = 0;
    };
    struct Station {
        session::StagePtr stage;
        QString name, detail;
        int predecessor = -1;
        std::optional<Counts> change; ///< against the predecessor; nothing while unknown or without a graph
    };

    void rebuild();
    void compareNeighbours();
    void updateScrollBar();
    void ensureVisible(int stage);
    void choose(int stage, Side side);
    void setFocusStation(int stage);
    [[nodiscard]] int stationAt(const QPoint& pos) const;
    [[nodiscard]] double spacing() const;
    [[nodiscard]] double stationX(int stage) const;
    [[nodiscard]] int lineY() const;
    [[nodiscard]] int labelWidth() const;
    [[nodiscard]] QString toolTipText(int stage) const;
    void paintPhases(QPainter& painter) const;
    void paintLine(QPainter& painter) const;
    void paintStation(QPainter& painter, int stage) const;
    void paintChange(QPainter& painter, int stage) const;

    Workspace& m_workspace;
    Theme& m_theme;
    std::vector<Station> m_stations;
    int m_hovered = -1, m_focused = -1;
    std::optional<Side> m_dragged;
    int m_compile = -1, m_capture = -1;
};

} // namespace dynascope::views
