// SPDX-License-Identifier: BSD-3-Clause
//
// Tensors that autograd differentiates while functionalization and the tracer lie below them: each holds the
// functional wrapper of a tracer's tensor. Operators come down to them below autograd; they are then run on
// the wrappers. So forward and backward are recorded on one tape, as AOTAutograd records them.
#pragma once

#include "core/engine/trace/tracer.h"

#include <ATen/FunctionalTensorWrapper.h>
#include <memory>

namespace dynascope::engine {

/// While it lives, calls on outer tensors are traced on this thread, autograd replays views instead of
/// restriding them, and PyTorch's Python-side kernels are stood in for. One at a time; not thread-safe.
class AutogradLevel final : public UpperLevel {
public:
    AutogradLevel();
    ~AutogradLevel() override;

    /// The outer tensor of a tracer's tensor.
    [[nodiscard]] at::Tensor wrap(const at::Tensor& traced) const;
    /// What a new tensor of the tape is at this moment, pending writes applied; the tensor itself where it is
    /// a constant.
    [[nodiscard]] at::Tensor traced(const at::Tensor& outer) const;
    /// Null where it is no outer tensor.
    [[nodiscard]] static at::FunctionalTensorWrapper* wrapperOf(const at::Tensor& outer);

    void call(const c10::OperatorHandle& op, torch::jit::Stack& stack) override;

private:
    struct Modes;
    std::unique_ptr<Modes> m_modes;
};

/// Everything below autograd, in which the tape records. Operators called meanwhile go through
/// functionalization if `functionalize`, else straight to the tape.
class BelowAutograd {
public:
    explicit BelowAutograd(bool functionalize = true);
    ~BelowAutograd();
    BelowAutograd(const BelowAutograd&) = delete;
    BelowAutograd& operator=(const BelowAutograd&) = delete;

private:
    struct Guards;
    std::unique_ptr<Guards> m_guards;
};

} // namespace dynascope::engine
