// SPDX-License-Identifier: BSD-3-Clause
#include "views/theme/svg_icon.h"

#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

namespace dynascope::views {

SvgIconEngine::SvgIconEngine(QByteArray svg, IconColours colours)
    : m_svg(std::move(svg))
    , m_colours(colours) {}

void SvgIconEngine::paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) {
    if (m_svg.isEmpty()) return;
    const QColor colour = mode == QIcon::Disabled ? m_colours.disabled
                          : state == QIcon::On    ? m_colours.on
                                                  : m_colours.normal;
    QByteArray svg = m_svg;
    svg.replace("currentColor", colour.name().toLatin1());
    QSvgRenderer renderer(svg);
    const int side = std::min(rect.width(), rect.height());
    QRectF box(0, 0, side, side);
    box.moveCenter(QRectF(rect).center());
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    renderer.render(painter, box);
    painter->restore();
}

QIconEngine* SvgIconEngine::clone() const {
    return new SvgIconEngine(m_svg, m_colours);
}

QPixmap SvgIconEngine::pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) {
    if (size.isEmpty()) return {}; // a button squeezed to nothing asks for it; there is no painting on it
    QPixmap pixmap(size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paint(&painter, QRect(QPoint(0, 0), size), mode, state);
    return pixmap;
}

QString SvgIconEngine::key() const {
    return QStringLiteral("dynascope-svg");
}

} // namespace dynascope::views
