// SPDX-License-Identifier: BSD-3-Clause
//
// What both ways of functionalization share: the shell of a run, the ranges of its steps, and the finished
// graph.
#pragma once

#include "core/engine/functionalize/functionalize.h"
#include "core/engine/functionalize/scorecard.h"
#include "core/engine/trace/tracer.h"

#include <ATen/core/Tensor.h>
#include <algorithm>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace dynascope::engine {

/// The ranges of steps in the record, kept as they come.
class StepLog {
public:
    StepLog(const Tape& tape, Functionalized& out)
        : m_tape(tape)
        , m_out(out) {}

    /// A step of `source`, from what was recorded so far.
    [[nodiscard]] FunctionalStep begin(ir::NodeIndex source) const;
    /// Ends the step and keeps it.
    void end(FunctionalStep step);
    /// The same for an input, whose placeholder was recorded before the first step.
    void endInput(FunctionalStep step, std::size_t position);

    /// Adds a row to the step under way.
    void add(TensorScore row, const c10::TensorImpl& tensor);
    /// Whether the step rebuilt the value that the row shows.
    [[nodiscard]] bool isRegenerated(const TensorScore& row, const FunctionalStep& step) const;
    /// Whether the step under way has a row for the storage.
    [[nodiscard]] bool hasStorage(std::uint32_t storage) const;

private:
    const Tape& m_tape;
    Functionalized& m_out;
};

/// One run over one program. A derived class says what happens to each source node. Not thread-safe.
class FunctionalizationRun {
public:
    FunctionalizationRun(const FunctionalizationRun&) = delete;
    FunctionalizationRun& operator=(const FunctionalizationRun&) = delete;
    virtual ~FunctionalizationRun() = default;

    /// Once. The error names the node under way.
    [[nodiscard]] tl::expected<Functionalized, RunError> run();

protected:
    using Results = std::map<ir::NodeIndex, at::Tensor>; ///< traced values of the nodes that are returned

    /// `reason` says, while a node is recorded, why it is.
    FunctionalizationRun(const Program& program, const Attributes& attributes,
                         const FunctionalizeOptions& options, const TaskContext& task,
                         std::function<Emission()> reason);

    // The parts of a run; what they throw ends it.
    virtual void makeInputs() = 0;
    virtual void step() = 0; ///< the source node at m_at
    virtual void finish() = 0;

    /// Ends the step of the work at the end; nothing is kept where there was none.
    void endLast(const FunctionalStep& step);
    [[nodiscard]] const at::Tensor& attributeOf(const Instruction& instruction) const;
    /// make_fx writes lift_fresh as lift_fresh_copy, but only the former wraps a constant.
    [[nodiscard]] bool isLiftedConstant(const Instruction& instruction) const;
    /// The source's output node, or where it would be.
    [[nodiscard]] ir::NodeIndex outputIndex() const {
        return static_cast<ir::NodeIndex>(m_program.code.size());
    }
    /// Tensors and storages of at most so many cells are recorded with their values, step by step: all of a
    /// small program, fewer of a long one, whose record would be too large to send.
    [[nodiscard]] std::int64_t cellLimit() const {
        constexpr std::int64_t values = 300'000, least = 64, most = 4096;
        const auto steps = std::max<std::int64_t>(1, static_cast<std::int64_t>(m_program.code.size()));
        return m_options.cells ? std::clamp(values / steps, least, most) : 0;
    }
    /// Fills graph, attributes and emissions. `leading` come before the results, as in AOTAutograd's graphs.
    void makeGraph(const Values& values, const Results& results, const std::vector<at::Tensor>& leading);

    const Program& m_program;
    const Attributes& m_attributes;
    const FunctionalizeOptions& m_options;
    const TaskContext& m_task;
    Tape m_tape;
    ir::NodeIndex m_at = 0; ///< the source node under way; npos at the end
    Functionalized m_out;
    StepLog m_log{m_tape, m_out};
};

/// While it lives operators run on plain tensors, unseen by tracer and functionalization.
class PlainCalls {
public:
    PlainCalls()
        : m_guard(c10::DispatchKeySet({c10::DispatchKey::Functionalize, c10::DispatchKey::Fake})) {}

private:
    c10::impl::ExcludeDispatchKeyGuard m_guard;
};

} // namespace dynascope::engine
