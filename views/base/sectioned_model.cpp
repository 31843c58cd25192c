// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/sectioned_model.h"

namespace dynascope::views {

// A row keeps its id when others come or go before it, so the id names its section alone: that of section s is
// 2 (s + 1), that of each row below it one more.

bool SectionedModel::isSection(const QModelIndex& index) {
    return index.isValid() && index.internalId() % 2 == 0;
}

std::size_t SectionedModel::sectionOf(const QModelIndex& index) {
    return std::size_t(index.internalId() / 2 - 1);
}

int SectionedModel::childCount(RowId id) const {
    if (id == topId) return sectionCount();
    return id % 2 == 0 ? rowsIn(positionOf(id)) : 0;
}

SectionedModel::RowId SectionedModel::childAt(RowId id, int row) const {
    return id == topId ? 2 * (RowId(row) + 1) : id + 1;
}

SectionedModel::RowId SectionedModel::parentOf(RowId id) const {
    return id % 2 == 0 ? topId : id - 1;
}

int SectionedModel::positionOf(RowId id) const {
    return int(id / 2) - 1;
}

} // namespace dynascope::views
