// SPDX-License-Identifier: BSD-3-Clause
#include "views/memory/memory_chart.h"

#include "views/models/labels.h"
#include "views/theme/theme.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace dynascope::views {

namespace {
constexpr double curveShare = 0.26; ///< of the height
constexpr double leastShown = 4;    ///< moments
constexpr double leastBytes = 512;
} // namespace

void MemoryChart::Axis::zoom(double factor, double at) {
    const double length = std::clamp((to - from) * factor, std::min(whole, least), whole);
    const double share = (at - from) / (to - from);
    from = std::clamp(at - share * length, 0.0, whole - length);
    to = from + length;
}

void MemoryChart::Axis::move(double by) {
    const double length = to - from;
    from = std::clamp(from + by, 0.0, whole - length);
    to = from + length;
}

MemoryChart::MemoryChart(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Memory by address and event"));
    connect(&theme, &Theme::changed, this, &MemoryChart::viewChanged);
}

void MemoryChart::setContent(Content content) {
    const bool same = content.timeline && content.timeline == m_timeline;
    const bool sameAxis = same && content.positions == m_content.positions;
    m_content = std::move(content);
    m_timeline = m_content.timeline;
    if (!same) {
        m_live.reset();
        m_selected = SIZE_MAX;
        m_peak = m_timeline ? m_timeline->peak() : 0;
        m_moment = m_peak;
    }
    if (!sameAxis) return fit();
    viewChanged();
}

void MemoryChart::setMoment(std::size_t moment) {
    if (!m_timeline) return;
    moment = std::min(moment, m_timeline->moments() - 1);
    if (moment == m_moment) return;
    m_moment = moment;
    const double at = positionOf(double(moment) + 0.5);
    if (at < m_time.from || at > m_time.to) {
        m_time.move(at - (m_time.from + m_time.to) / 2);
        m_picture = {};
    }
    update();
    emit momentChanged(m_moment);
}

void MemoryChart::setLive(std::optional<std::size_t> moment) {
    if (std::exchange(m_live, moment) != moment) update();
}

void MemoryChart::select(std::size_t life) {
    if (!m_timeline || (life != SIZE_MAX && life >= m_timeline->lives.size())) life = SIZE_MAX;
    if (life == m_selected) return;
    m_selected = life;
    update();
    emit selectionChanged(m_selected);
}

double MemoryChart::endOfTime() const {
    if (!m_timeline) return 1;
    return m_content.positions.empty() ? double(m_timeline->moments())
                                       : std::max(m_content.positions.back(), 1e-3);
}

void MemoryChart::fit() {
    const double time = endOfTime();
    const double moments = m_timeline ? double(m_timeline->moments()) : 1;
    const double bytes = m_timeline ? std::max(double(m_timeline->height), leastBytes) : 1;
    m_time = {0, time, time, time / moments * std::min(leastShown, moments)};
    m_place = {0, bytes, bytes, std::min(bytes, leastBytes / 64)};
    viewChanged();
}

void MemoryChart::viewChanged() {
    m_picture = {};
    update();
}

QSize MemoryChart::minimumSizeHint() const {
    return {m_theme.scaled(320), m_theme.scaled(220)};
}

QRectF MemoryChart::blocksArea() const {
    const int left = m_theme.scaled(70), top = m_theme.scaled(26), bottom = m_theme.scaled(24);
    const double all = height() - top - bottom - m_theme.scaled(14);
    return {double(left), double(top), double(width() - left - m_theme.scaled(14)), all * (1 - curveShare)};
}

QRectF MemoryChart::curveArea() const {
    const QRectF blocks = blocksArea();
    const double top = blocks.bottom() + m_theme.scaled(14);
    return {blocks.left(), top, blocks.width(), height() - m_theme.scaled(24) - top};
}

double MemoryChart::positionOf(double moment) const {
    const std::vector<double>& at = m_content.positions;
    if (at.empty()) return moment;
    const double inside = std::clamp(moment, 0.0, double(at.size() - 1));
    const auto before = std::min(std::size_t(inside), at.size() - 1);
    const std::size_t after = std::min(before + 1, at.size() - 1);
    return at[before] + (at[after] - at[before]) * (inside - double(before));
}

double MemoryChart::xAt(double position) const {
    const QRectF area = blocksArea();
    return area.left() + (position - m_time.from) / (m_time.to - m_time.from) * area.width();
}

double MemoryChart::positionAt(double x) const {
    const QRectF area = blocksArea();
    return m_time.from + (x - area.left()) / std::max(area.width(), 1.0) * (m_time.to - m_time.from);
}

double MemoryChart::momentAt(double x) const {
    const std::vector<double>& at = m_content.positions;
    const double position = positionAt(x);
    if (at.empty()) return position;
    const auto above = std::upper_bound(at.begin(), at.end(), position);
    if (above == at.begin()) return 0;
    const auto before = above - 1;
    const double width = above == at.end() ? 0 : *above - *before;
    return double(before - at.begin()) + (width > 0 ? (position - *before) / width : 0);
}

QRectF MemoryChart::rectOf(std::size_t life) const {
    const session::MemoryLife& held = m_timeline->lives[life];
    const QRectF area = blocksArea();
    const double scale = area.height() / (m_place.to - m_place.from);
    const double bottom = area.bottom() - (double(held.place) - m_place.from) * scale;
    const double tall = std::max(double(held.bytes) * scale, 1.0);
    const double left = xOf(double(held.begin)), right = xOf(double(held.end));
    return {left, bottom - tall, std::max(right - left, 1.0), tall};
}

std::size_t MemoryChart::lifeAt(QPointF point) const {
    if (!m_timeline || !blocksArea().contains(point)) return SIZE_MAX;
    std::size_t found = SIZE_MAX;
    for (std::size_t i = 0; i < m_timeline->lives.size(); ++i)
        if (rectOf(i).adjusted(0, 0, 0, 1).contains(point)) found = i;
    return found;
}

void MemoryChart::drawBlocks(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    const QRectF area = blocksArea();
    painter.save();
    painter.setClipRect(area);
    const double scale = area.height() / (m_place.to - m_place.from);
    painter.setPen(c.line);
    for (const session::MemoryRange& range : m_timeline->ranges) {
        const double y = area.bottom() - (double(range.place) - m_place.from) * scale;
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    }
    const auto palette = c.memory();
    for (std::size_t i = 0; i < m_timeline->lives.size(); ++i) {
        const session::MemoryLife& life = m_timeline->lives[i];
        if (positionOf(double(life.begin)) >= m_time.to) continue;
        if (positionOf(double(life.end)) <= m_time.from) continue;
        const QRectF box = rectOf(i);
        if (box.top() > area.bottom() || box.bottom() < area.top()) continue;
        const Look& look = m_content.looks[i];
        QColor fill = look.colour < 0 ? c.text3 : palette[std::size_t(look.colour)];
        fill.setAlphaF(0.72F);
        const double gap = box.height() > 3 ? 0.7 : 0, side = box.width() > 3 ? 0.7 : 0;
        const QRectF inner = box.adjusted(side, gap, 0, 0);
        painter.fillRect(inner, fill);
        if (look.hatched && box.width() > 6 && box.height() > 6)
            painter.fillRect(inner, QBrush(c.bg0, Qt::FDiagPattern));
        if (look.change != diff::Change::Same && box.height() > 3) {
            painter.setPen(QPen(c.diff(look.change).line, 2,
                                look.change == diff::Change::Moved ? Qt::DotLine : Qt::SolidLine));
            painter.drawRect(inner.adjusted(1, 1, -1, -1));
        }
    }
    painter.restore();
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
    if (!third.empty()) {
        painter.setPen(QPen(c.text3, 1, Qt::DotLine));
        painter.drawPolyline(line(third));
    }
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
    if (!third.empty()) {
        const QPolygonF curve = line(third);
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
    for (double at = std::ceil(m_time.from / step) * step; at < m_time.to; at += step) {
        const double x = xAt(at);
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
    QPainter painter(&m_picture);
    drawAxes(painter);
    drawBlocks(painter);
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
    if (m_picture.isNull()) drawPicture();
    painter.drawPixmap(0, 0, m_picture);
    drawMarks(painter);
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(m_theme.colours().accent);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void MemoryChart::resizeEvent(QResizeEvent*) {
    m_picture = {};
}

bool MemoryChart::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const std::size_t life = lifeAt(help->pos());
        if (life == SIZE_MAX)
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), m_content.tip(life), this);
        return true;
    }
    return QWidget::event(event);
}

void MemoryChart::wheelEvent(QWheelEvent* event) {
    const double turn = event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
    if (!m_timeline || turn == 0) return event->ignore();
    const double factor = std::pow(0.8, turn / 120);
    const QRectF area = blocksArea();
    if (event->modifiers() & Qt::ShiftModifier) {
        m_time.move(-turn / 120 * (m_time.to - m_time.from) / 10);
    } else if (event->modifiers() & Qt::ControlModifier) {
        const double share = (area.bottom() - event->position().y()) / std::max(area.height(), 1.0);
        m_place.zoom(factor, m_place.from + std::clamp(share, 0.0, 1.0) * (m_place.to - m_place.from));
    } else {
        m_time.zoom(factor, std::clamp(positionAt(event->position().x()), m_time.from, m_time.to));
    }
    viewChanged();
    event->accept();
}

void MemoryChart::mousePressEvent(QMouseEvent* event) {
    m_pressed = event->position();
    m_timePressed = m_time;
    m_placePressed = m_place;
    m_dragging = false;
}

void MemoryChart::mouseMoveEvent(QMouseEvent* event) {
    if (!(event->buttons() & Qt::LeftButton) || !m_timeline) return;
    const QPointF by = event->position() - m_pressed;
    if (!m_dragging && by.manhattanLength() < QApplication::startDragDistance()) return;
    m_dragging = true;
    const QRectF area = blocksArea();
    m_time = m_timePressed;
    m_time.move(-by.x() / std::max(area.width(), 1.0) * (m_time.to - m_time.from));
    m_place = m_placePressed;
    m_place.move(by.y() / std::max(area.height(), 1.0) * (m_place.to - m_place.from));
    viewChanged();
}

void MemoryChart::mouseReleaseEvent(QMouseEvent* event) {
    if (m_dragging || event->button() != Qt::LeftButton || !m_timeline) return;
    select(lifeAt(event->position()));
    const double moment = momentAt(event->position().x());
    if (event->position().x() >= blocksArea().left()) setMoment(std::size_t(std::max(moment, 0.0)));
}

void MemoryChart::keyPressEvent(QKeyEvent* event) {
    if (!m_timeline) return QWidget::keyPressEvent(event);
    const double middle = positionOf(double(m_moment) + 0.5);
    switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        m_time.zoom(0.5, std::clamp(middle, m_time.from, m_time.to));
        return viewChanged();
    case Qt::Key_Minus:
        m_time.zoom(2, std::clamp(middle, m_time.from, m_time.to));
        return viewChanged();
    case Qt::Key_0:
        return fit();
    case Qt::Key_Left:
        return setMoment(m_moment == 0 ? 0 : m_moment - 1);
    case Qt::Key_Right:
        return setMoment(m_moment + 1);
    case Qt::Key_Home:
        return setMoment(0);
    case Qt::Key_End:
        return setMoment(m_timeline->moments() - 1);
    case Qt::Key_P:
        return setMoment(m_peak);
    case Qt::Key_Escape:
        return select(SIZE_MAX);
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace dynascope::views
