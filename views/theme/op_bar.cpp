// SPDX-License-Identifier: BSD-3-Clause
#include "views/theme/op_bar.h"

#include <QPainter>

namespace dynascope::views {

void paintOpBar(QPainter& painter, const QRect& bar, const Colours& colours, ir::OpKind kind) {
    if (kind == ir::OpKind::FunctionalWrite) {
        painter.setPen(colours.op(kind));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(bar.adjusted(0, 0, -1, -1));
    } else {
        painter.fillRect(bar, colours.op(kind));
    }
}

} // namespace dynascope::views
