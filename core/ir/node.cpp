// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/node.h"

#include <array>

namespace dynascope::ir {

namespace {

constexpr std::array<std::string_view, 6> opNames{"placeholder", "call_function", "call_method",
                                                  "call_module", "get_attr",      "output"};

} // namespace

std::string_view opName(Op op) {
    return opNames[static_cast<std::size_t>(op)];
}

std::optional<Op> opFromName(std::string_view name) {
    for (std::size_t i = 0; i < opNames.size(); ++i)
        if (opNames[i] == name) return static_cast<Op>(i);
    return std::nullopt;
}

std::string shortTarget(std::string_view target) {
    constexpr std::string_view prefix = "torch.ops.";
    if (target.starts_with(prefix)) target.remove_prefix(prefix.size());
    return std::string(target);
}

} // namespace dynascope::ir
