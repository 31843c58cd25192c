// SPDX-License-Identifier: BSD-3-Clause
//
// Two lines above the scorecard: all ops as points on a track, and the phases of the current op.
#pragma once

#include "views/functionalize/stepper.h"
#include "views/theme/theme.h"

#include <QWidget>

namespace dynascope::views {

/// All ops of the program in order; click goes there. GUI thread only.
class OpStrip : public QWidget {
    Q_OBJECT
public:
    OpStrip(Stepper& stepper, Theme& theme, QWidget* parent = nullptr);
    [[nodiscard]] QPoint opPoint(int op) const;
    [[nodiscard]] int opAt(QPoint point) const; ///< -1 where there is none
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] double xOf(int op) const;
    Stepper& m_stepper;
    Theme& m_theme;
};

/// The op in words and its phases as chips; click shows the state after that phase. GUI thread only.
class PhaseStrip : public QWidget {
    Q_OBJECT
public:
    PhaseStrip(Stepper& stepper, Theme& theme, QWidget* parent = nullptr);
    [[nodiscard]] QRect phaseRect(int phase) const;
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] std::vector<QRect> rects() const;
    Stepper& m_stepper;
    Theme& m_theme;
};

} // namespace dynascope::views
