// SPDX-License-Identifier: BSD-3-Clause
//
// Which backend compiled what AOTAutograd made, as far as a capture shows it.
#pragma once

#include "core/session/session.h"

#include <algorithm>

namespace dynascope::session {

/// Whether the capture has a stage of Inductor's. Its passes change a joint graph before it is split, and it
/// decomposes before AOTAutograd traces.
[[nodiscard]] inline bool byInductor(const Compile& compile) {
    return std::ranges::any_of(compile.stages, [](const StagePtr& stage) {
        return stage->phase >= Phase::PostGradForward && stage->phase <= Phase::Code;
    });
}

} // namespace dynascope::session
