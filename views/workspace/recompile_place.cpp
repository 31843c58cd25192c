// SPDX-License-Identifier: BSD-3-Clause
#include "views/workspace/recompile_place.h"

#include "core/session/compile_counts.h"

namespace dynascope::views {

void RecompilePlace::complete(const Place& place, const OpenCapture& capture) {
    const std::vector<session::Compile>& compiles = capture.session->compiles;
    if (compile >= 0 && std::size_t(compile) < compiles.size() && isListed(compiles[std::size_t(compile)]))
        return;
    compile = -1;
    if (place.page != Page::Recompiles) return; // many compiles take their time to look at
    double most = -1;                           // the one that cost most, of several the first
    for (std::size_t i = 0; i < compiles.size(); ++i) {
        if (!isListed(compiles[i]) || session::compileTime(compiles[i]) <= most) continue;
        most = session::compileTime(compiles[i]);
        compile = int(i);
    }
}

void RecompilePlace::move(const OpenCapture& before, const OpenCapture& now) {
    if (compile < 0 || std::size_t(compile) >= before.session->compiles.size()) {
        compile = -1;
        return;
    }
    const session::Compile& was = before.session->compiles[std::size_t(compile)];
    const session::Compile* is = now.session->find(was.rank, was.id.toString());
    compile = is ? int(is - now.session->compiles.data()) : -1;
}

} // namespace dynascope::views
