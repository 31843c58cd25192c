// SPDX-License-Identifier: BSD-3-Clause
#include "views/compile_time/slowest_model.h"

#include "views/workspace/labels.h"

#include <algorithm>
#include <array>

namespace dynascope::views {

void SlowestModel::set(const session::SpanTree& tree, std::vector<session::KernelTime> kernels) {
    beginResetModel();
    m_rows.clear();
    m_kernels = std::move(kernels);
    m_most = 0;
    for (const session::SpanTotal& sum : session::spanTotals(tree)) {
        const QString name = toQString(tree.names[sum.name]);
        Row row{Phase,     name,         toQString(session::compilerPartName(sum.part)),
                name,      sum.selfUs,   sum.totalUs,
                sum.count, int(sum.name)};
        if (name.startsWith(QLatin1String("pass."))) {
            row.what = Pass;
            row.name = name.mid(5);
        }
        m_rows.push_back(std::move(row));
    }
    for (std::size_t i = 0; i < m_kernels.size(); ++i) {
        const session::KernelTime& kernel = m_kernels[i];
        const QString name = toQString(kernel.kernel);
        QStringList nodes;
        for (const std::string& node : kernel.nodes)
            nodes << toQString(node);
        const QString list = nodes.join(QStringLiteral(", "));
        m_rows.push_back({Kernel, name, list.isEmpty() ? tr("kernel") : list,
                          list.isEmpty() ? name : name + u'\n' + tr("computes %1").arg(list), kernel.us,
                          kernel.us, 1, int(i)});
    }
    for (const Row& row : m_rows)
        m_most = std::max(m_most, row.self);
    endResetModel();
}

int SlowestModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

int SlowestModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant SlowestModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Row& row = m_rows[std::size_t(index.row())];
    switch (role) {
    case ShareRole:
        return m_most > 0 ? row.self / m_most : 0.0;
    case KindRole:
        return int(row.what);
    case SpanNameRole:
        return row.what == Kernel ? -1 : row.key;
    case KernelRole:
        return row.what == Kernel ? row.key : -1;
    case Qt::TextAlignmentRole:
        return int((index.column() == Name || index.column() == Kind ? Qt::AlignLeft : Qt::AlignRight) |
                   Qt::AlignVCenter);
    case Qt::ToolTipRole:
        return row.tip;
    case Qt::DisplayRole:
    case SortRole:
        break;
    default:
        return {};
    }
    const bool sort = role == SortRole;
    switch (index.column()) {
    case Name:
        return row.name;
    case Self:
        return sort ? QVariant(row.self) : QVariant(durationText(row.self));
    case Total:
        return sort ? QVariant(row.total) : QVariant(durationText(row.total));
    case Count:
        return qulonglong(row.count);
    case Kind:
        return row.kind;
    default:
        return {};
    }
}

QVariant SlowestModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Name || section == Kind ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == Self) return tr("Time that no event inside it accounts for");
    if (role == Qt::ToolTipRole && section == Kind)
        return tr("The part of the compiler; of a kernel the nodes that it computes");
    if (role != Qt::DisplayRole) return {};
    const std::array<QString, ColumnCount> names{tr("Slowest"), tr("Self"), tr("Total"), tr("Count"),
                                                 tr("Part")};
    return names[std::size_t(section)];
}

SlowestFilter::SlowestFilter(QObject* parent)
    : QSortFilterProxyModel(parent) {
    setSortRole(SlowestModel::SortRole);
}

void SlowestFilter::setText(const QString& text) {
    m_text = text;
    invalidateFilter();
}

void SlowestFilter::setKind(int kind) {
    m_kind = kind;
    invalidateFilter();
}

bool SlowestFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    const QModelIndex name = sourceModel()->index(row, SlowestModel::Name, parent);
    if (m_kind >= 0 && name.data(SlowestModel::KindRole).toInt() != m_kind) return false;
    return m_text.isEmpty() || name.data(Qt::ToolTipRole).toString().contains(m_text, Qt::CaseInsensitive);
}

} // namespace dynascope::views
