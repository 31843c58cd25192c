// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/operators.h"

#include "core/ir/value_parser.h"

#include <algorithm>

namespace dynascope::ir {

namespace {

constexpr std::array<std::string_view, 26> builtins{
    "abs",     "all",     "any", "bool",       "complex", "dict",  "divmod", "enumerate", "float",
    "getattr", "hasattr", "int", "isinstance", "iter",    "len",   "list",   "map",       "max",
    "min",     "next",    "pow", "print",      "range",   "round", "sum",    "tuple"};

constexpr std::string_view builtinsPrefix = "builtins.";
constexpr std::string_view operatorPrefix = "operator.";
constexpr std::string_view operatorGlobal = "_operator_";

} // namespace

std::string calleeOfTarget(std::string_view target) {
    const bool ofTorch = target.starts_with("torch.") && !target.starts_with("torch._dynamo.") &&
                         !target.starts_with("torch._inductor.");
    if (ofTorch) return std::string(target);
    if (target.starts_with(builtinsPrefix)) return std::string(target.substr(builtinsPrefix.size()));
    std::string out;
    if (target.starts_with(operatorPrefix)) {
        out = operatorGlobal;
        target.remove_prefix(operatorPrefix.size());
    }
    // Every run of other characters becomes one underscore, as _Namespace.create_name does it.
    bool inRun = false;
    for (const char c : target) {
        if (isNameChar(c))
            out += c;
        else if (!inRun)
            out += '_';
        inRun = !isNameChar(c);
    }
    return out;
}

std::string targetOfCallee(std::string_view callee) {
    if (callee.starts_with(operatorGlobal))
        return std::string(operatorPrefix) + std::string(callee.substr(operatorGlobal.size()));
    if (std::find(builtins.begin(), builtins.end(), callee) != builtins.end())
        return std::string(builtinsPrefix) + std::string(callee);
    return std::string(callee);
}

} // namespace dynascope::ir
