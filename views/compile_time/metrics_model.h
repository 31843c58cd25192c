// SPDX-License-Identifier: BSD-3-Clause
//
// The compile metrics as table rows: the compile names the row, what differs comes first.
#pragma once

#include "core/session/metrics.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <memory>

namespace dynascope::views {

using MetricTablePtr = std::shared_ptr<const session::MetricTable>;

/// GUI thread only. The first column is the function, the others are MetricTable::columns.
class MetricsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Role { SortRole = Qt::UserRole, CompileRole, RecordRole };

    using QAbstractTableModel::QAbstractTableModel;
    void set(session::SessionPtr session, MetricTablePtr table);
    [[nodiscard]] const session::MetricTable& table() const { return *m_table; }
    /// Whether a column is shown unless somebody says otherwise: it tells the rows apart.
    [[nodiscard]] bool tellsApart(int column) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    session::SessionPtr m_session;
    MetricTablePtr m_table = std::make_shared<const session::MetricTable>();
};

/// Rows with a shown cell that holds the text.
class MetricsFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit MetricsFilter(QObject* parent = nullptr);
    void setText(const QString& text, std::vector<bool> hiddenColumns);

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QString m_text;
    std::vector<bool> m_hidden;
};

} // namespace dynascope::views
