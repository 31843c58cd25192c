// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/engine/aot/aot_trace.h"

#include <string>
#include <vector>

namespace dynascope::engine {

/// One sentence for each known way in which PyTorch's AOTAutograd may part from eager when it calls what was
/// traced. A way that is named need not have an effect.
[[nodiscard]] std::vector<std::string> aotDeviations(const AotTrace& trace,
                                                     const std::vector<c10::IValue>& inputs);

/// Whether an input that changes its shape as well is to be written inside the graph, where that cannot be
/// done.
[[nodiscard]] bool writesChangedShapeInGraph(const AotTrace& trace);

} // namespace dynascope::engine
