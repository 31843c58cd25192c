// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/base/task.h"
#include "core/engine/aot/aot_trace.h"
#include "core/engine/exec/interpreter.h"

#include <vector>

namespace dynascope::engine {

/// Calls the function by what was traced of it, as AOTAutograd's wrappers would: the graph runs on the inner
/// arguments, inputs are written back, outputs that alias something are made anew from it. A joint graph is
/// split first (default partitioner); results are differentiated by its backward half.
///
/// Unlike PyTorch's, aliases are made by their places in memory, not by replaying views on whatever the base
/// has become, and an input moves to its own offset: where PyTorch raises or writes foreign cells, this does
/// what eager does. The places are learned by running the function itself on copies; functionalization
/// forgets them once it has rebuilt a value.
///
/// Writes into `inputs`, which lie in memory as those of the request, of which `trace` was made.
[[nodiscard]] tl::expected<std::vector<c10::IValue>, RunError> runAot(const AotRequest& request,
                                                                      const AotTrace& trace,
                                                                      const std::vector<c10::IValue>& inputs,
                                                                      const TaskContext& task = {});

} // namespace dynascope::engine
