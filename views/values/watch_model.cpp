// SPDX-License-Identifier: BSD-3-Clause
#include "views/values/watch_model.h"

#include "views/values/tensor_facts.h"
#include "views/values/value_text.h"

namespace dynascope::views {

void WatchModel::toggle(const QString& node) {
    beginResetModel();
    if (!m_nodes.removeOne(node)) m_nodes << node;
    endResetModel();
}

void WatchModel::setRun(const StageRun* run) {
    beginResetModel();
    m_values.clear();
    if (run)
        for (const QString& node : m_nodes)
            if (const auto at = run->values.find(node.toStdString()); at != run->values.end())
                m_values.insert(*at);
    endResetModel();
}

int WatchModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_nodes.size());
}
int WatchModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : 3;
}

QVariant WatchModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= m_nodes.size() ||
        (role != Qt::DisplayRole && role != Qt::ToolTipRole))
        return {};
    const QString& node = m_nodes[index.row()];
    const auto value = m_values.find(node.toStdString());
    switch (index.column()) {
    case 0:
        return node;
    case 1:
        return value == m_values.end() ? tr("not in this graph") : typeText(value->second);
    case 2:
        return value == m_values.end() ? QString() : summaryText(value->second);
    default:
        return {};
    }
}

QVariant WatchModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    return section == 0 ? tr("Watched") : section == 1 ? tr("Type") : tr("Values");
}

} // namespace dynascope::views
