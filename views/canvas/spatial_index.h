// SPDX-License-Identifier: BSD-3-Clause
//
// A static R-tree over rectangles, packed by Sort-Tile-Recursive (Leutenegger, Lopez, Edgington: "STR: A
// Simple and Efficient Algorithm for R-Tree Packing", 1997). Built once a scene; the painter and the mouse
// ask it what is near.
#pragma once

#include <QRectF>
#include <cstdint>
#include <vector>

namespace dynascope::views::canvas {

/// Immutable after construction; thread-safe to share. Units are those of the rectangles.
class SpatialIndex {
public:
    struct Entry {
        QRectF rect;
        std::uint32_t id = 0; ///< several entries may carry the same id
    };

    SpatialIndex() = default;
    explicit SpatialIndex(std::vector<Entry> entries);

    /// Ids of the entries that touch `area`, sorted, each once. O(log n + hits).
    [[nodiscard]] std::vector<std::uint32_t> query(const QRectF& area) const;
    /// Whether any entry touches it; stops at the first.
    [[nodiscard]] bool touchesAny(const QRectF& area) const;
    [[nodiscard]] std::size_t size() const { return m_entries.size(); }

private:
    struct Branch {
        QRectF rect;
        std::uint32_t first = 0, count = 0; ///< children in the level below, or entries in the lowest
    };
    /// Calls `each` for the entries that touch `area`, in no order, until it returns false.
    template <typename Each>
    void visit(const QRectF& area, Each each) const;

    std::vector<Entry> m_entries;
    std::vector<std::vector<Branch>> m_levels; ///< [0] lies on the entries; the last has one branch
};

} // namespace dynascope::views::canvas
