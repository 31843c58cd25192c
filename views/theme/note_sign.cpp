// SPDX-License-Identifier: BSD-3-Clause
#include "views/theme/note_sign.h"

#include <QPainterPath>

namespace dynascope::views {

void drawNoteSign(QPainter& painter, const Colours& colours, QPointF centre, double size, bool note) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const double half = size / 2;
    const QRectF box(centre.x() - half * 0.85, centre.y() - half, size * 0.85, size);
    QPainterPath shape;
    if (note) {
        const double fold = size * 0.34;
        shape.moveTo(box.topLeft());
        shape.lineTo(box.right() - fold, box.top());
        shape.lineTo(box.right(), box.top() + fold);
        shape.lineTo(box.bottomRight());
        shape.lineTo(box.bottomLeft());
    } else {
        shape.moveTo(box.topLeft());
        shape.lineTo(box.topRight());
        shape.lineTo(box.bottomRight());
        shape.lineTo(centre.x(), box.bottom() - size * 0.3);
        shape.lineTo(box.bottomLeft());
    }
    shape.closeSubpath();
    painter.setPen(
        QPen(colours.bg1, 3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin)); // apart from what is below
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(shape);
    painter.setPen(QPen(colours.text2, 1, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(note ? colours.bg1 : colours.text2);
    painter.drawPath(shape);
    if (note && size >= 9)
        for (const double y : {0.5, 0.75})
            painter.drawLine(QPointF(box.left() + size * 0.2, box.top() + size * y),
                             QPointF(box.right() - size * 0.2, box.top() + size * y));
    painter.restore();
}

} // namespace dynascope::views
