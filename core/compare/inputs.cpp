// SPDX-License-Identifier: BSD-3-Clause
#include "core/compare/parts.h"

#include <map>

namespace dynascope::compare::detail {

namespace {

std::map<std::string, std::string> inputsOf(const session::Compile& compile) {
    std::map<std::string, std::string> out;
    for (const session::TensorInput& input : compile.inputs) {
        if (input.source.empty()) continue; // a view's base: not the program's
        std::string text = input.meta.annotation();
        if (input.requiresGrad) text += input.isParameter ? ", parameter" : ", requires grad";
        if (input.isView) text += ", a view";
        out.emplace(input.source, std::move(text));
    }
    return out;
}

} // namespace

std::vector<ValueComparison> compareInputs(const session::Compile& a, const session::Compile& b,
                                           const OwnDevices& devices) {
    const auto ofA = inputsOf(a), ofB = inputsOf(b);
    std::vector<ValueComparison> out;
    for (const auto& [source, text] : ofA) {
        const auto other = ofB.find(source);
        if (other == ofB.end())
            out.push_back({source, text, {}});
        else if (devices.exchanged(other->second) != text)
            out.push_back({source, text, other->second});
    }
    for (const auto& [source, text] : ofB)
        if (!ofA.contains(source)) out.push_back({source, {}, text});
    return out;
}

} // namespace dynascope::compare::detail
