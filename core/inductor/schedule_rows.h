// SPDX-License-Identifier: BSD-3-Clause
//
// The operations of a schedule in an order in which every fusion joins neighbours: a row each, so that kernels grow as
// boxes around rows that stay where they are.
#pragma once

#include "core/inductor/schedule.h"

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace dynascope::inductor {

/// Rows first to last, both included.
struct RowRange {
    std::size_t first = 0, last = 0;
    friend bool operator==(const RowRange&, const RowRange&) = default;
};

/// A buffer that a row writes and another reads.
struct RowEdge {
    std::size_t from = 0, to = 0; ///< rows
    friend bool operator==(const RowEdge&, const RowEdge&) = default;
};

/// Points into the schedule.
struct ScheduleRows {
    std::vector<const SchedulerNode*> operations;          ///< by row
    std::vector<RowRange> fusions;                         ///< what each fusion made
    std::vector<RowEdge> edges;                            ///< each pair once, by the row that reads
    std::unordered_map<std::string, std::size_t> rowOf;    ///< by operation
    std::unordered_map<std::string, std::size_t> writerOf; ///< by buffer: the row that writes it

    /// Kernels of more than one operation after so many fusions: the number of the last fusion of each, from 1.
    [[nodiscard]] std::vector<std::size_t> boxesAfter(std::size_t count) const;
};

/// Groups stand in the order in which the schedule ends, or, where it names none, in that of their first operation.
[[nodiscard]] ScheduleRows rowsOf(const Schedule& schedule);

} // namespace dynascope::inductor
