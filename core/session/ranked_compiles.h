// SPDX-License-Identifier: BSD-3-Clause
//
// Which compile of one rank is which of another. Dynamo numbers frames as it meets them, so that a graph break or a
// function that one rank has alone shifts the compile ids of all that follow there: what was compiled is the better
// key. Pure functions of a Session whose compiles are all there; any thread.
#pragma once

#include "core/session/session.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace dynascope::session {

/// One compile of the program over ranks: the same function, file, first line, run, and n-th compile of it. What has
/// no partner by that is joined with others of its id that have none either, unless it resumes a function.
struct RankedCompile {
    std::string id; ///< "1/0": what most ranks call it, in a tie the first; unique: else "1/0 on rank 2"
    std::vector<std::size_t>
        compiles;          ///< by rank: into Session::compiles; SIZE_MAX where it has no such compile
    std::size_t frame = 0; ///< equal for the compiles of one code object
    /// Equal for the compiles of a function and of the frames that resume it after its graph breaks.
    std::size_t function = 0;
    bool resumed = false; ///< resumes a function

    /// How ranks call it that do not call it `id`: "3/0" and indices of ranks, by their first.
    [[nodiscard]] std::vector<std::pair<std::string, std::vector<std::size_t>>>
    otherIds(const Session& session) const;
};

/// In the order of compilation on the first rank that has them. `ranks` ascend; compiles of others, and those that
/// `leaveOut` names, are in no row.
[[nodiscard]] std::vector<RankedCompile>
rankedCompiles(const Session& session, std::span<const int> ranks,
               const std::function<bool(const Compile&)>& leaveOut = {});

} // namespace dynascope::session
