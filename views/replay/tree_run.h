// SPDX-License-Identifier: BSD-3-Clause
//
// A run of CUDA-graph trees, worked out once, and where the reader stands in it.
#pragma once

#include "core/base/task.h"
#include "core/replay/tree_simulator.h"

#include <QObject>
#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace dynascope::views {

/// A whole simulated run: as many steps as the program has events. Immutable once made; share it.
class TreeRun {
public:
    /// Stops between two events where the task is cancelled; what was run until then is there.
    TreeRun(const replay::TreeProgram& program, const TaskContext& task);
    TreeRun(const TreeRun&) = delete;
    TreeRun& operator=(const TreeRun&) = delete;

    [[nodiscard]] const replay::TreeProgram& program() const { return m_simulation.program(); }
    [[nodiscard]] const replay::TreeManager& manager() const { return m_simulation.manager(); }
    [[nodiscard]] std::size_t size() const { return manager().steps().size(); }
    [[nodiscard]] const replay::TreeStep& step(std::size_t i) const { return manager().steps()[i]; }
    /// Steps that a reader looks for: recorded again, run eagerly, failed, or reading what was overwritten.
    [[nodiscard]] const std::vector<std::size_t>& marks() const { return m_marks; }
    /// Which call an event is, as TreeArgument::call counts; SIZE_MAX for other events.
    [[nodiscard]] std::size_t callOf(std::size_t step) const { return m_calls[step]; }
    /// SIZE_MAX where there was no such call.
    [[nodiscard]] std::size_t stepOfCall(std::size_t call) const {
        return call < m_stepOfCall.size() ? m_stepOfCall[call] : SIZE_MAX;
    }
    /// How often a recording was replayed by steps before `position`.
    [[nodiscard]] std::size_t replays(replay::NodeId node, std::size_t position) const;
    /// As PyTorch counts them against its limit.
    [[nodiscard]] std::size_t rerecords(std::size_t position) const;
    /// Recorded anew because a static input stood elsewhere, which does not count.
    [[nodiscard]] std::size_t newAddresses(std::size_t position) const;
    [[nodiscard]] std::size_t recordings(std::size_t position) const;

private:
    replay::TreeSimulation m_simulation;
    std::vector<std::size_t> m_marks, m_calls, m_stepOfCall;
    std::map<replay::NodeId, std::vector<std::size_t>> m_replays;       ///< steps, ascending
    std::vector<std::size_t> m_rerecords, m_newAddresses, m_recordings; ///< steps, ascending
};
using TreeRunPtr = std::shared_ptr<const TreeRun>;

/// The recording that did not fit, and made a step record anew; null where the step recorded for the first
/// time, or did something else.
[[nodiscard]] const replay::InvariantCheck* rerecordCause(const replay::TreeStep& step);

/// The cursor of a run. GUI thread only.
class TreeWalk : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Stands at the end of the new run; null for none.
    void setRun(TreeRunPtr run);
    [[nodiscard]] const TreeRunPtr& run() const { return m_run; }
    /// Steps carried out: 0 to run()->size().
    [[nodiscard]] std::size_t position() const { return m_cursor ? m_cursor->position() : 0; }
    [[nodiscard]] const replay::TreeState& state() const;
    /// The step that led here; null at the beginning.
    [[nodiscard]] const replay::TreeStep* step() const;
    /// Of the current node, from the root.
    [[nodiscard]] std::vector<replay::NodeId> path() const;

    void moveTo(std::size_t position); ///< beyond the end: to the end
    void forward() { moveTo(position() + 1); }
    void back() { moveTo(position() - std::min<std::size_t>(position(), 1)); }
    /// To the next (+1) or previous (-1) mark; false where there is none.
    bool toMark(int direction);

    /// A node that the reader looks at; noNode for none.
    [[nodiscard]] replay::NodeId selected() const { return m_selected; }
    void select(replay::NodeId node);

signals:
    void runChanged();
    void moved(); ///< also when the run or the selected node changed

private:
    TreeRunPtr m_run;
    std::optional<replay::TreeCursor> m_cursor;
    replay::TreeState m_none;
    replay::NodeId m_selected = replay::noNode;
};

} // namespace dynascope::views
