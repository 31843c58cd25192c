// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/written_arguments.h"

#include <algorithm>
#include <array>

namespace dynascope::replay {

namespace {

using std::string_view;

/// "aten", "add_" and "Tensor" of "torch.ops.aten.add_.Tensor".
struct OperatorTarget {
    string_view space, name, overload;
    [[nodiscard]] bool known() const { return !name.empty(); }
};

OperatorTarget split(const ir::Node& node) {
    if (node.op != ir::Op::CallFunction) return {};
    string_view target = node.target;
    constexpr string_view ops = "torch.ops.";
    const bool full = target.starts_with(ops);
    if (full) target.remove_prefix(ops.size());
    const std::size_t first = target.find('.');
    const std::size_t last = target.rfind('.');
    if (first == string_view::npos || first == last) return {};
    OperatorTarget out{target.substr(0, first), target.substr(first + 1, last - first - 1),
                       target.substr(last + 1)};
    if (!full && out.space != "aten" && out.space != "prims") return {};
    if (out.space == "higher_order") return {};
    return out;
}

/// Keyword-only arguments that an overload which returns into given tensors writes, sorted.
constexpr std::array outputKeywords = std::to_array<string_view>({
    "L",
    "LD",
    "LU",
    "M",
    "P",
    "Q",
    "R",
    "S",
    "U",
    "V",
    "Vh",
    "X",
    "a",
    "bin_edges",
    "buffer",
    "eigenvalues",
    "eigenvectors",
    "eigvals",
    "eigvecs",
    "exponent",
    "grad_bias",
    "grad_input",
    "grad_weight",
    "hist",
    "indices",
    "info",
    "inverse",
    "is_target",
    "logabsdet",
    "mantissa",
    "max",
    "max_values",
    "min",
    "min_indices",
    "out",
    "out0",
    "out1",
    "out2",
    "out3",
    "out4",
    "out5",
    "out6",
    "output",
    "pivots",
    "rank",
    "reserve",
    "residuals",
    "result",
    "save_invstd",
    "save_mean",
    "sign",
    "singular_values",
    "solution",
    "tau",
    "total_weight",
    "values",
});
static_assert(std::is_sorted(outputKeywords.begin(), outputKeywords.end()));

/// A positional argument that is written and that no rule tells.
struct Positional {
    string_view op; ///< "aten.rrelu_with_noise": all its overloads
    unsigned index;
    string_view name;
    string_view exceptOverload = {}; ///< and overloads that begin like it
    string_view onlyOverload = {};   ///< those that end like it
};

constexpr std::array positionals = std::to_array<Positional>({
    {"aten._amp_foreach_non_finite_check_and_unscale", 1, "found_inf", {}, "out"},
    {"aten._amp_foreach_non_finite_check_and_unscale_", 1, "found_inf"},
    {"aten._amp_update_scale", 1, "growth_tracker", {}, "out"},
    {"aten._amp_update_scale_", 1, "growth_tracker"},
    {"aten._batch_norm_with_update", 3, "running_mean"},
    {"aten._batch_norm_with_update", 4, "running_var"},
    {"aten._cummax_helper", 1, "values"},
    {"aten._cummax_helper", 2, "indices"},
    {"aten._cummin_helper", 1, "values"},
    {"aten._cummin_helper", 2, "indices"},
    {"aten._flash_attention_forward_no_dropout_inplace", 0, "out"},
    {"aten._fused_adagrad", 1, "grads", {}, "out"},
    {"aten._fused_adagrad", 2, "state_sums", {}, "out"},
    {"aten._fused_adagrad", 3, "state_steps", "tensor_lr", "out"},
    {"aten._fused_adagrad_", 1, "grads"},
    {"aten._fused_adagrad_", 2, "state_sums"},
    {"aten._fused_adagrad_", 3, "state_steps", "tensor_lr"},
    {"aten._fused_adam", 1, "grads", {}, "out"},
    {"aten._fused_adam", 2, "exp_avgs", {}, "out"},
    {"aten._fused_adam", 3, "exp_avg_sqs", {}, "out"},
    {"aten._fused_adam", 4, "max_exp_avg_sqs", {}, "out"},
    {"aten._fused_adam_", 1, "grads"},
    {"aten._fused_adam_", 2, "exp_avgs"},
    {"aten._fused_adam_", 3, "exp_avg_sqs"},
    {"aten._fused_adam_", 4, "max_exp_avg_sqs"},
    {"aten._fused_adamw", 1, "grads", {}, "out"},
    {"aten._fused_adamw", 2, "exp_avgs", {}, "out"},
    {"aten._fused_adamw", 3, "exp_avg_sqs", {}, "out"},
    {"aten._fused_adamw", 4, "max_exp_avg_sqs", {}, "out"},
    {"aten._fused_adamw_", 1, "grads"},
    {"aten._fused_adamw_", 2, "exp_avgs"},
    {"aten._fused_adamw_", 3, "exp_avg_sqs"},
    {"aten._fused_adamw_", 4, "max_exp_avg_sqs"},
    {"aten._fused_moving_avg_obs_fq_helper", 3, "running_min"},
    {"aten._fused_moving_avg_obs_fq_helper", 4, "running_max"},
    {"aten._fused_moving_avg_obs_fq_helper", 5, "scale"},
    {"aten._fused_moving_avg_obs_fq_helper", 6, "zero_point"},
    {"aten._fused_sgd", 1, "grads", {}, "out"},
    {"aten._fused_sgd", 2, "momentum_buffer_list", {}, "out"},
    {"aten._fused_sgd_", 1, "grads"},
    {"aten._fused_sgd_", 2, "momentum_buffer_list"},
    {"aten._native_batch_norm_legit", 3, "running_mean", "no_stats"},
    {"aten._native_batch_norm_legit", 4, "running_var", "no_stats"},
    {"aten.fbgemm_linear_fp16_weight", 3, "output", {}, "out"},
    {"aten.fbgemm_linear_fp16_weight_fp32_activation", 3, "output", {}, "out"},
    {"aten.fused_moving_avg_obs_fake_quant", 3, "running_min"},
    {"aten.fused_moving_avg_obs_fake_quant", 4, "running_max"},
    {"aten.fused_moving_avg_obs_fake_quant", 5, "scale"},
    {"aten.fused_moving_avg_obs_fake_quant", 6, "zero_point"},
    {"aten.record_stream", 0, "self"},
    {"aten.retain_grad", 0, "self"},
    {"aten.rrelu_with_noise", 1, "noise"},
    {"aten.rrelu_with_noise_", 1, "noise"},
    {"aten.set_data", 0, "self"},
    {"inductor._mm_plus_mm", 4, "out"},
    {"prims.as_strided", 0, "a"},
    {"prims.copy_to", 0, "a"},
    {"prims.resize", 0, "a"},
});

/// Arguments written in spite of the schema: observed by content (see PyTorch's kernels of these names).
struct Unmarked {
    string_view op;
    unsigned index;
    string_view name;
    int trainingArgument; ///< written only where this argument is not False; -1: always
};

constexpr std::array unmarkeds = std::to_array<Unmarked>({
    {"aten._batch_norm_impl_index", 3, "running_mean", 5},
    {"aten._batch_norm_impl_index", 4, "running_var", 5},
    {"aten._no_grad_embedding_renorm_", 0, "weight", -1},
    {"aten.batch_norm", 3, "running_mean", 5},
    {"aten.batch_norm", 4, "running_var", 5},
    {"aten.batch_norm_gather_stats", 3, "running_mean", -1},
    {"aten.batch_norm_gather_stats", 4, "running_var", -1},
    {"aten.batch_norm_gather_stats_with_counts", 3, "running_mean", -1},
    {"aten.batch_norm_gather_stats_with_counts", 4, "running_var", -1},
    {"aten.batch_norm_update_stats", 1, "running_mean", -1},
    {"aten.batch_norm_update_stats", 2, "running_var", -1},
    {"aten.cudnn_batch_norm", 3, "running_mean", 5},
    {"aten.cudnn_batch_norm", 4, "running_var", 5},
    {"aten.instance_norm", 3, "running_mean", 5},
    {"aten.instance_norm", 4, "running_var", 5},
    {"aten.miopen_batch_norm", 3, "running_mean", 5},
    {"aten.miopen_batch_norm", 4, "running_var", 5},
    {"aten.native_batch_norm", 3, "running_mean", 5},
    {"aten.native_batch_norm", 4, "running_var", 5},
    {"inductor.accumulate_grad_", 0, "variable", -1},
    {"inductor.resize_storage_bytes_", 0, "variable", -1},
});

bool appliesTo(const Positional& entry, string_view overload) {
    return overload.ends_with(entry.onlyOverload) &&
           (entry.exceptOverload.empty() || !overload.starts_with(entry.exceptOverload));
}

bool isOp(const OperatorTarget& target, string_view op) {
    return op.size() == target.space.size() + 1 + target.name.size() && op.starts_with(target.space) &&
           op.ends_with(target.name) && op[target.space.size()] == '.';
}

const ir::Argument* keyword(const ir::Node& node, string_view key) {
    const auto found = std::find_if(node.kwargs.begin(), node.kwargs.end(),
                                    [&](const auto& entry) { return entry.first == key; });
    return found == node.kwargs.end() ? nullptr : &found->second;
}

const ir::Argument* argument(const ir::Node& node, unsigned index, string_view name) {
    return index < node.args.size() ? &node.args[index] : keyword(node, name);
}

/// "add_" and "__iadd__"; "__is__" and its like are comparisons.
bool isInPlaceName(string_view name) {
    if (name.size() > 1 && name.ends_with('_') && !name.ends_with("__")) return true;
    return name.starts_with("__i") && name.ends_with("__") && name != "__is__" && name != "__isnot__" &&
           name != "__invert__" && name != "__index__";
}

} // namespace

bool hasSchema(const ir::Node& node) {
    return split(node).known();
}

string_view operatorName(const ir::Node& node) {
    const OperatorTarget target = split(node);
    return target.known() ? target.name : string_view(node.target);
}

WrittenArguments writtenArguments(const ir::Node& node) {
    WrittenArguments out;
    const OperatorTarget target = split(node);
    if (!target.known()) return out;
    const auto note = [](std::vector<const ir::Argument*>& list, const ir::Argument* written) {
        if (written && written->kind != ir::Argument::Kind::None) list.push_back(written);
    };
    for (const Unmarked& entry : unmarkeds) {
        if (!isOp(target, entry.op)) continue;
        const ir::Argument* training =
            entry.trainingArgument < 0
                ? nullptr
                : argument(node, static_cast<unsigned>(entry.trainingArgument), "training");
        if (!training || training->text != "False")
            note(out.unmarked, argument(node, entry.index, entry.name));
    }
    // The operators of torch.distributed carry no marks at all.
    const bool marks = target.space != "c10d" && out.unmarked.empty();
    if (isInPlaceName(target.name) && out.unmarked.empty()) {
        const ir::Argument* self = node.args.empty() ? nullptr : &node.args.front();
        if (!self && !node.kwargs.empty()) self = &node.kwargs.front().second;
        note(marks ? out.marked : out.unmarked, self);
    }
    for (const Positional& entry : positionals)
        if (isOp(target, entry.op) && appliesTo(entry, target.overload))
            note(out.marked, argument(node, entry.index, entry.name));
    // Two operators have inputs that are called as others call their outputs.
    if (target.name.starts_with("sym_constrain_range")) return out;
    const bool onlyOut = target.name == "segment_reduce";
    for (const auto& [key, value] : node.kwargs)
        if ((!onlyOut || key == "out") &&
            std::binary_search(outputKeywords.begin(), outputKeywords.end(), string_view(key)))
            note(out.marked, &value);
    return out;
}

} // namespace dynascope::replay
