// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "views/base/tree_model.h"

#include <cstddef>

namespace dynascope::views {

/// Sections, and rows below them. Rows may come and go below a section that stays.
class SectionedModel : public TreeModel {
public:
    using TreeModel::TreeModel;

protected:
    [[nodiscard]] virtual int sectionCount() const = 0;
    [[nodiscard]] virtual int rowsIn(int section) const = 0;

    [[nodiscard]] static bool isSection(const QModelIndex& index);
    /// Its own number, or that of the section it stands in. Of valid indexes.
    [[nodiscard]] static std::size_t sectionOf(const QModelIndex& index);

private:
    [[nodiscard]] int childCount(RowId id) const final;
    [[nodiscard]] RowId childAt(RowId id, int row) const final;
    [[nodiscard]] RowId parentOf(RowId id) const final;
    [[nodiscard]] int positionOf(RowId id) const final;
};

} // namespace dynascope::views
