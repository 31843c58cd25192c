// SPDX-License-Identifier: BSD-3-Clause
//
// A run of CUDA-graph trees, simulated at once or carried out by the engine while one looks, and where the
// reader stands in it.
#pragma once

#include "core/base/task.h"
#include "core/replay/tree_log.h"
#include "core/replay/tree_simulator.h"

#include <QObject>
#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace dynascope::views {

/// As many steps as the program has events, once it is over. A simulated run is immutable; one that the
/// engine carries out grows, on the GUI thread.
class TreeRun {
public:
    /// Simulates all of it. Stops between two events where the task is cancelled; what was run until then is
    /// there.
    TreeRun(const replay::TreeProgram& program, const TaskContext& task);
    /// Of a run that has not begun: append() brings its steps.
    explicit TreeRun(replay::TreeProgram program);
    TreeRun(const TreeRun&) = delete;
    TreeRun& operator=(const TreeRun&) = delete;

    /// Fails, and changes nothing, where the part does not follow.
    [[nodiscard]] Result<void> append(replay::TreeLogPart part);

    [[nodiscard]] const replay::TreeProgram& program() const { return m_program; }
    [[nodiscard]] const replay::TreeLog& log() const { return m_log; }
    [[nodiscard]] std::size_t size() const { return m_log.steps().size(); }
    [[nodiscard]] const replay::TreeStep& step(std::size_t i) const { return m_log.steps()[i]; }
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
    /// Recorded anew, for any reason: what every list, card and figure calls a re-record.
    [[nodiscard]] std::size_t rerecords(std::size_t position) const;
    /// Those that PyTorch counts against its limit: all but where only a static input stood elsewhere.
    [[nodiscard]] std::size_t counted(std::size_t position) const;
    [[nodiscard]] std::size_t recordings(std::size_t position) const;

private:
    void note(std::size_t step);

    replay::TreeProgram m_program;
    replay::TreeLog m_log;
    std::vector<std::size_t> m_marks, m_calls, m_stepOfCall;
    std::map<replay::NodeId, std::vector<std::size_t>> m_replays;  ///< steps, ascending
    std::vector<std::size_t> m_rerecords, m_counted, m_recordings; ///< steps, ascending
};
using TreeRunPtr = std::shared_ptr<const TreeRun>;

/// The first recording that did not fit, and made a step record anew; null where the step recorded for the
/// first time, or did something else.
[[nodiscard]] const replay::InvariantCheck* rerecordCause(const replay::TreeStep& step);
/// Whether a step is what a reader looks for (TreeRun::marks).
[[nodiscard]] bool isTreeMark(const replay::TreeStep& step);

/// The cursor of a run. GUI thread only.
class TreeWalk : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Stands at the end of the new run; null for none.
    void setRun(TreeRunPtr run);
    /// The run has more steps than before. Who stood at its end stands there again.
    void grew();
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
    std::size_t m_seen = 0; ///< steps of the run when it was looked at last
    replay::NodeId m_selected = replay::noNode;
};

} // namespace dynascope::views
