// SPDX-License-Identifier: BSD-3-Clause
//
// What belongs together, a row for each pair: the compiles of two captures, or compile ids on all ranks.
#pragma once

#include "views/compare/comparison_result.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

namespace dynascope::views {

/// Roles of every model of the comparison page.
enum CompareRole { CompareSortRole = Qt::UserRole, VerdictRole, IndexRole, GroupRole };

/// GUI thread only. Columns: verdict, one for each side or rank, function, first difference, seconds of A and
/// of B.
class PairsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;
    void set(ComparisonResultPtr result);
    [[nodiscard]] const ComparisonResultPtr& result() const { return m_result; }
    /// The columns of sides or ranks are 1 to sides(); then come function and difference.
    [[nodiscard]] int sides() const;
    [[nodiscard]] int functionColumn() const { return 1 + sides(); }
    [[nodiscard]] int differenceColumn() const { return 2 + sides(); }
    /// The rank that a row differs on first, or the next one to the first rank; 0 where ranks are not
    /// compared.
    [[nodiscard]] int rankOfRow(int row) const;
    /// Index into Comparison::compiles of the row, on a rank; -1 for none.
    [[nodiscard]] int pairOfRow(int row, int rank) const;
    [[nodiscard]] int rowOfPair(int rank, int pair) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] const session::Compile* compileOfRow(int row) const;
    [[nodiscard]] compare::CompareVerdict verdictOfRow(int row) const;
    [[nodiscard]] QString cell(int row, int column) const;

    ComparisonResultPtr m_result;
};

/// Words in any column, and only what differs.
class PairsFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit PairsFilter(QObject* parent = nullptr);
    void setText(const QString& text);
    void setDifferingOnly(bool on);

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QString m_text;
    bool m_differingOnly = false;
};

} // namespace dynascope::views
