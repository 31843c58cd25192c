// SPDX-License-Identifier: BSD-3-Clause
//
// How much a capture holds, as its first lines say it: ranks and runs share compile ids, and graphs without
// the run that made them have none.
#pragma once

#include "core/session/session.h"

#include <cstddef>
#include <set>
#include <string>

namespace dynascope::session {

struct CompileCounts {
    std::size_t compiles = 0; ///< with a compile id
    std::size_t ids = 0;      ///< among them; fewer where ranks or runs have the same
    std::size_t graphs = 0;   ///< of what has no compile id: text, an exported program
};

[[nodiscard]] inline CompileCounts countCompiles(const Session& session) {
    CompileCounts out;
    std::set<std::string> ids;
    for (const Compile& compile : session.compiles) {
        if (compile.id.empty()) {
            for (const StagePtr& stage : compile.stages)
                out.graphs += stage->content == Stage::Content::Graph ? 1 : 0;
            continue;
        }
        ++out.compiles;
        CompileId id = compile.id;
        id.run = 1; // PyTorch's own spelling knows no run
        ids.insert(id.toString());
    }
    out.ids = ids.size();
    return out;
}

} // namespace dynascope::session
