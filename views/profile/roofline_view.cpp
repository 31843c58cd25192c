// SPDX-License-Identifier: BSD-3-Clause
#include "views/profile/roofline_view.h"

#include "core/profile/figures.h"
#include "views/theme/picture.h"
#include "views/theme/shown_text.h"
#include "views/workspace/labels.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace dynascope::views {

namespace {

constexpr double radius = 5, reach = 9; ///< of a point, and of a click at it
constexpr int axisBelow = 34, axisLeft = 52;

/// "10", "0.1", "1000": a power of ten.
QString powerText(int power) {
    return QString::number(std::pow(10.0, power), 'f', std::max(0, -power));
}

QString rate(double perSecond, const char* unit) {
    return toQString(profile::rateText(perSecond, unit));
}

} // namespace

RooflineView::RooflineView(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Roofline"));
    offerPicture(*this, QStringLiteral("roofline"));
    setMinimumSize(theme.scaled(260), theme.scaled(120));
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void RooflineView::setPoints(std::vector<RooflinePoint> points) {
    std::erase_if(points, [](const RooflinePoint& point) {
        return !(point.intensity > 0 && point.flopsPerSecond > 0 && std::isfinite(point.intensity) &&
                 std::isfinite(point.flopsPerSecond));
    });
    std::ranges::stable_sort(points, {}, &RooflinePoint::intensity);
    m_points = std::move(points);
    fit();
}

void RooflineView::setPeaks(std::optional<profile::Peaks> peaks) {
    m_peaks = std::move(peaks);
    fit();
}

/// Whole powers of ten around all points and the corner of the roofs.
void RooflineView::fit() {
    double left = 0, right = 0, bottom = 9, top = 9;
    bool first = true;
    const auto take = [&](double intensity, double rate) {
        const double x = std::log10(intensity), y = std::log10(rate);
        left = first ? x : std::min(left, x);
        right = first ? x : std::max(right, x);
        bottom = first ? y : std::min(bottom, y);
        top = first ? y : std::max(top, y);
        first = false;
    };
    for (const RooflinePoint& point : m_points)
        take(point.intensity, point.flopsPerSecond);
    if (m_peaks) take(m_peaks->flopsPerSecond / m_peaks->bytesPerSecond, m_peaks->flopsPerSecond);
    if (m_peaks)
        for (const auto& [type, flops] : m_peaks->flopsByType)
            take(flops / m_peaks->bytesPerSecond, flops);
    m_left = std::floor(left - 0.1);
    m_right = std::max(std::ceil(right + 0.1), m_left + 1);
    m_bottom = std::floor(bottom - 0.1);
    m_top = std::max(std::ceil(top + 0.1), m_bottom + 1);
    update();
}

QRectF RooflineView::area() const {
    return QRectF(rect()).adjusted(m_theme.scaled(axisLeft), 10, -14, -m_theme.scaled(axisBelow));
}

QPointF RooflineView::placeOf(double intensity, double rate) const {
    const QRectF in = area();
    return {in.left() + in.width() * (std::log10(intensity) - m_left) / (m_right - m_left),
            in.bottom() - in.height() * (std::log10(rate) - m_bottom) / (m_top - m_bottom)};
}

QPointF RooflineView::placeOf(const RooflinePoint& point) const {
    return placeOf(point.intensity, point.flopsPerSecond);
}

int RooflineView::pointAt(QPointF at) const {
    int out = -1;
    double nearest = reach * reach;
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const QPointF away = placeOf(m_points[i]) - at;
        const double distance = QPointF::dotProduct(away, away);
        if (distance > nearest) continue;
        nearest = distance;
        out = int(i);
    }
    return out;
}

QString RooflineView::description(const RooflinePoint& point) const {
    QString out = tr("%1\n%2 at %3 FLOP per byte, %4 % of the time")
                      .arg(point.name, rate(point.flopsPerSecond, "FLOP/s"))
                      .arg(point.intensity, 0, 'g', 3)
                      .arg(100 * point.share, 0, 'f', 1);
    if (!m_peaks) return out;
    const double arithmetic = m_peaks->flopsOf(point.type);
    const double roof = std::min(arithmetic, point.intensity * m_peaks->bytesPerSecond);
    out += u'\n' +
           (roof < arithmetic ? tr("%1 % of what memory allows there") : tr("%1 % of what arithmetic allows"))
               .arg(100 * point.flopsPerSecond / roof, 0, 'f', 1);
    if (roof == arithmetic && m_peaks->flopsByType.contains(point.type))
        out += tr(" in %1").arg(toQString(point.type));
    return out;
}

void RooflineView::select(int row) {
    m_selected = row;
    update();
}

void RooflineView::choose(int index) {
    if (index < 0) return;
    select(m_points[std::size_t(index)].row);
    emit selectionChanged(m_selected);
}

void RooflineView::mousePressEvent(QMouseEvent* event) {
    choose(pointAt(event->position()));
}

void RooflineView::keyPressEvent(QKeyEvent* event) {
    const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    if (step == 0 || m_points.empty()) return QWidget::keyPressEvent(event);
    const auto at = std::ranges::find(m_points, m_selected, &RooflinePoint::row);
    const int now =
        at == m_points.end() ? (step > 0 ? -1 : int(m_points.size())) : int(at - m_points.begin());
    choose(std::clamp(now + step, 0, int(m_points.size()) - 1));
}

bool RooflineView::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int at = pointAt(help->pos());
    QToolTip::showText(help->globalPos(),
                       at < 0 ? QString() : plainToolTip(description(m_points[std::size_t(at)])), this);
    return true;
}

void RooflineView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), m_theme.colours().bg1);
    if (m_points.empty()) return;
    paintGrid(painter);
    paintRoofs(painter);
    paintPoints(painter);
}

void RooflineView::paintGrid(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    const QRectF in = area();
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    const int high = painter.fontMetrics().height();
    for (int power = int(m_left); power <= int(m_right); ++power) {
        const double x = placeOf(std::pow(10.0, power), std::pow(10.0, m_bottom)).x();
        painter.setPen(QPen(c.line, 1));
        painter.drawLine(QPointF(x, in.top()), QPointF(x, in.bottom()));
        painter.setPen(c.text2);
        painter.drawText(QRectF(x - 40, in.bottom() + 2, 80, high), Qt::AlignHCenter, powerText(power));
    }
    for (int power = int(m_bottom); power <= int(m_top); ++power) {
        const double y = placeOf(std::pow(10.0, m_left), std::pow(10.0, power)).y();
        painter.setPen(QPen(c.line, 1));
        painter.drawLine(QPointF(in.left(), y), QPointF(in.right(), y));
        painter.setPen(c.text2);
        painter.drawText(QRectF(0, y - high / 2.0, in.left() - 6, high), Qt::AlignRight | Qt::AlignVCenter,
                         powerText(power - 9));
    }
    painter.setFont(m_theme.font(FontRole::Text));
    painter.setPen(c.text2);
    const QRectF below(in.left(), in.bottom() + high, in.width(), rect().bottom() - in.bottom() - high);
    painter.drawText(below, Qt::AlignLeft | Qt::AlignVCenter, tr("GFLOP/s upwards"));
    painter.drawText(below, Qt::AlignRight | Qt::AlignVCenter, tr("FLOP per byte"));
}

void RooflineView::paintRoofs(QPainter& painter) const {
    if (!m_peaks) return;
    const Colours& c = m_theme.colours();
    const QRectF in = area();
    const double left = std::pow(10.0, m_left), right = std::pow(10.0, m_right);
    // Slowest first: the names of the faster ones stand above.
    std::vector<std::pair<double, QString>> roofs;
    for (const auto& [type, rate] : m_peaks->flopsByType)
        roofs.emplace_back(rate, toQString(type));
    if (roofs.empty()) roofs.emplace_back(m_peaks->flopsPerSecond, QString());
    std::ranges::sort(roofs);
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    const int high = painter.fontMetrics().height();
    const auto corner = [&](double flops) { return placeOf(flops / m_peaks->bytesPerSecond, flops); };
    painter.save();
    painter.setClipRect(in);
    painter.setPen(QPen(c.text2, 1.5));
    painter.drawLine(placeOf(left, left * m_peaks->bytesPerSecond), corner(roofs.back().first));
    for (const auto& [flops, type] : roofs)
        painter.drawLine(corner(flops), placeOf(right, flops));
    painter.restore();
    painter.setPen(c.text);
    double above =
        in.bottom(); // where the name below begins: two roofs that nearly coincide have names apart
    for (const auto& [flops, type] : roofs) {
        const double y = std::min(corner(flops).y() - high - 2, above - high);
        above = y;
        const QString name = rate(flops, "FLOP/s");
        painter.drawText(QRectF(in.left(), y, in.width(), high), Qt::AlignRight,
                         type.isEmpty() ? name : tr("%1 in %2").arg(name, type));
    }
    painter.drawText(QRectF(in.left() + 6, in.top(), in.width(), high), Qt::AlignLeft,
                     tr("%1 from memory").arg(rate(m_peaks->bytesPerSecond, "B/s")));
}

void RooflineView::paintPoints(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    const QFontMetrics metrics = painter.fontMetrics();
    std::vector<QRectF> taken; // by names: where one has no room it is in the tool tip
    const QColor colour = c.added;
    std::vector<std::size_t> order(m_points.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) {
        return m_points[i].row == m_selected ? 2.0 : m_points[i].share;
    });
    constexpr std::size_t mostNames = 40;
    for (std::size_t k = 0; k < order.size(); ++k) {
        const RooflinePoint& point = m_points[order[k]];
        const QPointF at = placeOf(point);
        const bool isSelected = point.row == m_selected;
        painter.setPen(QPen(colour, 1.5));
        painter.setBrush(colour);
        painter.drawEllipse(at, radius, radius);
        if (isSelected) {
            painter.setPen(QPen(c.accent, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawEllipse(at, radius + 3, radius + 3);
        }
        if (k >= mostNames) continue;
        const QString name = elided(metrics, point.name, Qt::ElideRight, m_theme.scaled(150));
        const double wide = metrics.horizontalAdvance(name);
        const bool leftOf = at.x() + radius + 5 + wide > width();
        const QRectF box(leftOf ? at.x() - radius - 5 - wide : at.x() + radius + 5,
                         at.y() - metrics.height() / 2.0, wide + 1, metrics.height());
        const bool covered =
            std::ranges::any_of(taken, [&](const QRectF& one) { return one.intersects(box); });
        if (covered && !isSelected) continue;
        taken.push_back(box);
        painter.setPen(isSelected ? c.accent : c.text);
        painter.drawText(box, Qt::AlignVCenter | Qt::AlignLeft, name);
    }
}

} // namespace dynascope::views
