// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/higher_order.h"

#include "core/engine/exec/autograd_node.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>
#include <algorithm>
#include <torch/csrc/autograd/functions/utils.h>

namespace dynascope::engine::torch_level {

namespace {

using torch::autograd::variable_list;

/// The outputs that an option lists.
std::vector<std::int64_t> marked(const Value& options, std::string_view option) {
    const std::vector<Value>& items = options.items();
    for (std::size_t i = 0; i + 1 < items.size(); i += 2)
        if (items[i].isString() && items[i].text() == option) return items[i + 1].integers();
    return {};
}

struct Forwarded {
    std::vector<Value> outputs, saved;
};

Forwarded runForward(const Value& body, const std::vector<Value>& inputs, const Context* context) {
    const Value result = runGraph(body, inputs, context);
    TORCH_CHECK(result.isSequence() && result.items().size() == 2,
                "a forward body gives its outputs and what it saves");
    return {itemsOf(result.items()[0]), itemsOf(result.items()[1])};
}

/// What the outputs' gradients go through.
class BackwardBody final : public torch::autograd::Node {
public:
    /// `inputs`: which arguments are tensors. The body gives a gradient for each argument, sizes included.
    BackwardBody(Value body, std::vector<std::size_t> inputs)
        : m_body(std::move(body))
        , m_inputs(std::move(inputs)) {}

    void save(std::vector<Value> values) { m_saved = std::move(values); }

    /// Makes the output differentiable by this node alone, whatever the forward body recorded of it. An input
    /// that is handed out keeps its own history.
    at::Tensor attach(const at::Tensor& output, const AutogradNodePtr& self, bool isInput,
                      bool differentiable) {
        at::Tensor out = isInput ? output.detach() : output;
        m_outputs.emplace_back(OutputLike{out.sizes().vec(), out.options()});
        if (differentiable)
            torch::autograd::set_history(out, self);
        else
            add_input_metadata(undefined_input()); // its gradient has a place, and is never defined
        return out;
    }

    /// An output that is no tensor: the body takes None for its gradient.
    void skip() { m_outputs.emplace_back(std::nullopt); }

    void release_variables() override { m_saved.clear(); }

private:
    variable_list apply(variable_list&& grads) override {
        std::vector<Value> inputs;
        std::size_t next = 0;
        for (const std::optional<OutputLike>& output : m_outputs) {
            if (!output) {
                inputs.emplace_back();
                continue;
            }
            const at::Tensor& grad = grads.at(next++);
            inputs.emplace_back(grad.defined() ? grad : at::zeros(output->sizes, output->options));
        }
        inputs.insert(inputs.end(), m_saved.begin(), m_saved.end());
        const std::vector<Value> results = itemsOf(runGraph(m_body, inputs, nullptr));
        variable_list out;
        for (const std::size_t input : m_inputs)
            out.push_back(input < results.size() && results[input].isTensor() ? results[input].tensor()
                                                                              : at::Tensor());
        return out;
    }

    Value m_body;
    struct OutputLike {
        std::vector<std::int64_t> sizes;
        at::TensorOptions options;
    };
    std::vector<std::size_t> m_inputs;
    std::vector<Value> m_saved;
    std::vector<std::optional<OutputLike>> m_outputs; ///< nothing for one that is no tensor
};

} // namespace

Value applyAutogradFunction(const Arguments& a) {
    const Value &forward = a["fwd"], &backward = a["bwd"];
    const std::vector<Value>& inputs = a["args"].items();
    const Context* context = a.context();
    variable_list tensors;
    bool differentiable = false;
    std::vector<std::size_t> positions;
    for (const Value& input : inputs) {
        if (!input.isTensor()) continue;
        positions.push_back(static_cast<std::size_t>(&input - inputs.data()));
        tensors.push_back(input.tensor());
        differentiable |= input.tensor().requires_grad();
    }
    if (!differentiable || !at::GradMode::is_enabled())
        return Value::tuple(runForward(forward, inputs, context).outputs);
    const AutogradNodePtr node = makeAutogradNode<BackwardBody>(backward, std::move(positions));
    auto& body = static_cast<BackwardBody&>(*node);
    node->set_next_edges(torch::autograd::collect_next_edges(tensors));
    Forwarded result;
    {
        const at::AutoGradMode noGrad(false); // the body may turn it on
        result = runForward(forward, inputs, context);
    }
    body.save(std::move(result.saved));
    const auto isInput = [&](const Value& value) {
        return std::any_of(tensors.begin(), tensors.end(),
                           [&](const at::Tensor& tensor) { return tensor.is_same(value.tensor()); });
    };
    const std::vector<std::int64_t> without = marked(a["options"], "non_differentiable_idx");
    std::vector<Value> out;
    for (const Value& value : result.outputs) {
        if (!value.isTensor()) {
            body.skip();
            out.push_back(value);
            continue;
        }
        const auto i = static_cast<std::int64_t>(out.size());
        const bool counts = torch::autograd::isDifferentiableType(value.tensor().scalar_type()) &&
                            std::find(without.begin(), without.end(), i) == without.end();
        out.emplace_back(body.attach(value.tensor(), node, isInput(value), counts));
    }
    return Value::tuple(std::move(out));
}

} // namespace dynascope::engine::torch_level
