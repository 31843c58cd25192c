// SPDX-License-Identifier: BSD-3-Clause
#include "views/functionalize/cell_frame.h"

#include <QPainter>
#include <QPainterPath>

namespace dynascope::views {

void paintCellFrame(QPainter& painter, const QRectF& rect, computed::Cell::State state, const Colours& c) {
    const QRectF box = rect.adjusted(1, 1, -1, -1);
    const QColor pink = c.op(ir::OpKind::Write);
    switch (state) {
    case computed::Cell::State::Current:
        painter.setPen(QPen(c.line2, 1));
        painter.setBrush(c.bg3);
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        break;
    case computed::Cell::State::Stale: {
        painter.setPen(Qt::NoPen);
        painter.setBrush(c.diff(diff::Change::Changed).fill);
        painter.drawRoundedRect(box, 3, 3);
        // Lines of 45° by hand: a brush pattern does not scale with the screen.
        painter.save();
        QPainterPath clip;
        clip.addRoundedRect(box, 3, 3);
        painter.setClipPath(clip, Qt::IntersectClip);
        QColor line = c.changed;
        line.setAlphaF(c.dark ? 0.45F : 0.5F);
        painter.setPen(QPen(line, 1.2));
        for (double x = box.left() - box.height(); x < box.right(); x += 6)
            painter.drawLine(QPointF(x, box.bottom()), QPointF(x + box.height(), box.top()));
        painter.restore();
        painter.setPen(QPen(c.changed, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        break;
    }
    case computed::Cell::State::Written:
        painter.setPen(QPen(pink, 2));
        painter.setBrush(c.bg3);
        painter.drawRoundedRect(box, 3, 3);
        break;
    case computed::Cell::State::Regenerated: {
        painter.setBrush(c.diff(diff::Change::Added).fill);
        QPen pen(c.added, 1.4);
        pen.setDashPattern({3, 2});
        painter.setPen(pen);
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        break;
    }
    }
}

} // namespace dynascope::views
