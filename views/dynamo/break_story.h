// SPDX-License-Identifier: BSD-3-Clause
//
// How the graph of an attempt ends: what breaks it, where what was on the stack came from, and ways out.
#pragma once

#include "core/dynamo/recording.h"
#include "views/inspector/facts.h"

namespace dynascope::views {

/// Links are "step:12"; "copy:..." as elsewhere.
[[nodiscard]] Facts breakStory(const dynamo::Recording& recording, std::uint32_t attempt,
                               dynamo::StepIndex end);

} // namespace dynascope::views
