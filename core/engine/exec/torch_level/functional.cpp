// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/functional.h"

#include "core/engine/exec/torch_level/overloads.h"

#include <array>

namespace dynascope::engine::torch_level {

namespace {

/// Functions that hand their parameters on to the ATen operator of the same name, or, with inplace=True, of
/// that name with an underscore.
struct Passed {
    std::string_view name;
    std::string_view signature; ///< "inplace" is not handed on
};
constexpr std::array<Passed, 17> passed{{
    {"relu", "input, inplace=False"},
    {"relu6", "input, inplace=False"},
    {"elu", "input, alpha=1.0, inplace=False"},
    {"selu", "input, inplace=False"},
    {"celu", "input, alpha=1.0, inplace=False"},
    {"silu", "input, inplace=False"},
    {"mish", "input, inplace=False"},
    {"hardswish", "input, inplace=False"},
    {"hardsigmoid", "input, inplace=False"},
    {"hardtanh", "input, min_val=-1.0, max_val=1.0, inplace=False"},
    {"leaky_relu", "input, negative_slope=0.01, inplace=False"},
    {"threshold", "input, threshold, value, inplace=False"},
    {"rrelu", "input, lower=0.125, upper=0.3333333333333333, training=False, inplace=False"},
    {"dropout", "input, p=0.5, training=True, inplace=False"},
    {"alpha_dropout", "input, p=0.5, training=False, inplace=False"},
    {"feature_alpha_dropout", "input, p=0.5, training=False, inplace=False"},
    {"glu", "input, dim=-1"},
}};

Function passedOn(const Passed& row) {
    const std::shared_ptr<const Signature> signature = std::make_shared<const Signature>(row.signature);
    return [name = std::string(row.name), signature](const Call& call) {
        const Arguments arguments = signature->bind(call);
        std::vector<Value> values = arguments.values();
        const bool hasFlag = signature->last() == "inplace";
        const bool inPlace = hasFlag && values.back().flag();
        if (hasFlag) values.pop_back();
        return aten(inPlace ? name + '_' : name, std::move(values));
    };
}

} // namespace

std::optional<Function> functionalFunction(std::string_view name) {
    for (const Passed& row : passed) {
        if (row.name == name) return passedOn(row);
    }
    for (const std::span<const Entry> table :
         {activationFunctions(), attentionFunctions(), embeddingFunctions(), imageFunctions(),
          lossFunctions(), normFunctions(), poolingFunctions()}) {
        if (const Entry* entry = findEntry(table, name)) return functionOf(*entry);
    }
    return std::nullopt;
}

} // namespace dynascope::engine::torch_level
