// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/chart_parts.h"
#include "views/profile/lanes_view.h"
#include "views/theme/shown_text.h"
#include "views/workspace/labels.h"

#include <QIcon>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

namespace dynascope::views {

namespace {

using profile::Lane;

constexpr double thinnestBox = 1.5; ///< px; what is thinner is drawn once a pixel
constexpr double textFrom = 26;     ///< px

/// Boxes that hold others, which are what the eye is to find.
bool isFrame(Lane::What what) {
    return what == Lane::What::Regions || what == Lane::What::Graphs;
}
bool isNested(Lane::What what) {
    return what == Lane::What::Thread || what == Lane::What::Foreign;
}

} // namespace

QColor LanesView::colourOf(std::uint32_t event) const {
    const Colours& c = m_theme.colours();
    if (!isLit(event)) return c.line2;
    const std::uint32_t row = m_lanes->joined->rowOf[event];
    return spentColour(row == profile::none ? profile::Spent::Other : m_lanes->spent[row], c);
}

/// Kernels by the nodes that they compute, where that is known.
QString LanesView::labelOf(std::uint32_t event, const Lane& lane) const {
    const std::uint32_t row = m_lanes->joined->rowOf[event];
    if (lane.what == Lane::What::Computed && row != profile::none && !m_lanes->nodes[row].isEmpty())
        return m_lanes->nodes[row];
    return toQString(boxLabel(*m_lanes->joined, event));
}

void LanesView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(viewport());
    const Colours& c = m_theme.colours();
    painter.fillRect(viewport()->rect(), c.bg0);
    m_drawn = 0;
    if (!m_lanes) return;
    const int top = rulerHeight(), under = top + m_breaksHeight;
    painter.setClipRect(titleWidth(), top, viewport()->width() - titleWidth(), viewport()->height() - top);
    paintSteps(painter);
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    painter.setClipRect(titleWidth(), under, viewport()->width() - titleWidth(),
                        viewport()->height() - under);
    for (const Row& row : m_rows) {
        const int y = top + row.y - verticalScrollBar()->value();
        if (y + rowHeight() > under && y < viewport()->height()) paintRow(painter, row, y);
    }
    if (const QRectF whole = eventRect(m_selected); !whole.isNull()) {
        // Clipped, since a pen across millions of pixels is slow.
        QRectF box = whole;
        box.setLeft(std::max(box.left(), titleWidth() - 8.0));
        box.setRight(std::min(std::max(box.right(), box.left() + 3), viewport()->width() + 8.0));
        painter.setPen(QPen(c.accent, 2));
        painter.setBrush(Qt::NoBrush);
        if (box.left() <= box.right()) painter.drawRect(box.adjusted(-2, 0, 2, -1));
    }
    painter.setClipping(false);
    paintTitles(painter);
    paintBreaks(painter);
    paintRuler(painter);
}

void LanesView::paintSteps(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    const std::vector<profile::Step>& steps = profile().steps;
    double last = -1e9;
    auto step = std::ranges::lower_bound(steps, std::int64_t(std::floor(m_left)), {}, &profile::Step::start);
    for (; step != steps.end() && double(step->start) <= right(); ++step) {
        const double x = xOf(double(step->start));
        if (x - last < 8) continue;
        painter.fillRect(QRectF(std::floor(x), 0, 1, viewport()->height()), c.line);
        last = x;
    }
}

void LanesView::paintRow(QPainter& painter, const Row& row, int y) {
    const Lane& lane = m_lanes->lanes[row.lane];
    const std::vector<std::uint32_t>& list = events(row);
    const double rightTime = right(), edge = viewport()->width() + 4.0;
    const int inset = isNested(lane.what) ? 0 : 1;
    auto now = std::partition_point(list.begin(), list.end(),
                                    [&](std::uint32_t i) { return double(at(i).end()) < m_left; });
    while (now != list.end() && double(at(*now).start) <= rightTime) {
        const double x0 = std::max(xOf(double(at(*now).start)), titleWidth() - 4.0);
        const double x1 = std::min(xOf(double(at(*now).end())), edge);
        ++m_drawn;
        const std::uint32_t event = *now;
        const bool thin = x1 - x0 < thinnestBox;
        const double pixel = std::floor(x0);
        const QRectF box = thin ? QRectF(pixel, y + inset, 1, rowHeight() - 1 - 2 * inset)
                                : QRectF(x0, y + inset, x1 - x0 - 0.7, rowHeight() - 1 - 2 * inset);
        if (thin) {
            painter.fillRect(box, colourOf(event));
            const double until = timeAt(pixel + 1);
            const auto next = std::partition_point(
                now, list.end(), [&](std::uint32_t i) { return double(at(i).end()) < until; });
            now = next == now ? now + 1 : next;
        } else {
            paintBox(painter, event, lane, box);
            ++now;
        }
        if (isNested(lane.what) || !isLit(event) || (!thin && box.width() >= m_theme.scaled(60))) continue;
        const double free = now == list.end() ? edge : std::min(xOf(double(at(*now).start)), edge);
        if (free - box.right() > m_theme.scaled(44))
            paintBeside(painter, labelOf(event, lane), event, box, free);
    }
}

void LanesView::paintBox(QPainter& painter, std::uint32_t event, const Lane& lane, const QRectF& box) const {
    const Colours& c = m_theme.colours();
    const bool frame = isFrame(lane.what), nested = isNested(lane.what), lit = isLit(event);
    const QColor colour = colourOf(event);
    QColor ink = lit ? c.text : c.text3;
    if (frame) {
        painter.setPen(QPen(lit ? c.edge : c.line2, 1));
        painter.setBrush(event == m_hover ? c.row : c.bg3);
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    } else if (nested || !lit) {
        painter.fillRect(box, event == m_hover ? c.bg3 : lit ? fillOf(colour, c) : c.bg2);
        if (box.width() >= 8) painter.fillRect(QRectF(box.left(), box.top(), 3, box.height()), colour);
    } else {
        painter.fillRect(box, event == m_hover ? colour.lighter(115) : colour);
        ink = c.dark ? c.bg0 : c.bg1;
    }
    if (at(event).open && box.right() < viewport()->width()) {
        painter.setPen(QPen(c.changed, 2, Qt::DotLine));
        painter.drawLine(box.topRight(), box.bottomRight());
    }
    // The name stays in view while the box reaches out of it.
    const double from = std::max(box.left(), double(titleWidth()));
    const double to = std::min(box.right(), double(viewport()->width()));
    const QRectF area(from + (nested ? 7 : 5), box.top(), to - from - (nested ? 10 : 8), box.height());
    if (area.width() < textFrom) return;
    if (!nested && !frame && box.width() < m_theme.scaled(60))
        return; // stands beside it, where there is room
    const QString name = labelOf(event, lane);
    const QString time = profileTime(double(at(event).duration));
    const QFontMetrics metrics = painter.fontMetrics();
    const int nameWidth = metrics.horizontalAdvance(name), timeWidth = metrics.horizontalAdvance(time);
    painter.setPen(ink);
    painter.drawText(area, Qt::AlignVCenter | Qt::AlignLeft,
                     nameWidth <= area.width() ? name
                                               : elided(metrics, name, Qt::ElideRight, int(area.width())));
    if (nameWidth + 10 + timeWidth > area.width()) return;
    if (nested || frame) painter.setPen(lit ? c.text2 : c.text3);
    painter.drawText(area.adjusted(nameWidth + 10, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, time);
}

void LanesView::paintBeside(QPainter& painter, const QString& label, std::uint32_t event, const QRectF& box,
                            double until) const {
    const QFontMetrics metrics = painter.fontMetrics();
    const QString text = label + u' ' + profileTime(double(at(event).duration));
    const QRectF area(box.right() + 4, box.top(), until - box.right() - 10, box.height());
    painter.setPen(m_theme.colours().text2);
    painter.drawText(area, Qt::AlignVCenter | Qt::AlignLeft,
                     elided(metrics, text, Qt::ElideRight, int(area.width())));
}

void LanesView::paintTitles(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    const int top = rulerHeight(), width = titleWidth(), scroll = verticalScrollBar()->value();
    painter.fillRect(0, top, width, viewport()->height() - top, c.bg1);
    painter.fillRect(width - 1, top, 1, viewport()->height() - top, c.line);
    painter.setFont(m_theme.font(FontRole::Section));
    painter.setClipRect(0, top + m_breaksHeight, width, viewport()->height());
    for (std::size_t i = 0; i < m_titles.size(); ++i) {
        const Lane& lane = m_lanes->lanes[i];
        const int height = int(lane.rows.size()) * rowHeight();
        const int y = top + m_titles[i] - scroll;
        if (y + height < top || y > viewport()->height()) continue;
        // In view while any of its rows is.
        const int line = std::clamp(y, std::min(top + m_breaksHeight, y + height - rowHeight()),
                                    std::max(y, y + height - rowHeight()));
        painter.setPen(c.text2);
        painter.drawText(
            QRect(10, line, width - 16, rowHeight()), Qt::AlignVCenter | Qt::AlignLeft,
            elided(painter.fontMetrics(), laneTitle(*m_lanes, lane), Qt::ElideRight, width - 16));
        if (i > 0) painter.fillRect(0, y - m_theme.scaled(3), width, 1, c.line);
    }
    painter.setClipping(false);
}

void LanesView::paintBreaks(QPainter& painter) const {
    if (m_breaksHeight == 0) return;
    const Colours& c = m_theme.colours();
    painter.setPen(c.text2);
    painter.setFont(m_theme.font(FontRole::Section));
    painter.drawText(QRect(10, rulerHeight(), titleWidth() - 16, m_breaksHeight),
                     Qt::AlignVCenter | Qt::AlignLeft, tr("Graph breaks"));
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    painter.setRenderHint(QPainter::Antialiasing);
    const QIcon scissors = m_theme.icon(QStringLiteral("scissors"), c.removed);
    for (const Chip& chip : chips()) {
        const ProfileLanes::Break& one = m_lanes->breaks[std::size_t(chip.index)];
        const double x = std::round(xOf(double(one.time)));
        painter.setPen(QPen(c.removed, 1, Qt::DashLine));
        painter.drawLine(QPointF(x, chip.box.bottom()), QPointF(x, viewport()->height()));
        painter.setPen(QPen(c.removed, 1));
        painter.setBrush(c.diff(diff::Change::Removed).fill);
        painter.drawRoundedRect(chip.box.adjusted(0.5, 0.5, -0.5, -0.5), chip.box.height() / 2,
                                chip.box.height() / 2);
        const int size = m_theme.scaled(12);
        scissors.paint(&painter,
                       QRect(int(chip.box.left()) + 5, int(chip.box.center().y()) - size / 2, size, size));
        painter.setPen(c.text);
        painter.drawText(chip.box.adjusted(size + 7, 0, -4, 0), Qt::AlignVCenter | Qt::AlignLeft,
                         one.place.mid(one.place.lastIndexOf(u':')));
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void LanesView::paintRuler(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    const int height = rulerHeight(), width = viewport()->width();
    painter.fillRect(0, 0, width, height, c.bg2);
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    const double step = niceStep(m_theme.scaled(92) / m_perNs);
    painter.setClipRect(titleWidth(), 0, width - titleWidth(), height);
    double tick = std::ceil((m_left - m_from) / step) * step;
    for (double x = xOf(m_from + tick); x < width; tick += step, x = xOf(m_from + tick)) {
        painter.setPen(c.line2);
        painter.drawLine(QPointF(x, height - 6), QPointF(x, height - 1));
        painter.setPen(c.text2);
        painter.drawText(QRectF(x + 4, 0, m_theme.scaled(88), height - 2), Qt::AlignVCenter | Qt::AlignLeft,
                         std::abs(tick) < step / 2 ? QStringLiteral("0")
                         : tick < 0                ? u'-' + durationText(-tick / 1000)
                                                   : durationText(tick / 1000));
    }
    painter.setClipping(false);
    painter.setPen(c.line);
    painter.drawLine(0, height - 1, width, height - 1);
}

} // namespace dynascope::views
