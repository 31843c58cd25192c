// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/aot/aot_backward.h"

#include "core/engine/exec/autograd_node.h"
#include "core/passes/partition/captured_joint.h"

#include <ATen/MemoryOverlap.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/zeros.h>
#include <algorithm>
#include <span>
#include <torch/csrc/autograd/functions/utils.h>

namespace dynascope::engine {

namespace {

using at::Tensor;
using c10::IValue;
using torch::autograd::variable_list;

/// The backward half, as autograd's node of the results.
class JointBackward final : public torch::autograd::Node {
public:
    JointBackward(std::shared_ptr<const Program> program, const Attributes& attributes)
        : m_program(std::move(program))
        , m_attributes(attributes) {}

    /// By the program's inputs; tangents are left empty, and the tokens of effects follow them.
    void save(std::vector<IValue> arguments, std::size_t tokens) {
        m_arguments = std::move(arguments);
        m_tokens = tokens;
    }
    /// Makes the result differentiable; results come in the order of the tangents.
    void attach(Tensor& result, const AutogradNodePtr& self) {
        m_like.push_back(emptyTangent(result));
        torch::autograd::set_history(result, self);
    }
    void release_variables() override { m_arguments.clear(); }

private:
    variable_list apply(variable_list&& gradients) override {
        const at::AutoGradMode off(false);
        std::vector<IValue> arguments = m_arguments;
        const std::size_t first = arguments.size() - m_tokens - m_like.size();
        for (std::size_t i = 0; i < m_like.size(); ++i) {
            // A tangent lies in memory as the graph was traced with it.
            Tensor tangent = at::empty_strided(m_like[i].sizes(), m_like[i].strides(), m_like[i].options());
            if (gradients.at(i).defined())
                tangent.copy_(gradients[i]);
            else
                tangent.zero_();
            arguments[first + i] = std::move(tangent);
        }
        const auto results = engine::run(*m_program, arguments, m_attributes);
        TORCH_CHECK(results, results ? std::string() : results.error().message);
        variable_list out;
        for (const IValue& result : std::span(*results).first(results->size() - m_tokens))
            out.push_back(result.isTensor() ? result.toTensor() : Tensor());
        return out;
    }

    std::shared_ptr<const Program> m_program;
    Attributes m_attributes;
    std::vector<IValue> m_arguments;
    std::size_t m_tokens = 0;
    std::vector<Tensor> m_like;
};

RunError asRunError(const std::string& message) {
    return {message, ir::npos, false};
}

std::shared_ptr<const Program> compiled(const ir::GraphPtr& graph) {
    return std::make_shared<const Program>(compile(graph));
}

} // namespace

Tensor emptyTangent(const Tensor& output) {
    const auto options = at::TensorOptions().dtype(output.scalar_type());
    if (at::has_internal_overlap(output.unsafeGetTensorImpl()) == at::MemOverlap::Yes)
        return at::empty(output.sizes(), options.memory_format(output.suggest_memory_format()));
    return at::empty_strided(output.sizes(), output.strides(), options);
}

tl::expected<SplitJoint, RunError> SplitJoint::make(const ir::GraphPtr& joint, const Attributes& attributes) {
    const auto described = passes::partition::capturedJoint(joint, {}, {});
    if (!described) return tl::unexpected(asRunError(described.error().message));
    const auto parts = passes::partition::defaultPartition(*described);
    if (!parts) return tl::unexpected(asRunError(parts.error().message));
    SplitJoint out;
    out.m_forward = compiled(parts->forward);
    out.m_backward = compiled(parts->backward);
    out.m_attributes = attributes;
    out.m_outputs = described->forwardOutputs;
    out.m_saved = parts->saved;
    return out;
}

tl::expected<std::vector<IValue>, RunError> SplitJoint::run(const std::vector<IValue>& primals,
                                                            const std::vector<Tensor>& sources,
                                                            const std::vector<std::size_t>& differentiable,
                                                            const TaskContext& task) const {
    tl::expected<std::vector<IValue>, RunError> results;
    {
        const at::AutoGradMode off(false);
        results = engine::run(*m_forward, primals, m_attributes, task);
    }
    if (!results) return results;
    std::vector<IValue> arguments;
    std::size_t tokens = 0;
    for (const ir::NodePtr& node : m_backward->graph->nodes()) {
        if (node->op != ir::Op::Placeholder) continue;
        if (node->target.starts_with(passes::partition::backwardToken)) {
            arguments.emplace_back(at::empty({0}));
            ++tokens;
            continue;
        }
        const auto saved = std::find(m_saved.begin(), m_saved.end(), node->name);
        const auto at = m_outputs + static_cast<std::size_t>(saved - m_saved.begin());
        arguments.push_back(saved != m_saved.end() && at < results->size() ? (*results)[at] : IValue());
    }
    results->resize(m_outputs);
    const AutogradNodePtr node = makeAutogradNode<JointBackward>(m_backward, m_attributes);
    auto& backward = static_cast<JointBackward&>(*node);
    torch::autograd::edge_list edges;
    for (const Tensor& source : sources)
        edges.push_back(source.defined() && source.requires_grad()
                            ? torch::autograd::impl::gradient_edge(source)
                            : torch::autograd::Edge());
    node->set_next_edges(std::move(edges));
    backward.save(std::move(arguments), tokens);
    for (const std::size_t i : differentiable) {
        Tensor result = (*results)[i].toTensor().detach(); // a result may be an input
        backward.attach(result, node);
        (*results)[i] = result;
    }
    return results;
}

} // namespace dynascope::engine
