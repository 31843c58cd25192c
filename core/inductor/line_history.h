// SPDX-License-Identifier: BSD-3-Clause
//
// What became of a line of the program after every pass.
#pragma once

#include "core/inductor/compile_passes.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::inductor {

/// The nodes of a graph whose stack, as the graph's text has it, names the line.
struct LineStep {
    const PassPhase* phase = nullptr; ///< never null
    int row = -1;                     ///< that left the graph; -1: the graph that the phase began with
    std::uint32_t state = 0;
    std::vector<std::string> nodes; ///< in the graph's order
    /// Against the graph before it; of the first of a phase all nodes are made. A node that stays and computes
    /// something else is changed.
    std::vector<std::string> made, gone, changed;
};

/// The graphs in which the nodes of the line are others, or something else, than in the module's graph before, and the
/// first of each module that has some. `passes` has its stages; `file` may be the end of a path. A text that names
/// no line of some node (PyTorch's fusions often have none) leaves that node out.
[[nodiscard]] Result<std::vector<LineStep>> historyOfLine(const CompilePasses& passes, std::string_view file,
                                                          std::uint32_t line, const TaskContext& task = {});

} // namespace dynascope::inductor
