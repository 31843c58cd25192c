// SPDX-License-Identifier: BSD-3-Clause
//
// The part of Passes that hands computed stages to session files and takes them from there.
#include "views/engine/passes.h"
#include "views/engine/saved_stages.h"

namespace dynascope::views {

std::vector<StageToSave> Passes::stagesToSave(const session::Session& session) const {
    std::vector<StageToSave> out;
    for (const session::Compile& compile : session.compiles) {
        const std::vector<Workspace::Computed>& all = m_workspace.computedOf(compile);
        const int captured = int(compile.stages.size());
        std::vector<bool> kept(all.size());
        for (std::size_t i = all.size(); i-- > 0;) {
            kept[i] = kept[i] || !all[i].removed;
            // `from` is always below: a result in the place of an older one stays above what it was made of.
            if (kept[i] && all[i].from >= captured) kept[std::size_t(all[i].from - captured)] = true;
        }
        std::vector<int> position(all.size(), -1);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const ComputedStage* known = find(all[i].stage.get());
            if (!kept[i] || !known) continue;
            StageToSave stage{*known, m_workspace.verdict(all[i].stage.get()), {}, -1, all[i].removed};
            if (all[i].from >= captured) {
                stage.parent = position[std::size_t(all[i].from - captured)];
                if (stage.parent < 0) continue;
            }
            const ComputedStage* derived = find(known->root.get());
            const session::Stage& root = derived ? *derived->source : *known->root;
            stage.root = {compile.rank, compile.id.toString(), root.attempt, root.name, root.k, {}};
            position[i] = int(out.size());
            out.push_back(std::move(stage));
        }
    }
    return out;
}

void Passes::restore(const session::Session& session, RestoredStages restored) {
    for (ComputedStage& known : restored.known) {
        const session::Stage* stage = known.stage.get();
        m_computed.insert_or_assign(stage, std::move(known));
    }
    for (RestoredStages::OfCompile& made : restored.compiles)
        m_workspace.restoreComputed(session.compiles[made.compile], std::move(made.stages));
    for (auto& [stage, verdict] : restored.verdicts)
        m_workspace.setVerdict(stage, std::move(verdict));
}

} // namespace dynascope::views
