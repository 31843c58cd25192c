// SPDX-License-Identifier: BSD-3-Clause
//
// The small picture of an answer: rows by cost, columns, cells, shares of a bar. Every item leads to what it
// is about, by mouse and by keyboard (arrows choose, Return opens).
#pragma once

#include "core/answers/answer.h"

#include <QWidget>
#include <vector>

namespace dynascope::views {

class Theme;

/// GUI thread only.
class AnswerPicture : public QWidget {
    Q_OBJECT
public:
    explicit AnswerPicture(Theme& theme, QWidget* parent = nullptr);

    /// Takes what it draws from the answer; the chosen item stays where it still exists.
    void setAnswer(const answers::Answer& answer);
    [[nodiscard]] QRect itemRect(int item) const; ///< empty where it is not drawn
    [[nodiscard]] int current() const { return m_current; }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    void activated(int item);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] std::vector<QRect> layOut(int width, int* height) const;
    [[nodiscard]] int itemAt(QPoint point) const;
    [[nodiscard]] QString tipOf(int item) const;
    [[nodiscard]] QColor colourOf(int item) const;
    void drawRanking(QPainter& painter) const;
    void drawRows(QPainter& painter) const;
    void drawShares(QPainter& painter) const;
    void drawCells(QPainter& painter) const;
    void drawColumns(QPainter& painter) const;
    void choose(int item);

    Theme& m_theme;
    answers::Answer m_answer;
    std::vector<QRect> m_rects;
    double m_most = 0;
    int m_current = -1, m_hovered = -1;
};

} // namespace dynascope::views
