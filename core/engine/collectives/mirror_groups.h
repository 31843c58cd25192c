// SPDX-License-Identifier: BSD-3-Clause
//
// A graph of one rank, run alone: every other rank of its process groups is taken to give what this one gives, and this
// rank is the first. A sum is then the value times the number of ranks, an average the value itself, a gather the value
// as often as there are ranks. Results are those of no real run; that two graphs of the same function agree on them
// says as much as on any other inputs.
#pragma once

#include "core/ranks/collectives.h"

#include <span>

namespace dynascope::engine {

/// Makes the groups that nobody made, in this process, of the sizes that this graph says; to be called before each run,
/// as another graph may have said otherwise since. Nothing where ranks are threads (lock_step.h). Where the graph does not say how many ranks a
/// group has, it has as many as a graph before said, else ranks::assumedGroupSize. Thread-safe.
void enterMirrorGroups(std::span<const ranks::GroupUse> groups);

} // namespace dynascope::engine
