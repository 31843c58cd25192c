// SPDX-License-Identifier: BSD-3-Clause
#include "views/canvas/heat.h"

#include "views/workspace/labels.h"

#include <QCoreApplication>
#include <QPainter>
#include <algorithm>

namespace dynascope::views::canvas {

Heat heatOf(const Scene& scene, const NodeTimes* times) {
    Heat out;
    out.us.assign(scene.items.size(), -1);
    if (!times || !scene.graph) return out;
    out.measured = true;
    out.joined = times->joined;
    out.inParts = times->inParts;
    out.passedOnFrom = toQString(times->passedOnFrom);
    for (ir::NodeIndex node = 0; node < scene.graph->size(); ++node) {
        const auto known = times->us.find(scene.graph->node(node).name);
        const int item = scene.itemOf(node);
        if (known == times->us.end() || item == noItem) continue;
        double& sum = out.us[std::size_t(item)];
        sum = std::max(sum, 0.0) + known->second;
        out.most = std::max(out.most, sum);
    }
    return out;
}

QColor heatColour(const Colours& colours, double share) {
    return colours.heat(share);
}

void paintHeatLegend(QPainter& painter, const Heat& heat, const Theme& theme, const QSizeF& viewport) {
    const Colours& c = theme.colours();
    const auto tr = [](const char* text) { return QCoreApplication::translate("Heat", text); };
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(theme.font(FontRole::Text));
    const QFontMetricsF metrics(painter.font());
    const QString left = !heat.measured
                             ? tr("Not measured: profiles have the graphs that ran, Ctrl+6 replays any")
                         : heat.joined ? tr("measured time  0")
                                       : tr("median time  0");
    QString right = heat.measured ? durationText(heat.most) : QString();
    if (heat.joined) right += tr("   %1 % joined").arg(100 * *heat.joined, 0, 'f', 0);
    QString below;
    if (!heat.passedOnFrom.isEmpty())
        below = tr("passed on from %1").arg(heat.passedOnFrom) +
                (heat.inParts ? tr(", in equal parts") : QString());
    else if (heat.inParts)
        right += tr(", kernels in equal parts");
    const double scale = heat.measured ? theme.scaled(96) : 0;
    const double gap = theme.scaled(8), height = metrics.height() + gap;
    const double most = std::max(0.0, viewport.width() - 2 * gap);
    const double width =
        std::min(most, std::max(metrics.horizontalAdvance(left) + scale + metrics.horizontalAdvance(right) +
                                    gap * (heat.measured ? 4 : 2),
                                below.isEmpty() ? 0 : metrics.horizontalAdvance(below) + 2 * gap));
    const double lines = below.isEmpty() ? height : height + metrics.height();
    const QRectF whole(gap, viewport.height() - lines - gap, width, lines),
        box(whole.topLeft(), QSizeF(width, height));
    painter.setPen(c.line2);
    painter.setBrush(c.bg1);
    painter.drawRoundedRect(whole, 4, 4);
    painter.setPen(c.text2);
    painter.drawText(whole.adjusted(gap, 0, -gap, -gap / 2), Qt::AlignLeft | Qt::AlignBottom,
                     metrics.elidedText(below, Qt::ElideRight, width - 2 * gap));
    painter.drawText(box.adjusted(gap, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, left);
    const double from = box.left() + 2 * gap + metrics.horizontalAdvance(left);
    painter.drawText(
        QPointF(from + scale + gap, box.center().y() + (metrics.ascent() - metrics.descent()) / 2), right);
    if (heat.measured) {
        for (int x = 0; x < int(scale); ++x)
            painter.fillRect(QRectF(from + x, box.top() + gap * 0.75, 1, box.height() - gap * 1.5),
                             heatColour(c, x / scale));
    }
    painter.restore();
}

} // namespace dynascope::views::canvas
