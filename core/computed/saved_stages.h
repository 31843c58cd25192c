// SPDX-License-Identifier: BSD-3-Clause
//
// Computed stages as a session file keeps them, with all that the engine recorded: read back, they need no
// engine. A file may come from a stranger; a stage that cannot be understood is left out with what was made
// from it.
#pragma once

#include "core/store/session_file.h"
#include "views/engine/rederivations.h"

#include <cstddef>
#include <vector>

namespace dynascope::views {

/// A computed stage as it stands in the window: values and shared data, cheap to take on the GUI thread.
struct StageToSave {
    ComputedStage known;
    Verdict verdict;
    ir::Address root;
    int parent = -1; ///< in the list; -1: made from the root
    bool removed = false;
};

/// For store::SessionContents::stages: computed stages, and behind them what deriving captured ones anew
/// said. Blocks for as long as texts take to be put together.
[[nodiscard]] std::vector<store::ComputedStage> toStore(const std::vector<StageToSave>& stages,
                                                        const std::vector<StageRederivation>& rederived = {});

struct RestoredStages {
    struct OfCompile {
        std::size_t compile = 0; ///< into Session::compiles
        std::vector<Workspace::Computed> stages;
    };
    std::vector<OfCompile> compiles;
    std::vector<ComputedStage> known;
    std::vector<std::pair<session::StagePtr, Verdict>> verdicts;
    std::vector<StageRederivation> rederived;
    std::size_t lost = 0; ///< that could not be read
};

/// What toStore() wrote, for a session with the same capture. Reads graphs and replies: for a worker.
[[nodiscard]] RestoredStages fromStore(const session::Session& session,
                                       const std::vector<store::ComputedStage>& stages,
                                       const TaskContext& task = {});

} // namespace dynascope::views
