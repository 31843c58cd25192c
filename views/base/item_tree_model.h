// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "views/base/tree_model.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace dynascope::views {

/// Where an item of an ItemTreeModel stands. Numbers are those of its items.
struct TreeItem {
    int parent = 0;
    int position = 0; ///< among the parent's children
    std::vector<int> children;
};

/// Items of one kind, a TreeItem each, at any depth. They change by a reset of the model alone.
template <class Item>
class ItemTreeModel : public TreeModel {
public:
    using TreeModel::TreeModel;

protected:
    static constexpr int topItem = 0; ///< what the rows without a parent stand below; no row shows it

    /// Leaves the top item.
    void clearItems() { m_items.assign(1, {}); }
    /// The last child of its parent, which `item` names. Returns its number.
    int addItem(Item item) {
        const int at = appendItem(std::move(item));
        placeItem(at);
        return at;
    }
    /// The same in two steps: nothing shows an item before it is placed.
    int appendItem(Item item) {
        m_items.push_back(std::move(item));
        return int(m_items.size()) - 1;
    }
    void placeItem(int at) {
        Item& item = m_items[std::size_t(at)];
        std::vector<int>& siblings = m_items[std::size_t(item.parent)].children;
        item.position = int(siblings.size());
        siblings.push_back(at);
    }
    /// Null where the index is invalid.
    [[nodiscard]] const Item* itemAt(const QModelIndex& index) const {
        return index.isValid() ? find(index.internalId()) : nullptr;
    }

    std::vector<Item> m_items = std::vector<Item>(1);

private:
    [[nodiscard]] const Item* find(RowId id) const { return id < m_items.size() ? &m_items[id] : nullptr; }
    [[nodiscard]] int childCount(RowId id) const final {
        const Item* item = find(id);
        return item ? int(item->children.size()) : 0;
    }
    [[nodiscard]] RowId childAt(RowId id, int row) const final {
        return RowId(m_items[id].children[std::size_t(row)]);
    }
    [[nodiscard]] RowId parentOf(RowId id) const final {
        const Item* item = find(id);
        return item ? RowId(item->parent) : topId;
    }
    [[nodiscard]] int positionOf(RowId id) const final { return m_items[id].position; }
};

} // namespace dynascope::views
