// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/branch_ways.h"

#include "core/base/python_text.h"
#include "core/base/text.h"

#include <algorithm>

namespace dynascope::session {

std::string branchCondition(std::string_view code) {
    code = code.substr(0, python::commentStart(code));
    for (std::size_t end = 0;; ++end) {
        end = python::findOutside(code, end, python::Quotes::Strings, [](char c) { return c == ':'; });
        if (!code.substr(end).starts_with(":=")) return std::string(trimmed(code.substr(0, end)));
    }
}

namespace {

/// The call in the code behind a condition that torch.cond cannot have in a branch, "print"; empty where the line
/// shows none.
std::string_view sideEffect(const GraphBreak& graphBreak) {
    if (!graphBreak.location()) return {};
    std::string_view code = graphBreak.location()->code;
    code = code.substr(0, python::commentStart(code));
    const std::string_view branch = code.substr(std::min(code.size(), branchCondition(code).size()));
    for (const std::string_view call :
         {"print(", "warnings.warn(", "logging.", "logger.", ".append(", "raise "}) {
        const std::size_t at = branch.find(call);
        if (at == std::string_view::npos || (at > 0 && call != ".append(" && isNameByte(branch[at - 1])))
            continue;
        return call.substr(0, call.find_last_not_of("( .") + 1);
    }
    return {};
}

bool isLoop(const GraphBreak& graphBreak) {
    return graphBreak.location() && trimmed(graphBreak.location()->code).starts_with("while");
}

} // namespace

WayOut branchWay(const GraphBreak& graphBreak) {
    if (isLoop(graphBreak))
        return {
            "rewrite", "while_loop",
            "The loop then becomes part of one graph, where its body computes tensors of unchanged shapes "
            "and types and has no side effects.",
            "torch._higher_order_ops.while_loop(cond_fn, body_fn, carried_inputs)"};
    if (const std::string_view call = sideEffect(graphBreak); !call.empty())
        return {"move out",
                "Move the branch out",
                "The branch has a side effect (" + std::string(call) +
                    "), which torch.cond cannot have: return the condition, and branch on it outside of the "
                    "compiled function.",
                {}};
    return {"rewrite", "torch.cond",
            "Both branches then become part of one graph, where they compute tensors of the same shapes and "
            "types and have no side effects: a branch that prints, appends to a list or raises cannot. "
            "torch.where does where both are cheap.",
            "torch.cond(pred, true_fn, false_fn, operands)"};
}

} // namespace dynascope::session
