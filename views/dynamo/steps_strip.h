// SPDX-License-Identifier: BSD-3-Clause
//
// A recording from end to end: a lane for each attempt of each compile, marks where nodes, guards, side
// effects and breaks came, and the step that is looked at.
#pragma once

#include "core/dynamo/recording.h"

#include <QWidget>

namespace dynascope::views {

class Theme;

/// GUI thread only. A click goes to the step below it; Left and Right go step by step, Home and End to the
/// ends. Draws at most a mark a pixel, so that a million steps cost no more than a thousand.
class StepsStrip : public QWidget {
    Q_OBJECT
public:
    explicit StepsStrip(Theme& theme, QWidget* parent = nullptr);

    void setRecording(dynamo::RecordingPtr recording);
    void setStep(dynamo::StepIndex step);
    [[nodiscard]] dynamo::StepIndex step() const { return m_step; }
    /// Where a step is drawn, in this widget's coordinates.
    [[nodiscard]] QPoint positionOf(dynamo::StepIndex step) const;

    [[nodiscard]] QSize sizeHint() const override;

signals:
    void stepChosen(dynascope::dynamo::StepIndex step);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    /// One for each pixel and kind: where a recording is long, looking at its steps costs more than drawing.
    struct Mark {
        int x = 0;
        std::size_t kind = 0;
    };
    struct Lane {
        dynamo::StepIndex first = 0, last = 0;
        QString name;
    };
    [[nodiscard]] QRect chart() const;
    [[nodiscard]] double xOf(dynamo::StepIndex step) const;
    [[nodiscard]] dynamo::StepIndex stepAt(double x) const;
    void placeMarks();
    void paintMarks(class QPainter& painter) const;
    void paintLegend(QPainter& painter, const QRectF& label) const;
    void choose(dynamo::StepIndex step);

    Theme& m_theme;
    dynamo::RecordingPtr m_recording;
    std::vector<Lane> m_lanes;
    std::vector<Mark> m_marks; ///< for this width
    dynamo::StepIndex m_step = 0;
};

} // namespace dynascope::views
