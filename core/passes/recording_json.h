// SPDX-License-Identifier: BSD-3-Clause
//
// A recording as the protocol and `dynascope-cli pass --json` give it (core/engine/wire/protocol.h).
#pragma once

#include "core/passes/recording.h"

#include <nlohmann/json.hpp>

namespace dynascope::passes {

/// [{pass, source, target, why, end, emitted: [{node, why}], changed: [{before, after, why}],
///   removed: [{node, replacement, why}], ...}], with the members that `details` add.
[[nodiscard]] nlohmann::json stepsJson(const StepRecording& recording, bool withDetails);

/// {pass, nodes_before, nodes_after, time_us, warnings, provenance: [[before, after], ...], ...}.
[[nodiscard]] nlohmann::json recordingJson(const StepRecording& recording);

} // namespace dynascope::passes
