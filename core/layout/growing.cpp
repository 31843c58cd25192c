// SPDX-License-Identifier: BSD-3-Clause
#include "core/layout/growing.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace dynascope::layout {

namespace {

constexpr std::uint32_t unplaced = UINT32_MAX;

struct Cell {
    std::uint32_t row = unplaced, column = 0;
};

class Grid {
public:
    Grid(const LayoutInput& input, std::uint32_t columns)
        : m_input(input)
        , m_columns(std::max(1U, columns))
        , m_cells(input.boxes.size())
        , m_inputs(input.boxes.size()) {
        for (const Edge& edge : input.edges)
            m_inputs[edge.to].push_back(edge.from);
    }

    void place(std::uint32_t box) {
        // The first of the lowest inputs: an operator's first argument is what it goes on from.
        Cell lowest;
        for (const std::uint32_t from : m_inputs[box]) {
            const Cell cell = m_cells[from];
            if (cell.row != unplaced && (lowest.row == unplaced || cell.row > lowest.row)) lowest = cell;
        }
        const bool source = lowest.row == unplaced;
        std::uint32_t from = source ? m_newest.row : lowest.row + 1;
        if (from == unplaced) from = 0;
        const std::uint32_t row = rowWithRoom(from);
        std::uint32_t wanted = source ? m_newest.column : lowest.column;
        if (source && row != from) wanted = 0;
        const std::uint32_t column = freeColumn(row, wanted);
        m_used[std::size_t{row} * m_columns + column] = true;
        if (--m_free[row] == 0) m_open[row] = row + 1;
        m_cells[box] = m_newest = {row, column};
        m_heights[row] = std::max(m_heights[row], m_input.boxes[box].height);
    }

    [[nodiscard]] LayoutResult result() {
        LayoutResult out;
        out.engine = "growing";
        double width = 0;
        std::uint32_t widest = 0;
        for (std::size_t i = 0; i < m_cells.size(); ++i) {
            if (m_cells[i].row == unplaced) continue;
            width = std::max(width, m_input.boxes[i].width);
            widest = std::max(widest, m_cells[i].column + 1);
        }
        m_step = width + m_input.boxGap;
        m_tops.push_back(0);
        for (const double height : m_heights)
            m_tops.push_back(m_tops.back() + height + m_input.rankGap);
        for (std::size_t i = 0; i < m_cells.size(); ++i)
            out.boxes.push_back(m_cells[i].row == unplaced ? Point{}
                                                           : Point{m_cells[i].column * m_step, topOf(i)});
        for (const Edge& edge : m_input.edges)
            out.edges.push_back(path(edge));
        out.width = widest == 0 ? 0 : widest * m_step - m_input.boxGap;
        out.height = m_heights.empty() ? 0 : m_tops.back() - m_input.rankGap;
        return out;
    }

private:
    /// The first one from `row` on. Of full rows each knows of a later one, so that a box that many others
    /// read does not have all of them go through the rows that are full below it.
    std::uint32_t rowWithRoom(std::uint32_t row) {
        while (true) {
            while (m_heights.size() <= row) {
                m_open.push_back(static_cast<std::uint32_t>(m_heights.size()));
                m_free.push_back(m_columns);
                m_heights.push_back(0);
                m_used.insert(m_used.end(), m_columns, false);
            }
            if (m_open[row] == row) return row;
            const std::uint32_t next = m_open[row];
            if (next < m_open.size()) m_open[row] = m_open[next];
            row = next;
        }
    }

    /// In a row with room.
    [[nodiscard]] std::uint32_t freeColumn(std::uint32_t row, std::uint32_t wanted) const {
        const auto isFree = [&](std::uint32_t column) {
            return column < m_columns && !m_used[std::size_t{row} * m_columns + column];
        };
        for (std::uint32_t away = 0; away < m_columns; ++away) {
            if (isFree(wanted + away)) return wanted + away;
            if (away <= wanted && isFree(wanted - away)) return wanted - away;
        }
        return unplaced;
    }

    /// Boxes stand in the middle of their row.
    [[nodiscard]] double topOf(std::size_t box) const {
        const std::uint32_t row = m_cells[box].row;
        return m_tops[row] + (m_heights[row] - m_input.boxes[box].height) / 2;
    }

    [[nodiscard]] EdgePath path(const Edge& edge) const {
        const Cell from = m_cells[edge.from], to = m_cells[edge.to];
        if (from.row == unplaced || to.row == unplaced) return {{{}, {}, {}, {}}};
        const Box &above = m_input.boxes[edge.from], &below = m_input.boxes[edge.to];
        const Point start{from.column * m_step + above.width / 2, topOf(edge.from) + above.height};
        const Point end{to.column * m_step + below.width / 2, topOf(edge.to)};
        EdgePath out{{start}};
        const auto bend = [&out](Point target) {
            const Point at = out.points.back();
            const double half = (target.y - at.y) / 2;
            out.points.insert(out.points.end(), {{at.x, at.y + half}, {target.x, target.y - half}, target});
        };
        if (to.row > from.row + 1) {
            // Past the rows between in the gap beside the column of the start, on the side of the end.
            const bool left = to.column < from.column;
            const double lane = (from.column + (left ? 0 : 1)) * m_step - m_input.boxGap / 2;
            bend({lane, m_tops[from.row + 1]});
            bend({lane, m_tops[to.row] - m_input.rankGap});
        }
        bend(end);
        return out;
    }

    const LayoutInput& m_input;
    std::uint32_t m_columns;
    std::vector<Cell> m_cells;
    std::vector<std::vector<std::uint32_t>> m_inputs;
    std::vector<bool> m_used;          ///< rows of m_columns
    std::vector<std::uint32_t> m_free; ///< by row: how many columns are
    std::vector<std::uint32_t> m_open; ///< by row: itself, or where to look on where it is full
    std::vector<double> m_heights, m_tops;
    double m_step = 0; ///< from column to column
    Cell m_newest;
};

} // namespace

LayoutResult layoutGrowing(const LayoutInput& input, std::span<const std::uint32_t> order,
                           std::uint32_t columns) {
    Grid grid(input, columns);
    for (const std::uint32_t box : order)
        grid.place(box);
    return grid.result();
}

} // namespace dynascope::layout
