// SPDX-License-Identifier: BSD-3-Clause
//
// Functions that AOTAutograd refuses, or whose graph fails: called through functionalization over cells,
// which knows neither chains of views nor inverses.
#pragma once

#include "core/engine/functionalize/functionalize.h"

namespace dynascope::engine {

/// Runs what functionalizeCells() made (WriteBackBy::Graph) on inputs that lie in memory as those it was made
/// of, and writes into them. Results that share memory with an input do so again, unless they are conjugated
/// or negated views; those that share memory among themselves alone no longer do. Gradients are not tracked.
[[nodiscard]] tl::expected<std::vector<c10::IValue>, RunError>
callCells(const Functionalized& functional, const std::vector<c10::IValue>& inputs,
          const TaskContext& task = {});

} // namespace dynascope::engine
