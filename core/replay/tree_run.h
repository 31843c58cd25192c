// SPDX-License-Identifier: BSD-3-Clause
//
// A run of CUDA-graph trees, simulated at once or carried out by the engine while one looks.
#pragma once

#include "core/base/task.h"
#include "core/replay/tree_log.h"
#include "core/replay/tree_simulator.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace dynascope::replay {

/// As many steps as the program has events, once it is over. A simulated run is immutable; one that the
/// engine carries out grows on the thread that reads it.
class TreeRun {
public:
    /// Simulates all of it. Stops between two events where the task is cancelled; what was run until then is
    /// there.
    TreeRun(const TreeProgram& program, const TaskContext& task);
    /// Of a run that has not begun: append() brings its steps.
    explicit TreeRun(TreeProgram program);
    TreeRun(const TreeRun&) = delete;
    TreeRun& operator=(const TreeRun&) = delete;

    /// Fails, and changes nothing, where the part does not follow.
    [[nodiscard]] Result<void> append(TreeLogPart part);

    [[nodiscard]] const TreeProgram& program() const { return m_program; }
    [[nodiscard]] const TreeLog& log() const { return m_log; }
    [[nodiscard]] std::size_t size() const { return m_log.steps().size(); }
    [[nodiscard]] const TreeStep& step(std::size_t i) const { return m_log.steps()[i]; }
    /// Steps that a reader looks for: recorded again, run eagerly, failed, or reading what was overwritten.
    [[nodiscard]] const std::vector<std::size_t>& marks() const { return m_marks; }
    /// The event that is a call, as TreeArgument::call counts them; SIZE_MAX where there was no such call.
    [[nodiscard]] std::size_t stepOfCall(std::size_t call) const {
        return call < m_stepOfCall.size() ? m_stepOfCall[call] : SIZE_MAX;
    }
    /// How often a recording was replayed by steps before `position`.
    [[nodiscard]] std::size_t replays(NodeId node, std::size_t position) const;
    /// Recorded anew, for any reason: what every list, card and figure calls a re-record.
    [[nodiscard]] std::size_t rerecords(std::size_t position) const;
    /// Those that PyTorch counts against its limit: all but where only a static input stood elsewhere.
    [[nodiscard]] std::size_t counted(std::size_t position) const;
    [[nodiscard]] std::size_t recordings(std::size_t position) const;

private:
    void note(std::size_t step);

    TreeProgram m_program;
    TreeLog m_log;
    std::vector<std::size_t> m_marks, m_stepOfCall;
    std::map<NodeId, std::vector<std::size_t>> m_replays;          ///< steps, ascending
    std::vector<std::size_t> m_rerecords, m_counted, m_recordings; ///< steps, ascending
};
using TreeRunPtr = std::shared_ptr<const TreeRun>;

/// The first recording that did not fit, and made a step record anew; null where the step recorded for the
/// first time, or did something else.
[[nodiscard]] const InvariantCheck* rerecordCause(const TreeStep& step);
/// Whether a step is what a reader looks for (TreeRun::marks).
[[nodiscard]] bool isTreeMark(const TreeStep& step);

} // namespace dynascope::replay
