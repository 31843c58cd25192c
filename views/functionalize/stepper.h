// SPDX-License-Identifier: BSD-3-Clause
//
// Where the functionalization stepper stands: one op and one of its phases. Widgets show it and move it;
// none of them knows another.
#pragma once

#include "views/engine/passes.h"

#include <QHash>
#include <QObject>

namespace dynascope::views {

/// GUI thread only. Follows the workspace: shows the functionalization that Passes::shownFunctionalization
/// names, and remembers the place in each.
class Stepper : public QObject {
    Q_OBJECT
public:
    Stepper(Workspace& workspace, Passes& passes, QObject* parent = nullptr);

    [[nodiscard]] const computed::FunctionalRecording* recording() const {
        return m_recording.get();
    }                                                           ///< or null
    [[nodiscard]] const computed::ComputedStage* stage() const; ///< or null
    [[nodiscard]] int op() const { return m_op; }
    [[nodiscard]] int phase() const { return m_phase; }
    [[nodiscard]] int opCount() const { return m_recording ? m_recording->opCount() : 0; }
    [[nodiscard]] int phaseCount() const;
    [[nodiscard]] const computed::Scoreboard& scoreboard() const { return m_board; }
    /// "op 5 of 8 · phase 3 of 4"
    [[nodiscard]] QString whereText() const;
    /// "regenerate", "emit", "commit", ... and what it is about: "select_3".
    [[nodiscard]] static QString phaseName(computed::OpPhase::Kind kind);
    [[nodiscard]] QString phaseDetail(int phase) const;
    /// One sentence on what the phase does in general, for tooltips.
    [[nodiscard]] static QString phaseHelp(computed::OpPhase::Kind kind);

    void goTo(int op, int phase = -1); ///< -1: the last phase of the op
    void first();
    void last();
    void stepOp(int direction);
    void stepPhase(int direction); ///< goes on into the next or previous op
    /// The commit of the next or previous op that writes; false where there is none.
    bool stepWrite(int direction);
    /// Looks at another recording when the workspace does; called by itself on its signals.
    void follow();

    /// The mode of the functionalization: shows the recording in that mode, computing it if need be.
    void setMode(computed::FunctionalMode mode);
    [[nodiscard]] computed::FunctionalMode mode() const {
        return m_recording ? m_recording->run().mode : computed::FunctionalMode{};
    }

signals:
    void recordingChanged();
    void moved();

private:
    void set(int op, int phase);

    Workspace& m_workspace;
    Passes& m_passes;
    computed::FunctionalRecordingPtr m_recording;
    session::StagePtr m_stage;
    computed::Scoreboard m_board;
    int m_op = 0, m_phase = 0;
    QHash<session::StageId, int> m_places; ///< op by the root of each recording
};

} // namespace dynascope::views
