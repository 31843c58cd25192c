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

void TimingModel::clear() {
    beginResetModel();
    m_items.clear();
    m_total = 0;
    endResetModel();
}

void TimingModel::set(const session::SpanTree& merged) {
    beginResetModel();
    m_items.assign(1, {});
    m_total = 0;
    m_items.reserve(merged.spans.size() + 1);
    for (const session::Span& span : merged.spans) {
        Item item{merged.nameOf(span), span.parent + 1, 0,         span.totalUs(),
                  span.selfUs,         span.count,      span.open, {}};
        Item& parent = m_items[std::size_t(item.parent)];
        item.row = int(parent.children.size());
        parent.children.push_back(int(m_items.size()));
        if (span.parent < 0) m_total += item.total;
        m_items.push_back(std::move(item));
    }
    endResetModel();
}

const TimingModel::Item* TimingModel::item(const QModelIndex& index) const {
    const std::size_t i = index.isValid() ? std::size_t(index.internalId()) : 0;
    return i < m_items.size() ? &m_items[i] : nullptr;
}

QModelIndex TimingModel::index(int row, int column, const QModelIndex& parent) const {
    const Item* above = parent.column() > 0 ? nullptr : item(parent);
    if (!above || row < 0 || row >= int(above->children.size()) || column < 0 || column >= ColumnCount)
        return {};
    return createIndex(row, column, quintptr(above->children[std::size_t(row)]));
}

QModelIndex TimingModel::parent(const QModelIndex& child) const {
    const Item* own = child.isValid() ? item(child) : nullptr;
    if (!own || own->parent <= 0) return {};
    return createIndex(m_items[std::size_t(own->parent)].row, 0, quintptr(own->parent));
}

int TimingModel::rowCount(const QModelIndex& parent) const {
    const Item* own = parent.column() > 0 ? nullptr : item(parent);
    return own ? int(own->children.size()) : 0;
}

int TimingModel::columnCount(const QModelIndex& /*parent*/) const {
    return ColumnCount;
}

QVariant TimingModel::data(const QModelIndex& index, int role) const {
    const Item* own = index.isValid() ? item(index) : nullptr;
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
