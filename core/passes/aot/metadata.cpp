// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/aot/metadata.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dynascope::passes::aot {

namespace {

constexpr std::array<std::pair<OutputType, std::string_view>, 8> outputTypes{{
    {OutputType::NonAlias, "non_alias"},
    {OutputType::AliasOfInput, "alias_of_input"},
    {OutputType::IsInput, "is_input"},
    {OutputType::AliasOfIntermediateSaveAsOutput, "alias_of_intermediate_save_as_output"},
    {OutputType::AliasOfIntermediate, "alias_of_intermediate"},
    {OutputType::AliasOfIntermediateBaseIsUserOutput, "alias_of_intermediate_base_is_user_output"},
    {OutputType::UnsafeViewAlias, "unsafe_view_alias"},
    {OutputType::CustomFunctionView, "custom_function_view"},
}};

std::string pythonBool(std::string_view name, bool value) {
    return "\n  " + std::string(name) + (value ? "=True" : "=False");
}

/// In PyTorch's words, so that it can be looked up.
Error cannotStay(const InputAliasInfo& info) {
    std::string message = std::string("Encountered a ") + (info.storageResized ? "resize_" : "set_") +
                          " on a graph input, but the input has other mutations that we cannot\n"
                          "keep in the graph. This is not supported today. Current state:";
    message += pythonBool("keep_input_mutations", info.keepInputMutations);
    message += pythonBool("mutates_data", info.mutatesData);
    message += pythonBool("mutates_metadata", info.mutatesMetadata);
    message += pythonBool("mutations_hidden_from_autograd", info.mutationsHiddenFromAutograd);
    message +=
        pythonBool("mutations_under_no_grad_or_inference_mode", info.mutationsUnderNoGradOrInferenceMode);
    message += pythonBool("mutation_inductor_storage_resize", info.storageResized);
    message += pythonBool("requires_grad", info.requiresGrad);
    return Error{std::move(message)};
}

} // namespace

std::string_view mutationTypeName(MutationType type) {
    switch (type) {
    case MutationType::NotMutated:
        return "NOT_MUTATED";
    case MutationType::InGraph:
        return "MUTATED_IN_GRAPH";
    case MutationType::OutGraph:
        return "MUTATED_OUT_GRAPH";
    }
    return {};
}

Result<MutationType> InputAliasInfo::mutationType() const {
    if (mutatesStorageMetadata && !mutatesMetadata)
        return failure("mutates_storage_metadata requires mutates_metadata to be True");
    if (!mutatesData && !mutatesMetadata && !storageResized) return MutationType::NotMutated;
    const bool writes = mutatesData || mutatesStorageMetadata || storageResized;
    const bool invisible = (!mutatesMetadata && !requiresGrad) || mutationsHiddenFromAutograd ||
                           mutationsUnderNoGradOrInferenceMode;
    const bool inGraph = keepInputMutations && writes && invisible;
    if ((storageResized || mutatesStorageMetadata) && !inGraph) return tl::unexpected(cannotStay(*this));
    return inGraph ? MutationType::InGraph : MutationType::OutGraph;
}

std::string_view outputTypeName(OutputType type) {
    return outputTypes[static_cast<std::size_t>(type)].second;
}

std::optional<OutputType> outputTypeFromName(std::string_view name) {
    const auto found = std::find_if(outputTypes.begin(), outputTypes.end(),
                                    [&](const auto& entry) { return entry.second == name; });
    if (found == outputTypes.end()) return std::nullopt;
    return found->first;
}

bool isRegenerated(OutputType type) {
    return type != OutputType::NonAlias && type != OutputType::UnsafeViewAlias &&
           type != OutputType::CustomFunctionView;
}

bool liesInInput(OutputType type) {
    return type == OutputType::NonAlias || type == OutputType::AliasOfInput || type == OutputType::IsInput;
}

} // namespace dynascope::passes::aot
