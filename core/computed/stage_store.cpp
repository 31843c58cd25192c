// SPDX-License-Identifier: BSD-3-Clause
#include "core/computed/stage_store.h"

#include "core/base/log.h"
#include "core/session/renumbering.h"
#include "core/session/stage_order.h"

#include <algorithm>
#include <utility>

namespace dynascope::computed {

using session::Compile;
using session::Stage;
using session::StagePtr;

const std::vector<PlacedStage>& StageStore::of(const Compile& compile) const {
    static const std::vector<PlacedStage> none;
    const auto at = m_stages.find(&compile);
    return at == m_stages.end() ? none : at->second;
}

const PlacedStage* StageStore::placed(const Compile& compile, int index) const {
    if (index < int(compile.stages.size())) return nullptr;
    const std::vector<PlacedStage>& computed = of(compile);
    const std::size_t at = std::size_t(index) - compile.stages.size();
    return at < computed.size() ? &computed[at] : nullptr;
}

int StageStore::count(const Compile& compile) const {
    const std::vector<PlacedStage>& computed = of(compile);
    const auto last =
        std::find_if(computed.rbegin(), computed.rend(), [](const PlacedStage& s) { return !s.removed; });
    return int(compile.stages.size()) + int(computed.rend() - last);
}

StagePtr StageStore::at(const Compile& compile, int index) const {
    if (index < 0) return nullptr;
    if (std::size_t(index) < compile.stages.size()) return compile.stages[std::size_t(index)];
    const PlacedStage* computed = placed(compile, index);
    return computed && !computed->removed ? computed->stage : nullptr;
}

int StageStore::number(const Compile& compile, int index) const {
    int number = 0;
    for (int i = 0; i <= index; ++i)
        number += at(compile, i) != nullptr;
    return number;
}

int StageStore::madeFrom(const Compile& compile, int index) const {
    if (!at(compile, index)) return -1;
    const PlacedStage* computed = placed(compile, index);
    if (!computed) return session::predecessor(compile, index);
    int from = computed->from;
    while ((computed = placed(compile, from)) && computed->removed)
        from = computed->from;
    return from;
}

int StageStore::indexOf(const Compile& compile, const Stage* stage, bool removed) const {
    if (!stage) return -1;
    const auto captured = std::find_if(compile.stages.begin(), compile.stages.end(),
                                       [&](const StagePtr& s) { return s.get() == stage; });
    if (captured != compile.stages.end()) return int(captured - compile.stages.begin());
    const std::vector<PlacedStage>& computed = of(compile);
    const auto at = std::find_if(computed.begin(), computed.end(), [&](const PlacedStage& s) {
        return s.stage.get() == stage && (removed || !s.removed);
    });
    return at == computed.end() ? -1 : int(compile.stages.size()) + int(at - computed.begin());
}

diff::Origins StageStore::originsUpTo(const Compile& compile, int early, int late) const {
    diff::Origins out;
    const PlacedStage* at = placed(compile, late);
    if (!at || early < 0) return out;
    out = at->origins;
    while (at->from != early) {
        const PlacedStage* before = placed(compile, at->from);
        // Computed anew since: its nodes are not those that were recorded.
        if (!before || before->stage != at->source) return {};
        out = diff::composed(before->origins, out);
        at = before;
    }
    return this->at(compile, early) == at->source ? out : diff::Origins();
}

diff::Origins StageStore::origins(const Compile& compile, int a, int b) const {
    return b > a ? originsUpTo(compile, a, b) : diff::inverted(originsUpTo(compile, b, a));
}

int StageStore::add(const Compile& compile, StagePtr stage, int from, diff::Origins origins, int replaces) {
    const StagePtr source = at(compile, from);
    if (!source) return -1;
    PlacedStage made{std::move(stage), from, source, std::move(origins)};
    if (const PlacedStage* old = placed(compile, replaces); old && replaces > from) {
        log::write(log::Topic::Computed, compile.id.toString(), ": ", made.stage->label(),
                   " takes the place of ", old->stage->label(), ", stage ", replaces);
        forget(old->stage->id());
        m_stages[&compile][std::size_t(replaces) - compile.stages.size()] = std::move(made);
        return replaces;
    }
    std::vector<PlacedStage>& all = m_stages[&compile];
    all.push_back(std::move(made));
    const int index = int(compile.stages.size() + all.size()) - 1;
    log::write(log::Topic::Computed, compile.id.toString(), ": ", all.back().stage->label(), " is stage ",
               index, ", made from ", from);
    return index;
}

bool StageStore::restore(const Compile& compile, const std::vector<PlacedStage>& stages) {
    if (stages.empty() || !of(compile).empty()) return false;
    m_stages[&compile] = stages;
    log::write(log::Topic::Computed, compile.id.toString(), ": ", stages.size(), " stages of a session file");
    return true;
}

void StageStore::setRemoved(const Stage* stage, bool removed) {
    for (auto& [compile, all] : m_stages)
        for (PlacedStage& computed : all)
            if (computed.stage.get() == stage) computed.removed = removed;
}

bool StageStore::setVerdict(const StagePtr& stage, const StageVerdict& verdict) {
    for (const auto& [compile, all] : m_stages)
        for (const PlacedStage& computed : all) {
            if (computed.stage != stage) continue;
            m_verdicts.insert_or_assign(stage->id(), verdict);
            return true;
        }
    return false;
}

StageVerdict StageStore::verdict(const Stage* stage) const {
    const auto at = m_verdicts.find(session::idOf(stage));
    return at == m_verdicts.end() ? StageVerdict{} : at->second;
}

void StageStore::setTimes(const StagePtr& stage, NodeTimes times) {
    m_times.insert_or_assign(stage->id(), std::make_shared<const NodeTimes>(std::move(times)));
}

std::shared_ptr<const NodeTimes> StageStore::times(const Stage* stage) const {
    const auto at = m_times.find(session::idOf(stage));
    return at == m_times.end() ? nullptr : at->second;
}

void StageStore::forget(session::StageId stage) {
    m_verdicts.erase(stage);
    m_times.erase(stage);
}

void StageStore::forget(const session::Session& session) {
    for (const Compile& compile : session.compiles) {
        for (const PlacedStage& computed : of(compile))
            forget(computed.stage->id());
        m_stages.erase(&compile);
        for (const StagePtr& stage : compile.stages)
            forget(stage->id());
    }
}

void StageStore::forgetTimesOfGone(const session::Renumbering& to, int compile) {
    const std::vector<StagePtr>& was = to.before().compiles[std::size_t(compile)].stages;
    const Compile* now = to.compileNow(compile);
    for (std::size_t i = 0; i < was.size(); ++i) {
        const int at = to.stage(compile, int(i));
        // The others have the same id.
        if (at < 0 || now->stages[std::size_t(at)]->id() != was[i]->id()) m_times.erase(was[i]->id());
    }
}

void StageStore::moveStages(std::vector<PlacedStage> stages, const session::Renumbering& to, int compile) {
    const Compile* now = to.compileNow(compile);
    if (!now) {
        log::write(log::Topic::Computed, to.before().compiles[std::size_t(compile)].id.toString(),
                   " is gone, and with it ", stages.size(), " stages");
        for (const PlacedStage& computed : stages)
            forget(computed.stage->id());
        return;
    }
    for (PlacedStage& computed : stages) {
        const int from = to.stage(compile, computed.from);
        const bool captured = from >= 0 && std::size_t(from) < now->stages.size();
        if (captured && now->stages[std::size_t(from)]->sharesReadingWith(*computed.source))
            computed.source = now->stages[std::size_t(from)];
        computed.from = std::max(0, from);
    }
    m_stages.insert_or_assign(now, std::move(stages));
}

void StageStore::move(const session::Renumbering& to) {
    for (std::size_t i = 0; i < to.before().compiles.size(); ++i) {
        forgetTimesOfGone(to, int(i));
        auto known = m_stages.extract(&to.before().compiles[i]);
        if (known) moveStages(std::move(known.mapped()), to, int(i));
    }
}

} // namespace dynascope::computed
