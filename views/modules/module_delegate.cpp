// SPDX-License-Identifier: BSD-3-Clause
#include "views/modules/module_delegate.h"

#include "views/modules/module_model.h"
#include "views/theme/elided_name.h"
#include "views/theme/op_bar.h"
#include "views/theme/shown_text.h"
#include "views/workspace/labels.h"

#include <QLocale>
#include <QPainter>

namespace dynascope::views {

ModuleDelegate::ModuleDelegate(Theme& theme, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_theme(theme) {}

QSize ModuleDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
    return {120, m_theme.scaled(22)};
}

void ModuleDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                           const QModelIndex& index) const {
    const Colours& c = m_theme.colours();
    painter->save();
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    const QVariant heat = index.data(ModuleModel::HeatRole);
    const bool hot = heat.isValid() && !selected; // where nothing less than the text's own colour reads
    const QColor quiet = hot ? c.text : c.hint(selected), detail = hot ? c.text : c.text2;
    if (selected)
        painter->fillRect(option.rect, c.row);
    else if (option.state & QStyle::State_MouseOver)
        painter->fillRect(option.rect, c.bg2);
    else if (heat.isValid())
        painter->fillRect(option.rect, c.heat(heat.toDouble()));

    QRect rest = option.rect.adjusted(m_theme.scaled(4), 0, -m_theme.scaled(8), 0);
    const QVariant opKind = index.data(ModuleModel::OpKindRole);
    if (opKind.isValid()) {
        const QRect bar(rest.left(), rest.top() + m_theme.scaled(5), m_theme.scaled(3),
                        rest.height() - m_theme.scaled(10));
        paintOpBar(*painter, bar, c, ir::OpKind(opKind.toInt()));
        rest.setLeft(bar.right() + m_theme.scaled(6));
    }

    const QVariant count = index.data(ModuleModel::CountRole), time = index.data(ModuleModel::TimeRole);
    if (time.isValid() || count.isValid()) {
        const QString text =
            time.isValid() ? durationText(time.toDouble()) : QLocale().toString(count.toULongLong());
        painter->setFont(m_theme.font(FontRole::CodeSmall));
        painter->setPen(time.isValid() ? c.text : quiet);
        painter->drawText(rest, Qt::AlignRight | Qt::AlignVCenter, text);
        rest.setRight(rest.right() - painter->fontMetrics().horizontalAdvance(text) - m_theme.scaled(8));
    }

    const bool isNode = opKind.isValid();
    const auto draw = [&](const QString& text, FontRole role, const QColor& colour) {
        if (text.isEmpty() || rest.width() < m_theme.scaled(8)) return;
        painter->setFont(m_theme.font(role));
        painter->setPen(colour);
        const QString shown = elidedName(painter->fontMetrics(), text, rest.width());
        painter->drawText(rest, Qt::AlignLeft | Qt::AlignVCenter, shown);
        rest.setLeft(rest.left() + painter->fontMetrics().horizontalAdvance(shown) + m_theme.scaled(6));
    };
    draw(index.data(Qt::DisplayRole).toString(), isNode ? FontRole::CodeSmall : FontRole::Text, c.text);
    draw(index.data(ModuleModel::DetailRole).toString(), isNode ? FontRole::CodeSmall : FontRole::Text,
         isNode ? quiet : detail);
    painter->restore();
}

} // namespace dynascope::views
