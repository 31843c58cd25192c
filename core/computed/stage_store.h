// SPDX-License-Identifier: BSD-3-Clause
//
// The computed stages of the captures that are open, and what was found out about stages: the verdict on a computed
// one, and what the nodes of any stage took.
//
// A stage is counted as its compile counts it: the captured ones of Compile::stages, then the computed ones in the
// order in which they were made. One that is removed leaves a gap, so that indices stay valid. A compile is known by
// where it stands in its session, since the ids of two captures may be equal: its session must stay alive until
// forget() or move(). A value without a thread of its own; nothing fails.
#pragma once

#include "core/computed/node_times.h"
#include "core/computed/placed_stage.h"
#include "core/diff/origins.h"
#include "core/session/session.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace dynascope::session {
class Renumbering;
}

namespace dynascope::computed {

class StageStore {
public:
    /// Removed ones included.
    [[nodiscard]] const std::vector<PlacedStage>& of(const session::Compile& compile) const;
    /// The computed stage at an index, removed or not; null for a captured one and where there is none.
    [[nodiscard]] const PlacedStage* placed(const session::Compile& compile, int index) const;
    /// One past the last stage that is not removed.
    [[nodiscard]] int count(const session::Compile& compile) const;
    /// Null in a gap and out of range.
    [[nodiscard]] session::StagePtr at(const session::Compile& compile, int index) const;
    /// Its number for the reader, gaps not counted: 1 for the first.
    [[nodiscard]] int number(const session::Compile& compile, int index) const;
    /// What the stage was made from: as session::predecessor() for captured ones. Where that was removed, what it
    /// was made from in turn. -1 for the first stage and where there is none.
    [[nodiscard]] int madeFrom(const session::Compile& compile, int index) const;
    /// The index of a stage, or -1. With `removed` also of a computed one that was removed.
    [[nodiscard]] int indexOf(const session::Compile& compile, const session::Stage* stage,
                              bool removed = false) const;
    /// Which nodes of stage `a` became which of stage `b`, as the passes recorded it that made one of the other;
    /// empty where neither was computed from the other.
    [[nodiscard]] diff::Origins origins(const session::Compile& compile, int a, int b) const;

    /// Adds a stage that was made from stage `from`, or puts it in the place of the computed stage `replaces`, which
    /// may have been removed, where that comes after `from`; what was known of the old one is forgotten then. Returns
    /// its index, -1 where nothing stands at `from`.
    int add(const session::Compile& compile, session::StagePtr stage, int from, diff::Origins origins,
            int replaces = -1);
    /// Puts stages that a session file kept beside a compile that has none yet; else nothing, and false.
    bool restore(const session::Compile& compile, const std::vector<PlacedStage>& stages);
    /// Takes a computed stage away or brings it back, in whichever compile it is. Its verdict stays.
    void setRemoved(const session::Stage* stage, bool removed);

    /// Says what checking a computed stage said. False, and nothing happens, where it is no stage of this.
    bool setVerdict(const session::StagePtr& stage, const StageVerdict& verdict);
    [[nodiscard]] StageVerdict
    verdict(const session::Stage* stage) const; ///< StageVerdict{} where nobody said
    /// Of any stage, a captured one too.
    void setTimes(const session::StagePtr& stage, NodeTimes times);
    [[nodiscard]] std::shared_ptr<const NodeTimes> times(const session::Stage* stage) const; ///< or null

    /// Drops all that is known of a session's compiles.
    void forget(const session::Session& session);
    /// Goes on with the session that was read again in the place of another one; what is known of compiles and stages
    /// that are gone is dropped.
    void move(const session::Renumbering& to);

private:
    void forget(session::StageId stage);
    void forgetTimesOfGone(const session::Renumbering& to, int compile);
    void moveStages(std::vector<PlacedStage> stages, const session::Renumbering& to, int compile);
    /// From the later stage back to the earlier one.
    [[nodiscard]] diff::Origins originsUpTo(const session::Compile& compile, int early, int late) const;

    std::unordered_map<const session::Compile*, std::vector<PlacedStage>> m_stages;
    std::unordered_map<session::StageId, StageVerdict> m_verdicts; ///< of stages in m_stages
    std::unordered_map<session::StageId, std::shared_ptr<const NodeTimes>> m_times;
};

} // namespace dynascope::computed
