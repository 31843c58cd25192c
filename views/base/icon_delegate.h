// SPDX-License-Identifier: BSD-3-Clause
//
// A sign in front of the cells of one column.
#pragma once

#include "views/theme/theme.h"

#include <QIcon>
#include <QStyledItemDelegate>
#include <functional>
#include <utility>

namespace dynascope::views {

/// GUI thread only. `icon` is asked whenever a cell is painted; the theme outlives the delegate.
class IconDelegate : public QStyledItemDelegate {
public:
    using Icon = std::function<QIcon(const QModelIndex&)>;
    IconDelegate(const Theme& theme, int column, Icon icon, QObject* parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme)
        , m_column(column)
        , m_icon(std::move(icon)) {}

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        if (index.column() != m_column) return;
        option->icon = m_icon(index);
        option->features |= QStyleOptionViewItem::HasDecoration;
        option->decorationSize = QSize(m_theme.scaled(15), m_theme.scaled(15));
    }

private:
    const Theme& m_theme;
    int m_column;
    Icon m_icon;
};

} // namespace dynascope::views
