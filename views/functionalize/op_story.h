// SPDX-License-Identifier: BSD-3-Clause
//
// What an op did, in words, as facts for the panel "This step".
#pragma once

#include "core/computed/calling_convention.h"
#include "views/functionalize/stepper.h"
#include "views/inspector/facts.h"

namespace dynascope::views {

/// Sections "What this op did", "Update queue" ("Write-backs" at the return), "Generations" (empty), "Checks"
/// and "Mode" (empty) for the place of the stepper.
[[nodiscard]] Facts opStory(const Stepper& stepper, const computed::StageVerdict& verdict,
                            const computed::ForcingBreaks& breaks, const Colours& colours);
/// For a functionalization of the workspace's current compile.
[[nodiscard]] computed::ForcingBreaks forcingBreaks(const Workspace& workspace,
                                                    const computed::FunctionalRun& run);

} // namespace dynascope::views
