// SPDX-License-Identifier: BSD-3-Clause
#include "views/capture/capture_filter.h"

#include "views/capture/capture_model.h"

namespace dynascope::views {

CaptureFilter::CaptureFilter(QObject* parent)
    : QSortFilterProxyModel(parent) {
    setRecursiveFilteringEnabled(true);
}

void CaptureFilter::setAccepted(std::optional<CompileSet> accepted) {
    if (!accepted && !m_accepted) return;
    m_accepted = std::move(accepted);
    invalidateFilter();
}

bool CaptureFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    if (!m_accepted) return true;
    const QModelIndex index = sourceModel()->index(row, 0, parent);
    const auto kind = CaptureModel::Kind(index.data(CaptureModel::KindRole).toInt());
    if (kind != CaptureModel::Kind::Compile && kind != CaptureModel::Kind::Facet) return false;
    return m_accepted->contains(
        {index.data(CaptureModel::CaptureRole).toInt(), index.data(CaptureModel::CompileRole).toInt()});
}

} // namespace dynascope::views
