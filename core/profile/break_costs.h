// SPDX-License-Identifier: BSD-3-Clause
//
// What graph breaks cost each time that the program runs: time behind the graph that a break ended.
#pragma once

#include "core/profile/join.h"

#include <cstddef>
#include <vector>

namespace dynascope::profile {

/// By Link::BreakOfFrame: eager code, bytecode and guards in a frame, after its graph; frames that are compiled in
/// there are not part of it.
struct BreakCost {
    int compile = -1;           ///< into Session::compiles
    std::size_t graphBreak = 0; ///< into its breaks: the one that ended the frame's graph
    double inAStep = 0; ///< nanoseconds, the median over steps; of the whole profile where it has none
    /// Its parts, likewise, each with a median of its own, so that they need not add up: operators that run eagerly, on
    /// all devices; what the frame itself does between them (Python and bytecode); guards of what it calls.
    double eager = 0, frame = 0, guards = 0;
    std::size_t turns = 0; ///< how often a graph ended so, in the whole profile
};

/// By compile. Of a break that did not come in the profile there is none.
[[nodiscard]] std::vector<BreakCost> breakCosts(const Joined& joined);

} // namespace dynascope::profile
