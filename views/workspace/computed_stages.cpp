// SPDX-License-Identifier: BSD-3-Clause
//
// The stages of a workspace: captured ones, and behind them those that were computed, which can be removed
// again.
#include "core/session/stage_order.h"
#include "views/workspace/workspace.h"

#include <algorithm>

namespace dynascope::views {

const std::vector<Workspace::Computed>& Workspace::computedOf(const session::Compile& compile) const {
    static const std::vector<Computed> none;
    const auto at = m_computed.constFind(&compile);
    return at == m_computed.constEnd() ? none : *at;
}

const Workspace::Computed* Workspace::computedAt(int index) const {
    const session::Compile* c = compile();
    if (!c || index < int(c->stages.size())) return nullptr;
    const std::vector<Computed>& computed = computedOf(*c);
    const std::size_t at = std::size_t(index) - c->stages.size();
    return at < computed.size() ? &computed[at] : nullptr;
}

int Workspace::stageCount() const {
    const session::Compile* c = compile();
    if (!c) return 0;
    const std::vector<Computed>& computed = computedOf(*c);
    const auto last =
        std::find_if(computed.rbegin(), computed.rend(), [](const Computed& s) { return !s.removed; });
    return int(c->stages.size()) + int(computed.rend() - last);
}

session::StagePtr Workspace::stageAt(int index) const {
    const session::Compile* c = compile();
    if (!c || index < 0) return nullptr;
    if (std::size_t(index) < c->stages.size()) return c->stages[std::size_t(index)];
    const Computed* computed = computedAt(index);
    return computed && !computed->removed ? computed->stage : nullptr;
}

int Workspace::stageNumber(int index) const {
    int number = 0;
    for (int i = 0; i <= index; ++i)
        number += stageAt(i) != nullptr;
    return number;
}

int Workspace::madeFrom(int index) const {
    const session::Compile* c = compile();
    if (!c || !stageAt(index)) return -1;
    if (!isComputed(index)) return predecessor(*c, index);
    int from = computedAt(index)->from;
    while (computedAt(from) && computedAt(from)->removed)
        from = computedAt(from)->from;
    return from;
}

int Workspace::indexOf(const session::Stage* stage, bool removed) const {
    const session::Compile* c = compile();
    if (!c || !stage) return -1;
    const auto captured = std::find_if(c->stages.begin(), c->stages.end(),
                                       [&](const session::StagePtr& s) { return s.get() == stage; });
    if (captured != c->stages.end()) return int(captured - c->stages.begin());
    const std::vector<Computed>& computed = computedOf(*c);
    const auto at = std::find_if(computed.begin(), computed.end(), [&](const Computed& s) {
        return s.stage.get() == stage && (removed || !s.removed);
    });
    return at == computed.end() ? -1 : int(c->stages.size()) + int(at - computed.begin());
}

bool Workspace::isComputed(int index) const {
    return computedAt(index) && stageAt(index);
}

void Workspace::setVerdict(const session::StagePtr& stage, const computed::StageVerdict& verdict) {
    for (const std::vector<Computed>& all : std::as_const(m_computed))
        for (const Computed& computed : all) {
            if (computed.stage != stage) continue;
            m_verdicts.insert(stage->id(), verdict);
            emit computedChanged();
            return;
        }
}

computed::StageVerdict Workspace::verdict(const session::Stage* stage) const {
    return m_verdicts.value(session::idOf(stage));
}

void Workspace::setNodeTimes(const session::StagePtr& stage, NodeTimes times) {
    m_times.insert(stage->id(), std::make_shared<const NodeTimes>(std::move(times)));
    emit timesChanged();
}

std::shared_ptr<const NodeTimes> Workspace::nodeTimes(const session::Stage* stage) const {
    return m_times.value(session::idOf(stage));
}

int Workspace::addComputed(session::StagePtr stage, int from, diff::Origins origins, int replaces) {
    const session::Compile* c = compile();
    if (!c || !stageAt(from)) return -1;
    Computed made{std::move(stage), from, stageAt(from), std::move(origins)};
    if (const Computed* old = computedAt(replaces); old && replaces > from) {
        m_verdicts.remove(old->stage->id());
        m_computed[c][std::size_t(replaces) - c->stages.size()] = std::move(made);
        if (m_place.stageA == replaces || m_place.stageB == replaces) {
            loadStages();
            dropStaleSelection();
            computeDiff();
            emit nodeSelected(m_place.node);
        }
    } else {
        m_computed[c].push_back(std::move(made));
        replaces = int(c->stages.size() + m_computed[c].size()) - 1;
    }
    emit computedChanged();
    return replaces;
}

void Workspace::restoreComputed(const session::Compile& compile, const std::vector<Computed>& stages) {
    if (stages.empty() || !computedOf(compile).empty()) return;
    m_computed.insert(&compile, stages);
    if (&compile == this->compile()) emit computedChanged();
}

void Workspace::setRemoved(const session::Stage* stage, bool removed) {
    for (std::vector<Computed>& all : m_computed)
        for (Computed& computed : all)
            if (computed.stage.get() == stage) computed.removed = removed;
}

void Workspace::removeComputed(int index) {
    if (!isComputed(index)) return;
    const session::StagePtr stage = stageAt(index);
    remember({m_place, stage});
    Place place = m_place;
    setRemoved(stage.get(), true);
    if (place.stageA == index || place.stageB == index) {
        place = completed(place);
        if (place.stageA == place.stageB) place.stageA = std::max(0, madeFrom(place.stageB));
    }
    setPlace(place);
    emit computedChanged();
}

diff::Origins Workspace::origins(int a, int b) const {
    // From the later stage back to the earlier one.
    const auto upTo = [this](int early, int late) {
        diff::Origins out;
        const Computed* at = computedAt(late);
        if (!at || early < 0) return out;
        out = at->origins;
        while (at->from != early) {
            const Computed* before = computedAt(at->from);
            // Computed anew since: its nodes are not those that were recorded.
            if (!before || before->stage != at->source) return diff::Origins();
            out = diff::composed(before->origins, out);
            at = before;
        }
        return stageAt(early) == at->source ? out : diff::Origins();
    };
    return b > a ? upTo(a, b) : diff::inverted(upTo(b, a));
}

} // namespace dynascope::views
