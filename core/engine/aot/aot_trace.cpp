// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/aot/aot_trace.h"

#include "core/engine/aot/aot_backward.h"
#include "core/engine/aot/aot_metadata.h"
#include "core/engine/aot/trace_level.h"
#include "core/engine/exec/thread_count.h"
#include "core/engine/exec/torch_level/modes.h"
#include "core/engine/exec/torch_values.h"
#include "core/engine/functionalize/functionalization_run.h"
#include "core/engine/trace/functional_kernels.h"

#include <ATen/core/grad_mode.h>
#include <ATen/core/jit_type.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <algorithm>
#include <map>
#include <memory>
#include <torch/csrc/autograd/autograd.h>
#include <unordered_map>
#include <unordered_set>

namespace dynascope::engine {

namespace {

using at::Tensor;
using c10::IValue;
using namespace passes::aot;

RunError refusal(const Error& error) {
    return {error.message, ir::npos, false};
}

/// Whether an output or a written input is differentiated. A view of an input that requires grad is not: the
/// caller makes it anew from the input.
bool needsBackward(const ViewAndMutationMeta<OuterIndex>& meta) {
    const auto ofInput = [&](const auto& output) {
        return isRegenerated(output.type) && output.input && meta.input(*output.input).requiresGrad;
    };
    const auto isWritten = [](const InputAliasInfo& info) {
        return info.requiresGrad && info.mutatesData && !info.mutationsUnderNoGradOrInferenceMode &&
               !info.mutationsHiddenFromAutograd;
    };
    return std::any_of(meta.outputs.begin(), meta.outputs.end(),
                       [&](const auto& output) { return output.requiresGrad && !ofInput(output); }) ||
           std::any_of(meta.inputs.begin(), meta.inputs.end(), isWritten);
}

/// As the output lies in memory and as lazily conjugated. Where sizes are symbols PyTorch makes it
/// contiguous.
Tensor tangentOf(const Tensor& output, bool symbolicSizes) {
    const PlainCalls plain;
    const c10::MemoryFormat format = output.suggest_memory_format();
    if (symbolicSizes && !output.is_contiguous(format))
        return at::ones(output.sizes(),
                        at::TensorOptions().dtype(output.scalar_type()).memory_format(format));
    const Tensor tangent = emptyTangent(output).fill_(1);
    return output.is_conj() ? tangent.conj() : tangent;
}

/// What backward is started from: a forward output, and whether it has a tangent.
struct ForwardResult {
    IValue value;
    bool differentiable = false;
};

class Trace {
public:
    Trace(const AotRequest& request, const TaskContext& task)
        : m_request(request)
        , m_task(task) {}

    tl::expected<AotTrace, RunError> run() {
        ensureFunctionalKernels();
        if (auto done = traceAtOnce(); !done || *done) {
            if (!done) return tl::unexpected(done.error());
            return std::move(m_out);
        }
        m_out = {};
        try {
            if (auto done = learnMetadata(); !done) return tl::unexpected(done.error());
            auto layers = AotLayers::plan(m_request.inputs, m_out.outer, m_out.joint);
            if (!layers) return tl::unexpected(refusal(layers.error()));
            m_out.layers = std::move(*layers);
            if (auto done = traceGraph(); !done) return tl::unexpected(done.error());
        } catch (const std::exception& error) {
            return tl::unexpected(RunError{errorText(error), ir::npos, false});
        }
        return std::move(m_out);
    }

private:
    [[nodiscard]] bool requiresGrad(std::size_t input) const {
        return isDefinedTensor(m_request.inputs[input]) && m_request.inputs[input].toTensor().requires_grad();
    }

    [[nodiscard]] bool anyRequiresGrad() const {
        for (std::size_t i = 0; i < m_request.inputs.size(); ++i)
            if (requiresGrad(i)) return true;
        return false;
    }

    /// Around the function.
    [[nodiscard]] bool isGradOn() const { return m_request.gradMode.value_or(anyRequiresGrad()); }

    /// PyTorch runs the function a first time for its metadata. Where this says that the graph would be
    /// traced just so, as it mostly does, the first run is the trace. False where it is not, which includes
    /// every error; only a cancelled run fails.
    tl::expected<bool, RunError> traceAtOnce() {
        const bool training = anyRequiresGrad() && isGradOn();
        if (isGradOn() != training || anyRepeated()) return false;
        try {
            const std::vector<IValue> values = copyInputs(m_request.inputs);
            TraceLevel level(m_task);
            level.tape.setDescribing(true);
            const at::AutoGradMode grad(training);
            m_out.joint = training;
            std::vector<RanInput> inputs;
            std::vector<IValue> primals;
            for (std::size_t i = 0; i < values.size(); ++i) {
                primals.push_back(level.input(primalName(i), values[i], requiresGrad(i)));
                inputs.push_back(ranInput(i, primals[i]));
            }
            const auto outputs = level.call(m_request, primals);
            if (!outputs && outputs.error().cancelled) return tl::unexpected(outputs.error());
            if (!outputs) return false;
            if (level.tape.takeToken()) return false; // forward's tokens are its first inputs
            const std::size_t recorded = level.tape.size();
            sync(level, primals);
            if (level.tape.size() != recorded) return false; // PyTorch's trace does this later
            takeMetadata(inputs, *outputs);
            if (training && !needsBackward(m_out.outer)) return false;
            auto layers = AotLayers::plan(m_request.inputs, m_out.outer, training);
            if (!layers || layers->merge()) return false;
            m_out.layers = std::move(*layers);
            for (std::size_t i = 0; i < values.size(); ++i)
                if (!startsAsItIs(meta().inputs[i])) return false;
            traceRest(level, primals, primals, *outputs);
            return true;
        } catch (const std::exception&) {
            return false;
        }
    }

    /// Whether a tensor is given as several arguments.
    [[nodiscard]] bool anyRepeated() const {
        std::unordered_set<const void*> seen;
        return std::any_of(m_request.inputs.begin(), m_request.inputs.end(), [&](const IValue& input) {
            return isDefinedTensor(input) && !seen.insert(input.toTensor().unsafeGetTensorImpl()).second;
        });
    }

    /// Whether the metadata's run and the graph's start from the same tensor.
    [[nodiscard]] bool startsAsItIs(const InputAliasInfo& info) const {
        const auto type = info.mutationType();
        if (!type) return false;
        if (*type == MutationType::NotMutated || !m_out.joint) return true;
        return !info.requiresGrad && (*type == MutationType::InGraph || !info.mutatesMetadata);
    }

    /// An input that the function is about to be given as `outer`.
    [[nodiscard]] RanInput ranInput(std::size_t i, const IValue& outer) const {
        RanInput out;
        if (!isDefinedTensor(outer)) return out;
        out.given = m_request.inputs[i].toTensor();
        out.outer = outer.toTensor();
        out.sizes = out.outer.sizes().vec();
        out.strides = out.outer.strides().vec();
        out.offset = out.outer.storage_offset();
        if (const at::FunctionalTensorWrapper* wrapper = AutogradLevel::wrapperOf(out.outer))
            out.storage = wrapper->storage();
        return out;
    }

    /// After the function ran and pending writes of the inputs were applied.
    void takeMetadata(const std::vector<RanInput>& inputs, const std::vector<IValue>& outputs) {
        m_out.outer = collectMetadata(inputs, outputs, m_request.keepInputMutations);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const at::FunctionalTensorWrapper* wrapper = AutogradLevel::wrapperOf(inputs[i].outer);
            if (wrapper && wrapper->has_metadata_mutation() && m_out.outer.inputs[i].mutatesData &&
                !m_out.outer.inputs[i].mutatesMetadata)
                m_out.takenForUnmoved.push_back(i);
        }
    }

    [[nodiscard]] std::string primalName(std::size_t inner) const {
        const std::size_t at = m_out.forwardTokens + inner;
        return m_out.joint ? "primals_" + std::to_string(at + 1) : "arg" + std::to_string(at) + "_1";
    }

    tl::expected<void, RunError> learnMetadata() {
        const std::vector<IValue> values = copyInputs(m_request.inputs);
        TraceLevel level(m_task);
        const at::AutoGradMode grad(isGradOn());
        const bool training = anyRequiresGrad() && isGradOn();
        std::vector<RanInput> inputs;
        std::vector<IValue> arguments;
        std::unordered_map<const void*, std::size_t> first;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const void* const object = isDefinedTensor(values[i])
                                           ? m_request.inputs[i].toTensor().unsafeGetTensorImpl()
                                           : static_cast<const void*>(&values[i]);
            const auto [seen, isNew] = first.emplace(object, i);
            if (isNew)
                arguments.push_back(level.input("arg" + std::to_string(i), values[i], requiresGrad(i)));
            else
                arguments.push_back(arguments[seen->second]);
            // A leaf that requires grad must not be written, its clone may be.
            if (training && requiresGrad(i) && isNew) arguments[i] = arguments[i].toTensor().clone();
            inputs.push_back(ranInput(i, arguments[i]));
        }
        const auto results = level.call(m_request, arguments);
        if (!results) return tl::unexpected(results.error());
        m_out.forwardTokens = level.tape.takeToken() ? 1 : 0;
        for (const RanInput& input : inputs)
            if (input.outer.defined()) (void)level.autograd.traced(input.outer);
        takeMetadata(inputs, *results);
        m_out.joint = training && needsBackward(m_out.outer);
        for (const InputAliasInfo& info : m_out.outer.inputs)
            if (const auto type = info.mutationType(); !type) return tl::unexpected(refusal(type.error()));
        return {};
    }

    tl::expected<void, RunError> traceGraph() {
        const std::vector<IValue> values = m_out.layers.innerArguments(copyInputs(m_request.inputs));
        TraceLevel level(m_task);
        level.tape.setDescribing(true);
        const at::AutoGradMode grad(m_out.joint);
        std::vector<IValue> primals, used;
        if (m_out.forwardTokens > 0) {
            const std::string name = m_out.joint ? "primals_1" : "arg0_1";
            const PlainCalls plain;
            (void)level.tape.input(name, name, at::empty({0}));
            level.tape.giveToken(0);
        }
        for (std::size_t i = 0; i < values.size(); ++i)
            primals.push_back(level.input(primalName(i), values[i], meta().inputs[i].requiresGrad));
        for (std::size_t i = 0; i < values.size(); ++i)
            used.push_back(startOf(primals[i], meta().inputs[i]));
        const std::vector<IValue> arguments = m_out.layers.outerArguments(used);
        auto outputs = level.call(m_request, arguments);
        if (!outputs) return tl::unexpected(outputs.error());
        for (const std::size_t i : m_out.layers.geometryChanged())
            outputs->push_back(arguments[i]);
        traceRest(level, primals, used, *outputs);
        return {};
    }

    /// What comes after forward.
    void traceRest(TraceLevel& level, const std::vector<IValue>& primals, const std::vector<IValue>& used,
                   const std::vector<IValue>& outputs) {
        const std::vector<ForwardResult> results = forwardResults(used, outputs);
        m_out.forwardOutputs = m_out.forwardTokens + results.size();
        const auto token = level.tape.takeToken(); // backward has tokens of its own
        const bool writes = !meta().inputsOf(MutationType::InGraph).empty();
        std::vector<Tensor> gradients;
        if (m_out.joint) {
            if (writes) sync(level, primals); // the values that forward leaves behind
            gradients = backward(level, primals, results);
            sync(level, primals);
        }
        finish(level, primals, results, gradients, token);
    }

    [[nodiscard]] const ViewAndMutationMeta<InnerIndex>& meta() const { return m_out.layers.meta(); }

    static void sync(const TraceLevel& level, const std::vector<IValue>& values) {
        for (const IValue& value : values)
            if (isDefinedTensor(value)) (void)level.autograd.traced(value.toTensor());
    }

    /// PyTorch lets no leaf be written, and hides changes of geometry behind a view.
    [[nodiscard]] IValue startOf(const IValue& primal, const InputAliasInfo& info) const {
        const auto type = info.mutationType();
        if (!m_out.joint || !isDefinedTensor(primal) || !type || *type != MutationType::OutGraph)
            return primal;
        const Tensor& tensor = primal.toTensor();
        if (info.requiresGrad && info.mutatesData) return tensor.clone();
        return info.mutatesMetadata ? IValue(tensor.view(tensor.sizes())) : primal;
    }

    std::vector<ForwardResult> forwardResults(const std::vector<IValue>& used,
                                              const std::vector<IValue>& outputs) const {
        std::vector<ForwardResult> out;
        for (const InnerIndex i : meta().inputsOf(MutationType::OutGraph))
            out.push_back({used[i.value], meta().input(i).mutatesData && meta().input(i).requiresGrad});
        std::vector<Tensor> bases;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const auto& info = meta().outputs.at(i);
            out.push_back({outputs[i], !isRegenerated(info.type) && info.requiresGradForBackward});
            if (info.type == OutputType::AliasOfIntermediateSaveAsOutput)
                bases.emplace_back(outputs[i].toTensor()._base());
        }
        for (const Tensor& base : bases)
            out.push_back({base, true});
        return out;
    }

    std::vector<Tensor> backward(TraceLevel& level, const std::vector<IValue>& primals,
                                 const std::vector<ForwardResult>& results) {
        torch::autograd::variable_list outputs, inputs, tangents;
        for (std::size_t i = 0; i < results.size(); ++i) {
            if (!results[i].differentiable || !isDefinedTensor(results[i].value)) continue;
            const Tensor& output = results[i].value.toTensor();
            m_out.differentiable.push_back(m_out.forwardTokens + i);
            outputs.push_back(output);
            tangents.push_back(level
                                   .input("tangents_" + std::to_string(tangents.size() + 1),
                                          tangentOf(output, m_request.symbolicSizes), false)
                                   .toTensor());
        }
        for (const IValue& primal : primals)
            if (isDefinedTensor(primal) && primal.toTensor().requires_grad())
                inputs.push_back(primal.toTensor());
        torch::autograd::variable_list found;
        if (!outputs.empty() && !inputs.empty())
            found = torch::autograd::grad(outputs, inputs, tangents, std::nullopt, false, true);
        std::vector<Tensor> out;
        std::size_t next = 0;
        for (const IValue& primal : primals) {
            const bool asked = isDefinedTensor(primal) && primal.toTensor().requires_grad();
            out.push_back(asked && next < found.size() ? found[next++] : Tensor());
        }
        return out;
    }

    void finish(TraceLevel& level, const std::vector<IValue>& primals,
                const std::vector<ForwardResult>& results, const std::vector<Tensor>& gradients,
                std::optional<std::size_t> token) {
        // As PyTorch does, inputs are written first; what the results still lack is regenerated after that.
        std::map<std::size_t, std::string> written; // by inner argument: what stands for it afterwards
        if (m_request.keepInputMutations) written = writeInputs(level, primals);
        std::vector<ir::Argument> returned;
        const auto returnToken = [&](std::size_t node) {
            returned.push_back(ir::Argument::node(level.tape.node(static_cast<std::int64_t>(node)).name));
        };
        if (token) returnToken(*token);
        for (const ForwardResult& result : results)
            returned.push_back(level.argument(result.value));
        for (const Tensor& gradient : gradients)
            returned.push_back(gradient.defined() ? level.argument(gradient) : ir::Argument::none());
        if (const auto last = level.tape.takeToken()) {
            m_out.backwardTokens = 1;
            returnToken(*last);
        }
        // PyTorch counts these positions without the written inputs that come before the outputs.
        for (std::size_t i = 0; m_request.keepInputMutations && i < meta().outputs.size(); ++i) {
            const auto& info = meta().outputs[i];
            if (info.type != OutputType::IsInput || !info.input) continue;
            const auto found = written.find(info.input->value);
            if (found != written.end()) returned[m_out.forwardTokens + i] = ir::Argument::node(found->second);
        }
        m_out.attributes = level.tape.attributes();
        m_out.numbersRead = level.tape.numbersRead();
        m_out.graph = level.tape.finish(m_out.joint ? ir::Argument::list(std::move(returned))
                                                    : ir::Argument::tuple(std::move(returned)));
    }

    /// The copy_ and set_ at the end of the graph.
    std::map<std::size_t, std::string> writeInputs(TraceLevel& level,
                                                   const std::vector<IValue>& primals) const {
        std::map<std::size_t, std::string> out;
        for (std::size_t i = 0; i < primals.size(); ++i) {
            if (!isDefinedTensor(primals[i])) continue;
            const Tensor value = level.autograd.traced(primals[i].toTensor());
            const InputAliasInfo& info = meta().inputs[i];
            const auto type = info.mutationType();
            if (!type || *type != MutationType::InGraph) continue;
            const auto input = static_cast<std::int64_t>(m_out.forwardTokens + i);
            std::string& last = out[i] = level.tape.node(input).name;
            const auto write = [&](const char* target, const char* name) {
                std::shared_ptr<ir::Node> node = level.tape.makeNode();
                node->op = ir::Op::CallFunction;
                node->target = target;
                node->args = {ir::Argument::node(level.tape.node(input).name),
                              level.tape.argument(value, *c10::TensorType::get())};
                const std::size_t at = level.tape.add(std::move(node), name);
                // In a joint graph PyTorch does not take note of what was written.
                if (!m_out.joint) last = level.tape.node(static_cast<std::int64_t>(at)).name;
            };
            if (info.mutatesStorageMetadata) write("torch.ops.aten.set_.source_Tensor", "set_");
            const bool same = Tape::nodeOf(value) == input;
            if (info.mutatesData && !same) write("torch.ops.aten.copy_.default", "copy_");
        }
        return out;
    }

    const AotRequest& m_request;
    const TaskContext& m_task;
    AotTrace m_out;
};

} // namespace

tl::expected<AotTrace, RunError> traceAot(const AotRequest& request, const TaskContext& task) {
    const OneThread threads;
    // As PyTorch does, every cast is traced anew.
    const torch_level::AutocastGuard casts(request.autocast.has_value(), request.autocast, false);
    return Trace(request, task).run();
}

} // namespace dynascope::engine
