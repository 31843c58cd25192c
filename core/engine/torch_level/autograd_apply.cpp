// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/torch_level/higher_order.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

namespace dynascope::engine::torch_level {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// What the autograd node keeps: the graphs, and the values that the forward graph saved.
struct Bodies {
    Value forward, backward;
    std::vector<Value> inputs;
};

std::vector<Value> itemsOf(const Value& value) {
    return value.isSequence() ? value.items() : std::vector<Value>{value};
}

struct Forwarded {
    std::vector<Value> outputs, saved;
};

Forwarded runForward(const Bodies& bodies, const Context* context) {
    const Value result = runGraph(bodies.forward, bodies.inputs, context);
    TORCH_CHECK(result.isSequence() && result.items().size() == 2,
                "a forward body gives its outputs and what it saves");
    return {itemsOf(result.items()[0]), itemsOf(result.items()[1])};
}

struct Apply : torch::autograd::Function<Apply> {
    static variable_list forward(AutogradContext* ctx, const Bodies& bodies, const variable_list& inputs) {
        Forwarded result = runForward(bodies, nullptr);
        ctx->saved_data["backward"] = bodies.backward.toIValue();
        ctx->saved_data["saved"] = Value::tuple(result.saved).toIValue();
        ctx->saved_data["inputs"] = static_cast<std::int64_t>(inputs.size());
        variable_list out;
        for (const Value& value : result.outputs)
            out.push_back(value.isTensor() ? value.tensor() : at::Tensor());
        return out;
    }

    static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
        std::vector<Value> inputs(grads.begin(), grads.end());
        const Value saved = Value::from(ctx->saved_data["saved"]);
        inputs.insert(inputs.end(), saved.items().begin(), saved.items().end());
        const std::vector<Value> results =
            itemsOf(runGraph(Value::from(ctx->saved_data["backward"]), inputs, nullptr));
        variable_list out(1); // of the bodies, which have no gradient
        for (const Value& value : results)
            out.push_back(value.isTensor() ? value.tensor() : at::Tensor());
        out.resize(static_cast<std::size_t>(ctx->saved_data["inputs"].toInt()) + 1);
        return out;
    }
};

} // namespace

Value applyAutogradFunction(const Value& forward, const Value& backward, const std::vector<Value>& inputs,
                            const Context* context) {
    const Bodies bodies{forward, backward, inputs};
    variable_list tensors;
    bool differentiable = false;
    for (const Value& input : inputs) {
        if (!input.isTensor()) continue;
        tensors.push_back(input.tensor());
        differentiable |= input.tensor().requires_grad();
    }
    if (!differentiable || !at::GradMode::is_enabled())
        return Value::tuple(runForward(bodies, context).outputs);
    std::vector<Value> out;
    for (at::Tensor& tensor : Apply::apply(bodies, tensors))
        out.emplace_back(std::move(tensor));
    return Value::tuple(std::move(out));
}

} // namespace dynascope::engine::torch_level
