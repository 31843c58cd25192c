// SPDX-License-Identifier: BSD-3-Clause
#include "views/compare/compare_delegate.h"

#include "views/compare/pairs_model.h"

#include <QPainter>
#include <algorithm>

namespace dynascope::views {

namespace {

diff::Change changeOf(compare::CompareVerdict verdict) {
    switch (verdict) {
    case compare::CompareVerdict::OnlyInA:
        return diff::Change::Removed;
    case compare::CompareVerdict::OnlyInB:
        return diff::Change::Added;
    case compare::CompareVerdict::Differs:
    case compare::CompareVerdict::Unreadable:
        return diff::Change::Changed;
    case compare::CompareVerdict::Same:
        break;
    }
    return diff::Change::Same;
}

} // namespace

CompareDelegate::CompareDelegate(Theme& theme, int firstMono, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_theme(theme)
    , m_firstMono(firstMono) {}

void CompareDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
    if (index.column() > 0) return QStyledItemDelegate::paint(painter, option, index);
    const QString text = index.data().toString();
    const Colours& c = m_theme.colours();
    const diff::Change change = changeOf(compare::CompareVerdict(index.data(VerdictRole).toInt()));
    const DiffColours tone = c.diff(change);
    const QRect area = option.rect.adjusted(8, 0, -4, 0);
    painter->save();
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    painter->fillRect(option.rect, selected ? c.row : c.bg1);
    painter->setFont(m_theme.font(FontRole::Section));
    const QString words = QString(QChar(char16_t(diff::changeSign(change)))) + QStringLiteral("  ") + text;
    if (change == diff::Change::Same) {
        painter->setPen(c.hint(selected));
        painter->drawText(area.adjusted(6, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, words);
    } else {
        const int width = std::min(painter->fontMetrics().horizontalAdvance(words) + 12, area.width());
        const int height = m_theme.scaled(17);
        const QRect chip(area.left(), area.center().y() - height / 2, width, height);
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(tone.fill);
        painter->drawRoundedRect(chip, 3, 3);
        painter->setPen(tone.line);
        painter->drawText(chip.adjusted(6, 0, -2, 0), Qt::AlignLeft | Qt::AlignVCenter, words);
    }
    painter->restore();
}

void CompareDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    const Colours& c = m_theme.colours();
    if (index.column() >= m_firstMono) option->font = m_theme.font(FontRole::CodeSmall);
    const bool same = index.data(VerdictRole).toInt() == int(compare::CompareVerdict::Same);
    QColor colour = same ? c.text2 : c.text;
    if (index.data(GroupRole).toInt() > 0) colour = c.changed; // not as the first rank
    option->palette.setColor(QPalette::Text, colour);
    option->palette.setColor(QPalette::HighlightedText, colour);
}

} // namespace dynascope::views
