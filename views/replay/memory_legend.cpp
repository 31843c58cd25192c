// SPDX-License-Identifier: BSD-3-Clause
#include "views/replay/memory_legend.h"

#include "views/replay/memory_rows.h"
#include "views/theme/shown_text.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

namespace dynascope::views {

using replay::MemoryUse;

ReplayMemoryLegend::ReplayMemoryLegend(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme) {
    setAccessibleName(tr("Kinds of memory"));
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void ReplayMemoryLegend::setUses(std::vector<MemoryUse> uses) {
    m_uses = std::move(uses);
    updateGeometry();
    update();
}

QSize ReplayMemoryLegend::sizeHint() const {
    const QFontMetrics metrics(m_theme.font(FontRole::Text));
    int width = 0;
    for (const MemoryUse use : m_uses)
        width += metrics.horizontalAdvance(memoryUseName(use)) + m_theme.scaled(30);
    return {width, m_theme.scaled(20)};
}

QSize ReplayMemoryLegend::minimumSizeHint() const {
    return {0, sizeHint().height()};
}

std::vector<QRect> ReplayMemoryLegend::places() const {
    const QFontMetrics metrics(m_theme.font(FontRole::Text));
    std::vector<QRect> out;
    int x = 0;
    for (const MemoryUse use : m_uses) {
        const int text = metrics.horizontalAdvance(memoryUseName(use));
        const QRect place(x, 0, m_theme.scaled(10) + 6 + text + 2, height());
        if (place.right() > width()) break;
        out.push_back(place);
        x += m_theme.scaled(30) + text;
    }
    return out;
}

void ReplayMemoryLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setFont(m_theme.font(FontRole::Text));
    const int box = m_theme.scaled(10);
    const std::vector<QRect> at = places();
    for (std::size_t i = 0; i < at.size(); ++i) {
        const MemoryChart::Look look = memoryLook({0, 0, m_uses[i], false, true});
        const QColor colour =
            look.colour < 0 ? m_theme.colours().text3 : m_theme.colours().memory()[std::size_t(look.colour)];
        painter.fillRect(QRect(at[i].left(), (height() - box) / 2, box, box), colour);
        painter.setPen(m_theme.colours().text2);
        painter.drawText(at[i].adjusted(box + 6, 0, 0, 0), Qt::AlignVCenter, memoryUseName(m_uses[i]));
    }
}

bool ReplayMemoryLegend::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const std::vector<QRect> at = places();
    QString tip;
    for (std::size_t i = 0; i < at.size(); ++i)
        if (at[i].contains(help->pos())) tip = memoryUseMeaning(m_uses[i]);
    if (tip.isEmpty()) // what was left out is told here
        for (const MemoryUse use : m_uses)
            tip += (tip.isEmpty() ? QString() : QStringLiteral(", ")) + memoryUseName(use);
    QToolTip::showText(help->globalPos(), plainToolTip(tip), this);
    return true;
}

} // namespace dynascope::views
