// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/session/session.h"

#include <algorithm>

namespace dynascope::views {

/// Dynamo's or export's graph of a compile, which names the parameters that AOT graphs only number; or null.
[[nodiscard]] inline session::StagePtr namingStage(const session::Compile& compile) {
    const auto named = std::ranges::find_if(compile.stages, [](const session::StagePtr& stage) {
        return stage->phase == session::Phase::Dynamo || stage->phase == session::Phase::Export;
    });
    return named == compile.stages.end() ? nullptr : *named;
}

} // namespace dynascope::views
