// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/tree_model.h"

namespace dynascope::views {

TreeModel::TreeModel(int columns, QObject* parent)
    : QAbstractItemModel(parent)
    , m_columns(columns) {}

TreeModel::RowId TreeModel::idOf(const QModelIndex& index) {
    return index.isValid() ? index.internalId() : topId;
}

QModelIndex TreeModel::indexOfId(RowId id) const {
    return id == topId ? QModelIndex() : createIndex(positionOf(id), 0, id);
}

QModelIndex TreeModel::index(int row, int column, const QModelIndex& parent) const {
    if (row < 0 || column < 0 || column >= m_columns || row >= rowCount(parent)) return {};
    return createIndex(row, column, childAt(idOf(parent), row));
}

QModelIndex TreeModel::parent(const QModelIndex& child) const {
    return child.isValid() ? indexOfId(parentOf(child.internalId())) : QModelIndex();
}

int TreeModel::rowCount(const QModelIndex& parent) const {
    return parent.column() > 0 ? 0 : childCount(idOf(parent));
}

int TreeModel::columnCount(const QModelIndex& /*parent*/) const {
    return m_columns;
}

} // namespace dynascope::views
