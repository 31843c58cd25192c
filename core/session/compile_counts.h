// SPDX-License-Identifier: BSD-3-Clause
//
// How much a capture holds, and how long it took, as its first lines say it: ranks and runs share compile ids, and graphs without
// the run that made them have none.
#pragma once

#include "core/base/words.h"
#include "core/session/session.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace dynascope::session {

/// Seconds that a compile took in all: the frame, and its backward graph, which is compiled when backward first
/// runs.
[[nodiscard]] inline double compileTime(const Compile& compile) {
    return compile.compileSeconds + compile.backwardSeconds;
}

struct CompileCounts {
    std::size_t compiles = 0; ///< with a compile id
    std::size_t ids = 0;      ///< among them; fewer where ranks or runs have the same
    std::size_t frames = 0; ///< as Dynamo numbers them: a resume function is one of its own; by rank and run
    std::size_t graphs = 0; ///< of what has no compile id: text, an exported program
    std::size_t ranks = 0;  ///< that compiled
    std::size_t runs = 0;   ///< in which they did, of all ranks
};

[[nodiscard]] inline CompileCounts countCompiles(const Session& session) {
    CompileCounts out;
    std::vector<CompileId> ids;
    std::set<std::tuple<int, int, int>> frames;
    std::set<int> ranks;
    std::set<std::pair<int, int>> runs; // of a rank
    for (const Compile& compile : session.compiles) {
        if (compile.id.empty()) {
            for (const StagePtr& stage : compile.stages)
                out.graphs += stage->content == Stage::Content::Graph ? 1 : 0;
            continue;
        }
        ++out.compiles;
        if (compile.id.frame >= 0) frames.emplace(compile.rank, compile.id.run, compile.id.frame);
        ranks.insert(compile.rank);
        runs.emplace(compile.rank, compile.id.run);
        ids.push_back(compile.id);
        ids.back().run = 1; // PyTorch's own spelling knows no run
    }
    std::ranges::sort(ids);
    out.frames = frames.size();
    out.ranks = ranks.size();
    out.runs = runs.size();
    out.ids = ids.size() - std::ranges::unique(ids).size();
    return out;
}

/// "20 compile ids", or what says which compile an id is that several ranks or runs have: "6 compiles on 3 ranks".
[[nodiscard]] inline std::string compilesText(const CompileCounts& counts) {
    if (counts.compiles == counts.ids) return count(counts.ids, "compile id");
    std::string out = count(counts.compiles, "compile");
    if (counts.runs > counts.ranks) out += " in " + count(counts.runs, "run");
    if (counts.ranks > 1) out += (counts.runs > counts.ranks ? " of " : " on ") + count(counts.ranks, "rank");
    return out;
}

/// Of any rank.
[[nodiscard]] inline bool hasSeveralRuns(const Session& session) {
    return std::ranges::any_of(session.runs, [&](const Run& run) { return session.runCount(run.rank) > 1; });
}

} // namespace dynascope::session
