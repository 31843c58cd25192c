// SPDX-License-Identifier: BSD-3-Clause
//
// torch.func's transforms (vmap, grad, jvp), which a Dynamo graph enters and leaves by calls. They run on
// functorch's own layers, which are the thread's.
#pragma once

#include "core/engine/exec/torch_level/call.h"

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace dynascope::engine::torch_level {

/// The function of a target such as "torch._functorch.predispatch._add_batch_dim" or
/// "torch._C._functorch._grad_increment_nesting"; nothing for others.
[[nodiscard]] std::optional<Function> functorchFunction(std::string_view target);

[[nodiscard]] bool isFunctorchTarget(std::string_view target);

/// Whether torch.func wrapped the tensor: one number may then be many.
[[nodiscard]] bool isWrapped(const at::Tensor& tensor);
/// Whether a transform stands between the tensor and its elements.
[[nodiscard]] bool isTransformed(const at::Tensor& tensor);
/// The tensor with the elements: with vmap that of the whole batch.
[[nodiscard]] at::Tensor withoutTransforms(at::Tensor tensor);

/// While it lives operators run as if no transform were entered. Only for plain tensors.
class OutsideTransforms {
public:
    OutsideTransforms();

private:
    c10::impl::ExcludeDispatchKeyGuard m_guard;
};

/// Leaves, when it goes, the layers that a graph entered and did not leave.
class LayerGuard {
public:
    LayerGuard();
    LayerGuard(const LayerGuard&) = delete;
    LayerGuard& operator=(const LayerGuard&) = delete;
    ~LayerGuard();

private:
    std::size_t m_depth;
    bool m_dual, m_forwardGrad;
};

/// Runs `body` under one vmap for each of `sizes`, the first being the outermost, and gives its tensor with
/// those dimensions in front. An argument's dimension i belongs to vmap `dims[i]`; these rise.
struct Mapped {
    at::Tensor tensor;
    std::vector<std::size_t> dims;
};
[[nodiscard]] at::Tensor vmapped(const Value& body, const std::vector<std::int64_t>& sizes,
                                 const std::vector<Mapped>& arguments, const std::vector<Value>& rest,
                                 const Context* context);

} // namespace dynascope::engine::torch_level
