// SPDX-License-Identifier: BSD-3-Clause
//
// Timing events as a tree of phases: events of one name below the same parent are one row with their count
// and sum.
#pragma once

#include "core/session/spans.h"
#include "views/base/item_tree_model.h"

#include <string>

namespace dynascope::views {

struct TimingItem : TreeItem {
    std::string name;
    double total = 0, self = 0;
    std::size_t count = 0;
    bool open = false; ///< the log ends before its end
};

/// GUI thread only. Times in microseconds.
class TimingModel : public ItemTreeModel<TimingItem> {
    Q_OBJECT
public:
    enum Column { Name, Total, Self, Count, Bar, ColumnCount };
    enum Role { SortRole = Qt::UserRole, ShareRole, SelfShareRole };

    explicit TimingModel(QObject* parent = nullptr);
    /// What session::mergedSpans made.
    void set(const session::SpanTree& merged);
    void clear();
    [[nodiscard]] double totalUs() const { return m_total; }

    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    double m_total = 0;
};

} // namespace dynascope::views
