// SPDX-License-Identifier: BSD-3-Clause
//
// Which clock the times of a log are of, and whether ranks share it. Used by core/ranks only.
#pragma once

#include "core/ranks/compile_times.h"

#include <optional>
#include <string>

namespace dynascope::ranks::detail {

/// When TimingEvent::startUs is 0, in microseconds since 1970; nothing where no chromium_event says it.
[[nodiscard]] std::optional<double> epochOfTimings(const session::Session& session);

/// CompileTimes::clock, of its other fields.
[[nodiscard]] std::string clockWords(const session::Session& session, const CompileTimes& times);

} // namespace dynascope::ranks::detail
