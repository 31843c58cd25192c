// SPDX-License-Identifier: BSD-3-Clause
//
// transformers/integrations/moe.py of transformers 5.
#include "core/engine/exec/torch_level/library_operators.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <array>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>
#include <tuple>

namespace dynascope::engine::torch_level {

namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

void checkGroups(const Tensor& input, const Tensor& weight, const Tensor& offs) {
    TORCH_CHECK(input.dim() == 2, "input must be 2D (S, input_dim), got shape ", input.sizes());
    TORCH_CHECK(weight.dim() == 3, "weight must be 3D (num_experts, input_dim, output_dim), got shape ",
                weight.sizes());
    TORCH_CHECK(offs.dim() == 1 && offs.size(0) == weight.size(0),
                "offs must have one number for each expert, got shape ", offs.sizes());
    TORCH_CHECK(input.size(1) == weight.size(1), "input_dim mismatch: input has ", input.size(1),
                ", weight has ", weight.size(1));
    TORCH_CHECK(offs.scalar_type() == at::kInt || offs.scalar_type() == at::kLong,
                "offs must be an integer tensor, got ", offs.scalar_type());
}

/// Calls `group(expert, start, end)` for each expert that has rows.
template <typename Group>
void forEachGroup(const Tensor& offs, Group group) {
    const Tensor ends = offs.to(at::kLong).contiguous();
    std::int64_t start = 0;
    for (std::int64_t i = 0; i < ends.size(0); ++i) {
        const std::int64_t end = ends.const_data_ptr<std::int64_t>()[i];
        if (start == end) continue;
        group(i, start, end);
        start = end;
    }
}

/// Rows of `input`, sorted by expert, times the weight of their expert; `offs` is where each expert's rows
/// end.
Tensor groupedMm(const Tensor& input, const Tensor& weight, const Tensor& offs) {
    checkGroups(input, weight, offs);
    Tensor out = at::zeros({input.size(0), weight.size(2)}, input.options());
    forEachGroup(offs, [&](std::int64_t i, std::int64_t start, std::int64_t end) {
        Tensor rows = out.slice(0, start, end);
        at::mm_out(rows, input.slice(0, start, end), weight.select(0, i));
    });
    return out;
}

std::tuple<Tensor, Tensor> groupedMmBackward(const Tensor& input, const Tensor& weight, const Tensor& offs,
                                             const Tensor& grad) {
    checkGroups(input, weight, offs);
    Tensor gradInput = at::zeros_like(input), gradWeight = at::zeros_like(weight);
    forEachGroup(offs, [&](std::int64_t i, std::int64_t start, std::int64_t end) {
        Tensor rows = gradInput.slice(0, start, end), expert = gradWeight.select(0, i);
        at::mm_out(rows, grad.slice(0, start, end), weight.select(0, i).t());
        at::mm_out(expert, input.slice(0, start, end).t(), grad.slice(0, start, end));
    });
    return {gradInput, gradWeight};
}

template <typename Signature>
c10::TypedOperatorHandle<Signature> operatorOf(const char* name) {
    return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

Tensor callGroupedMm(const Tensor& input, const Tensor& weight, const Tensor& offs) {
    return operatorOf<decltype(groupedMm)>("transformers::grouped_mm_fallback").call(input, weight, offs);
}

struct GroupedMm : torch::autograd::Function<GroupedMm> {
    static Tensor forward(AutogradContext* context, const Tensor& input, const Tensor& weight,
                          const Tensor& offs) {
        context->save_for_backward({input, weight});
        context->saved_data["offs"] = offs;
        const at::AutoDispatchBelowADInplaceOrView below;
        return callGroupedMm(input, weight, offs);
    }
    static variable_list backward(AutogradContext* context, const variable_list& grads) {
        const variable_list saved = context->get_saved_variables();
        const auto [input, weight] =
            operatorOf<decltype(groupedMmBackward)>("transformers::grouped_mm_fallback_backward")
                .call(saved[0], saved[1], context->saved_data["offs"].toTensor(), grads[0]);
        return {input, weight, Tensor()};
    }
};

Tensor differentiableGroupedMm(const Tensor& input, const Tensor& weight, const Tensor& offs) {
    return GroupedMm::apply(input, weight, offs);
}

constexpr std::array table{
    Entry{"transformers.grouped_mm_fallback", "input, weight, offs",
          [](const Arguments& a) {
              return Value(callGroupedMm(a["input"].tensor(), a["weight"].tensor(), a["offs"].tensor()));
          }},
    Entry{"transformers.grouped_mm_fallback_backward", "input, weight, offs, grad_output",
          [](const Arguments& a) {
              const auto [input, weight] =
                  operatorOf<decltype(groupedMmBackward)>("transformers::grouped_mm_fallback_backward")
                      .call(a["input"].tensor(), a["weight"].tensor(), a["offs"].tensor(),
                            a["grad_output"].tensor());
              return Value::tuple({Value(input), Value(weight)});
          }},
};

void registerOperators() {
    static const auto libraries = [] {
        using Kind = torch::Library::Kind;
        auto out = std::make_unique<std::array<torch::Library, 3>>(std::array<torch::Library, 3>{
            torch::Library(Kind::FRAGMENT, "transformers", std::nullopt, __FILE__, __LINE__),
            torch::Library(Kind::IMPL, "transformers", c10::DispatchKey::CPU, __FILE__, __LINE__),
            torch::Library(Kind::IMPL, "transformers", c10::DispatchKey::Autograd, __FILE__, __LINE__)});
        (*out)[0].def("grouped_mm_fallback(Tensor input, Tensor weight, Tensor offs) -> Tensor");
        (*out)[0].def("grouped_mm_fallback_backward(Tensor input, Tensor weight, Tensor offs, Tensor "
                      "grad_output) -> (Tensor, Tensor)");
        (*out)[1].impl("grouped_mm_fallback", groupedMm);
        (*out)[1].impl("grouped_mm_fallback_backward", groupedMmBackward);
        (*out)[2].impl("grouped_mm_fallback", differentiableGroupedMm);
        return out;
    }();
}

} // namespace

bool isLibraryOperator(std::string_view space, std::string_view name) {
    const bool known = findEntry(table, std::string(space) + '.' + std::string(name)) != nullptr;
    if (known) registerOperators();
    return known;
}

std::optional<Function> libraryFunction(std::string_view name) {
    const Entry* entry = findEntry(table, name);
    if (!entry) return std::nullopt;
    registerOperators();
    return functionOf(*entry);
}

} // namespace dynascope::engine::torch_level
