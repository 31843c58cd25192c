// SPDX-License-Identifier: BSD-3-Clause
//
// The part of Passes that hands computed stages and inputs to session files and takes them from there.
#include "core/computed/saved_stages.h"
#include "views/engine/passes.h"
#include "views/workspace/labels.h"

#include <algorithm>
#include <unordered_set>

namespace dynascope::views {

std::vector<computed::StageToSave> Passes::stagesToSave(const session::Session& session) const {
    std::vector<computed::StageToSave> out;
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
            const computed::ComputedStage* known = find(all[i].stage.get());
            if (!kept[i] || !known) continue;
            computed::StageToSave stage{
                *known, m_workspace.verdict(all[i].stage.get()), {}, -1, all[i].removed};
            if (all[i].from >= captured) {
                stage.parent = position[std::size_t(all[i].from - captured)];
                if (stage.parent < 0) continue;
            }
            const computed::ComputedStage* derived = find(known->root.get());
            const session::Stage& root = derived ? *derived->source : *known->root;
            stage.root = {compile.rank, compile.id.toString(), root.attempt, root.name, root.k, {}};
            position[i] = int(out.size());
            out.push_back(std::move(stage));
        }
    }
    return out;
}

void Passes::restore(const session::Session& session, computed::RestoredStages restored) {
    for (computed::ComputedStage& known : restored.known) {
        const session::StageId id = known.stage->id();
        m_computed.insert_or_assign(id, std::move(known));
    }
    for (computed::RestoredStages::OfCompile& made : restored.compiles)
        m_workspace.restoreComputed(session.compiles[made.compile], std::move(made.stages));
    for (auto& [stage, verdict] : restored.verdicts)
        m_workspace.setVerdict(stage, std::move(verdict));
}

const std::vector<engine::InputRow>* Passes::givenRows(const session::Stage& root) const {
    const auto found = m_given.find(root.id());
    return found == m_given.end() ? nullptr : &found->second;
}

std::vector<engine::InputRow> Passes::inputRows(const session::Stage& root) const {
    if (const auto* given = givenRows(root)) return *given;
    const auto graph = root.graph();
    return graph ? engine::inputForm(**graph, m_workspace.compile()) : std::vector<engine::InputRow>();
}

bool Passes::giveInputs(const session::StagePtr& root, std::vector<engine::InputRow> rows) {
    const auto graph = root ? root->graph() : Result<ir::GraphPtr>(nullptr);
    if (!graph || !*graph || !engine::formValues(rows)) return false;
    // A file may name others than the graph has.
    const std::vector<engine::InputRow> asked = engine::inputForm(**graph, nullptr);
    const auto sameRow = [](const engine::InputRow& a, const engine::InputRow& b) {
        return a.constant == b.constant && a.name == b.name;
    };
    if (!std::equal(asked.begin(), asked.end(), rows.begin(), rows.end(), sameRow)) return false;
    m_given.insert_or_assign(root->id(), std::move(rows));
    return true;
}

QString Passes::lackOfInputs(const session::Stage& root) const {
    const session::Compile* compile = m_workspace.compile();
    if (givenRows(root) || !compile || !compile->runInputs.empty()) return {};
    for (const engine::InputRow& row : inputRows(root))
        if (const std::string lack = engine::lackOf(row); !lack.empty())
            return (row.constant ? tr("constant '%1' %2") : tr("input '%1' %2"))
                .arg(toQString(row.name), toQString(lack));
    return {};
}

session::StagePtr Passes::rootOf(int stage) const {
    const session::StagePtr at = m_workspace.stageAt(stage);
    const computed::ComputedStage* known = at ? find(at.get()) : nullptr;
    return known ? known->root : at;
}

void Passes::forgetClosed() {
    std::unordered_set<session::StageId> captured, computed;
    for (const Workspace::Capture& capture : m_workspace.captures())
        for (const session::Compile& compile : capture.session->compiles) {
            for (const session::StagePtr& stage : compile.stages)
                captured.insert(stage->id());
            for (const Workspace::Computed& made : m_workspace.computedOf(compile))
                computed.insert(made.stage->id());
        }
    std::erase_if(m_computed, [&](const auto& entry) { return !computed.contains(entry.first); });
    std::erase_if(m_given, [&](const auto& entry) { return !captured.contains(entry.first); });
}

std::vector<engine::SavedForm> Passes::inputsToSave(const session::Session& session) const {
    std::vector<engine::SavedForm> out;
    for (std::size_t i = 0; i < session.compiles.size(); ++i)
        for (std::size_t k = 0; k < session.compiles[i].stages.size(); ++k)
            if (const auto given = m_given.find(session.compiles[i].stages[k]->id()); given != m_given.end())
                out.push_back({i, k, given->second});
    return out;
}

void Passes::restoreInputs(const session::Session& session, const std::vector<engine::SavedForm>& saved) {
    for (const engine::SavedForm& form : saved)
        if (form.compile < session.compiles.size() &&
            form.stage < session.compiles[form.compile].stages.size())
            giveInputs(session.compiles[form.compile].stages[form.stage], form.rows);
}

} // namespace dynascope::views
