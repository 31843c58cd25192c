// SPDX-License-Identifier: BSD-3-Clause
#include "views/capture/capture_delegate.h"

#include "views/capture/capture_model.h"
#include "views/theme/shown_text.h"

#include <QPainter>

namespace dynascope::views {

namespace {

diff::Change changeOf(const QString& tone) {
    if (tone == QLatin1String("added")) return diff::Change::Added;
    if (tone == QLatin1String("removed")) return diff::Change::Removed;
    if (tone == QLatin1String("changed")) return diff::Change::Changed;
    return diff::Change::Same;
}

} // namespace

CaptureDelegate::CaptureDelegate(Theme& theme, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_theme(theme) {}

QSize CaptureDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
    return {120, m_theme.scaled(22)};
}

void CaptureDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
    const Colours& c = m_theme.colours();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const bool selected = option.state & QStyle::State_Selected;
    if (selected)
        painter->fillRect(option.rect, c.row);
    else if (option.state & QStyle::State_MouseOver)
        painter->fillRect(option.rect, c.bg2);

    QRect rest = option.rect.adjusted(m_theme.scaled(2), 0, -m_theme.scaled(8), 0);
    const QString tone = index.data(CaptureModel::ToneRole).toString();
    const DiffColours toneColours = c.diff(changeOf(tone));
    const auto kind = CaptureModel::Kind(index.data(CaptureModel::KindRole).toInt());

    const int side = m_theme.scaled(15);
    const QRect iconRect(rest.left(), rest.center().y() - side / 2 + 1, side, side);
    const QColor iconColour = !tone.isEmpty()                       ? toneColours.line
                              : kind == CaptureModel::Kind::Capture ? c.op(ir::OpKind::Parameter)
                                                                    : c.text2;
    m_theme.icon(index.data(CaptureModel::IconRole).toString(), iconColour).paint(painter, iconRect);
    rest.setLeft(iconRect.right() + m_theme.scaled(7));

    const QFont plain = m_theme.font(FontRole::Text), strong = m_theme.font(FontRole::Strong);
    // The figure at the right goes first: it is never cut.
    const QString right = index.data(CaptureModel::RightRole).toString();
    if (!right.isEmpty()) {
        QFont small = plain;
        small.setPixelSize(m_theme.scaled(11));
        painter->setFont(small);
        painter->setPen(c.hint(selected));
        painter->drawText(rest, Qt::AlignRight | Qt::AlignVCenter, right);
        rest.setRight(rest.right() - QFontMetrics(small).horizontalAdvance(right) - m_theme.scaled(8));
    }
    const auto draw = [&](const QString& text, const QFont& font, const QColor& colour) {
        if (text.isEmpty() || rest.width() < m_theme.scaled(8)) return;
        const QFontMetrics metrics(font);
        const QString shown = elided(metrics, text, Qt::ElideRight, rest.width());
        painter->setFont(font);
        painter->setPen(colour);
        painter->drawText(rest, Qt::AlignLeft | Qt::AlignVCenter, shown);
        rest.setLeft(rest.left() + metrics.horizontalAdvance(shown) + m_theme.scaled(5));
    };
    const bool quiet = kind == CaptureModel::Kind::Artifacts || kind == CaptureModel::Kind::ArtifactType ||
                       kind == CaptureModel::Kind::Rank || kind == CaptureModel::Kind::Run;
    draw(index.data(CaptureModel::StrongRole).toString(),
         quiet || kind == CaptureModel::Kind::Frame ? plain : strong, quiet ? c.text2 : c.text);

    const auto drawChip = [&](const QString& chip, const QColor& fill, const QColor& ink) {
        if (chip.isEmpty()) return;
        QFont font = strong;
        font.setPixelSize(m_theme.scaled(10));
        const QFontMetrics metrics(font);
        const int width = metrics.horizontalAdvance(chip) + m_theme.scaled(10), height = m_theme.scaled(16);
        if (width <= rest.width()) {
            const QRectF box(rest.left(), rest.center().y() - height / 2.0 + 0.5, width, height);
            painter->setPen(Qt::NoPen);
            painter->setBrush(fill);
            painter->drawRoundedRect(box, 3, 3);
            painter->setFont(font);
            painter->setPen(ink);
            painter->drawText(box, Qt::AlignCenter, chip);
            rest.setLeft(rest.left() + width + m_theme.scaled(6));
        }
    };
    drawChip(index.data(CaptureModel::ChipRole).toString(), tone.isEmpty() ? c.bg3 : toneColours.fill,
             tone.isEmpty() ? c.text2 : toneColours.line);
    const DiffColours broken = c.diff(diff::Change::Removed);
    drawChip(index.data(CaptureModel::BreakChipRole).toString(), broken.fill, broken.line);
    const QString detail = index.data(CaptureModel::DetailRole).toString();
    draw(detail, plain,
         kind == CaptureModel::Kind::Facet || kind == CaptureModel::Kind::Breaks ||
                 kind == CaptureModel::Kind::Recompiles
             ? c.text
             : c.text2);
    painter->restore();
}

} // namespace dynascope::views
