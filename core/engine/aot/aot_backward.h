// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/base/task.h"
#include "core/engine/exec/interpreter.h"

#include <ATen/core/Tensor.h>
#include <cstddef>
#include <vector>

namespace dynascope::engine {

/// An empty tensor that lies in memory as the output's tangent does: as the output, unless elements of that
/// share cells.
[[nodiscard]] at::Tensor emptyTangent(const at::Tensor& output);

/// The two halves of a joint graph, ready to run.
class SplitJoint {
public:
    /// By the default partitioner. The joint graph's values are described.
    [[nodiscard]] static tl::expected<SplitJoint, RunError> make(const ir::GraphPtr& joint,
                                                                 const Attributes& attributes);

    /// Runs the forward half on detached `primals`. Of its results those at `differentiable` go on through
    /// the backward half to `sources`, one for each primal: the tensor itself, or an undefined one.
    [[nodiscard]] tl::expected<std::vector<c10::IValue>, RunError>
    run(const std::vector<c10::IValue>& primals, const std::vector<at::Tensor>& sources,
        const std::vector<std::size_t>& differentiable, const TaskContext& task) const;

private:
    std::shared_ptr<const Program> m_forward, m_backward;
    Attributes m_attributes;
    std::size_t m_outputs = 0;        ///< of the joint graph's forward; saved values follow
    std::vector<std::string> m_saved; ///< names of these, as the backward half's placeholders have them
};

} // namespace dynascope::engine
