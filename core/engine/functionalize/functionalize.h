// SPDX-License-Identifier: BSD-3-Clause
//
// PyTorch's own functionalization, driven one source node at a time over the tracer, with what it knows about
// aliases read out after each. The result follows torch.func.functionalize: changed inputs are written back
// before the return, or, in the other convention, returned first and written back by the caller.
#pragma once

#include "core/base/task.h"
#include "core/engine/exec/interpreter.h"
#include "core/engine/functionalize/scorecard.h"

namespace dynascope::engine {

enum class Remove {
    Mutations,         ///< views stay views
    MutationsAndViews, ///< every view X becomes X_copy
};

/// Who writes the final values of changed inputs back.
enum class WriteBackBy {
    Graph,  ///< copy_, as_strided_, resize_ or set_ nodes before the return
    Caller, ///< the graph returns the new values first; Functionalized::writeBacks says where they belong
};

struct FunctionalizeOptions {
    Remove remove = Remove::Mutations;
    WriteBackBy writeBack = WriteBackBy::Graph;
    bool cells = false; ///< record the values of small storages after each step
    /// Constants came from torch.tensor or new_tensor, which call detach_ on what they made. Only
    /// functionalization sees that: a graph traced without it is the same for a constant of another origin.
    bool detachConstants = false;
};

/// Runs on copies of nothing: the kernels execute on `inputs` and leave them changed. Inputs that alias each
/// other are treated as independent, as torch.func.functionalize does. A number keeps its placeholder, but
/// what reads it takes its value. The error is PyTorch's.
[[nodiscard]] tl::expected<Functionalized, RunError>
functionalize(const Program& program, const std::vector<c10::IValue>& inputs, const Attributes& attributes,
              const FunctionalizeOptions& options, const TaskContext& task = {});

} // namespace dynascope::engine
