// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/functorch.h"

#include "core/engine/exec/torch_level/higher_order.h"
#include "core/engine/exec/torch_level/overloads.h"

#include <ATen/WrapDimUtils.h>
#include <ATen/core/grad_mode.h>
#include <ATen/functorch/ADInterpreters.h>
#include <ATen/functorch/BatchedTensorImpl.h>
#include <ATen/functorch/DynamicLayer.h>
#include <ATen/functorch/TensorWrapper.h>
#include <ATen/ops/zeros_like.h>
#include <algorithm>
#include <array>
#include <c10/core/AutogradState.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/forward_grad.h>

namespace dynascope::engine::torch_level {

namespace {

namespace functorch = at::functorch;
using at::Tensor;
using functorch::TransformType;
using torch::autograd::ForwardADLevel;

thread_local bool dualLevel = false; ///< PyTorch's own keeps it in Python

functorch::RandomnessType randomnessOf(const std::string& name) {
    if (name == "error") return functorch::RandomnessType::Error;
    if (name == "same") return functorch::RandomnessType::Same;
    TORCH_CHECK_VALUE(name == "different", "randomness is 'error', 'same' or 'different', not '", name, "'");
    return functorch::RandomnessType::Different;
}

/// functorch trusts the level of a wrapper.
void checkLevel(std::int64_t level) {
    const auto depth = static_cast<std::int64_t>(functorch::getDynamicLayerStack().size());
    TORCH_CHECK_VALUE(level >= 1 && level <= depth, "there is no transform of level ", level);
}

functorch::DynamicLayer pop(TransformType type) {
    const auto& stack = functorch::getDynamicLayerStack();
    TORCH_CHECK(!stack.empty() && stack.back().key() == type,
                "a transform is left that is not the innermost one");
    return functorch::popDynamicLayerAndDeleteMetadata();
}

void popAny() {
    const functorch::DynamicLayer layer = functorch::popDynamicLayerAndDeleteMetadata();
    if (layer.key() == TransformType::Grad) {
        functorch::Interpreter interpreter = layer.interpreter();
        at::GradMode::set_enabled(functorch::GradInterpreterPtr(&interpreter).prevGradMode());
    }
}

std::int64_t pushVmap(std::int64_t size, functorch::RandomnessType randomness) {
    return functorch::initAndPushDynamicLayer(TransformType::Vmap, c10::SymInt(size), randomness);
}

Tensor withoutBatchDim(const Tensor& tensor, std::int64_t level, std::int64_t size, std::int64_t dim) {
    const auto* batched = functorch::maybeGetBatchedImpl(tensor);
    if (batched && batched->level() == level) {
        const std::int64_t to = at::maybe_wrap_dim(dim, batched->value().dim());
        return batched->bdim() == to ? batched->value() : batched->value().movedim(batched->bdim(), to);
    }
    TORCH_CHECK(!batched || batched->level() < level, "a tensor leaves vmap that is inside another one");
    // The same for the whole batch.
    if (dim == 0) {
        std::vector<std::int64_t> sizes = tensor.sizes().vec();
        sizes.insert(sizes.begin(), size);
        return tensor.expand(sizes);
    }
    Tensor whole = tensor.unsqueeze(dim);
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(whole.dim()), -1);
    sizes[static_cast<std::size_t>(dim < 0 ? dim + whole.dim() : dim)] = size;
    return whole.expand(sizes);
}

Value incrementVmap(const Arguments& a) {
    return pushVmap(a["batch_size"].integer(), randomnessOf(a["randomness"].text()));
}

Value decrementVmap(const Arguments&) {
    return pop(TransformType::Vmap).layerId();
}

Value addBatchDim(const Arguments& a) {
    checkLevel(a["level"].integer());
    return functorch::addBatchDim(a["self"].tensor(),
                                  at::maybe_wrap_dim(a["batch_dim"].integer(), a["self"].tensor().dim()),
                                  a["level"].integer());
}

Value removeBatchDim(const Arguments& a) {
    return withoutBatchDim(a["self"].tensor(), a["level"].integer(), a["batch_size"].integer(),
                           a["out_dim"].integer());
}

/// torch.func.grad works under no_grad as well: what is inside is recorded.
Value incrementGrad(const Arguments&) {
    const std::int64_t level = functorch::initAndPushDynamicLayer(TransformType::Grad, std::nullopt,
                                                                  std::nullopt, at::GradMode::is_enabled());
    at::GradMode::set_enabled(true);
    return level;
}

Value decrementGrad(const Arguments&) {
    const auto& stack = functorch::getDynamicLayerStack();
    TORCH_CHECK(!stack.empty() && stack.back().key() == TransformType::Grad,
                "a transform is left that is not the innermost one");
    const std::int64_t level = stack.back().layerId();
    popAny();
    return level;
}

Value incrementJvp(const Arguments&) {
    return functorch::initAndPushDynamicLayer(TransformType::Jvp, std::nullopt, std::nullopt, std::nullopt,
                                              c10::AutogradState::get_tls_state().get_fw_grad_mode());
}

Value decrementJvp(const Arguments&) {
    return pop(TransformType::Jvp).layerId();
}

Value wrapForGrad(const Arguments& a) {
    checkLevel(a["level"].integer());
    return functorch::makeTensorWrapper(a["self"].tensor(), a["level"].integer());
}

Value unwrapForGrad(const Arguments& a) {
    const auto* wrapper = functorch::maybeGetTensorWrapper(a["self"].tensor());
    return wrapper && wrapper->level() == a["level"].integer() ? Value(wrapper->value()) : a["self"];
}

Value setRequiresGrad(const Arguments& a) {
    return a["x"].tensor().requires_grad_(true);
}

/// Of outputs that do not depend on the inputs the gradients are zeros.
Value autogradGrad(const Arguments& a) {
    const std::vector<Value>& all = a["outputs"].items();
    const std::vector<Tensor> inputs = a["inputs"].tensors();
    std::vector<Tensor> outputs, gradients;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!all[i].tensor().requires_grad()) continue;
        outputs.push_back(all[i].tensor());
        gradients.push_back(
            a["grad_outputs"].isNone()
                ? aten("ones_like", {all[i]}, {{"memory_format", c10::MemoryFormat::Preserve}}).tensor()
                : a["grad_outputs"].items().at(i).tensor());
    }
    std::vector<Tensor> found(inputs.size());
    if (!outputs.empty())
        found = torch::autograd::grad(outputs, inputs, gradients, a["retain_graph"].flag(),
                                      a["create_graph"].flag(), true);
    std::vector<Value> out;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        out.emplace_back(found[i].defined() ? found[i] : at::zeros_like(inputs[i]));
    return Value::tuple(std::move(out));
}

Value enterDual(const Arguments&) {
    TORCH_CHECK(!dualLevel, "nested forward mode is not supported by PyTorch");
    const auto level = static_cast<std::int64_t>(ForwardADLevel::get_next_idx());
    dualLevel = true;
    return level;
}

void leaveDual() {
    if (!dualLevel) return;
    dualLevel = false;
    ForwardADLevel::release_idx(0);
}

void setForwardGrad(bool on) {
    c10::AutogradState::get_tls_state().set_fw_grad_mode(on);
}

constexpr std::array table{
    Entry{"lazy_load_decompositions", "", [](const Arguments&) { return Value(); }},
    Entry{"_maybe_load_decompositions", "", [](const Arguments&) { return Value(); }},
    Entry{"_vmap_increment_nesting", "batch_size, randomness", incrementVmap},
    Entry{"_vmap_decrement_nesting", "", decrementVmap},
    Entry{"_add_batch_dim", "self, batch_dim, level", addBatchDim},
    Entry{"_remove_batch_dim", "self, level, batch_size, out_dim", removeBatchDim},
    Entry{"_grad_increment_nesting", "", incrementGrad},
    Entry{"_grad_decrement_nesting", "", decrementGrad},
    Entry{"_jvp_increment_nesting", "", incrementJvp},
    Entry{"_jvp_decrement_nesting", "", decrementJvp},
    Entry{"_wrap_for_grad", "self, level", wrapForGrad},
    Entry{"_unwrap_for_grad", "self, level", unwrapForGrad},
    Entry{"set_inplace_requires_grad_allowed", "allowed",
          [](const Arguments& a) {
              functorch::setInplaceRequiresGradAllowed(a["allowed"].flag());
              return Value();
          }},
    Entry{"_set_tensor_requires_grad", "x", setRequiresGrad},
    Entry{"_autograd_grad", "outputs, inputs, grad_outputs=None, retain_graph=False, create_graph=True",
          autogradGrad},
    Entry{"_set_fwd_grad_enabled", "mode",
          [](const Arguments& a) {
              setForwardGrad(a["mode"].flag());
              return Value();
          }},
    Entry{"_enter_dual_level", "", enterDual},
    Entry{"_exit_dual_level", "level=0",
          [](const Arguments&) {
              leaveDual();
              return Value();
          }},
    Entry{"_make_dual", "tensor, tangent, level=0",
          [](const Arguments& a) {
              return aten("_make_dual", {a["tensor"], a["tangent"], a["level"]});
          }},
    Entry{"_unpack_dual", "tensor, level=0",
          [](const Arguments& a) {
              return aten("_unpack_dual", {a["tensor"], a["level"]});
          }},
};

constexpr std::array<std::string_view, 6> spaces{
    "torch._functorch.predispatch.", "torch._C._functorch.",       "torch._functorch.eager_transforms.",
    "torch._functorch.vmap.",        "torch.autograd.forward_ad.", "torch._C.",
};

const Entry* rowOf(std::string_view target) {
    for (const std::string_view space : spaces) {
        if (!target.starts_with(space)) continue;
        if (const Entry* entry = findEntry(table, target.substr(space.size()))) return entry;
    }
    return nullptr;
}

} // namespace

std::optional<Function> functorchFunction(std::string_view target) {
    if (const Entry* entry = rowOf(target)) return functionOf(*entry);
    return std::nullopt;
}

bool isFunctorchTarget(std::string_view target) {
    return rowOf(target) != nullptr;
}

Tensor withoutTransforms(Tensor tensor) {
    for (;;) {
        if (const auto* batched = functorch::maybeGetBatchedImpl(tensor)) {
            tensor = batched->value();
        } else if (const auto* wrapper = functorch::maybeGetTensorWrapper(tensor)) {
            tensor = wrapper->value();
        } else {
            return tensor;
        }
    }
}

OutsideTransforms::OutsideTransforms()
    : m_guard(c10::DispatchKeySet({c10::DispatchKey::FuncTorchDynamicLayerFrontMode,
                                   c10::DispatchKey::FuncTorchDynamicLayerBackMode})) {}

bool isWrapped(const Tensor& tensor) {
    return functorch::isBatchedTensor(tensor) || functorch::maybeGetTensorWrapper(tensor) != nullptr;
}

bool isTransformed(const Tensor& tensor) {
    // Tensors that AOTAutograd's trace differentiates carry the key of a vmap that PyTorch no longer has.
    return isWrapped(tensor) || tensor.key_set().has(c10::DispatchKey::Batched);
}

LayerGuard::LayerGuard()
    : m_depth(functorch::getDynamicLayerStack().size())
    , m_dual(dualLevel)
    , m_forwardGrad(c10::AutogradState::get_tls_state().get_fw_grad_mode()) {}

LayerGuard::~LayerGuard() {
    while (functorch::getDynamicLayerStack().size() > m_depth)
        popAny();
    if (m_depth == 0) functorch::setInplaceRequiresGradAllowed(false);
    if (!m_dual) leaveDual();
    setForwardGrad(m_forwardGrad);
}

Tensor vmapped(const Value& body, const std::vector<std::int64_t>& sizes,
               const std::vector<Mapped>& arguments, const std::vector<Value>& rest, const Context* context) {
    const LayerGuard guard;
    std::vector<Tensor> inside;
    for (const Mapped& argument : arguments)
        inside.push_back(argument.tensor);
    std::vector<std::int64_t> levels;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        levels.push_back(pushVmap(sizes[i], functorch::RandomnessType::Error));
        for (std::size_t j = 0; j < arguments.size(); ++j) {
            const auto& dims = arguments[j].dims;
            if (std::find(dims.begin(), dims.end(), i) != dims.end())
                inside[j] = functorch::addBatchDim(inside[j], 0, levels.back());
        }
    }
    std::vector<Value> inputs(inside.begin(), inside.end());
    inputs.insert(inputs.end(), rest.begin(), rest.end());
    const Value result = runGraph(body, inputs, context);
    Tensor out = (result.isSequence() ? result.items().at(0) : result).tensor();
    for (std::size_t i = sizes.size(); i-- > 0;) {
        out = withoutBatchDim(out, levels[i], sizes[i], 0);
        static_cast<void>(pop(TransformType::Vmap));
    }
    return out;
}

} // namespace dynascope::engine::torch_level
