// SPDX-License-Identifier: BSD-3-Clause
//
// The collectives of one compile: a lane for each group of ranks that makes the same calls, aligned at the first call
// that does not fit, which has a sign, a frame and a colour. Only what is in view is drawn.
#pragma once

#include "core/ranks/ranks.h"
#include "views/theme/theme.h"

#include <QAbstractScrollArea>
#include <memory>
#include <vector>

namespace dynascope::views {

/// GUI thread only. A click and the arrow keys select a call; a double click and Return ask for its node.
class CollectiveLanes : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit CollectiveLanes(Theme& theme, QWidget* parent = nullptr);

    /// A call by its lane, and its number in that; `call` past the last one stands for one that is missing.
    struct At {
        int lane = -1, call = -1;
        [[nodiscard]] bool isNone() const { return lane < 0; }
        friend bool operator==(const At&, const At&) = default;
    };
    /// Null, or a row without lanes, shows `emptyText`. `keeper` owns the row.
    void setRow(std::shared_ptr<const ranks::CompileRow> row);
    void setEmptyText(const QString& text);
    [[nodiscard]] const QString& emptyText() const { return m_emptyText; }

    void select(At at); ///< without telling
    [[nodiscard]] At selected() const { return m_selected; }
    /// In the viewport, also where it is out of view; empty for none.
    [[nodiscard]] QRect callRect(At at) const;
    [[nodiscard]] At callAt(QPoint point) const;
    [[nodiscard]] QString description(At at) const; ///< what the tool tip says
    [[nodiscard]] QSize sizeHint() const override;

signals:
    void selectionChanged(int lane, int call);
    void activated(int lane, int call);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    [[nodiscard]] const std::vector<ranks::Lane>& lanes() const { return m_row->lanes; }
    [[nodiscard]] bool hasLanes() const { return m_row && !m_row->lanes.empty(); }
    [[nodiscard]] const ranks::Lane& lane(At at) const { return m_row->lanes[std::size_t(at.lane)]; }
    [[nodiscard]] int callsOf(int lane) const; ///< with the one that is missing
    [[nodiscard]] int columnOf(At at) const;
    [[nodiscard]] int callIn(int lane, int column) const; ///< -1 for none
    [[nodiscard]] bool isMismatch(At at) const;
    [[nodiscard]] bool isMissing(At at) const;
    void updateBars();
    void measure();
    void step(int lanes, int calls);
    void show(At at);
    void tell(At at);
    [[nodiscard]] int titleWidth() const { return m_theme.scaled(136); }
    [[nodiscard]] int headHeight() const { return m_theme.scaled(24); }
    [[nodiscard]] int columnWidth() const { return m_columnWidth; }
    [[nodiscard]] int laneHeight() const { return m_theme.scaled(82); }
    // collective_lanes_paint.cpp
    void paintHead(QPainter& painter, int first, int last) const;
    void paintTitle(QPainter& painter, int lane) const;
    void paintCall(QPainter& painter, At at) const;
    void paintWords(QPainter& painter, At at, const QRect& card) const;
    [[nodiscard]] QColor mismatchColour() const;

    Theme& m_theme;
    std::shared_ptr<const ranks::CompileRow> m_row;
    QString m_emptyText;
    int m_mismatchColumn = -1, m_columns = 0, m_columnWidth = 1;
    At m_selected;
};

} // namespace dynascope::views
