// SPDX-License-Identifier: BSD-3-Clause
//
// Computed stages as a session file keeps them, with all that the engine recorded: read back, they need no
// engine. A file may come from a stranger; a stage that cannot be understood is left out with what was made
// from it.
#pragma once

#include "core/base/task.h"
#include "core/computed/stages.h"
#include "core/store/session_file.h"

#include <cstddef>
#include <vector>

namespace dynascope::computed {

/// Of a captured stage that deriving was asked of.
struct StageRederivation {
    session::StagePtr stage;
    ir::Address address;
    Rederivation said;
};

/// A computed stage as it stands in a window: values and shared data, cheap to take on its thread.
struct StageToSave {
    ComputedStage known;
    StageVerdict verdict;
    ir::Address root;
    int parent = -1; ///< in the list; -1: made from the root
    bool removed = false;
};

/// For store::SessionContents::stages: computed stages, and behind them what deriving captured ones anew
/// said. Blocks for as long as texts take to be put together.
[[nodiscard]] std::vector<store::SavedStage> toStore(const std::vector<StageToSave>& stages,
                                                     const std::vector<StageRederivation>& rederived = {});

struct RestoredStages {
    struct OfCompile {
        std::size_t compile = 0; ///< into Session::compiles
        std::vector<PlacedStage> stages;
    };
    std::vector<OfCompile> compiles;
    std::vector<ComputedStage> known;
    std::vector<std::pair<session::StagePtr, StageVerdict>> verdicts;
    std::vector<StageRederivation> rederived;
    std::size_t lost = 0; ///< that could not be read
};

/// What toStore() wrote, for a session with the same capture. Reads graphs and replies: for a worker.
[[nodiscard]] RestoredStages fromStore(const session::Session& session,
                                       const std::vector<store::SavedStage>& stages,
                                       const TaskContext& task = {});

} // namespace dynascope::computed
