// SPDX-License-Identifier: BSD-3-Clause
//
// What lines of the program took in a profile, for the source to be annotated with.
#pragma once

#include "core/profile/facts.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dynascope::profile {

/// Times are nanoseconds: the median of steps, or where there are none, of the whole profile.
struct LineTime {
    double computed = 0; ///< in kernels and nodes that it made, forward and backward
    double broken = 0;   ///< in the frame behind a graph that ended at a break at this line
    double all = 0;      ///< the median of both together
    bool inParts =
        false; ///< some has an equal part of a kernel that several lines made, since nothing says which
    struct Piece {
        std::string what; ///< "0/0 forward  cpp_fused_relu_0"
        double time = 0;
    };
    std::vector<Piece> pieces; ///< the longest first
};

struct LineTimes {
    std::map<std::string, std::map<std::uint32_t, LineTime>> files; ///< by file and line
    double known = 0, computed = 0; ///< of kernels and nodes, in all steps: with a line; whole

    [[nodiscard]] double share() const { return computed > 0 ? known / computed : 0; }
};

/// By what Facts says of each row, so each by the evidence that is said there.
[[nodiscard]] LineTimes lineTimes(Facts& facts);

} // namespace dynascope::profile
