// SPDX-License-Identifier: BSD-3-Clause
//
// What took longest: phases and passes by their own time, and kernels where the trace timed them one by one.
#pragma once

#include "core/session/metrics.h"
#include "core/session/spans.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <vector>

namespace dynascope::views {

/// GUI thread only. Times in microseconds.
class SlowestModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Self, Total, Count, Kind, ColumnCount };
    enum Role { SortRole = Qt::UserRole, ShareRole, KindRole, SpanNameRole, KernelRole };
    enum What { Phase, Pass, Kernel };

    using QAbstractTableModel::QAbstractTableModel;
    void set(const session::SpanTree& tree, std::vector<session::KernelTime> kernels);
    [[nodiscard]] const std::vector<session::KernelTime>& kernels() const { return m_kernels; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        What what = Phase;
        QString name, kind, tip;
        double self = 0, total = 0;
        std::size_t count = 0;
        int key = 0; ///< into SpanTree::names, or of a kernel into m_kernels
    };
    std::vector<Row> m_rows;
    std::vector<session::KernelTime> m_kernels;
    double m_most = 0;
};

/// One kind, or all, and only what holds a text.
class SlowestFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit SlowestFilter(QObject* parent = nullptr);
    void setText(const QString& text);
    void setKind(int kind); ///< SlowestModel::What, or -1 for all

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QString m_text;
    int m_kind = -1;
};

} // namespace dynascope::views
