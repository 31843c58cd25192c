// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/pass.h"

#include <algorithm>
#include <array>

namespace dynascope::passes {

namespace {

constexpr std::array<std::string_view, 26> randomNames{
    "alpha_dropout", "bernoulli",  "cauchy",      "dropout",          "exponential",     "feature_dropout",
    "geometric",     "log_normal", "multinomial", "native_dropout",   "normal",          "poisson",
    "rand",          "rand_like",  "randint",     "randint_like",     "randn",           "randn_like",
    "random",        "randperm",   "rrelu",       "rrelu_with_noise", "standard_normal", "uniform",
    "dropout2d",     "dropout3d"};

/// Checks and calls whose point is not their value.
constexpr std::array<std::string_view, 6> outward{
    "_assert",          "_assert_async", "_assert_scalar", "sym_constrain_range", "_assert_tensor_metadata",
    "_set_grad_enabled"};

/// "add" of "torch.ops.aten.add.Tensor", "relu" of "torch.nn.functional.relu".
std::string_view baseOf(std::string_view target) {
    constexpr std::string_view ops = "torch.ops.";
    if (target.starts_with(ops)) {
        target.remove_prefix(ops.size());
        const std::size_t space = target.find('.');
        if (space != std::string_view::npos) target.remove_prefix(space + 1);
        return target.substr(0, target.find('.'));
    }
    const std::size_t dot = target.rfind('.');
    return dot == std::string_view::npos ? target : target.substr(dot + 1);
}

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

} // namespace

Effects effectsByName(const ir::Node& node) {
    Effects effects;
    if (node.op == ir::Op::GetAttr) return {.known = true};
    if (node.op != ir::Op::CallFunction && node.op != ir::Op::CallMethod) return effects;
    const ir::OpKind kind = ir::opKind(node);
    const std::string_view name = baseOf(node.target);
    if (kind == ir::OpKind::HigherOrder) return effects;
    effects.known = true;
    effects.writes = kind == ir::OpKind::Write || contains(outward, name) || name.starts_with("_enter_") ||
                     name.starts_with("_exit_");
    effects.random = contains(randomNames, name);
    effects.aliases = kind == ir::OpKind::View;
    return effects;
}

std::string PassContext::option(std::string_view name, const std::string& fallback) const {
    const auto found = options.find(name);
    return found == options.end() ? fallback : found->second;
}

} // namespace dynascope::passes
