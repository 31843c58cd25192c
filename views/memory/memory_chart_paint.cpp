// SPDX-License-Identifier: BSD-3-Clause
//
// MemoryChart: painting. Blocks lie in a picture of their own, which moves along when the view does.
#include "views/memory/memory_chart.h"

#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <QPainter>
#include <QRegion>
#include <algorithm>
#include <array>
#include <cmath>

namespace dynascope::views {

namespace {

/// Pixels that hold a block already, of an image that is drawn once.
class Taken {
public:
    explicit Taken(QSize size)
        : m_width(std::size_t(std::max(size.width(), 0)))
        , m_pixels(m_width * std::size_t(std::max(size.height(), 0))) {}
    /// True for the first that asks.
    bool take(QPointF at) {
        if (at.x() < 0 || at.y() < 0) return false;
        const std::size_t pixel = std::size_t(at.y()) * m_width + std::size_t(at.x());
        if (std::size_t(at.x()) >= m_width || pixel >= m_pixels.size() || m_pixels[pixel]) return false;
        m_pixels[pixel] = true;
        return true;
    }

private:
    std::size_t m_width;
    std::vector<bool> m_pixels;
};

/// What 72 % of a colour makes of what is below.
QColor over(const QColor& below, const QColor& colour) {
    constexpr float share = 0.72F;
    const auto mixed = [](float a, float b) { return a + (b - a) * share; };
    return QColor::fromRgbF(mixed(below.redF(), colour.redF()), mixed(below.greenF(), colour.greenF()),
                            mixed(below.blueF(), colour.blueF()));
}

constexpr int hatchPixels = 8; ///< after which Qt's hatching repeats

/// Moving the view leaves its extent alone, but for rounding.
bool sameScale(double a, double b) {
    return std::abs(a - b) <= 1e-9 * std::abs(b);
}

/// Whole pixels, or nothing where the distance is none.
std::optional<int> wholePixels(double distance) {
    const double rounded = std::round(distance);
    if (std::abs(distance - rounded) > 0.02 || std::abs(rounded) > 1e6) return std::nullopt;
    return int(rounded);
}

} // namespace

void MemoryChart::drawBlocks(QPainter& painter, const QRectF& part) const {
    const Colours& c = m_theme.colours();
    const QRectF area = blocksArea();
    painter.setClipRect(part);
    painter.fillRect(part, c.bg0);
    const double scale = area.height() / (m_place.to - m_place.from);
    painter.setPen(c.line);
    for (const session::MemoryRange& range : m_timeline->ranges) {
        const double y = area.bottom() - (double(range.place) - m_place.from) * scale;
        painter.drawLine(QPointF(part.left(), y), QPointF(part.right(), y));
    }
    std::array<QColor, Colours::memoryCount + 1> fills;
    for (std::size_t i = 0; i < Colours::memoryCount; ++i)
        fills[i] = over(c.bg0, c.memory()[i]);
    fills.back() = over(c.bg0, c.text3);
    // Hatching goes on where a part that is drawn later meets what is there.
    const double across = area.width() / (m_time.to - m_time.from);
    painter.setBrushOrigin(QPointF(std::fmod(std::round(-m_time.from * across), hatchPixels),
                                   std::fmod(std::round(area.bottom() + m_place.from * scale), hatchPixels)));
    const QBrush hatching(c.bg0, Qt::FDiagPattern);
    Taken taken(part.size().toSize() + QSize(1, 1));
    const auto draw = [&](std::size_t i) {
        const QRectF box = rectOf(i);
        if (box.top() > part.bottom() || box.bottom() < part.top()) return;
        const Look& look = m_content.looks[i];
        // Of blocks too small to be told apart one a pixel is drawn.
        const bool tiny = box.width() <= 1 && box.height() <= 1;
        if (tiny && !taken.take(box.topLeft() - part.topLeft())) return;
        const double gap = box.height() > 3 ? 0.7 : 0, side = box.width() > 3 ? 0.7 : 0;
        const QRectF inner = box.adjusted(side, gap, 0, 0);
        painter.fillRect(inner, fills[look.colour < 0 ? fills.size() - 1 : std::size_t(look.colour)]);
        if (look.hatched && box.width() > 6 && box.height() > 6) painter.fillRect(inner, hatching);
        if (look.change != diff::Change::Same && box.height() > 3) {
            painter.setPen(QPen(c.diff(look.change).line, 2,
                                look.change == diff::Change::Moved ? Qt::DotLine : Qt::SolidLine));
            painter.drawRect(inner.adjusted(1, 1, -1, -1));
        }
    };
    forEachBetween(part.left(), part.right(), draw);
}

void MemoryChart::drawLayer() {
    const QRectF area = blocksArea();
    const double ratio = devicePixelRatioF();
    const QSize size = (area.size() * ratio).toSize() + QSize(1, 1);
    const double across = area.width() * ratio / (m_time.to - m_time.from);
    const double up = area.height() * ratio / (m_place.to - m_place.from);
    const auto part = [&](const QRect& pixels) {
        QPainter painter(&m_layer.picture);
        painter.translate(-area.topLeft());
        drawBlocks(painter,
                   QRectF(QPointF(pixels.topLeft()) / ratio + area.topLeft(), QSizeF(pixels.size()) / ratio));
    };
    // Moved by whole pixels, only what comes into view is drawn.
    if (m_layer.picture.size() == size && sameScale(m_layer.across, across) && sameScale(m_layer.up, up)) {
        const auto dx = wholePixels((m_layer.from - m_time.from) * across);
        const auto dy = wholePixels((m_place.from - m_layer.above) * up);
        if (dx && dy) {
            QRegion bare;
            m_layer.picture.scroll(*dx, *dy, QRect({}, size), &bare);
            m_layer.from -= *dx / across;
            m_layer.above += *dy / up;
            for (const QRect& pixels : bare)
                part(pixels);
            return;
        }
    }
    m_layer = {QPixmap(size), m_time.from, m_place.from, across, up};
    m_layer.picture.setDevicePixelRatio(ratio);
    part(QRect({}, size));
}

void MemoryChart::drawCurve(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    const QRectF area = curveArea();
    const std::vector<std::uint64_t>&allocated = m_timeline->allocated, &reserved = m_timeline->reserved,
          &third = m_content.third;
    std::uint64_t most = 1;
    for (const auto* of : {&allocated, &reserved, &third})
        for (const std::uint64_t bytes : *of)
            most = std::max(most, bytes);
    const auto y = [&](std::uint64_t bytes) {
        return area.bottom() - double(bytes) / double(most) * area.height();
    };
    // The most of each pixel's moments, so that no peak falls between two pixels.
    const auto line = [&](const std::vector<std::uint64_t>& of) {
        QPolygonF out;
        for (int x = int(area.left()); x <= int(area.right()); ++x) {
            const auto from = std::size_t(std::clamp(momentAt(x), 0.0, double(of.size() - 1)));
            const auto to = std::size_t(std::clamp(momentAt(x + 1), 0.0, double(of.size() - 1)));
            out << QPointF(x, y(*std::max_element(of.begin() + long(from), of.begin() + long(to) + 1)));
        }
        return out;
    };
    const QPolygonF now = line(allocated), held = line(reserved);
    QPolygonF filled = now;
    filled << QPointF(now.last().x(), area.bottom()) << QPointF(now.first().x(), area.bottom());
    QColor fill = c.accent;
    fill.setAlphaF(0.18F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawPolygon(filled);
    painter.setBrush(Qt::NoBrush);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(c.accent, 1.5));
    painter.drawPolyline(now);
    painter.setPen(QPen(c.text2, 1, Qt::DashLine));
    painter.drawPolyline(held);
    const QPolygonF curve = third.empty() ? QPolygonF() : line(third);
    painter.setPen(QPen(c.text3, 1, Qt::DotLine));
    painter.drawPolyline(curve);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    const QRectF left(0, area.top() - m_theme.scaled(6), area.left() - m_theme.scaled(8), m_theme.scaled(14));
    painter.setPen(c.text3);
    painter.drawText(left, Qt::AlignRight | Qt::AlignVCenter, bytesText(most));
    painter.setFont(m_theme.font(FontRole::Text));
    const int row = m_theme.scaled(16);
    const auto name = [&](double top, const QColor& colour, const QString& text) {
        painter.setPen(colour);
        painter.drawText(QRectF(area.left(), top, area.width() - 8, row), Qt::AlignRight | Qt::AlignVCenter,
                         text);
    };
    // Above its line, where there is room.
    const double heldAt = held.last().y();
    name(heldAt - row > area.top() ? heldAt - row : heldAt + 1, c.text2, m_content.reservedName);
    if (!curve.empty()) {
        const QPointF end = curve.last();
        painter.setPen(c.text3);
        // Left of where it ends: it ends at the top.
        painter.drawText(
            QRectF(area.left() + 8, std::min(end.y() + 1, held.last().y() - row - 1), area.width() - 16, row),
            Qt::AlignLeft | Qt::AlignVCenter, m_content.thirdName);
    }
    name(area.bottom() - row, c.accent, tr("allocated"));
}

void MemoryChart::drawAxes(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    const QRectF blocks = blocksArea(), curve = curveArea();
    painter.setPen(c.line);
    painter.drawRect(blocks);
    painter.drawLine(curve.bottomLeft(), curve.bottomRight());
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    painter.setPen(c.text3);
    for (int i = 0; i <= 4; ++i) {
        const double bytes = m_place.from + (m_place.to - m_place.from) * i / 4;
        const double y = blocks.bottom() - blocks.height() * i / 4;
        painter.drawText(
            QRectF(0, y - m_theme.scaled(7), blocks.left() - m_theme.scaled(8), m_theme.scaled(14)),
            Qt::AlignRight | Qt::AlignVCenter, bytesText(qulonglong(bytes)));
    }
    const double step = [&] {
        const double wanted = (m_time.to - m_time.from) / std::max(blocks.width() / m_theme.scaled(110), 1.0);
        const double power = std::pow(10, std::floor(std::log10(std::max(wanted, 1.0))));
        for (const double times : {1.0, 2.0, 5.0})
            if (power * times >= wanted) return power * times;
        return power * 10;
    }();
    const double first = std::ceil(m_time.from / step);
    const int labels =
        int(std::ceil(m_time.to / step - first)); // counted: far out a step may be lost in rounding
    for (int i = 0; i < labels; ++i) {
        const double at = (first + i) * step, x = xAt(at);
        painter.drawText(QRectF(x - 60, curve.bottom() + 3, 120, m_theme.scaled(16)),
                         Qt::AlignHCenter | Qt::AlignTop, numberText(qulonglong(at)));
    }
    painter.setFont(m_theme.font(FontRole::Text));
    painter.drawText(QRectF(0, curve.bottom() + 3, blocks.left() - 8, m_theme.scaled(16)),
                     Qt::AlignRight | Qt::AlignTop, m_content.unit);
    painter.setFont(m_theme.font(FontRole::Section));
    painter.setPen(c.text);
    painter.drawText(QRectF(blocks.left(), 0, blocks.width(), blocks.top()), Qt::AlignLeft | Qt::AlignVCenter,
                     m_content.heading);
    if (m_content.boundary < 0) return;
    const double x = xAt(m_content.boundary);
    if (x <= blocks.left() || x >= blocks.right()) return;
    painter.setPen(QPen(c.text2, 1, Qt::DashLine));
    painter.drawLine(QPointF(x, blocks.top()), QPointF(x, blocks.bottom()));
    painter.setFont(m_theme.font(FontRole::Text));
    const double row = m_theme.scaled(16);
    painter.drawText(QRectF(x - 200, blocks.top() + 2, 200 - 8, row), Qt::AlignRight | Qt::AlignVCenter,
                     tr("forward"));
    painter.drawText(QRectF(x + 8, blocks.top() + 2, 200, row), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("backward"));
}

void MemoryChart::drawPicture() {
    m_picture = QPixmap(size() * devicePixelRatioF());
    m_picture.setDevicePixelRatio(devicePixelRatioF());
    m_picture.fill(m_theme.colours().bg0);
    drawLayer();
    QPainter painter(&m_picture);
    painter.setClipRect(blocksArea());
    painter.drawPixmap(blocksArea().topLeft(), m_layer.picture);
    painter.setClipping(false);
    drawAxes(painter);
    drawCurve(painter);
}

void MemoryChart::drawMarks(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    const QRectF blocks = blocksArea(), curve = curveArea();
    if (m_selected != SIZE_MAX) {
        painter.save();
        painter.setClipRect(blocks);
        painter.setPen(QPen(c.text, 2));
        painter.setBrush(QBrush(c.text2, Qt::BDiagPattern));
        painter.drawRect(rectOf(m_selected));
        painter.restore();
    }
    const auto mark = [&](std::size_t moment, const QColor& colour, const QString& text) {
        const double x = xOf(double(moment) + 0.5);
        if (x < blocks.left() || x > blocks.right()) return;
        painter.setPen(QPen(colour, 1.5));
        painter.drawLine(QPointF(x, blocks.top()), QPointF(x, curve.bottom()));
        painter.setFont(m_theme.font(FontRole::Strong));
        const int w = painter.fontMetrics().horizontalAdvance(text) + m_theme.scaled(16);
        const double left = std::clamp(x - w / 2.0, blocks.left() + m_theme.scaled(150), blocks.right() - w);
        const QRectF pill(left, m_theme.scaled(4), w, m_theme.scaled(18));
        painter.setBrush(c.bg2);
        painter.drawRoundedRect(pill, 3, 3);
        painter.drawText(pill, Qt::AlignCenter, text);
    };
    if (m_moment != m_peak)
        mark(m_peak, c.removed, tr("peak %1").arg(bytesText(m_timeline->allocated[m_peak])));
    if (m_live && *m_live < m_timeline->moments()) {
        const double x = xOf(double(*m_live) + 0.5);
        painter.setPen(QPen(c.added, 2));
        painter.drawLine(QPointF(x, blocks.top()), QPointF(x, curve.bottom()));
        painter.setPen(Qt::NoPen);
        painter.setBrush(c.added);
        const double s = m_theme.scaled(5);
        painter.drawPolygon(QPolygonF{QPointF(x, blocks.top()), QPointF(x + 2 * s, blocks.top() + s),
                                      QPointF(x, blocks.top() + 2 * s)});
    }
    const QString bytes = bytesText(m_timeline->allocated[m_moment]);
    mark(m_moment, m_moment == m_peak ? c.removed : c.accent,
         m_moment == m_peak ? tr("peak %1").arg(bytes)
                            : tr("%1: %2").arg(m_content.momentName(m_moment), bytes));
}

void MemoryChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (!m_timeline) {
        painter.fillRect(rect(), m_theme.colours().bg0);
        return;
    }
    if (m_picture.isNull() || m_picture.devicePixelRatio() != devicePixelRatioF()) drawPicture();
    painter.drawPixmap(0, 0, m_picture);
    drawMarks(painter);
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(m_theme.colours().accent);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

} // namespace dynascope::views
