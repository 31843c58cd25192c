// SPDX-License-Identifier: BSD-3-Clause
//
// Which recorded passes lie between two stages of a compile's trace.
#pragma once

#include "core/inductor/compile_passes.h"

#include <cstddef>
#include <vector>

namespace dynascope::inductor {

/// Passes that changed a graph on the way to a stage.
struct StagePasses {
    std::size_t stage = 0;         ///< into Compile::stages: the last of its phase, which the passes lead to
    std::vector<std::size_t> rows; ///< into CompilePasses::rows, those that run within others left out
};

/// By stage, in order. Phases that the trace has no stage of are left out, and so is a compile of several attempts: which
/// of them the passes ran in, stages do not tell.
[[nodiscard]] std::vector<StagePasses> passesByStage(const CompilePasses& passes,
                                                     const session::Compile& compile);

} // namespace dynascope::inductor
