// SPDX-License-Identifier: BSD-3-Clause
//
// The end that both ways of functionalization share.
#pragma once

#include "core/engine/scorecard.h"
#include "core/engine/tracer.h"

#include <map>

namespace dynascope::engine {

/// Fills graph, attributes and emissions from the tape. `results` are the traced values of the source nodes
/// that the program returns, `values` all others; `leading` come before them, as in AOTAutograd's graphs.
void finishFunctionalized(const Program& program, Tape& tape, const Values& values,
                          const std::map<ir::NodeIndex, at::Tensor>& results,
                          const std::vector<at::Tensor>& leading, Functionalized& out);

} // namespace dynascope::engine
