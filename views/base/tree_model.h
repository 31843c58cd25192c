// SPDX-License-Identifier: BSD-3-Clause
//
// What models of trees share: Qt's indexes, made of what a model says of the rows below a row.
#pragma once

#include <QAbstractItemModel>

namespace dynascope::views {

/// GUI thread only. Every row has the same columns; those of the first have rows below them.
class TreeModel : public QAbstractItemModel {
public:
    TreeModel(int columns, QObject* parent);

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const final;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const final;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const final;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const final;

protected:
    /// Stands for a row, as the internal id of its indexes. Rows without any below them may share one.
    using RowId = quintptr;
    static constexpr RowId topId = 0; ///< what the rows without a parent stand below

    [[nodiscard]] static RowId idOf(const QModelIndex& index); ///< topId where it is invalid
    [[nodiscard]] QModelIndex indexOfId(RowId id) const;       ///< of the first column; invalid for topId

    [[nodiscard]] virtual int childCount(RowId id) const = 0;
    [[nodiscard]] virtual RowId childAt(RowId id, int row) const = 0; ///< `row` is below childCount()
    [[nodiscard]] virtual RowId parentOf(RowId id) const = 0;         ///< never asked of topId
    /// Which of its parent's children it is. Asked only of those that have children, and by indexOfId().
    [[nodiscard]] virtual int positionOf(RowId id) const = 0;

private:
    int m_columns;
};

} // namespace dynascope::views
