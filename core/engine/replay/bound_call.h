// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of common operators with arguments bound beforehand, straight to the CPU's kernel: without boxes,
// reference counts and the look-up of dispatch keys, which is a tenth of the time of small operators.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <memory>
#include <vector>

namespace dynascope::engine {

class BoundCall {
public:
    BoundCall() = default;
    BoundCall(const BoundCall&) = delete;
    BoundCall& operator=(const BoundCall&) = delete;
    virtual ~BoundCall() = default;
    /// Adds the results to the stack, but for bindInto(). Throws what PyTorch throws.
    virtual void run(torch::jit::Stack& results) const = 0;
};

/// Null for operators that are not common, and unless every tensor is an ordinary one of the CPU. For calls
/// under InferenceMode, in which nothing but the kernel would see such a call.
[[nodiscard]] std::unique_ptr<BoundCall> bindCall(const c10::OperatorHandle& op,
                                                  const std::vector<c10::IValue>& arguments);

/// The same into a tensor that is there already, of the result's shape, strides and dtype: nothing is made,
/// and nothing is added to the stack. `temporaries` is how many blocks the operator was seen to take besides
/// its result; null unless they are those that this form does without.
[[nodiscard]] std::unique_ptr<BoundCall> bindInto(const c10::OperatorHandle& op,
                                                  const std::vector<c10::IValue>& arguments,
                                                  const at::Tensor& result, std::size_t temporaries);

} // namespace dynascope::engine
