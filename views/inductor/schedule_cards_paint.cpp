// SPDX-License-Identifier: BSD-3-Clause
//
// How ScheduleCards are painted.
#include "views/inductor/schedule_cards.h"
#include "views/theme/shown_text.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <QPaintEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace dynascope::views {

using inductor::SchedulerNode;

namespace {

constexpr std::size_t mostArcs = 3'000; ///< of more only those of what is chosen
constexpr std::size_t mostBuffers = 64; ///< looked at of what a card reads; the rest is counted
enum BoxLook { Made, Now, Part, Later };

QString firstOrigin(const SchedulerNode& node) {
    return node.origins.empty() ? QString() : toQString(node.origins.front().name);
}

bool hasLoops(const SchedulerNode& node) {
    return node.kind == "SchedulerNode";
}

QColor kindColour(const SchedulerNode& node, const Colours& c) {
    if (!node.mutates.empty()) return c.op(ir::OpKind::Write);
    if (hasLoops(node)) return c.op(node.data == "Reduction" ? ir::OpKind::HigherOrder : ir::OpKind::Compute);
    return c.op(ir::OpKind::Linear);
}

std::optional<std::uint64_t> bytesWritten(const SchedulerNode& node) {
    std::uint64_t out = 0;
    bool any = false;
    for (const SchedulerNode::Output& output : node.outputs) {
        if (!output.bytes) return {};
        any = true;
        out += *output.bytes;
    }
    return any ? std::optional(out) : std::nullopt;
}

QString written(const SchedulerNode& node) {
    return node.outputs.empty() ? QString() : toQString(node.outputs.front().name);
}

} // namespace

void ScheduleCards::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Colours& c = m_theme.colours();
    painter.fillRect(event->rect(), c.bg0);
    if (m_rows.operations.empty()) {
        painter.setPen(c.text2);
        painter.setFont(m_theme.font(FontRole::Text));
        painter.drawText(
            rect().adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap,
            tr("No scheduler ran for this graph: its code came from a cache, or another backend made it."));
        return;
    }
    paintBoxes(painter, event->rect());
    paintArcs(painter, event->rect());
    const Columns at = columns();
    for (std::size_t row = 0; row < m_rows.operations.size(); ++row) {
        const QRect card = cardRect(row);
        if (card.top() > event->rect().bottom()) break;
        if (card.bottom() >= event->rect().top()) paintCard(painter, row, at);
    }
    paintAnswer(painter);
}

void ScheduleCards::paintBoxes(QPainter& painter, const QRect& area) const {
    const auto seen = [&](std::size_t fusion) { return boxRect(fusion).intersects(area); };
    const std::vector<std::size_t> made = boxes();
    for (const std::size_t fusion : m_finalBoxes)
        if (fusion > m_fusions && seen(fusion)) paintBox(painter, fusion, Later);
    for (const std::size_t fusion : made)
        if (seen(fusion)) paintBox(painter, fusion, fusion == m_fusions ? Now : Made);
    if (m_fusions == 0) return;
    // What the last fusion joined, within its box.
    const inductor::RowRange& now = m_rows.fusions[m_fusions - 1];
    for (const std::size_t fusion : m_rows.boxesAfter(m_fusions - 1)) {
        const inductor::RowRange& range = m_rows.fusions[fusion - 1];
        if (range.first >= now.first && range.last <= now.last && seen(fusion))
            paintBox(painter, fusion, Part);
    }
}

void ScheduleCards::paintBox(QPainter& painter, std::size_t fusion, int look) const {
    const Colours& c = m_theme.colours();
    const QRectF box = QRectF(boxRect(fusion)).adjusted(0.5, 0.5, -0.5, -0.5);
    const double inset = look == Part ? 2.5 : 0;
    const QColor line = look == Now     ? c.accent
                        : look == Part  ? c.accentText()
                        : look == Later ? c.text3
                                        : c.text2;
    painter.setPen(QPen(line, look == Now ? 2 : 1, look == Later ? Qt::DashLine : Qt::SolidLine));
    painter.setBrush(look == Now ? QBrush(c.accentBg) : Qt::NoBrush);
    painter.drawRoundedRect(box.adjusted(inset, inset, -inset, -inset), 4, 4);
    painter.setBrush(Qt::NoBrush);
    // Its number, where the eye finds it without covering a card.
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    const QString number = QString::number(fusion);
    const double wide = painter.fontMetrics().horizontalAdvance(number) + m_theme.scaled(8);
    const double high = m_theme.scaled(15);
    const double centre = look == Part ? box.top() + high : box.center().y();
    const QRectF badge(box.left() - wide - (look == Part ? -wide / 2 : 2), centre - high / 2, wide, high);
    painter.setPen(QPen(line, 1, look == Later ? Qt::DashLine : Qt::SolidLine));
    painter.setBrush(look == Now ? c.accent : c.bg0);
    painter.drawRoundedRect(badge, high / 2, high / 2);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(look == Now ? c.bg0 : line);
    painter.drawText(badge, Qt::AlignCenter, number);
}

void ScheduleCards::paintCard(QPainter& painter, std::size_t row, const Columns& at) const {
    const Colours& c = m_theme.colours();
    const SchedulerNode& node = *m_rows.operations[row];
    const QRect card = cardRect(row);
    const bool picked = isChosen(row);
    const bool between = std::ranges::binary_search(m_between, row);
    painter.setPen(QPen(picked || between ? c.accent : c.line2, picked ? 2 : 1));
    painter.setBrush(picked ? c.row : c.bg1);
    painter.drawRoundedRect(QRectF(card).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter.setBrush(Qt::NoBrush);
    const QRect bar(card.left() + 2, card.top() + 3, m_theme.scaled(4), card.height() - 6);
    const QColor kind = kindColour(node, c);
    if (hasLoops(node)) {
        painter.fillRect(bar, kind);
    } else { // no code is generated: an outline
        painter.setPen(kind);
        painter.drawRect(QRectF(bar).adjusted(0.5, 0.5, -0.5, -0.5));
    }
    const auto text = [&](int left, int right, const QString& shown, FontRole role, const QColor& colour,
                          Qt::Alignment align = Qt::AlignLeft) {
        const int gap = m_theme.scaled(6);
        if (right - left <= gap) return;
        const QFont font = m_theme.font(role);
        painter.setFont(font);
        painter.setPen(colour);
        const QRect box(left, card.top(), right - left - gap, card.height());
        painter.drawText(box, align | Qt::AlignVCenter | Qt::TextSingleLine,
                         elided(QFontMetricsF(font), shown, Qt::ElideMiddle, box.width()));
    };
    text(0, card.left() - m_theme.scaled(26), QString::number(row), FontRole::CodeSmall, c.text3,
         Qt::AlignRight);
    text(at.name, at.kind, toQString(node.name), FontRole::Code, c.text);
    text(at.kind, at.origin, operationKind(node), FontRole::Text, c.text2);
    text(at.origin, at.sizes, firstOrigin(node), FontRole::CodeSmall, c.text2);
    text(at.sizes, at.reads, toQString(node.sizes), FontRole::CodeSmall, c.text3, Qt::AlignRight);
    paintReads(painter, node, {at.reads, card.top(), at.out - at.reads, card.height()});
    text(at.out, at.bytes,
         QStringLiteral("→ ") + (node.mutates.empty() ? written(node) : toQString(node.mutates.front())),
         FontRole::CodeSmall, node.mutates.empty() ? c.text : kind);
    const auto bytes = bytesWritten(node);
    text(at.bytes, at.right, bytes ? bytesText(*bytes) : QString(), FontRole::CodeSmall, c.text3,
         Qt::AlignRight);
}

/// Buffers of other operations as chips, inputs counted.
void ScheduleCards::paintReads(QPainter& painter, const SchedulerNode& node, QRect area) const {
    const Colours& c = m_theme.colours();
    const QFont font = m_theme.font(FontRole::CodeSmall);
    const QFontMetrics metrics(font);
    painter.setFont(font);
    std::vector<std::string_view> buffers, inputs;
    for (const inductor::Access& read : node.reads) {
        auto& list = m_rows.writerOf.contains(read.buffer) ? buffers : inputs;
        if (list.size() < mostBuffers && std::ranges::find(list, read.buffer) == list.end())
            list.push_back(read.buffer);
    }
    int x = area.left();
    const int pad = m_theme.scaled(3), gap = m_theme.scaled(4);
    const int ends = area.right() - m_theme.scaled(4);
    std::size_t shown = 0;
    for (const std::string_view buffer : buffers) {
        const QString name = toQString(std::string(buffer));
        const int wide = metrics.horizontalAdvance(name) + 2 * pad;
        const bool isLast = shown + 1 == buffers.size() && inputs.empty();
        if (x + wide > ends - (isLast ? 0 : m_theme.scaled(26))) break;
        painter.setPen(Qt::NoPen);
        painter.setBrush(c.bg3);
        painter.drawRoundedRect(QRectF(x, area.top() + 3, wide, area.height() - 6), 3, 3);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(c.text);
        painter.drawText(QRect(x, area.top(), wide, area.height()), Qt::AlignCenter, name);
        x += wide + gap;
        ++shown;
    }
    const std::size_t others = buffers.size() - shown + inputs.size();
    if (others == 0) return;
    const bool inputsAlone = shown == buffers.size();
    QString more = inputsAlone ? countText(others, tr("input"), tr("inputs")) : numberText(others);
    if (shown > 0 || !inputsAlone) more = QStringLiteral("+ ") + more;
    if (metrics.horizontalAdvance(more) > ends - x) more = QStringLiteral("+ ") + numberText(others);
    painter.setPen(c.text3);
    painter.drawText(QRect(x, area.top(), std::max(0, ends - x), area.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, more);
}

void ScheduleCards::paintArc(QPainter& painter, std::size_t from, std::size_t to, bool arrow) const {
    const QRect a = cardRect(from), b = cardRect(to);
    const double right = a.right() + m_theme.scaled(8);
    const double y1 = a.center().y() + 3, y2 = b.center().y() - 3;
    const double most = arcWidth() - m_theme.scaled(24);
    const double bulge =
        std::min(most, m_theme.scaled(12) + std::sqrt(std::abs(y2 - y1)) * m_theme.scaled(4));
    QPainterPath path(QPointF(right, y1));
    path.cubicTo(QPointF(right + bulge * 1.3, y1), QPointF(right + bulge * 1.3, y2), QPointF(right + 3, y2));
    painter.drawPath(path);
    if (!arrow) return;
    QPainterPath head(QPointF(right - 1, y2));
    head.lineTo(right + 5, y2 - 3);
    head.lineTo(right + 5, y2 + 3);
    head.closeSubpath();
    painter.fillPath(head, painter.pen().color());
}

void ScheduleCards::paintArcs(QPainter& painter, const QRect& area) const {
    const Colours& c = m_theme.colours();
    const auto lit = [this](std::size_t row) {
        return isChosen(row) || std::ranges::binary_search(m_between, row);
    };
    painter.setBrush(Qt::NoBrush);
    const bool all = m_rows.edges.size() <= mostArcs;
    for (const bool front : {false, true})
        for (const inductor::RowEdge& edge : m_rows.edges) {
            // Of two with something between them: the way from one to the other.
            const bool bright =
                m_between.empty() ? isChosen(edge.from) || isChosen(edge.to) : lit(edge.from) && lit(edge.to);
            if (bright != front || (!all && !bright)) continue;
            const int top = cardRect(std::min(edge.from, edge.to)).top();
            const int bottom = cardRect(std::max(edge.from, edge.to)).bottom();
            if (bottom < area.top() || top > area.bottom()) continue;
            painter.setPen(QPen(bright ? c.accent : c.edge, bright ? 2 : 1));
            paintArc(painter, edge.from, edge.to, true);
        }
}

/// The line between two that are not one kernel, with the word for it.
void ScheduleCards::paintAnswer(QPainter& painter) const {
    if (m_chosen.size() != 2 || m_word.isEmpty()) return;
    const Colours& c = m_theme.colours();
    const QRect a = cardRect(m_chosen[0]), b = cardRect(m_chosen[1]);
    const double right = a.right() + m_theme.scaled(8), out = width() - m_theme.scaled(34);
    const double y1 = a.center().y(), y2 = b.center().y(), middle = (y1 + y2) / 2;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(c.removed, 1.6, Qt::DashLine));
    QPainterPath path(QPointF(right, y1));
    path.cubicTo(QPointF(out + 12, y1), QPointF(out + 12, y2), QPointF(right, y2));
    painter.drawPath(path);
    const double x = path.pointAtPercent(0.5).x(), r = m_theme.scaled(7);
    painter.setPen(QPen(c.removed, 1.6));
    painter.setBrush(c.bg0);
    painter.drawEllipse(QPointF(x, middle), r, r);
    painter.drawLine(QPointF(x - r / 2, middle - r / 2), QPointF(x + r / 2, middle + r / 2));
    painter.drawLine(QPointF(x - r / 2, middle + r / 2), QPointF(x + r / 2, middle - r / 2));
    painter.setFont(m_theme.font(FontRole::Strong));
    const QFontMetrics metrics(painter.font());
    const QString word = elided(QFontMetricsF(painter.font()), m_word, Qt::ElideRight, arcWidth());
    const double wide = metrics.horizontalAdvance(word) + 6, high = metrics.height();
    const QRectF box(std::min(x - wide / 2, width() - wide - 2.0), middle + r + 1, wide, high);
    painter.fillRect(box, c.bg0);
    painter.drawText(box, Qt::AlignCenter, word);
    painter.setBrush(Qt::NoBrush);
}

} // namespace dynascope::views
