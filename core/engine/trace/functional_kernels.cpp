// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/trace/functional_kernels.h"

#include "core/engine/trace/meta_kernels.h"
#include "core/engine/trace/register_where.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace dynascope::engine {

namespace {

using c10::DispatchKey;

/// Of these functorch takes apart those that write nothing given as well, before functionalization sees them
/// (aten/src/ATen/functorch/PyTorchOperatorHacks.cpp of PyTorch 2.13).
constexpr std::array<std::string_view, 4> takenApart{"aten::dropout", "aten::feature_dropout",
                                                     "aten::alpha_dropout", "aten::feature_alpha_dropout"};

/// What they change is no tensor's data, or storage that a wrapper does not have.
constexpr std::array<std::string_view, 4> notOfData{"aten::set_data", "aten::set_", "aten::retain_grad",
                                                    "aten::requires_grad_"};

bool isOneOf(const std::array<std::string_view, 4>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool lacksKernel(const c10::OperatorHandle& op) {
    if (!op.hasSchema() || op.schema().getNamespace() != "aten") return false;
    const std::string& name = op.schema().name();
    if (!op.schema().is_mutable() && !isOneOf(takenApart, name)) return false;
    return !isOneOf(notOfData, name) && op.hasKernelForDispatchKey(DispatchKey::CompositeImplicitAutograd) &&
           !op.hasKernelForDispatchKey(DispatchKey::Functionalize);
}

void takeApart(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
    op.callBoxedForDispatchKey(DispatchKey::CompositeImplicitAutograd, *stack);
}

} // namespace

void ensureFunctionalKernels() {
    ensureMetaKernels();
    static const auto handles = registerWhere(lacksKernel, DispatchKey::Functionalize,
                                              c10::KernelFunction::makeFromBoxedFunction<&takeApart>(),
                                              "dynascope: composite kernel under functionalization");
}

} // namespace dynascope::engine
