// SPDX-License-Identifier: BSD-3-Clause
//
// What a run under CUDA-graph trees did, for the terminal.
#pragma once

#include "core/rederive/tree_workload.h"

#include <string>
#include <vector>

namespace dynascope::cli {

/// A row for each call, then sums. `left` are graphs that are no part of it, and why.
[[nodiscard]] std::string treeText(const replay::TreeReport& report, const std::vector<std::string>& left);

} // namespace dynascope::cli
