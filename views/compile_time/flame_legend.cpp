// SPDX-License-Identifier: BSD-3-Clause
#include "views/compile_time/flame_legend.h"

#include "views/compile_time/flame_chart.h"
#include "views/theme/shown_text.h"
#include "views/workspace/labels.h"

#include <QPainter>
#include <algorithm>

namespace dynascope::views {

FlameLegend::FlameLegend(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme) {
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(&m_theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

QSize FlameLegend::sizeHint() const {
    return {m_theme.scaled(400), m_theme.scaled(42)};
}

void FlameLegend::setTree(const session::SpanTree& tree) {
    const auto times = session::partTimes(tree);
    m_parts.clear();
    for (std::size_t i = 0; i < times.size(); ++i)
        if (times[i] > 0) m_parts.emplace_back(static_cast<session::CompilerPart>(i), times[i]);
    std::stable_sort(m_parts.begin(), m_parts.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    QStringList said;
    for (const auto& [part, us] : m_parts)
        said << toQString(session::compilerPartName(part)) + u' ' + durationText(us);
    setAccessibleDescription(said.join(QStringLiteral(", ")));
    m_note.clear();
    update();
}

void FlameLegend::setNote(const QString& note) {
    m_note = note;
    update();
}

QString FlameLegend::note() const {
    return m_note.isEmpty()
               ? tr("Wheel or W S zooms, drag or A D pans, arrows walk, a click shows the stage, "
                    "double click fills the width, 0 shows all")
               : m_note;
}

void FlameLegend::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    const Colours& c = m_theme.colours();
    painter.fillRect(rect(), c.bg1);
    painter.setPen(c.line);
    painter.drawLine(0, 0, width(), 0);
    painter.setFont(m_theme.font(FontRole::Text));
    const int line = height() / 2, side = m_theme.scaled(10), gap = m_theme.scaled(6);
    int x = m_theme.scaled(12);
    for (const auto& [part, us] : m_parts) {
        const QString text =
            toQString(session::compilerPartName(part)) + QStringLiteral("  ") + durationText(us);
        const int wide = painter.fontMetrics().horizontalAdvance(text);
        if (x + side + gap + wide > width()) break;
        painter.fillRect(x, (line - side) / 2 + 2, side, side, partColour(c, part));
        painter.setPen(c.text2);
        painter.drawText(QRect(x + side + gap, 2, wide + 2, line - 2), Qt::AlignVCenter, text);
        x += side + gap + wide + m_theme.scaled(18);
    }
    const QRect area(m_theme.scaled(12), line, width() - m_theme.scaled(24), line - 2);
    painter.setPen(m_note.isEmpty() ? c.text3 : c.text);
    painter.drawText(area, Qt::AlignVCenter,
                     elided(painter.fontMetrics(), note(), Qt::ElideRight, area.width()));
}

} // namespace dynascope::views
