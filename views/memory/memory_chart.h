// SPDX-License-Identifier: BSD-3-Clause
//
// Memory against time: which addresses were held from when to when, above the curve of what was allocated and
// reserved. Both share the time axis: events of a trace, or where these lie on an axis of the caller's.
#pragma once

#include "core/diff/graph_diff.h"
#include "core/session/life_index.h"
#include "core/session/memory_timeline.h"

#include <QPixmap>
#include <QWidget>
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace dynascope::views {

class Theme;

/// GUI thread only. Wheel zooms time at the pointer, Ctrl+wheel addresses, Shift+wheel and dragging move; + -
/// 0 zoom, Left and Right step the cursor by an event, Home, End and P take it to the ends and the peak.
class MemoryChart : public QWidget {
    Q_OBJECT
public:
    using TimelinePtr = std::shared_ptr<const session::MemoryTimeline>;
    /// How one life is drawn.
    struct Look {
        int colour = -1;                          ///< index of Colours::memory(), or -1 for grey
        bool hatched = false;                     ///< doubles what the colour does not say
        diff::Change change = diff::Change::Same; ///< framed in the colour of the state
    };
    struct Content {
        TimelinePtr timeline;
        std::vector<Look> looks;                 ///< by life
        std::function<QString(std::size_t)> tip; ///< words a life; rich text
        QString heading, unit;                   ///< "Address against event", "event"
        /// Words a moment for the mark on it: "event 5".
        std::function<QString(std::size_t)> momentName;
        /// Where each moment lies, rising, and where the last one ends; empty: at its number.
        std::vector<double> positions;
        std::vector<std::uint64_t> third; ///< a curve more, by moment; empty for none
        QString thirdName, reservedName;
        double boundary = -1; ///< a position to mark as the end of forward; negative for none
    };

    explicit MemoryChart(Theme& theme, QWidget* parent = nullptr);

    /// Of the same lives as before (another axis, other colours) the moment and the selection stay.
    void setContent(Content content);
    /// A mark for where something is right now, beside the reader's own.
    void setLive(std::optional<std::size_t> moment);
    [[nodiscard]] std::optional<std::size_t> live() const { return m_live; }
    [[nodiscard]] std::size_t moment() const { return m_moment; }
    void setMoment(std::size_t moment);
    /// The life that is drawn strong, or SIZE_MAX.
    [[nodiscard]] std::size_t selected() const { return m_selected; }
    void select(std::size_t life);
    void fit();

    [[nodiscard]] QSize minimumSizeHint() const override;
    /// Where a life is drawn, and which is at a point (SIZE_MAX for none). For tests.
    [[nodiscard]] QRectF rectOf(std::size_t life) const;
    [[nodiscard]] std::size_t lifeAt(QPointF point) const;

signals:
    void momentChanged(std::size_t moment);
    void selectionChanged(std::size_t life);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    /// What an axis shows: [from, to) of [start, start + whole).
    struct Axis {
        double from = 0, to = 1, start = 0, whole = 1, least = 4; ///< least: that is shown
        void zoom(double factor, double at);
        void move(double by);
    };
    [[nodiscard]] QRectF blocksArea() const;
    [[nodiscard]] QRectF curveArea() const;
    [[nodiscard]] double positionOf(double moment) const;
    [[nodiscard]] double xAt(double position) const;
    [[nodiscard]] double xOf(double moment) const { return xAt(positionOf(moment)); }
    [[nodiscard]] double positionAt(double x) const;
    [[nodiscard]] double momentOf(double position) const;
    [[nodiscard]] double momentAt(double x) const { return momentOf(positionAt(x)); }
    [[nodiscard]] double beginOfTime() const;
    /// Calls `found(life)` for every life that may be drawn between two columns of pixels.
    template <typename Found>
    void forEachBetween(double left, double right, Found&& found) const {
        constexpr double reach = 2; // pixels: no life is drawn narrower than one
        const double from = std::floor(std::max(momentAt(left - reach), 0.0));
        const double to = std::ceil(std::max(momentAt(right + reach), 0.0)) + 1;
        m_index.forEach(std::size_t(from), std::size_t(to), std::forward<Found>(found));
    }
    void drawPicture();
    void drawLayer();
    void drawBlocks(QPainter& painter, const QRectF& part) const;
    void drawCurve(QPainter& painter) const;
    void drawAxes(QPainter& painter) const;
    void drawMarks(QPainter& painter) const;
    void viewChanged();

    Theme& m_theme;
    Content m_content;
    TimelinePtr m_timeline; ///< of the content
    Axis m_time, m_place;
    std::size_t m_moment = 0, m_peak = 0;
    std::optional<std::size_t> m_live;
    std::size_t m_selected = SIZE_MAX;
    session::LifeIndex m_index; ///< of the timeline
    QPixmap m_picture;          ///< all but the marks; null when it has to be drawn again
    /// The blocks alone, as they were drawn: where the view began, and pixels a position and a byte.
    struct Layer {
        QPixmap picture;
        double from = 0, above = 0, across = 0, up = 0;
    } m_layer;
    QPointF m_pressed;
    Axis m_timePressed, m_placePressed;
    bool m_dragging = false;
};

} // namespace dynascope::views
