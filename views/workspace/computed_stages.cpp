// SPDX-License-Identifier: BSD-3-Clause
//
// The stages of a workspace: captured ones, and behind them those that were computed (core/computed/stage_store.h).
// Here is what the window hears of them.
#include "views/workspace/workspace.h"

#include <algorithm>

namespace dynascope::views {

const std::vector<Workspace::Computed>& Workspace::computedOf(const session::Compile& compile) const {
    return m_stages.of(compile);
}

int Workspace::stageCount() const {
    const session::Compile* c = compile();
    return c ? m_stages.count(*c) : 0;
}

session::StagePtr Workspace::stageAt(int index) const {
    const session::Compile* c = compile();
    return c ? m_stages.at(*c, index) : nullptr;
}

int Workspace::stageNumber(int index) const {
    const session::Compile* c = compile();
    return c ? m_stages.number(*c, index) : 0;
}

int Workspace::madeFrom(int index) const {
    const session::Compile* c = compile();
    return c ? m_stages.madeFrom(*c, index) : -1;
}

int Workspace::indexOf(const session::Stage* stage, bool removed) const {
    const session::Compile* c = compile();
    return c ? m_stages.indexOf(*c, stage, removed) : -1;
}

bool Workspace::isComputed(int index) const {
    const session::Compile* c = compile();
    return c && m_stages.placed(*c, index) && m_stages.at(*c, index);
}

diff::Origins Workspace::origins(int a, int b) const {
    const session::Compile* c = compile();
    return c ? m_stages.origins(*c, a, b) : diff::Origins();
}

void Workspace::setVerdict(const session::StagePtr& stage, const computed::StageVerdict& verdict) {
    if (m_stages.setVerdict(stage, verdict)) emit computedChanged();
}

computed::StageVerdict Workspace::verdict(const session::Stage* stage) const {
    return m_stages.verdict(stage);
}

void Workspace::setNodeTimes(const session::StagePtr& stage, NodeTimes times) {
    m_stages.setTimes(stage, std::move(times));
    emit timesChanged();
}

std::shared_ptr<const NodeTimes> Workspace::nodeTimes(const session::Stage* stage) const {
    return m_stages.times(stage);
}

int Workspace::addComputed(session::StagePtr stage, int from, diff::Origins origins, int replaces) {
    const session::Compile* c = compile();
    const int at = c ? m_stages.add(*c, std::move(stage), from, std::move(origins), replaces) : -1;
    if (at < 0) return at;
    if (m_place.stageA == at || m_place.stageB == at) { // it took the place of one that is shown
        loadStages();
        dropStaleSelection();
        computeDiff();
        emit nodeSelected(m_place.node);
    }
    emit computedChanged();
    return at;
}

void Workspace::restoreComputed(const session::Compile& compile, const std::vector<Computed>& stages) {
    if (m_stages.restore(compile, stages) && &compile == this->compile()) emit computedChanged();
}

void Workspace::removeComputed(int index) {
    if (!isComputed(index)) return;
    const session::StagePtr stage = stageAt(index);
    remember({m_place, stage});
    Place place = m_place;
    m_stages.setRemoved(stage.get(), true);
    if (place.stageA == index || place.stageB == index) {
        place = completed(place);
        if (place.stageA == place.stageB) place.stageA = std::max(0, madeFrom(place.stageB));
    }
    setPlace(place);
    emit computedChanged();
}

} // namespace dynascope::views
