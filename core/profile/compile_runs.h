// SPDX-License-Identifier: BSD-3-Clause
//
// How often each compile ran while a profile was taken, and what it took.
#pragma once

#include "core/profile/join.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace dynascope::profile {

struct CompileRun {
    std::size_t runs = 0; ///< compiled regions that are joined to it
    double all = 0; ///< nanoseconds, of all devices: forward, backward, guards, wrappers, after its break
    std::optional<double> inAStep; ///< of it, the median over steps; nothing where the profile has none
};

/// By compile, one for each of Session::compiles. Empty where the profile has no compiled region at all, so that nothing
/// can be said of any. Linear in the rows.
[[nodiscard]] std::vector<CompileRun> compileRuns(const Joined& joined);

} // namespace dynascope::profile
