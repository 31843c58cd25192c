// SPDX-License-Identifier: BSD-3-Clause
//
// Tables of the orders that PyTorch weighed for a schedule, and of the scheduler's steps.
#pragma once

#include "core/inductor/pass_recording.h"
#include "views/base/row_table.h"

#include <vector>

namespace dynascope::views {

/// "topological_sort_bfs"; "order 2" where it has no name.
[[nodiscard]] QString orderName(const inductor::WeighedOrders& weighed, std::size_t order);
[[nodiscard]] std::vector<TableColumn> orderColumns();
/// As they were weighed.
[[nodiscard]] std::vector<TableRow> orderRows(const inductor::Schedule& schedule);
/// Why there is none.
[[nodiscard]] QString noOrdersText(const inductor::PassRecording& recording,
                                   const inductor::Schedule* schedule);

[[nodiscard]] std::vector<TableColumn> scheduleStepColumns();
[[nodiscard]] std::vector<TableRow> scheduleStepRows(const inductor::Schedule& schedule);

} // namespace dynascope::views
