// SPDX-License-Identifier: BSD-3-Clause
//
// TimelineView: passes that were recorded, on the line between the stages that they lie between, and on a track of their
// own where a stage is unfolded.
#include "core/inductor/stage_passes.h"
#include "views/theme/shown_text.h"
#include "views/timeline/timeline_view.h"
#include "views/workspace/labels.h"

#include <QPainter>
#include <algorithm>

namespace dynascope::views {

namespace {

const QString passesTag = QStringLiteral("timeline.passes");
constexpr std::size_t mostNamed = 12; ///< in a tip

QFont chipFont(const Theme& theme) {
    QFont font = theme.font(FontRole::Text);
    font.setPixelSize(theme.scaled(10));
    return font;
}

} // namespace

void TimelineView::askPasses() {
    m_passes.clear();
    m_unfolded = -1;
    const OpenCapture* capture = m_workspace.capture();
    if (m_compile == nullptr || capture == nullptr || capture->session->passRecordings.empty()) return;
    m_workspace.tasks().run<PassTicks>(
        passesTag, this,
        [session = capture->session, compile = std::size_t(m_workspace.place().compile)](const TaskContext&) {
            PassTicks out;
            const inductor::CompilePasses passes = inductor::passesOf(*session, session->compiles[compile]);
            for (const inductor::StagePasses& stage :
                 inductor::passesByStage(passes, session->compiles[compile]))
                for (const std::size_t row : stage.rows)
                    out[int(stage.stage)].push_back(
                        {int(row), toQString(passes.rows[row].name()),
                         toQString(inductor::changeText(*passes.rows[row].change))});
            return out;
        },
        [this, asked = m_compile](PassTicks passes) {
            if (asked != m_compile) return;
            m_passes = std::move(passes);
            viewport()->update();
        });
}

int TimelineView::passesY() const {
    return (stageCount() > capturedCount() ? computedY() : trackY()) + m_theme.scaled(m_compact ? 40 : 62);
}

QRect TimelineView::passesRect(int index) const {
    const auto found = m_passes.find(index);
    if (found == m_passes.end() || index >= capturedCount()) return {};
    const QFontMetrics metrics(chipFont(m_theme));
    const int wide = metrics.horizontalAdvance(QString::number(found->second.size())) + m_theme.scaled(19);
    const int high = m_theme.scaled(14);
    // On the line to the stage, in the middle of it.
    const int x =
        index > 0 ? (stageX(index - 1) + stageX(index)) / 2 : stageX(index) - int(m_step / 2) + wide / 2;
    return {x - wide / 2, trackY() - high / 2, wide, high};
}

void TimelineView::unfold(int index) {
    if (!m_passes.contains(index)) index = -1;
    if (index == m_unfolded) return;
    m_unfolded = index;
    updateGeometry();
    viewport()->update();
}

QPoint TimelineView::passPoint(int pass) const {
    const auto found = m_passes.find(m_unfolded);
    const int count = found == m_passes.end() ? 1 : int(found->second.size());
    const int left = m_theme.scaled(labelWidth), wide = viewport()->width() - left;
    const double step = std::min(double(wide) / std::max(1, count), double(m_theme.scaled(220)));
    return {left + int(step * (pass + 0.5)), passesY()};
}

std::vector<int> TimelineView::passRows() const {
    std::vector<int> out;
    if (const auto found = m_passes.find(m_unfolded); found != m_passes.end())
        for (const PassTick& tick : found->second)
            out.push_back(tick.row);
    return out;
}

int TimelineView::passAt(QPoint point) const {
    const int count = int(passRows().size());
    if (count == 0 || std::abs(point.y() - passesY()) > m_theme.scaled(26)) return -1;
    const int half = (passPoint(1).x() - passPoint(0).x()) / 2;
    for (int i = 0; i < count; ++i)
        if (std::abs(passPoint(i).x() - point.x()) <= std::max(2, half)) return i;
    return -1;
}

/// Whether the click was one on passes.
bool TimelineView::clickPasses(QPoint point) {
    for (const auto& [index, ticks] : m_passes)
        if (passesRect(index).contains(point)) {
            unfold(index == m_unfolded ? -1 : index);
            return true;
        }
    const int pass = passAt(point);
    if (pass < 0) return false;
    emit passRequested(passRows()[std::size_t(pass)]);
    return true;
}

QString TimelineView::passesTip(QPoint point) const {
    if (const int pass = passAt(point); pass >= 0) {
        const PassTick& tick = m_passes.at(m_unfolded)[std::size_t(pass)];
        return tr("%1: %2\nA click shows the graph before and after it").arg(tick.name, tick.change);
    }
    for (const auto& [index, ticks] : m_passes) {
        if (!passesRect(index).contains(point)) continue;
        QStringList names;
        for (const PassTick& tick : ticks)
            if (std::size_t(names.size()) < mostNamed) names << tick.name;
        if (ticks.size() > mostNamed) names << tr("and %1 more").arg(ticks.size() - mostNamed);
        return tr("Passes that changed a graph on the way to this stage:\n%1").arg(names.join(u'\n'));
    }
    return {};
}

void TimelineView::drawPasses(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    for (const auto& [index, ticks] : m_passes) {
        const QRectF chip = passesRect(index);
        if (chip.isEmpty()) continue;
        const bool open = index == m_unfolded;
        painter.setPen(QPen(open ? c.accent : c.line2, 1));
        painter.setBrush(open ? c.accentBg : c.bg1);
        painter.drawRoundedRect(chip.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        painter.setBrush(Qt::NoBrush);
        painter.setFont(chipFont(m_theme));
        painter.setPen(open ? c.accentText() : c.text2);
        painter.drawText(chip, Qt::AlignCenter,
                         (open ? QStringLiteral("▾ ") : QStringLiteral("▸ ")) +
                             QString::number(ticks.size()));
    }
    if (m_unfolded >= 0) drawPassTrack(painter);
}

void TimelineView::drawPassTrack(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    const std::vector<PassTick>& ticks = m_passes.at(m_unfolded);
    const int y = passesY(), last = int(ticks.size()) - 1;
    const QRect chip = passesRect(m_unfolded);
    painter.setPen(QPen(c.line2, 1, Qt::DotLine));
    painter.drawLine(QPointF(chip.center().x(), chip.bottom() + 1),
                     QPointF(chip.center().x(), y - m_theme.scaled(26)));
    painter.setPen(QPen(c.line2, 2));
    painter.drawLine(passPoint(0), passPoint(last));
    const int step = passPoint(1).x() - passPoint(0).x();
    for (int i = 0; i <= last; ++i) {
        const PassTick& tick = ticks[std::size_t(i)];
        const QPoint at = passPoint(i);
        painter.setPen(QPen(c.accent, 1.5));
        painter.setBrush(c.bg1);
        painter.drawEllipse(QPointF(at), 4.5, 4.5);
        painter.setBrush(Qt::NoBrush);
        if (step < m_theme.scaled(40)) continue;
        const auto line = [&](const QString& text, int top, FontRole role, const QColor& colour) {
            QFont font = m_theme.font(role);
            if (role == FontRole::Text) font.setPixelSize(m_theme.scaled(11));
            painter.setFont(font);
            painter.setPen(colour);
            painter.drawText(QRect(at.x() - step / 2 + 3, top, step - 6, m_theme.scaled(rowHeight)),
                             Qt::AlignCenter, elided(QFontMetrics(font), text, Qt::ElideMiddle, step - 6));
        };
        line(tick.name, y - m_theme.scaled(23), FontRole::Text, c.text);
        line(tick.change, y + m_theme.scaled(6), FontRole::CodeSmall, c.text2);
    }
}

} // namespace dynascope::views
