// SPDX-License-Identifier: BSD-3-Clause
//
// How the breaks cut a frame: one row a call, one card a compiled piece, as wide as its compile time, with
// the line of the break that ended it between the cards.
#pragma once

#include "core/session/breaks.h"

#include <QWidget>
#include <vector>

namespace dynascope::views {

class Theme;

/// GUI thread only.
class CutStrip : public QWidget {
    Q_OBJECT
public:
    explicit CutStrip(Theme& theme, QWidget* parent = nullptr);

    void setRows(session::SessionPtr session, std::vector<session::CutRow> rows);
    void setGroup(std::size_t group); ///< whose breaks are drawn strong; SIZE_MAX for none
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    /// Where a piece, or the break after it, is drawn. For tests.
    [[nodiscard]] QRect pieceRect(int row, int piece) const;
    [[nodiscard]] QRect breakRect(int row, int piece) const;

signals:
    void compileActivated(int compile);
    void groupActivated(int group);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Box {
        int row = 0, piece = 0;
        QRect card, pill;
    };
    void layOut();
    [[nodiscard]] int pillWidth(const session::CutPiece& piece) const; ///< 0 where no break follows
    [[nodiscard]] int leastWidth(const session::CutRow& row, std::size_t at) const;
    [[nodiscard]] int labelsWidth() const;
    [[nodiscard]] const Box* boxAt(QPoint point, bool* onPill) const;
    [[nodiscard]] const session::CutPiece& pieceOf(const Box& box) const;

    Theme& m_theme;
    session::SessionPtr m_session;
    std::vector<session::CutRow> m_rows;
    std::vector<Box> m_boxes;
    std::size_t m_group = SIZE_MAX;
    int m_contentWidth = 0, m_labelWidth = 0;
};

} // namespace dynascope::views
