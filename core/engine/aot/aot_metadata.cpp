// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/aot/aot_metadata.h"

#include <algorithm>
#include <unordered_map>

namespace dynascope::engine {

namespace {

using at::Tensor;
using c10::IValue;
using passes::aot::OuterIndex;
using passes::aot::OutputType;
using Output = passes::aot::OutputAliasInfo<OuterIndex>;

const void* storageOf(const Tensor& outer) {
    const at::FunctionalTensorWrapper* wrapper = AutogradLevel::wrapperOf(outer);
    return wrapper ? wrapper->storage().unsafeGetStorageImpl() : nullptr;
}

passes::aot::InputAliasInfo inputInfo(const RanInput& input, bool keepInputMutations) {
    passes::aot::InputAliasInfo out;
    out.keepInputMutations = keepInputMutations;
    at::FunctionalTensorWrapper* wrapper = AutogradLevel::wrapperOf(input.outer);
    if (!wrapper) return out;
    out.isLeaf = input.given.is_leaf();
    out.requiresGrad = input.given.requires_grad();
    out.mutatesStorageMetadata = wrapper->was_storage_changed();
    // Changes of geometry may cancel out; a written value may lie elsewhere than the input did.
    const bool moved = wrapper->sizes() != at::IntArrayRef(input.sizes) ||
                       wrapper->strides() != at::IntArrayRef(input.strides) ||
                       wrapper->storage_offset() != input.offset;
    out.mutatesMetadata = out.mutatesStorageMetadata || (wrapper->has_metadata_mutation() && moved);
    const bool written = wrapper->has_data_mutation();
    out.mutatesData = written && !out.mutatesStorageMetadata;
    out.mutationsHiddenFromAutograd = wrapper->are_all_mutations_hidden_from_autograd();
    out.mutationsUnderNoGradOrInferenceMode =
        written && wrapper->are_all_mutations_under_no_grad_or_inference_mode();
    out.storageResized = wrapper->was_inductor_storage_resized();
    return out;
}

std::string pythonType(const IValue& value) {
    if (value.isBool()) return "bool";
    if (value.isInt()) return "int";
    if (value.isDouble()) return "float";
    return value.isNone() || value.isTensor() ? "NoneType" : "object";
}

bool sameGeometry(const Tensor& a, const Tensor& b) {
    return a.sizes() == b.sizes() && a.strides() == b.strides() && a.storage_offset() == b.storage_offset() &&
           a.scalar_type() == b.scalar_type();
}

class Outputs {
public:
    Outputs(const std::vector<RanInput>& inputs, const std::vector<IValue>& outputs)
        : m_inputs(inputs)
        , m_outputs(outputs) {
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (const void* storage = inputs[i].storage.unsafeGetStorageImpl())
                m_inputOf[storage] = OuterIndex{i};
        for (const IValue& output : outputs) {
            const Tensor tensor = tensorOf(output);
            if (!tensor.defined()) continue;
            Aliases& aliases = m_aliases[outerStorageOf(tensor)];
            ++aliases.all;
            if (AutogradLevel::wrapperOf(tensor)->is_multi_output_view()) ++aliases.multiOutputViews;
        }
    }

    std::vector<Output> run() {
        std::vector<Output> out;
        for (const IValue& value : m_outputs)
            out.push_back(describe(value));
        return out;
    }
    [[nodiscard]] std::size_t bases() const { return m_bases.size(); }

private:
    struct Aliases {
        std::size_t all = 0, multiOutputViews = 0;
        [[nodiscard]] std::size_t others() const { return all - multiOutputViews; }
    };

    static bool storageChanged(const Tensor& outer) {
        at::FunctionalTensorWrapper* const wrapper = AutogradLevel::wrapperOf(outer);
        return wrapper && wrapper->was_storage_changed();
    }

    /// To Python, set_ leaves an input, and what is a view of it, on the storage that the input had.
    [[nodiscard]] const void* outerStorageOf(const Tensor& outer) const {
        const void* const storage = storageOf(outer);
        if (!storageChanged(outer)) return storage;
        const auto origin = std::find_if(m_inputs.begin(), m_inputs.end(), [&](const RanInput& input) {
            return input.outer.defined() && storageChanged(input.outer) && storageOf(input.outer) == storage;
        });
        return origin == m_inputs.end() ? storage : origin->storage.unsafeGetStorageImpl();
    }

    /// Undefined where it is no outer tensor.
    static Tensor tensorOf(const IValue& value) {
        if (!value.isTensor() || !AutogradLevel::wrapperOf(value.toTensor())) return {};
        return value.toTensor();
    }

    Output describe(const IValue& value) {
        Output out;
        const Tensor tensor = tensorOf(value);
        if (!tensor.defined()) {
            out.rawType =
                value.isTensor() && value.toTensor().defined() ? "FunctionalTensor" : pythonType(value);
            return out;
        }
        out.rawType = "FunctionalTensor";
        out.requiresGrad = tensor.requires_grad();
        out.requiresGradForBackward = out.requiresGrad && (!tensor.is_view() || tensor.grad_fn() != nullptr);
        const Aliases& aliases = m_aliases[outerStorageOf(tensor)];
        const auto input = m_inputOf.find(outerStorageOf(tensor));
        const bool changed = storageChanged(tensor);
        if (input != m_inputOf.end() && changed && isInput(tensor)) {
            out.type = OutputType::IsInput;
            out.input = input->second;
            return out;
        }
        if (input != m_inputOf.end() && !changed) {
            out.input = input->second;
            if (tensor.grad_fn() != nullptr && aliases.others() == 0) return out;
            out.type = isInput(tensor) ? OutputType::IsInput : OutputType::AliasOfInput;
            return out;
        }
        if (tensor.is_view() && out.requiresGrad && tensor._base().requires_grad()) {
            if (aliases.all == 1 || aliases.others() <= 1)
                out.type = OutputType::UnsafeViewAlias;
            else
                ofIntermediate(Tensor(tensor._base()), out);
            return out;
        }
        if (aliases.all > 1 && !out.requiresGrad) twinOf(tensor, out);
        return out;
    }

    [[nodiscard]] bool isInput(const Tensor& tensor) const {
        return std::any_of(m_inputs.begin(), m_inputs.end(),
                           [&](const RanInput& input) { return input.outer.is_same(tensor); });
    }

    [[nodiscard]] std::optional<std::size_t> outputThatIs(const Tensor& tensor) const {
        for (std::size_t i = m_outputs.size(); i-- > 0;)
            if (m_outputs[i].isTensor() && m_outputs[i].toTensor().is_same(tensor)) return i;
        return std::nullopt;
    }

    void ofIntermediate(const Tensor& base, Output& out) {
        out.base = outputThatIs(base);
        if (out.base) {
            out.type = OutputType::AliasOfIntermediateBaseIsUserOutput;
            return;
        }
        const auto known = std::find_if(m_bases.begin(), m_bases.end(),
                                        [&](const Tensor& other) { return other.is_same(base); });
        out.type = known == m_bases.end() ? OutputType::AliasOfIntermediateSaveAsOutput
                                          : OutputType::AliasOfIntermediate;
        out.base = static_cast<std::size_t>(known - m_bases.begin());
        if (known == m_bases.end()) m_bases.push_back(base);
    }

    /// An output without a gradient that is another one with a gradient, detached.
    void twinOf(const Tensor& tensor, Output& out) {
        for (const IValue& output : m_outputs) {
            const Tensor other = tensorOf(output);
            if (!other.defined() || other.is_same(tensor) || !other.requires_grad() ||
                outerStorageOf(other) != outerStorageOf(tensor) || !sameGeometry(other, tensor))
                continue;
            out.type = OutputType::AliasOfIntermediateBaseIsUserOutput;
            out.base = outputThatIs(other);
            return;
        }
    }

    const std::vector<RanInput>& m_inputs;
    const std::vector<IValue>& m_outputs;
    std::unordered_map<const void*, OuterIndex> m_inputOf; ///< the last input by storage
    std::unordered_map<const void*, Aliases> m_aliases;
    std::vector<Tensor> m_bases;
};

} // namespace

passes::aot::ViewAndMutationMeta<OuterIndex> collectMetadata(const std::vector<RanInput>& inputs,
                                                             const std::vector<IValue>& outputs,
                                                             bool keepInputMutations) {
    passes::aot::ViewAndMutationMeta<OuterIndex> out;
    for (const RanInput& input : inputs)
        out.inputs.push_back(inputInfo(input, keepInputMutations));
    Outputs described(inputs, outputs);
    out.outputs = described.run();
    out.intermediateBases = described.bases();
    return out;
}

} // namespace dynascope::engine
