// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/engine/aot/aot_trace.h"
#include "core/engine/aot/autograd_level.h"
#include "core/engine/aot/kept_graphs.h"
#include "core/engine/exec/interpreter.h"
#include "core/engine/trace/tracer.h"

#include <ATen/core/jit_type.h>
#include <string>
#include <vector>

namespace dynascope::engine {

/// One run of a function over its outer tensors: each wraps a functional wrapper of a tensor that the tape
/// traces. One at a time on a thread, for as long as it lives.
class TraceLevel {
public:
    explicit TraceLevel(const TaskContext& task)
        : m_task(task)
        , m_guard(tape) {
        tape.setLaidOutAsFake(true);
        tape.setThreadingEffects(true);
    }
    TraceLevel(const TraceLevel&) = delete;
    TraceLevel& operator=(const TraceLevel&) = delete;

    /// A placeholder and its outer tensor; a number is given back as it is.
    c10::IValue input(const std::string& name, const c10::IValue& value, bool requiresGrad) {
        c10::IValue traced = tape.input(name, name, value);
        if (!isDefinedTensor(traced)) return traced;
        at::Tensor outer = autograd.wrap(traced.toTensor());
        if (requiresGrad) outer.set_requires_grad(true);
        return outer;
    }

    tl::expected<std::vector<c10::IValue>, RunError> call(const AotRequest& request,
                                                          const std::vector<c10::IValue>& arguments) {
        return run(request.program, arguments, request.attributes, m_task);
    }

    ir::Argument argument(const c10::IValue& value) {
        if (!value.isTensor()) return tape.argument(value, *c10::AnyType::get());
        return tape.argument(autograd.traced(value.toTensor()), *c10::TensorType::get());
    }

    Tape tape;

private:
    const TaskContext& m_task;
    TapeGuard m_guard;

public:
    AutogradLevel autograd;

private:
    KeptGraphs m_kept{autograd};
    torch_level::GraphKeeperGuard m_keeper{&m_kept};
};

} // namespace dynascope::engine
