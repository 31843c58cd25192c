// SPDX-License-Identifier: BSD-3-Clause
//
// Buffers over the finished schedule: a lane for each allocation, who has it from which call to which, and what lives
// at each.
#pragma once

#include "core/inductor/buffer_lives.h"

#include <QWidget>
#include <vector>

namespace dynascope::views {

class Theme;

/// GUI thread only. To lie in a scroll area: as high as its lanes.
class LivesView : public QWidget {
    Q_OBJECT
public:
    explicit LivesView(Theme& theme, QWidget* parent = nullptr);

    void setMemory(inductor::ScheduleMemory memory);
    [[nodiscard]] const inductor::ScheduleMemory& memory() const { return m_memory; }
    /// Where a life is drawn; and which is at a point: SIZE_MAX for none.
    [[nodiscard]] QRectF rectOf(std::size_t life) const;
    [[nodiscard]] std::size_t lifeAt(QPointF point) const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    void chosen(const QString& buffer); ///< by a click

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    [[nodiscard]] double x(std::size_t step) const;
    [[nodiscard]] int top() const;
    [[nodiscard]] int lane() const;
    [[nodiscard]] QString tip(const inductor::BufferLife& life) const;
    void paintCurve(QPainter& painter) const;
    void paintSteps(QPainter& painter) const;
    void paintKept(QPainter& painter) const;
    void paintLife(QPainter& painter, std::size_t index) const;

    Theme& m_theme;
    inductor::ScheduleMemory m_memory;
    std::size_t m_lanes = 0;
    struct Ends {
        bool begins = false, ends = false; ///< takes a memory over, or hands it on, within a call
    };
    std::vector<Ends> m_ends;          ///< by life
    std::vector<std::size_t> m_before; ///< by life: whose memory it took, SIZE_MAX for none
};

} // namespace dynascope::views
