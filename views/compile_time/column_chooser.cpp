// SPDX-License-Identifier: BSD-3-Clause
#include "views/compile_time/column_chooser.h"

#include "views/base/nothing_matches.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>

namespace dynascope::views {

namespace {
constexpr int columnRole = Qt::UserRole + 1;
}

ColumnChooser::ColumnChooser(Theme& theme, QTableView& table, std::function<bool(int)> isDefault,
                             QWidget* parent)
    : QFrame(parent, Qt::Popup)
    , m_table(table)
    , m_isDefault(std::move(isDefault))
    , m_filter(new QLineEdit)
    , m_list(new QListView)
    , m_names(new QStandardItemModel(this)) {
    m_filter->setObjectName(QStringLiteral("columns.filter"));
    m_list->setObjectName(QStringLiteral("columns.list"));
    setProperty("box", "field");
    setAccessibleName(tr("Columns"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(6);
    m_filter->setPlaceholderText(tr("Find a column"));
    m_filter->setAccessibleName(m_filter->placeholderText());
    m_filter->setClearButtonEnabled(true);
    auto* proxy = new QSortFilterProxyModel(this);
    proxy->setSourceModel(m_names);
    proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    connect(m_filter, &QLineEdit::textChanged, proxy, &QSortFilterProxyModel::setFilterFixedString);
    m_list->setModel(proxy);
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setUniformItemSizes(true);
    m_list->setAccessibleName(tr("Columns"));
    new NothingMatches(theme, *m_list, *m_filter, tr("No column has %1 in its name."));
    auto* row = new QHBoxLayout;
    row->setSpacing(6);
    const auto button = [&](const QString& text, const QString& tip, auto action) {
        auto* made = new QPushButton(text);
        made->setToolTip(tip);
        connect(made, &QPushButton::clicked, this, action);
        row->addWidget(made);
    };
    button(tr("All"), tr("Show every column"), [this] { showAll(true); });
    button(tr("None"), tr("Hide every column that can be hidden"), [this] { showAll(false); });
    button(tr("Reset"), tr("Show the columns that tell the rows apart"), [this] { reset(); });
    row->addStretch(1);
    column->addWidget(m_filter);
    column->addWidget(m_list, 1);
    column->addLayout(row);
    connect(m_names, &QStandardItemModel::itemChanged, this, [this](QStandardItem* item) {
        if (m_filling) return;
        m_table.setColumnHidden(item->data(columnRole).toInt(), item->checkState() != Qt::Checked);
        emit columnsChanged();
    });
}

void ColumnChooser::refill() {
    m_filling = true;
    m_names->clear();
    const QAbstractItemModel* model = m_table.model();
    for (int i = 1; i < model->columnCount(); ++i) {
        auto* item = new QStandardItem(model->headerData(i, Qt::Horizontal).toString());
        item->setCheckable(true);
        item->setCheckState(m_table.isColumnHidden(i) ? Qt::Unchecked : Qt::Checked);
        item->setToolTip(model->headerData(i, Qt::Horizontal, Qt::ToolTipRole).toString());
        item->setData(i, columnRole);
        m_names->appendRow(item);
    }
    m_filling = false;
}

void ColumnChooser::reset() {
    for (int i = 1; i < m_table.model()->columnCount(); ++i)
        m_table.setColumnHidden(i, !m_isDefault(i));
    refill();
    emit columnsChanged();
}

void ColumnChooser::showAll(bool shown) {
    for (int i = 1; i < m_table.model()->columnCount(); ++i)
        m_table.setColumnHidden(i, !shown);
    refill();
    emit columnsChanged();
}

void ColumnChooser::openBelow(QWidget* button) {
    refill();
    resize(qMax(320, sizeHint().width()), 360);
    // Where there is no room below, the platform moves a popup up.
    QPoint at = button->mapToGlobal(QPoint(0, button->height() + 2));
    if (const QWidget* window = button->window();
        at.y() + height() > window->mapToGlobal(window->rect().bottomLeft()).y())
        at.setY(button->mapToGlobal(QPoint(0, 0)).y() - height() - 2);
    move(at);
    show();
    m_filter->setFocus(Qt::PopupFocusReason);
}

} // namespace dynascope::views
