// SPDX-License-Identifier: BSD-3-Clause
//
// The functional graph line by line as the stepper makes it: what is there, what this phase added, what comes
// next, and what is dead.
#pragma once

#include "views/functionalize/stepper.h"
#include "views/theme/theme.h"

#include <QAbstractScrollArea>
#include <set>

namespace dynascope::views {

/// GUI thread only. A click goes to the op and phase that emitted the line; lines can be selected and copied.
class GraphSoFar : public QAbstractScrollArea {
    Q_OBJECT
public:
    GraphSoFar(Stepper& stepper, Theme& theme, QWidget* parent = nullptr);

    void setShowDead(bool show);
    void setShortNames(bool on);

    struct Line {
        enum class Kind : std::uint8_t { Done, Added, Next };
        int node = 0, number = 0; ///< index into the functional graph; as counted in the gutter
        QString source;           ///< the op that emitted it, on its first line
        QString text;
        Kind kind = Kind::Done;
        bool dead = false;
        int op = -1, phase = -1;
    };
    [[nodiscard]] const std::vector<Line>& lines() const { return m_lines; }
    [[nodiscard]] QRect lineRect(int line) const; ///< in the viewport
    /// Brings a node of the functional graph into sight and selects it.
    void reveal(const QString& node);
    [[nodiscard]] QString selectedText() const;

signals:
    void nodeActivated(const QString& node);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    void refresh();
    void layOut();
    void move(int row, bool extend);
    [[nodiscard]] int rowHeight() const;
    [[nodiscard]] int lineAt(QPoint point) const;

    Stepper& m_stepper;
    Theme& m_theme;
    std::vector<Line> m_lines;
    bool m_showDead = true, m_shortNames = true;
    int m_row = -1, m_anchor = -1;
};

} // namespace dynascope::views
