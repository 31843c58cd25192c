// SPDX-License-Identifier: BSD-3-Clause
//
// TimelineView: painting, all but the track of computed stages.
#include "views/theme/note_sign.h"
#include "views/theme/shown_text.h"
#include "views/timeline/timeline_view.h"
#include "views/workspace/labels.h"

#include <QPainter>
#include <algorithm>

namespace dynascope::views {

void TimelineView::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    const Colours& c = m_theme.colours();
    painter.fillRect(viewport()->rect(), c.bg1);
    painter.fillRect(QRect(0, viewport()->height() - 1, viewport()->width(), 1), c.line);
    if (stageCount() == 0) {
        painter.setPen(c.text3);
        painter.setFont(m_theme.font(FontRole::Text));
        const QString why =
            m_compile ? tr("PyTorch printed no graph for this compile") : tr("No capture is open");
        painter.drawText(viewport()->rect(), Qt::AlignCenter, why);
        return;
    }
    painter.save();
    painter.setClipRect(m_theme.scaled(labelWidth), 0, viewport()->width(), viewport()->height());
    drawPhases(painter);
    drawTrack(painter);
    drawPasses(painter);
    drawStages(painter);
    painter.restore();
    drawLabel(painter);
}

void TimelineView::drawLabel(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    const int x = m_theme.scaled(12), y = trackY();
    painter.setFont(m_theme.font(FontRole::Strong));
    painter.setPen(c.text);
    painter.drawText(QRect(x, y - m_theme.scaled(17), m_theme.scaled(labelWidth), m_theme.scaled(17)),
                     Qt::AlignLeft | Qt::AlignVCenter, tr("Captured"));
    painter.setFont(m_theme.font(FontRole::Text));
    painter.setPen(c.text3);
    painter.drawText(QRect(x, y + m_theme.scaled(1), m_theme.scaled(labelWidth), m_theme.scaled(17)),
                     Qt::AlignLeft | Qt::AlignVCenter, tr("PyTorch"));
    const auto track = [&](int at, const QString& name, const QString& below) {
        painter.setFont(m_theme.font(FontRole::Strong));
        painter.setPen(c.text);
        painter.drawText(QRect(x, at - m_theme.scaled(15), m_theme.scaled(labelWidth), m_theme.scaled(17)),
                         Qt::AlignLeft | Qt::AlignVCenter, name);
        painter.setFont(m_theme.font(FontRole::Text));
        painter.setPen(c.text3);
        painter.drawText(QRect(x, at + m_theme.scaled(1), m_theme.scaled(labelWidth), m_theme.scaled(17)),
                         Qt::AlignLeft | Qt::AlignVCenter, below);
    };
    if (stageCount() > capturedCount()) track(computedY(), tr("Computed"), tr("engine"));
    if (m_unfolded >= 0) track(passesY(), tr("Passes"), tr("recorded"));
}

void TimelineView::drawPhases(QPainter& painter) const {
    if (m_compact) return;
    const Colours& c = m_theme.colours();
    QFont font = m_theme.font(FontRole::CodeSmall);
    font.setFamily(m_theme.font(FontRole::Text).family());
    painter.setFont(font);
    const QFontMetrics metrics(font);
    const int y = m_theme.scaled(6), height = metrics.height();
    bool severalAttempts = false;
    for (int i = 1; i < capturedCount(); ++i)
        severalAttempts |= stage(i)->attempt != stage(0)->attempt;
    for (int first = 0; first < capturedCount();) {
        const session::Stage& s = *stage(first);
        int last = first;
        while (last + 1 < capturedCount() && stage(last + 1)->phase == s.phase &&
               stage(last + 1)->attempt == s.attempt)
            ++last;
        QString name = toQString(session::phaseName(s.phase));
        if (severalAttempts) name += tr(", attempt %1").arg(s.attempt);
        const int left = stageX(first) - int(m_step / 2) + 4, right = stageX(last) + int(m_step / 2) - 4;
        painter.setPen(c.text3);
        const QString shown = elided(metrics, name, Qt::ElideRight, right - left);
        const int width = metrics.horizontalAdvance(shown);
        const int middle = (left + right) / 2;
        painter.drawText(QRect(middle - width / 2 - 1, y, width + 2, height), Qt::AlignCenter, shown);
        painter.setPen(QPen(c.line2, 1));
        const double lineY = y + height / 2.0 + 0.5;
        const int gap = width / 2 + 6;
        if (middle - gap > left) {
            painter.drawLine(QPointF(left, lineY), QPointF(middle - gap, lineY));
            painter.drawLine(QPointF(middle + gap, lineY), QPointF(right, lineY));
            painter.drawLine(QPointF(left, lineY), QPointF(left, lineY + 4));
            painter.drawLine(QPointF(right, lineY), QPointF(right, lineY + 4));
        }
        first = last + 1;
    }
}

void TimelineView::drawTrack(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    const int last = capturedCount() - 1;
    painter.setPen(QPen(c.line2, 2));
    painter.drawLine(stageX(0), trackY(), stageX(last), trackY());
    drawComputedTrack(painter);
    const int a = shown(Side::A), b = shown(Side::B);
    if (!stage(a) || !stage(b)) return;
    const int y = centre(b).y();
    if (y != centre(a).y()) return; // the line down to a computed stage tells enough
    const int left = std::min(stageX(a), stageX(b)), right = std::max(stageX(a), stageX(b));
    painter.setPen(Qt::NoPen);
    painter.setBrush(c.accentBg);
    painter.drawRoundedRect(QRectF(left, y - 7, right - left, 14), 7, 7);
    painter.setPen(QPen(c.accent, 3, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(left, y, right, y);
}

void TimelineView::drawStages(QPainter& painter) const {
    for (int i = 0; i < stageCount(); ++i) {
        const int x = stageX(i);
        if (!stage(i) || x < -int(m_step) || x > viewport()->width() + int(m_step)) continue;
        drawCaption(painter, i);
        if (i > 0 && i < capturedCount()) drawChange(painter, i);
        if (i >= capturedCount()) drawVerdict(painter, i);
        if (isChosen(i))
            drawDiscs(painter, i);
        else
            drawCircle(painter, i);
        if (i < capturedCount()) {
            drawVerdict(painter, i);
            drawMetadata(painter, i);
        }
        // Over the disc, at the left: no verdict stands there.
        if (const StageMarks marks = m_workspace.stageMarks(*stage(i)); !marks.isEmpty())
            drawNoteSign(painter, m_theme.colours(), centre(i) + QPointF(-discRadius - 1, -discRadius + 1), 8,
                         marks.hasNote());
    }
}

QFont TimelineView::countFont() const {
    QFont font = m_theme.font(FontRole::Text);
    font.setPixelSize(m_theme.scaled(11));
    return font;
}

void TimelineView::drawCaption(QPainter& painter, int index) const {
    if (m_compact && !isChosen(index)) return;
    const Colours& c = m_theme.colours();
    painter.setFont(nameFont(index));
    painter.setPen(isChosen(index) || index == m_hover ? c.text : c.text2);
    painter.drawText(nameRect(index), Qt::AlignCenter, caption(index));
    const Fact* known = fact(index);
    if (!known || index >= capturedCount()) return;
    painter.setFont(countFont());
    painter.setPen(c.text2);
    painter.drawText(sizeRect(index), Qt::AlignCenter, shownSize(index));
}

QRect TimelineView::sizeRect(int index) const {
    const int width = QFontMetrics(countFont()).horizontalAdvance(shownSize(index)) + 2;
    // A number that is cut is another one: the outermost move inwards, as names do.
    const int x = stageX(index), least = m_theme.scaled(labelWidth) + 2;
    int left = std::max(x - width / 2, std::min(x - discRadius, least));
    left = std::min(left, std::max(x + discRadius, viewport()->width() - 2) - width);
    return {left, trackY() + m_theme.scaled(12), width, m_theme.scaled(rowHeight)};
}

QString TimelineView::shownSize(int index) const {
    const Fact* known = fact(index);
    if (!known) return {};
    const QFontMetrics metrics(countFont());
    for (const int next : {index - 1, index + 1}) {
        const Fact* beside = next >= 0 && next < capturedCount() ? fact(next) : nullptr;
        if (!beside || (m_compact && !isChosen(next))) continue;
        if ((metrics.horizontalAdvance(known->size) + metrics.horizontalAdvance(beside->size)) / 2 +
                m_theme.scaled(6) >
            std::abs(stageX(next) - stageX(index)))
            return known->size.section(u' ', 0, 0);
    }
    return known->size;
}

void TimelineView::drawChange(QPainter& painter, int index) const {
    const Fact* known = fact(index);
    if (!known || known->change.isEmpty()) return;
    const Colours& c = m_theme.colours();
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    const bool quiet = known->change == u'=' || known->change == u'≈';
    painter.setPen(quiet ? c.text3 : c.text2);
    // Between the node counts where those are drawn; the tooltip has what does not fit.
    const auto half = [&](int of) {
        const Fact* f = fact(of);
        const bool drawn = f && (!m_compact || isChosen(of));
        return drawn ? QFontMetrics(countFont()).horizontalAdvance(shownSize(of)) / 2 + m_theme.scaled(5)
                     : discRadius;
    };
    const int left = stageX(index - 1) + half(index - 1) + 2, right = stageX(index) - half(index) - 2;
    // The filled circle says that something changed; half a count would say something else.
    if (painter.fontMetrics().horizontalAdvance(known->change) <= right - left)
        painter.drawText(QRect(left, trackY() + m_theme.scaled(8), right - left, m_theme.scaled(rowHeight)),
                         Qt::AlignCenter, known->change);
}

void TimelineView::drawDiscs(QPainter& painter, int index) const {
    const Colours& c = m_theme.colours();
    const QPointF at = centre(index);
    const int a = shown(Side::A), b = shown(Side::B);
    const double spread = a == b ? discRadius + 1 : 0;
    QFont letter = m_theme.font(FontRole::Strong);
    letter.setPixelSize(m_theme.scaled(11));
    letter.setBold(true);
    painter.setFont(letter);
    painter.setBrush(c.accent);
    for (const Side side : {Side::A, Side::B}) {
        if ((side == Side::A ? a : b) != index) continue;
        const QPointF middle = at + QPointF(side == Side::A ? -spread : spread, 0);
        painter.setPen(QPen(c.bg1, 2));
        painter.drawEllipse(middle, discRadius, discRadius);
        painter.setPen(c.bg1);
        painter.drawText(
            QRectF(middle.x() - discRadius, middle.y() - discRadius, 2 * discRadius, 2 * discRadius),
            Qt::AlignCenter, side == Side::A ? QStringLiteral("A") : QStringLiteral("B"));
    }
    if (!hasFocus() || index != b) return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(c.accent, 1));
    painter.drawEllipse(at, discRadius + 4, discRadius + 4);
}

void TimelineView::drawCircle(QPainter& painter, int index) const {
    const bool computed = index >= capturedCount();
    if (computed && m_workspace.verdict(stage(index)).kind != computed::StageVerdict::Kind::NotRun) return;
    const Colours& c = m_theme.colours();
    const QPointF at = centre(index);
    const Fact* known = fact(index);
    const double r = index == m_hover ? 6 : 4.5;
    painter.setPen(QPen(index == m_hover ? c.accent : c.text2, 1.5, computed ? Qt::DotLine : Qt::SolidLine));
    painter.setBrush(known && !known->same && !computed ? c.text2 : c.bg1);
    if (stage(index)->content == session::Stage::Content::Code)
        painter.drawRoundedRect(QRectF(at.x() - r, at.y() - r, 2 * r, 2 * r), 2, 2);
    else
        painter.drawEllipse(at, r, r);
}

} // namespace dynascope::views
