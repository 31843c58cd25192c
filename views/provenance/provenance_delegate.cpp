// SPDX-License-Identifier: BSD-3-Clause
#include "views/provenance/provenance_delegate.h"

#include "views/provenance/provenance_model.h"
#include "views/theme/elided_name.h"
#include "views/theme/op_bar.h"
#include "views/theme/shown_text.h"

#include <QPainter>

namespace dynascope::views {

void paintEvidence(QPainter& painter, const QRectF& box, const Colours& colours, bool recorded) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    if (recorded) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(colours.text2);
    } else {
        QPen pen(colours.text3, 1.2);
        pen.setDashPattern({2, 1.4});
        painter.setPen(pen);
        painter.setBrush(Qt::NoBrush);
    }
    painter.drawEllipse(box);
    painter.restore();
}

ProvenanceDelegate::ProvenanceDelegate(Theme& theme, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_theme(theme) {}

QSize ProvenanceDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
    return {m_theme.scaled(120), m_theme.scaled(24)};
}

void ProvenanceDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                               const QModelIndex& index) const {
    const Colours& c = m_theme.colours();
    painter->save();
    const auto finish = [painter] { painter->restore(); };
    QRect rest = option.rect.adjusted(m_theme.scaled(8), 0, -m_theme.scaled(6), 0);
    const auto draw = [&](const QString& text, FontRole role, const QColor& colour,
                          Qt::TextElideMode elide = Qt::ElideRight) {
        if (text.isEmpty() || rest.width() < m_theme.scaled(12)) return;
        painter->setFont(m_theme.font(role));
        painter->setPen(colour);
        const QString shown = elide == Qt::ElideRight
                                  ? elidedName(painter->fontMetrics(), text, rest.width())
                                  : elided(painter->fontMetrics(), text, elide, rest.width());
        painter->drawText(rest, Qt::AlignLeft | Qt::AlignVCenter, shown);
        rest.setLeft(rest.left() + painter->fontMetrics().horizontalAdvance(shown) + m_theme.scaled(8));
    };
    const QString text = index.data().toString();
    if (index.data(ProvenanceModel::BandRole).toBool()) {
        painter->fillRect(option.rect, c.bg2);
        draw(text, FontRole::Strong, c.text);
        return finish();
    }
    const QVariant kindData = index.data(ProvenanceModel::KindRole);
    if (!kindData.isValid()) return finish();
    const auto kind = ProvenanceItem::Kind(kindData.toInt());
    if (kind == ProvenanceItem::Kind::Heading || kind == ProvenanceItem::Kind::Note) {
        draw(text, kind == ProvenanceItem::Kind::Heading ? FontRole::Section : FontRole::Text,
             kind == ProvenanceItem::Kind::Heading ? c.text2 : c.text3);
        return finish();
    }
    const bool asked = index.data(ProvenanceModel::AskedRole).toBool();
    const QRect card = option.rect.adjusted(m_theme.scaled(2), 1, -m_theme.scaled(2), -1);
    if (asked)
        painter->fillRect(card, c.accentBg);
    else if (option.state & QStyle::State_MouseOver)
        painter->fillRect(card, c.bg3);
    if (asked || option.state & QStyle::State_HasFocus) {
        painter->setPen(c.accent);
        painter->drawRect(card.adjusted(0, 0, -1, -1));
    }
    const double disc = m_theme.scaled(7);
    const QRectF sign(rest.left(), option.rect.center().y() - disc / 2 + 0.5, disc, disc);
    if (!asked) paintEvidence(*painter, sign, c, index.data(ProvenanceModel::RecordedRole).toBool());
    rest.setLeft(rest.left() + int(disc) + m_theme.scaled(6));
    if (const QVariant opKind = index.data(ProvenanceModel::OpKindRole); opKind.isValid()) {
        const QRect bar(rest.left(), rest.top() + m_theme.scaled(6), m_theme.scaled(3),
                        rest.height() - m_theme.scaled(12));
        paintOpBar(*painter, bar, c, ir::OpKind(opKind.toInt()));
        rest.setLeft(bar.right() + m_theme.scaled(6));
    }
    // The number at a name's end tells it from others.
    draw(text, FontRole::Code, asked ? c.accentText() : c.text, Qt::ElideMiddle);
    draw(index.data(ProvenanceModel::DetailRole).toString(), FontRole::CodeSmall, c.text3);
    finish();
}

} // namespace dynascope::views
