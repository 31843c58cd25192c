// SPDX-License-Identifier: BSD-3-Clause
//
// The cut of a joint graph as a picture: forward runs down on the left, backward up on the right, and what is
// saved crosses between them.
#pragma once

#include "core/computed/joint_split.h"
#include "views/theme/theme.h"

#include <QAbstractScrollArea>
#include <memory>

namespace dynascope::views {

/// GUI thread only. Arrow keys walk the rows and the sides, Space goes to the next value that crosses the
/// cut, Return shows the node in its graph; copies itself as text (Ctrl+C).
class CutView : public QAbstractScrollArea {
    Q_OBJECT
public:
    enum class Side { Forward, Backward };

    explicit CutView(Theme& theme, QWidget* parent = nullptr);

    void setSplit(std::shared_ptr<const computed::JointSplit> split);
    [[nodiscard]] int selectedValue() const { return m_value; } ///< into JointSplit::values, -1 for none
    /// Selects the row where the value is made; tells nobody.
    void selectValue(int value);
    [[nodiscard]] int row() const { return m_row; } ///< of the side that is looked at, -1 for none
    /// In the viewport, as wide as its lane.
    [[nodiscard]] QRect rowRect(Side side, int row) const;
    [[nodiscard]] QString plainText() const;
    [[nodiscard]] QSize sizeHint() const override;

signals:
    void valueSelected(int value); ///< by the reader; -1 where the row crosses nothing
    void rowActivated(dynascope::views::CutView::Side side, int row);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    [[nodiscard]] const computed::CutSide& cutSide(Side side) const;
    [[nodiscard]] int count(Side side) const;
    [[nodiscard]] int rowHeight() const { return m_theme.scaled(21); }
    [[nodiscard]] int headerHeight() const { return m_theme.scaled(26); }
    [[nodiscard]] int gutter() const;
    [[nodiscard]] int laneWidth() const { return (viewport()->width() - gutter()) / 2; }
    [[nodiscard]] bool rowAt(QPoint at, Side& side, int& row) const;
    [[nodiscard]] int valueOf(Side side, int row) const; ///< made there, or the first read there
    void select(Side side, int row);
    void reveal();
    void fit();
    void copy() const;
    void nextValue();
    [[nodiscard]] QString toolTipAt(QPoint at) const;
    void paintLines(QPainter& painter) const;
    void paintLine(QPainter& painter, const computed::CutValue& value, bool selected) const;
    void paintRow(QPainter& painter, Side side, int row) const;
    void paintHeader(QPainter& painter) const;

    Theme& m_theme;
    std::shared_ptr<const computed::JointSplit> m_split;
    std::vector<int> m_madeAt, m_readAt; ///< by row of forward and of backward: the value, or -1
    Side m_side = Side::Forward;
    int m_row = -1, m_value = -1;
};

} // namespace dynascope::views
