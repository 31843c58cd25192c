// SPDX-License-Identifier: BSD-3-Clause
//
// Which recompile the reader is at: the own place of the page Recompiles. The answers lead there too, so it is
// with the workspace and not with the page.
#pragma once

#include "views/workspace/workspace.h"

namespace dynascope::views {

struct RecompilePlace {
    static constexpr Page page = Page::Recompiles;
    int compile = -1; ///< into Session::compiles: one that isListed(); -1 for none

    void complete(const Place& place, const OpenCapture& capture);
    void move(const OpenCapture& before, const OpenCapture& now);
    friend bool operator==(const RecompilePlace&, const RecompilePlace&) = default;

    /// Whether the page lists it: what was compiled again, and what was refused as its cache was full.
    [[nodiscard]] static bool isListed(const session::Compile& compile) {
        return (compile.isRecompile || compile.hitRecompileLimit()) && compile.id.frame >= 0 &&
               compile.id.autograd < 0;
    }
};

/// Leads a place to a recompile.
inline void setRecompile(Place& place, int compile) {
    place.page = Page::Recompiles;
    place.own.set(RecompilePlace{compile});
}

} // namespace dynascope::views
