// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/aot/aot_runtime.h"

#include "core/engine/aot/aot_backward.h"
#include "core/engine/cases/traced_graph.h"
#include "core/engine/exec/torch_level/modes.h"
#include "core/engine/exec/torch_values.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <algorithm>

namespace dynascope::engine {

namespace {

using at::Tensor;
using c10::IValue;
using namespace passes::aot;

class AotCall {
public:
    AotCall(const AotRequest& request, const AotTrace& trace, const std::vector<IValue>& inputs,
            const TaskContext& task)
        : m_request(request)
        , m_trace(trace)
        , m_meta(trace.layers.meta())
        , m_inputs(inputs)
        , m_task(task) {}

    tl::expected<std::vector<IValue>, RunError> run() {
        bool training = false;
        for (const IValue& input : m_inputs)
            training |= isDefinedTensor(input) && input.toTensor().requires_grad();
        const at::AutoGradMode grad(training);
        try {
            if (auto learned = learnPlaces(); !learned) return tl::unexpected(learned.error());
            m_inner = m_trace.layers.innerArguments(m_inputs);
            auto results = runGraph();
            if (!results) return tl::unexpected(results.error());
            m_results = std::move(*results);
            writeBack();
            return outputs();
        } catch (const std::exception& error) {
            return tl::unexpected(RunError{errorText(error), ir::npos, false});
        }
    }

private:
    static TensorGeometry placeOf(const IValue& value) {
        if (!isDefinedTensor(value)) return {};
        const Tensor& tensor = value.toTensor();
        return {tensor.sizes().vec(), tensor.strides().vec(), tensor.storage_offset()};
    }

    tl::expected<void, RunError> learnPlaces() {
        const at::AutoGradMode off(false);
        const std::vector<IValue> copies = copyInputs(m_inputs);
        const torch_level::AutocastGuard casts(m_request.autocast.has_value(), m_request.autocast, true);
        const auto results = engine::run(m_request.program, copies, m_request.attributes, m_task);
        if (!results) return tl::unexpected(results.error());
        for (const IValue& input : copies)
            m_inputsAfter.push_back(placeOf(input));
        for (const IValue& output : *results)
            m_outputPlaces.push_back(placeOf(output));
        return {};
    }

    tl::expected<std::vector<IValue>, RunError> runGraph() const {
        std::vector<IValue> arguments(m_trace.forwardTokens, at::empty({0}));
        std::vector<Tensor> sources;
        for (const IValue& value : m_inner) {
            // What the graph does to an input's geometry has to reach the input itself.
            const bool differentiated = isDefinedTensor(value) && value.toTensor().requires_grad();
            arguments.push_back(differentiated ? IValue(value.toTensor().detach()) : value);
            sources.push_back(isDefinedTensor(value) ? value.toTensor() : Tensor());
        }
        const ir::GraphPtr graph = withoutDeadNodes(m_trace.graph);
        if (!m_trace.joint) {
            const at::AutoGradMode off(false);
            return engine::run(compile(graph), arguments, m_trace.attributes, m_task);
        }
        const auto split = SplitJoint::make(graph, m_trace.attributes);
        if (!split) return tl::unexpected(split.error());
        return split->run(arguments, sources, m_trace.differentiable, m_task);
    }

    void writeBack() {
        std::size_t next = m_trace.forwardTokens;
        for (const InnerIndex i : m_meta.inputsOf(MutationType::OutGraph)) {
            const Tensor value = m_results.at(next++).toTensor();
            const InputAliasInfo& info = m_meta.input(i);
            Tensor input = m_inner[i.value].toTensor();
            if (info.mutatesStorageMetadata) {
                const at::AutoGradMode off(false);
                input.set_(value);
                continue;
            }
            if (info.mutatesMetadata) move(input, m_trace.layers.outerOf(i));
            if (!info.mutatesData) continue;
            if (input.is_leaf() && input.requires_grad())
                input.detach().copy_(value);
            else
                input.copy_(value);
        }
        for (const std::size_t i : m_trace.layers.geometryChanged())
            move(m_inputs[i].toTensor(), i);
        for (const std::size_t i : m_trace.takenForUnmoved)
            if (placeOf(m_inputs[i]) != m_inputsAfter.at(i)) move(m_inputs[i].toTensor(), i);
        m_first = next;
    }

    /// Gives an input the place that it has after the call.
    void move(const Tensor& input, std::size_t outer) const {
        const TensorGeometry& place = m_inputsAfter.at(outer);
        input.as_strided_(place.sizes, place.strides, place.offset);
    }

    std::vector<IValue> outputs() {
        const auto& infos = m_trace.outer.outputs;
        std::vector<IValue> out(m_results.begin() + static_cast<std::ptrdiff_t>(m_first),
                                m_results.begin() + static_cast<std::ptrdiff_t>(m_first + infos.size()));
        for (std::size_t i = 0; i < infos.size(); ++i) {
            const auto& info = infos[i];
            if (!out[i].isTensor()) continue;
            if (info.type == OutputType::IsInput) {
                out[i] = m_inputs.at(info.input->value);
            } else if (info.type == OutputType::AliasOfInput) {
                out[i] = alias(m_inputs.at(info.input->value).toTensor(), i);
            } else if (info.type == OutputType::AliasOfIntermediate ||
                       info.type == OutputType::AliasOfIntermediateSaveAsOutput) {
                out[i] = alias(base(m_meta.outputs.size() + *info.base), i);
            } else if (info.type == OutputType::AliasOfIntermediateBaseIsUserOutput && *info.base != i) {
                out[i] = alias(base(*info.base), i);
            }
        }
        return out;
    }

    Tensor base(std::size_t result) const { return m_results.at(m_first + result).toTensor(); }

    /// What output `i` is, as a view of what it aliases.
    Tensor alias(const Tensor& of, std::size_t i) const {
        const TensorGeometry& place = m_outputPlaces.at(i);
        const Tensor computed = m_results.at(m_first + i).toTensor();
        Tensor out = computed.scalar_type() == of.scalar_type()
                         ? of.as_strided(place.sizes, place.strides, place.offset)
                         : at::empty({0}, computed.options())
                               .set_(of.storage(), place.offset, place.sizes, place.strides);
        return m_trace.outer.outputs[i].requiresGrad ? out : out.detach();
    }

    const AotRequest& m_request;
    const AotTrace& m_trace;
    const ViewAndMutationMeta<InnerIndex>& m_meta;
    const std::vector<IValue>& m_inputs;
    const TaskContext& m_task;
    std::vector<TensorGeometry> m_inputsAfter, m_outputPlaces; ///< where they lie after the call
    std::vector<IValue> m_inner, m_results;
    std::size_t m_first = 0; ///< of the results: the function's first output
};

} // namespace

tl::expected<std::vector<IValue>, RunError> runAot(const AotRequest& request, const AotTrace& trace,
                                                   const std::vector<IValue>& inputs,
                                                   const TaskContext& task) {
    return AotCall(request, trace, inputs, task).run();
}

} // namespace dynascope::engine
