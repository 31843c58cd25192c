// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/aot/autograd_level.h"

#include "core/engine/exec/map_tensors.h"
#include "core/engine/trace/python_kernels.h"

#include <ATen/ops/detach.h>
#include <c10/core/AutogradState.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <typeinfo>
#include <utility>
#include <vector>

namespace dynascope::engine {

namespace {

using at::Tensor;
using c10::DispatchKey;
using c10::IValue;
namespace functional = at::functionalization::impl;

class OuterImpl final : public c10::TensorImpl {
public:
    // PyTorch asks in many places whether a tensor is like a subclass, as its own traced ones are. One of the
    // keys that make it so is never dispatched here: Batched, of a vmap that PyTorch no longer has.
    explicit OuterImpl(Tensor wrapper)
        : TensorImpl(c10::DispatchKeySet({DispatchKey::Fake, DispatchKey::CPU, DispatchKey::Batched}) |
                         lazyKeys(wrapper),
                     wrapper.dtype(), c10::Device(c10::kCPU))
        , m_wrapper(std::move(wrapper)) {
        refresh();
        storage_access_should_throw_ = false;
    }

    [[nodiscard]] const Tensor& wrapper() const { return m_wrapper; }
    void refresh() {
        set_sizes_and_strides(m_wrapper.sizes(), m_wrapper.strides(), m_wrapper.storage_offset());
    }

    // PyTorch's traced tensors turn this into a real aten.detach: where an operator saves its result, and
    // again where backward takes it out.
    c10::intrusive_ptr<TensorImpl> shallow_copy_and_detach(const c10::VariableVersion& version,
                                                           bool allowChange) const override {
        return copy(version, allowChange);
    }
    c10::intrusive_ptr<TensorImpl> shallow_copy_and_detach(c10::VariableVersion&& version,
                                                           bool allowChange) const override {
        return copy(std::move(version), allowChange);
    }

private:
    template <typename Version>
    c10::intrusive_ptr<TensorImpl> copy(Version&& version, bool allowChange) const {
        Tensor wrapper = m_wrapper;
        if (UpperLevelGuard::active()) {
            const BelowAutograd below;
            functional::sync(wrapper);
            wrapper = at::detach(wrapper);
        }
        auto out = c10::make_intrusive<OuterImpl>(std::move(wrapper));
        out->set_version_counter(std::forward<Version>(version));
        out->set_allow_tensor_metadata_change(allowChange);
        return out;
    }

    Tensor m_wrapper;
};

OuterImpl* outer(const Tensor& tensor) {
    if (!tensor.defined()) return nullptr;
    c10::TensorImpl* const impl = tensor.unsafeGetTensorImpl();
    // Much cheaper than dynamic_cast; the class is final.
    return typeid(OuterImpl) == typeid(*impl) ? static_cast<OuterImpl*>(impl) : nullptr;
}

} // namespace

struct BelowAutograd::Guards {
    explicit Guards(bool functionalize)
        : keys(functionalize ? c10::DispatchKeySet(DispatchKey::Functionalize) : c10::DispatchKeySet())
        , noAutograd(functionalize ? c10::autograd_dispatch_keyset_with_ADInplaceOrView
                                   : c10::autograd_dispatch_keyset_with_ADInplaceOrView |
                                         c10::DispatchKeySet(DispatchKey::Functionalize)) {}
    UpperLevelGuard recorded{nullptr};
    functional::FunctionalizationReapplyViewsGuard views{true};
    c10::impl::IncludeDispatchKeyGuard keys;
    c10::impl::ExcludeDispatchKeyGuard noAutograd;
};

BelowAutograd::BelowAutograd(bool functionalize)
    : m_guards(std::make_unique<Guards>(functionalize)) {}
BelowAutograd::~BelowAutograd() = default;

struct AutogradLevel::Modes {
    explicit Modes(AutogradLevel* level)
        : current(level)
        , replayedViews(c10::AutogradState::get_tls_state().get_view_replay_enabled()) {
        c10::AutogradState::get_tls_state().set_view_replay_enabled(true);
    }
    ~Modes() { c10::AutogradState::get_tls_state().set_view_replay_enabled(replayedViews); }
    Modes(const Modes&) = delete;
    Modes& operator=(const Modes&) = delete;

    UpperLevelGuard current;
    bool replayedViews;
    PythonKernels kernels;
    c10::impl::IncludeDispatchKeyGuard factories{DispatchKey::Fake};
    c10::impl::ExcludeDispatchKeyGuard notBatched{DispatchKey::Batched};
};

AutogradLevel::AutogradLevel()
    : m_modes(std::make_unique<Modes>(this)) {}
AutogradLevel::~AutogradLevel() = default;

at::FunctionalTensorWrapper* AutogradLevel::wrapperOf(const Tensor& tensor) {
    const OuterImpl* impl = outer(tensor);
    return impl ? functional::unsafeGetFunctionalWrapper(impl->wrapper()) : nullptr;
}

Tensor AutogradLevel::wrap(const Tensor& traced) const {
    const BelowAutograd below;
    return Tensor(c10::make_intrusive<OuterImpl>(functional::to_functional_tensor(traced)));
}

Tensor AutogradLevel::traced(const Tensor& tensor) const {
    const OuterImpl* impl = outer(tensor);
    if (!impl) return tensor;
    const BelowAutograd below;
    functional::sync(impl->wrapper());
    return functional::from_functional_tensor(impl->wrapper());
}

void AutogradLevel::call(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
    std::vector<IValue> arguments = torch::jit::pop(stack, op.schema().arguments().size());
    std::vector<Tensor> given; // outer tensors among the arguments
    const BelowAutograd below;
    for (const IValue& argument : arguments) {
        stack.push_back(mapTensors(argument, [&](const Tensor& tensor) {
            const OuterImpl* impl = outer(tensor);
            if (!impl) return tensor;
            given.push_back(tensor);
            // PyTorch's functional mode does this before views as well, which functionalization does not.
            functional::sync(impl->wrapper());
            return impl->wrapper();
        }));
    }
    op.callBoxed(stack);
    const std::size_t count = op.schema().returns().size();
    for (std::size_t i = stack.size() - count; i < stack.size(); ++i) {
        stack[i] = mapTensors(stack[i], [&](const Tensor& result) -> Tensor {
            for (const Tensor& tensor : given) {
                if (!outer(tensor)->wrapper().is_same(result)) continue;
                outer(tensor)->refresh(); // the operator may have changed its sizes
                return tensor;
            }
            if (functional::isFunctionalTensor(result)) return Tensor(c10::make_intrusive<OuterImpl>(result));
            if (Tape::nodeOf(result) < 0) return result; // a plain constant
            return Tensor(c10::make_intrusive<OuterImpl>(functional::to_functional_tensor(result)));
        });
    }
}

} // namespace dynascope::engine
