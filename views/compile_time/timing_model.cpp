// SPDX-License-Identifier: BSD-3-Clause
#include "views/compile_time/timing_model.h"

#include "views/workspace/labels.h"

#include <array>

namespace dynascope::views {

namespace {
QString milliseconds(double us) {
    return QString::number(us / 1000, 'f', us < 10'000 ? 2 : 1);
}
} // namespace

TimingModel::TimingModel(QObject* parent)
    : ItemTreeModel(ColumnCount, parent) {}

void TimingModel::clear() {
    beginResetModel();
    clearItems();
    m_total = 0;
    endResetModel();
}

void TimingModel::set(const session::SpanTree& merged) {
    beginResetModel();
    clearItems();
    m_total = 0;
    m_items.reserve(merged.spans.size() + 1);
    for (const session::Span& span : merged.spans) {
        TimingItem item;
        item.parent = span.parent + 1; // the first item is none of the spans
        item.name = merged.nameOf(span);
        item.total = span.totalUs();
        item.self = span.selfUs;
        item.count = span.count;
        item.open = span.open;
        if (span.parent < 0) m_total += item.total;
        addItem(std::move(item));
    }
    endResetModel();
}

QVariant TimingModel::data(const QModelIndex& index, int role) const {
    const TimingItem* own = itemAt(index);
    if (!own) return {};
    if (role == ShareRole) return m_total > 0 ? own->total / m_total : 0.0;
    if (role == SelfShareRole) return m_total > 0 ? own->self / m_total : 0.0;
    if (role == Qt::TextAlignmentRole && index.column() != Name)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole) {
        QString text =
            toQString(own->name) + u'\n' +
            tr("%1 ms in all, %2 ms of its own").arg(milliseconds(own->total), milliseconds(own->self));
        if (own->open) text += u'\n' + tr("The log ends before this event does.");
        return text;
    }
    if (role != Qt::DisplayRole && role != SortRole) return {};
    const bool sort = role == SortRole;
    switch (index.column()) {
    case Name:
        return toQString(own->name);
    case Bar:
        return sort ? QVariant(own->total) : QVariant();
    case Total:
        return sort ? QVariant(own->total) : QVariant(milliseconds(own->total));
    case Self:
        return sort ? QVariant(own->self) : QVariant(milliseconds(own->self));
    case Count:
        return qulonglong(own->count);
    default:
        return {};
    }
}

QVariant TimingModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Name || section == Bar ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == Self) return tr("Time that no event inside it accounts for");
    if (role != Qt::DisplayRole) return {};
    const std::array<QString, ColumnCount> names{tr("Phase"), tr("Total, ms"), tr("Self, ms"), tr("Count"),
                                                 tr("Share of all")};
    return names[std::size_t(section)];
}

} // namespace dynascope::views
