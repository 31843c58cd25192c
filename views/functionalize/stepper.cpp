// SPDX-License-Identifier: BSD-3-Clause
#include "views/functionalize/stepper.h"

#include "views/workspace/labels.h"

#include <algorithm>

namespace dynascope::views {

namespace {

constexpr qsizetype namedNodes = 3;

} // namespace

Stepper::Stepper(Workspace& workspace, Passes& passes, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_passes(passes) {
    connect(&m_workspace, &Workspace::placeChanged, this, &Stepper::follow);
    connect(&m_workspace, &Workspace::computedChanged, this, &Stepper::follow);
    connect(&m_workspace, &Workspace::captureClosed, this, &Stepper::follow);
    follow();
}

const computed::ComputedStage* Stepper::stage() const {
    return m_stage ? m_passes.find(m_stage.get()) : nullptr;
}

int Stepper::phaseCount() const {
    return m_recording && m_op < opCount() ? int(m_recording->phases(m_op).size()) : 0;
}

void Stepper::follow() {
    const computed::ComputedStage* shown = m_passes.shownFunctionalization();
    const computed::FunctionalRecordingPtr recording = shown ? shown->recording : nullptr;
    if (recording == m_recording) return;
    m_recording = recording;
    m_stage = shown ? shown->stage : nullptr;
    m_op = m_phase = 0;
    m_board = {};
    if (!shown || !m_recording || opCount() == 0) {
        m_recording = nullptr;
        emit recordingChanged();
        emit moved();
        return;
    }
    // At first the write that the reader came for; later where they were, also in the other mode.
    int op = m_places.value(shown->root->id(), -1);
    if (op < 0 || op >= opCount()) {
        op = 0;
        while (op < opCount() && !m_recording->writes(op))
            ++op;
        if (op == opCount()) op = opCount() - 1;
    }
    int phase = int(m_recording->phases(op).size()) - 1;
    if (m_recording->writes(op)) phase = std::max(0, phase - 1);
    m_op = op;
    m_phase = phase;
    m_board = m_recording->scoreboard(m_op, m_phase);
    emit recordingChanged();
    emit moved();
}

void Stepper::set(int op, int phase) {
    if (!m_recording) return;
    op = std::clamp(op, 0, opCount() - 1);
    const int last = std::max(0, int(m_recording->phases(op).size()) - 1);
    phase = phase < 0 ? last : std::min(phase, last);
    if (op == m_op && phase == m_phase) return;
    m_op = op;
    m_phase = phase;
    m_board = m_recording->scoreboard(op, phase);
    if (const computed::ComputedStage* shown = stage()) m_places.insert(shown->root->id(), op);
    emit moved();
}

void Stepper::goTo(int op, int phase) {
    set(op, phase);
}
void Stepper::first() {
    set(0, 0);
}
void Stepper::last() {
    set(opCount() - 1, -1);
}

void Stepper::stepOp(int direction) {
    const int op = m_op + direction;
    if (op >= 0 && op < opCount()) set(op, -1);
}

void Stepper::stepPhase(int direction) {
    const int phase = m_phase + direction;
    if (phase >= 0 && phase < phaseCount())
        set(m_op, phase);
    else if (direction > 0 && m_op + 1 < opCount())
        set(m_op + 1, 0);
    else if (direction < 0 && m_op > 0)
        set(m_op - 1, -1);
}

bool Stepper::stepWrite(int direction) {
    for (int op = m_op + direction; op >= 0 && op < opCount(); op += direction) {
        if (!m_recording->writes(op)) continue;
        const auto& phases = m_recording->phases(op);
        const auto commit = std::find_if(phases.begin(), phases.end(), [](const computed::OpPhase& phase) {
            return phase.kind == computed::OpPhase::Kind::Commit;
        });
        set(op, int(commit - phases.begin()));
        return true;
    }
    return false;
}

void Stepper::setMode(computed::FunctionalMode mode) {
    const computed::ComputedStage* shown = stage();
    if (!shown || mode == this->mode()) return;
    const int here = m_workspace.indexOf(shown->stage.get()), from = m_workspace.madeFrom(here);
    for (int i = 0; i < m_workspace.stageCount(); ++i) {
        const computed::ComputedStage* other = m_passes.find(m_workspace.stageAt(i).get());
        if (!other || !other->recording || m_workspace.madeFrom(i) != from || other->mode != mode) continue;
        Place place = m_workspace.place();
        place.stageA = from;
        place.stageB = i;
        place.node = {};
        m_workspace.go(place);
        return;
    }
    m_passes.run(QStringLiteral("functionalize"), from, {.mode = mode});
}

QString Stepper::whereText() const {
    if (!m_recording) return {};
    QString text = tr("op %1 of %2").arg(m_op).arg(opCount() - 1);
    if (phaseCount() > 1) text += tr(" · phase %1 of %2").arg(m_phase + 1).arg(phaseCount());
    return text;
}

QString Stepper::phaseName(computed::OpPhase::Kind kind) {
    return toQString(computed::phaseName(kind));
}

QString Stepper::phaseDetail(int phase) const {
    if (!m_recording || phase < 0 || phase >= phaseCount()) return {};
    const computed::OpPhase& here = m_recording->phases(m_op)[std::size_t(phase)];
    if (here.kind == computed::OpPhase::Kind::Wrap) return tr("a storage of its own");
    if (here.kind == computed::OpPhase::Kind::Commit) {
        for (const wire::ScoreRow& row : m_recording->step(m_op).rows)
            if (row.storageGeneration > 0 && row.generation == row.storageGeneration)
                return tr("queue it, gen %1 → %2").arg(row.storageGeneration - 1).arg(row.storageGeneration);
        return tr("queue it");
    }
    QStringList names;
    for (const std::size_t i : here.emitted)
        names << toQString(m_recording->step(m_op).emitted[i].node);
    if (names.isEmpty())
        return here.kind == computed::OpPhase::Kind::Read ? tr("nothing is stale") : tr("no new node");
    if (names.size() > namedNodes) {
        const qsizetype more = names.size() - namedNodes + 1;
        names = names.mid(0, namedNodes - 1);
        names << tr("%1 more").arg(more);
    }
    return names.join(QStringLiteral(", "));
}

QString Stepper::phaseHelp(computed::OpPhase::Kind kind) {
    switch (kind) {
    case computed::OpPhase::Kind::Wrap:
        return tr("The input is wrapped: it gets a storage that knows its views and how often it "
                  "was written.");
    case computed::OpPhase::Kind::Read:
        return tr(
            "Before an op reads a tensor that is behind its storage, the tensor is regenerated from the "
            "base: its chain of views is replayed.");
    case computed::OpPhase::Kind::Emit:
        return tr("The op itself, in its functional form, goes into the graph.");
    case computed::OpPhase::Kind::Commit:
        return tr("The new value is queued on the storage and its generation rises. Every other tensor on "
                  "this storage is now behind.");
    case computed::OpPhase::Kind::Apply:
        return tr("The queue is emptied: each update is carried back through the inverse of its views into a "
                  "new base, and the written tensor is taken from it again.");
    case computed::OpPhase::Kind::WriteBack:
        return tr("The caller must see the writes to its inputs: the last value is copied into each.");
    }
    return {};
}

} // namespace dynascope::views
