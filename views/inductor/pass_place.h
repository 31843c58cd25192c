// SPDX-License-Identifier: BSD-3-Clause
//
// Which pass the reader is at: the own place of the page Inductor.
#pragma once

#include "views/workspace/workspace.h"

#include <algorithm>

namespace dynascope::views {

struct PassPlace {
    static constexpr Page page = Page::Inductor;
    int row =
        -1; ///< into CompilePasses::rows of the place's compile; -1 for the first that changed something

    void complete(const Place&, const OpenCapture&) { row = std::max(row, -1); }
    friend bool operator==(const PassPlace&, const PassPlace&) = default;
};

} // namespace dynascope::views
