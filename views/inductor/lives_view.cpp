// SPDX-License-Identifier: BSD-3-Clause
#include "views/inductor/lives_view.h"

#include "views/theme/picture.h"
#include "views/theme/shown_text.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>
#include <unordered_map>

namespace dynascope::views {

namespace {

constexpr int laneHeight = 18, curveHeight = 56, headHeight = 22, stepsHeight = 20, margin = 8,
              leftMargin = 72;

} // namespace

LivesView::LivesView(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme) {
    setAccessibleName(tr("Buffers over the schedule"));
    offerPicture(*this, QStringLiteral("buffers"));
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void LivesView::setMemory(inductor::ScheduleMemory memory) {
    m_memory = std::move(memory);
    m_lanes = 0;
    m_ends.assign(m_memory.lives.size(), {});
    m_before.assign(m_memory.lives.size(), SIZE_MAX);
    std::unordered_map<std::size_t, std::size_t> last; // life by memory
    for (std::size_t i = 0; i < m_memory.lives.size(); ++i) {
        const inductor::BufferLife& life = m_memory.lives[i];
        m_lanes = std::max(m_lanes, life.memory + 1);
        const auto [before, fresh] = last.try_emplace(life.memory, i);
        if (!fresh && m_memory.lives[before->second].last >= life.first)
            m_ends[i].begins = m_ends[before->second].ends = true;
        if (!fresh) m_before[i] = before->second;
        before->second = i;
    }
    setAccessibleDescription(m_memory.steps.empty() ? QString()
                                                    : tr("At most %1 live, at %2")
                                                          .arg(bytesText(m_memory.peak()),
                                                               toQString(m_memory.steps[m_memory.peakStep])));
    updateGeometry();
    update();
}

int LivesView::lane() const {
    return m_theme.scaled(laneHeight);
}

int LivesView::top() const {
    return m_theme.scaled(headHeight + stepsHeight + curveHeight);
}

double LivesView::x(std::size_t step) const {
    const double left = m_theme.scaled(leftMargin), wide = std::max(1.0, width() - left - margin);
    return left + wide * double(step) / double(std::max<std::size_t>(1, m_memory.steps.size()));
}

QSize LivesView::sizeHint() const {
    return {m_theme.scaled(480), top() + int(std::min<std::size_t>(m_lanes, 100'000)) * lane() + margin};
}

QSize LivesView::minimumSizeHint() const {
    return {m_theme.scaled(200), sizeHint().height()};
}

QRectF LivesView::rectOf(std::size_t index) const {
    const inductor::BufferLife& life = m_memory.lives[index];
    // Within one call the one that hands its memory on stands before the one that takes it.
    const double half = (x(1) - x(0)) / 2;
    const double left = x(life.first) + (m_ends[index].begins ? half : 0);
    const double right = x(life.last + 1) - (m_ends[index].ends ? half : 0);
    return {left, double(top() + int(life.memory) * lane() + 1), std::max(2.0, right - left - 1),
            double(lane() - 2)};
}

std::size_t LivesView::lifeAt(QPointF point) const {
    // What takes a memory over lies above what had it.
    for (std::size_t i = m_memory.lives.size(); i-- > 0;)
        if (rectOf(i).contains(point)) return i;
    return SIZE_MAX;
}

QString LivesView::tip(const inductor::BufferLife& life) const {
    QStringList lines{life.bytes ? tr("%1, %2").arg(toQString(life.buffer), bytesText(*life.bytes))
                                 : tr("%1, of symbolic size").arg(toQString(life.buffer))};
    lines << (life.first == life.last
                  ? tr("within %1").arg(toQString(m_memory.steps[life.first]))
                  : tr("from %1 to %2")
                        .arg(toQString(m_memory.steps[life.first]),
                             toQString(m_memory.steps[std::min(life.last, m_memory.steps.size() - 1)])));
    if (!life.takesFrom.empty()) lines << tr("in the memory of %1").arg(toQString(life.takesFrom));
    if (life.byKernel) lines << tr("allocated by the kernel that makes it");
    if (life.isOutput) lines << tr("an output: it lives on");
    return lines.join(u'\n');
}

bool LivesView::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const std::size_t at = lifeAt(help->pos());
        if (at == SIZE_MAX || m_memory.lives[at].first >= m_memory.steps.size())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), plainToolTip(tip(m_memory.lives[at])), this);
        return true;
    }
    return QWidget::event(event);
}

void LivesView::mousePressEvent(QMouseEvent* event) {
    if (const std::size_t at = lifeAt(event->position()); at != SIZE_MAX)
        emit chosen(toQString(m_memory.lives[at].buffer));
}

/// The calls of the wrapper, as far as they have room.
void LivesView::paintSteps(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    const QFontMetricsF metrics(painter.font());
    const double y = m_theme.scaled(headHeight), high = m_theme.scaled(stepsHeight);
    for (std::size_t step = 0; step < m_memory.steps.size(); ++step) {
        const QRectF box(x(step) + 1, y + 2, x(step + 1) - x(step) - 2, high - 4);
        if (box.width() < 3) return; // lines alone would be one grey area
        painter.setPen(c.line);
        painter.drawLine(QPointF(x(step), y), QPointF(x(step), height()));
        const bool isPeak = step == m_memory.peakStep && m_memory.peak() > 0;
        painter.fillRect(box, isPeak ? c.diff(diff::Change::Changed).fill : c.bg3);
        if (box.width() < m_theme.scaled(24)) continue;
        painter.setPen(isPeak ? c.text : c.text2);
        painter.drawText(box, Qt::AlignCenter | Qt::TextSingleLine,
                         elided(metrics, toQString(m_memory.steps[step]), Qt::ElideMiddle, box.width() - 4));
    }
}

/// Memory that waits for the buffer that takes it.
void LivesView::paintKept(QPainter& painter) const {
    painter.setPen(QPen(m_theme.colours().text3, 1, Qt::DotLine));
    for (std::size_t i = 0; i < m_memory.lives.size(); ++i) {
        if (m_before[i] == SIZE_MAX || m_memory.lives[m_before[i]].last + 1 >= m_memory.lives[i].first)
            continue;
        const QRectF from = rectOf(m_before[i]), to = rectOf(i);
        painter.drawLine(QPointF(from.right(), from.center().y()), QPointF(to.left(), to.center().y()));
    }
}

void LivesView::paintCurve(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    const double bottom = top() - 4, high = m_theme.scaled(curveHeight) - 8;
    const double most = double(std::max<std::uint64_t>(1, m_memory.peak()));
    QPainterPath path(QPointF(x(0), bottom));
    for (std::size_t step = 0; step < m_memory.live.size(); ++step) {
        const double y = bottom - high * double(m_memory.live[step]) / most;
        path.lineTo(x(step), y);
        path.lineTo(x(step + 1), y);
    }
    path.lineTo(x(m_memory.live.size()), bottom);
    painter.fillPath(path, c.accentBg);
    painter.setPen(QPen(c.accent, 1));
    painter.drawPath(path);
    // The peak's call, over all lanes.
    QColor mark = c.changed;
    mark.setAlpha(40);
    painter.fillRect(QRectF(x(m_memory.peakStep), m_theme.scaled(headHeight),
                            x(m_memory.peakStep + 1) - x(m_memory.peakStep),
                            height() - m_theme.scaled(headHeight)),
                     mark);
    paintSteps(painter);
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    painter.setPen(c.text2);
    painter.drawText(QRectF(0, bottom - high - 4, m_theme.scaled(leftMargin) - 6, m_theme.scaled(16)),
                     Qt::AlignRight | Qt::AlignVCenter, bytesText(m_memory.peak()));
    painter.setFont(m_theme.font(FontRole::Text));
    const QString head = tr("%1: %2, %3; peak %4 at %5")
                             .arg(countText(m_memory.lives.size(), tr("buffer"), tr("buffers")),
                                  countText(m_memory.allocations, tr("allocation"), tr("allocations")),
                                  countText(m_memory.reuses, tr("reuse"), tr("reuses")),
                                  bytesText(m_memory.peak()), toQString(m_memory.steps[m_memory.peakStep]));
    const QRectF line(margin, 0, width() - 2 * margin, m_theme.scaled(headHeight));
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                     elided(QFontMetricsF(painter.font()), head, Qt::ElideRight, line.width()));
}

void LivesView::paintLife(QPainter& painter, std::size_t index) const {
    const Colours& c = m_theme.colours();
    const inductor::BufferLife& life = m_memory.lives[index];
    const QRectF area = rectOf(index);
    const auto memory = c.memory();
    QColor fill = life.isOutput ? memory[2] : life.byKernel ? memory[4] : memory[1];
    fill.setAlpha(c.dark ? 110 : 90);
    painter.fillRect(area, fill);
    painter.fillRect(QRectF(area.left(), area.top(), 2, area.height()), life.isOutput ? memory[2] : c.text2);
    const QString name = (life.takesFrom.empty() ? QString() : QStringLiteral("→ ")) + toQString(life.buffer);
    const QRectF inner = area.adjusted(5, 0, -2, 0);
    painter.setPen(c.text);
    painter.drawText(inner, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                     elided(QFontMetricsF(painter.font()), name, Qt::ElideRight, inner.width()));
    if (life.takesFrom.empty() && life.bytes) {
        painter.setPen(c.text3);
        painter.drawText(QRectF(0, area.top(), m_theme.scaled(leftMargin) - 6, area.height()),
                         Qt::AlignRight | Qt::AlignVCenter, bytesText(*life.bytes));
    }
}

void LivesView::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    const Colours& c = m_theme.colours();
    painter.fillRect(rect(), c.bg1);
    if (m_memory.steps.empty()) {
        painter.setPen(c.text2);
        painter.setFont(m_theme.font(FontRole::Text));
        painter.drawText(rect(), Qt::AlignCenter,
                         tr("The recording has no lines of the wrapper for this graph."));
        return;
    }
    paintCurve(painter);
    paintKept(painter);
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    for (std::size_t i = 0; i < m_memory.lives.size(); ++i)
        if (m_memory.lives[i].first < m_memory.steps.size() &&
            rectOf(i).intersects(QRectF(event->rect()).adjusted(-width(), 0, width(), 0)))
            paintLife(painter, i);
}

} // namespace dynascope::views
