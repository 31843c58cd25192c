// SPDX-License-Identifier: BSD-3-Clause
//
// What AOTAutograd knows of a function's inputs and outputs before it traces it: which inputs are written and
// how, which outputs alias what. Follows ViewAndMutationMeta of torch/_functorch/_aot_autograd/schemas.py.
#pragma once

#include "core/base/result.h"
#include "core/passes/aot/argument_index.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dynascope::passes::aot {

enum class MutationType : std::uint8_t {
    NotMutated,
    InGraph,  ///< the graph ends with the copy_ into the input
    OutGraph, ///< the new value is an extra output; the caller writes it back
};
/// As PyTorch's enum spells it: "MUTATED_IN_GRAPH".
[[nodiscard]] std::string_view mutationTypeName(MutationType type);

struct InputAliasInfo {
    bool isLeaf = false;
    bool mutatesData = false;
    bool mutatesMetadata = false;             ///< size, stride or offset differ after the call
    bool mutatesStorageMetadata = false;      ///< set_ gave it another storage
    bool mutationsHiddenFromAutograd = false; ///< all through detach or .data; true where there are none
    bool mutationsUnderNoGradOrInferenceMode = false;
    bool storageResized = false; ///< Inductor's resize of the storage
    bool requiresGrad = false;
    bool keepInputMutations = false;

    /// Fails with PyTorch's words where a set_ or a resize_ would have to stay in the graph and cannot.
    [[nodiscard]] Result<MutationType> mutationType() const;
    friend bool operator==(const InputAliasInfo&, const InputAliasInfo&) = default;
};

enum class OutputType : std::uint8_t {
    NonAlias, ///< what its memory has in common with others is hidden from autograd
    AliasOfInput,
    IsInput, ///< the very object
    AliasOfIntermediateSaveAsOutput,
    AliasOfIntermediate,
    AliasOfIntermediateBaseIsUserOutput,
    UnsafeViewAlias,    ///< a view whose base nobody else sees
    CustomFunctionView, ///< made by a custom autograd.Function
};
/// As PyTorch's enum spells it: "alias_of_input".
[[nodiscard]] std::string_view outputTypeName(OutputType type);
[[nodiscard]] std::optional<OutputType> outputTypeFromName(std::string_view name);
/// True for what the caller has to regenerate from something else.
[[nodiscard]] bool isRegenerated(OutputType type);

/// Whether what an output of that type lies in is told as one of the inputs, and not as another output.
[[nodiscard]] bool liesInInput(OutputType type);

/// `Index` is the argument list that `input` counts in.
template <typename Index>
struct OutputAliasInfo {
    OutputType type = OutputType::NonAlias;
    /// Of AliasOfInput and IsInput; of NonAlias where only views that came of one call lie in that input.
    std::optional<Index> input;
    std::optional<std::size_t> base; ///< an intermediate base, or the output that is the base
    bool requiresGrad = false;
    bool requiresGradForBackward = false;
    std::string rawType; ///< Python's class: "FunctionalTensor", "int"

    friend bool operator==(const OutputAliasInfo&, const OutputAliasInfo&) = default;
};

/// What a tangent of the backward graph is the gradient of.
struct MutatedInputTangent {
    std::size_t input = 0;
    friend bool operator==(const MutatedInputTangent&, const MutatedInputTangent&) = default;
};
struct OutputTangent {
    std::size_t output = 0;
    friend bool operator==(const OutputTangent&, const OutputTangent&) = default;
};
struct IntermediateBaseTangent {
    std::size_t base = 0;
    friend bool operator==(const IntermediateBaseTangent&, const IntermediateBaseTangent&) = default;
};
using Tangent = std::variant<MutatedInputTangent, OutputTangent, IntermediateBaseTangent>;

template <typename Index>
struct ViewAndMutationMeta {
    std::vector<InputAliasInfo> inputs; ///< by Index
    std::vector<OutputAliasInfo<Index>> outputs;
    std::size_t intermediateBases = 0;

    [[nodiscard]] const InputAliasInfo& input(Index i) const { return inputs[i.value]; }
    /// Ascending. An input whose type cannot be told is in neither list.
    [[nodiscard]] std::vector<Index> inputsOf(MutationType type) const {
        std::vector<Index> out;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (const auto got = inputs[i].mutationType(); got && *got == type) out.push_back({i});
        }
        return out;
    }
    [[nodiscard]] std::vector<std::size_t> aliasedOutputs() const {
        std::vector<std::size_t> out;
        for (std::size_t i = 0; i < outputs.size(); ++i)
            if (isRegenerated(outputs[i].type)) out.push_back(i);
        return out;
    }
    /// In the order of the backward graph's tangents: mutated inputs, outputs, intermediate bases.
    [[nodiscard]] std::vector<Tangent> tangents() const {
        std::vector<Tangent> out;
        for (const Index i : inputsOf(MutationType::OutGraph))
            if (input(i).mutatesData && input(i).requiresGrad) out.push_back(MutatedInputTangent{i.value});
        for (std::size_t i = 0; i < outputs.size(); ++i)
            if (!isRegenerated(outputs[i].type) && outputs[i].requiresGradForBackward)
                out.push_back(OutputTangent{i});
        for (std::size_t i = 0; i < intermediateBases; ++i)
            out.push_back(IntermediateBaseTangent{i});
        return out;
    }
    friend bool operator==(const ViewAndMutationMeta&, const ViewAndMutationMeta&) = default;
};

} // namespace dynascope::passes::aot
