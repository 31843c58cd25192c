// SPDX-License-Identifier: BSD-3-Clause
#include "views/canvas/gutter.h"

#include <QPaintEvent>
#include <QPainter>
#include <QPainterPath>

namespace dynascope::views::canvas {

namespace {

constexpr double smallestSign = 13; // pixels of height below which a band has no sign

struct Span {
    double topA, bottomA, topB, bottomB;
};

QPainterPath bandPath(const QRectF& area, const Span& s) {
    const double l = area.left();
    const double r = area.right();
    const double m = area.center().x();
    QPainterPath path(QPointF(l, s.topA));
    path.cubicTo(QPointF(m, s.topA), QPointF(m, s.topB), QPointF(r, s.topB));
    path.lineTo(r, s.bottomB);
    path.cubicTo(QPointF(m, s.bottomB), QPointF(m, s.bottomA), QPointF(l, s.bottomA));
    path.closeSubpath();
    return path;
}

void edges(QPainter& painter, const QRectF& area, const Span& s, const QColor& colour) {
    const double m = area.center().x();
    painter.setPen(QPen(colour, 1));
    painter.setBrush(Qt::NoBrush);
    for (const auto& [left, right] : {std::pair{s.topA, s.topB}, std::pair{s.bottomA, s.bottomB}}) {
        QPainterPath path(QPointF(area.left(), left));
        path.cubicTo(QPointF(m, left), QPointF(m, right), QPointF(area.right(), right));
        painter.drawPath(path);
    }
}

} // namespace

Gutter::Gutter(const Theme& theme, const GraphCanvas& a, const GraphCanvas& b, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_a(a)
    , m_b(b) {
    setFixedWidth(stripWidth);
    setAccessibleName(tr("What belongs together in A and B"));
}

void Gutter::setBands(std::vector<GutterBand> bands) {
    m_bands = std::move(bands);
    update();
}

void Gutter::setSelection(std::optional<SelectionBand> band) {
    m_selection = std::move(band);
    update();
}

void Gutter::draw(QPainter& painter, const QRectF& area, double zoomA, double topA, double zoomB,
                  double topB) const {
    const Colours& c = m_theme.colours();
    painter.setRenderHint(QPainter::Antialiasing);
    const auto span = [&](double ta, double ba, double tb, double bb) {
        return Span{area.top() + (ta - topA) * zoomA, area.top() + (ba - topA) * zoomA,
                    area.top() + (tb - topB) * zoomB, area.top() + (bb - topB) * zoomB};
    };
    painter.setFont(m_theme.font(FontRole::Strong));
    for (const GutterBand& band : m_bands) {
        const Span s = span(band.topA, band.bottomA, band.topB, band.bottomB);
        if (std::max(s.bottomA, s.bottomB) < area.top() || std::min(s.topA, s.topB) > area.bottom()) continue;
        const bool quiet = band.change == diff::Change::Same || band.change == diff::Change::Respelled;
        const bool covered =
            m_selection && m_selection->topA < band.bottomA && m_selection->bottomA > band.topA;
        const DiffColours d = c.diff(band.change);
        if (!quiet) painter.fillPath(bandPath(area, s), d.fill);
        const double height = std::min(s.bottomA - s.topA, s.bottomB - s.topB);
        if (height >= 4) edges(painter, area, s, quiet ? c.line2 : d.line);
        if (height < smallestSign || covered) continue;
        const char32_t sign = diff::changeSign(band.change);
        painter.setPen(quiet ? c.text3 : d.line);
        const double middle = (s.topA + s.bottomA + s.topB + s.bottomB) / 4;
        painter.drawText(QRectF(area.left(), middle - 12, area.width(), 24), Qt::AlignCenter,
                         QString::fromUcs4(&sign, 1));
    }
    if (!m_selection) return;
    const Span s = span(m_selection->topA, m_selection->bottomA, m_selection->topB, m_selection->bottomB);
    QColor fill = c.row;
    fill.setAlphaF(c.dark ? 0.92F : 0.95F);
    painter.fillPath(bandPath(area, s), fill);
    QColor line = c.accent;
    line.setAlphaF(0.7F);
    edges(painter, area, s, line);
    const double top = std::max(area.top(), (s.topA + s.topB) / 2);
    const double bottom = std::min(area.bottom(), (s.bottomA + s.bottomB) / 2);
    if (bottom - top < smallestSign) return;
    painter.setPen(c.accentText());
    painter.drawText(QRectF(area.left(), (top + bottom) / 2 - 12, area.width(), 24), Qt::AlignCenter,
                     m_selection->label);
}

void Gutter::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    painter.fillRect(event->rect(), m_theme.colours().bg1);
    if (m_a.scene() && m_b.scene())
        draw(painter, rect(), m_a.zoom(), m_a.offset().y(), m_b.zoom(), m_b.offset().y());
}

} // namespace dynascope::views::canvas
