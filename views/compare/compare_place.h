// SPDX-License-Identifier: BSD-3-Clause
//
// Where in a comparison the reader is: the own place of the page Compare. Which comparison it is of is
// Place::comparison, since the workspace keeps those.
#pragma once

#include "views/workspace/place.h"

namespace dynascope::views {

struct ComparePlace {
    static constexpr Page page = Page::Compare;
    int rank = -1;  ///< of a comparison of ranks: index of the rank that is B
    int pair = -1;  ///< into Comparison::compiles
    int stage = -1; ///< into CompileComparison::stages

    /// It ends with the comparison: another page leaves nothing of it.
    void complete(const Place& place, const OpenCapture&) {
        if (place.page != page) *this = {};
    }
    friend bool operator==(const ComparePlace&, const ComparePlace&) = default;
};

} // namespace dynascope::views
