// SPDX-License-Identifier: BSD-3-Clause
//
// Timing events as a tree of phases: events of one name below the same parent are one row with their count
// and sum.
#pragma once

#include "core/session/spans.h"

#include <QAbstractItemModel>
#include <string>
#include <vector>

namespace dynascope::views {

/// GUI thread only. Times in microseconds.
class TimingModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { Name, Total, Self, Count, Bar, ColumnCount };
    enum Role { SortRole = Qt::UserRole, ShareRole, SelfShareRole };

    using QAbstractItemModel::QAbstractItemModel;
    /// What session::mergedSpans made.
    void set(const session::SpanTree& merged);
    void clear();
    [[nodiscard]] double totalUs() const { return m_total; }

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Item {
        std::string name;
        int parent = 0, row = 0;
        double total = 0, self = 0;
        std::size_t count = 0;
        bool open = false; ///< the log ends before its end
        std::vector<int> children;
    };
    [[nodiscard]] const Item* item(const QModelIndex& index) const;

    std::vector<Item> m_items; ///< the first is the invisible root
    double m_total = 0;
};

} // namespace dynascope::views
