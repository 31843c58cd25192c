// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/record_types.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dynascope::capture {

namespace {

using namespace std::string_view_literals;

constexpr std::array plainTypes = {
    "str"sv,
    "stack"sv,
    "link"sv,
    "dump_file"sv,
    "chromium_event"sv,
    "dynamo_start"sv,
    "dynamo_guards"sv,
    "dynamo_cpp_guards_str"sv,
    "compilation_metrics"sv,
    "bwd_compilation_metrics"sv,
    "aot_autograd_backward_compilation_metrics"sv,
    "compilation_metrics_runtime"sv,
    "describe_storage"sv,
    "describe_tensor"sv,
    "describe_source"sv,
    "create_symbol"sv,
    "create_unbacked_symbol"sv,
    "guard_added"sv,
    "guard_added_fast"sv,
    "guard_on_data_dependent_error"sv,
    "expression_created"sv,
    "symbolic_shape_specialization"sv,
    "propagate_real_tensors"sv,
    "propagate_real_tensors_provenance"sv,
    "missing_fake_kernel"sv,
    "mismatched_fake_kernel"sv,
    "inductor_tlparse_runtime"sv,
    "export"sv,
    "artifact"sv,
    "knob"sv,
    "bwd_compilation_metrics_runtime"sv,
};

constexpr std::array plainArtifacts = {
    "add_extra_remote_code_state"sv,
    "aot_autograd_runtime_wrappers"sv,
    "aot_forward_graph_fw_metadata"sv,
    "aot_forward_graph_fw_subclass_metadata"sv,
    "aot_joint_graph_sync_decision_cross_ranks"sv,
    "aot_saved_tensors_hooks_graphs"sv,
    "aotautograd_cache_bypass"sv,
    "aotautograd_cache_hash"sv,
    "aotautograd_cache_hit"sv,
    "aotautograd_cache_miss"sv,
    "aotautograd_cache_pickle_failure"sv,
    "autotune_at_compile_time"sv,
    "backward_epilogue"sv,
    "backward_prologue"sv,
    "backward_subclass_unwrap"sv,
    "backward_subclass_wrapper"sv,
    "compile_worker_sidecar_death"sv,
    "compile_worker_status"sv,
    "compiled_autograd_compile_reasons"sv,
    "compiled_fn_wrapper"sv,
    "compiled_function_backward"sv,
    "compiled_function_forward"sv,
    "compiler_collective"sv,
    "cprofile_manifold_url"sv,
    "cudagraph_skip_reason"sv,
    "debug_assert_wrapper"sv,
    "dedup_wrapper"sv,
    "dynamo_cache_bypass"sv,
    "dynamo_cache_entries"sv,
    "dynamo_cache_exception"sv,
    "dynamo_error"sv,
    "dynamo_graph_break_reason"sv,
    "dynamo_side_effects"sv,
    "eager_compile_backwards_failure"sv,
    "effect_tokens_wrapper"sv,
    "functionalized_rng_wrapper"sv,
    "fx_bucketing_passes_all_gather_buckets"sv,
    "fx_bucketing_passes_reduce_scatter_buckets"sv,
    "fx_collectives_analytical_estimation"sv,
    "fx_collectives_estimations_after_overlap_bucketing"sv,
    "fx_collectives_node_runtime_estimation"sv,
    "fx_compute_nodes_runtime_estimation"sv,
    "fx_graph_bundled_cache_hit"sv,
    "fx_graph_cache_bypass"sv,
    "fx_graph_cache_hash"sv,
    "fx_graph_cache_hit"sv,
    "fx_graph_cache_miss"sv,
    "fx_graph_runnable"sv,
    "fx_interpreter_error"sv,
    "fx_net_acc_splitter_finder_events"sv,
    "get_extra_remote_code_state"sv,
    "graph_execution"sv,
    "graph_sizes"sv,
    "guard_collective"sv,
    "inductor_autotune_at_compile_time_code"sv,
    "inductor_collective_schedule"sv,
    "inductor_fx_passes_overlap_bucketing"sv,
    "inductor_generated_kernel_to_post_grad_nodes"sv,
    "inductor_graph_execution"sv,
    "inductor_overlap_cyclic_extra_deps"sv,
    "inductor_post_to_pre_grad_nodes"sv,
    "inductor_provenance_tracking_kernel_stack_traces"sv,
    "inductor_provenance_tracking_node_mappings"sv,
    "inductor_runtime_and_tensor_meta"sv,
    "inductor_spmd_graph_mismatch"sv,
    "inductor_triton_kernel_to_post_grad_nodes"sv,
    "invoke_subgraph_backward_duplicate"sv,
    "min_cut_failed_edge_list"sv,
    "min_cut_failed_svg"sv,
    "min_cut_information"sv,
    "mutation_epilogue"sv,
    "native_dsl_compile"sv,
    "output_alias_wrapper"sv,
    "pge_profile_vs_analytical"sv,
    "post_decomp_comms"sv,
    "pre_bucketing_collective_sizes"sv,
    "pre_bucketing_collective_sizes_after"sv,
    "pre_bucketing_fsdp_collectives"sv,
    "pre_decomp_comms"sv,
    "precompile_cache_bypass"sv,
    "put_extra_remote_code_state"sv,
    "put_local_code_state"sv,
    "put_remote_code_state"sv,
    "recompile_reasons"sv,
    "reorder_communication_preserving_peak_memory"sv,
    "runtime_wrapper_orchestration"sv,
    "scheduler_nodes_before_comm_overlap"sv,
    "sink_waits_iterative_info"sv,
    "subclass_wrapper"sv,
    "synthetic_base_wrapper"sv,
    "torch._functorch.config"sv,
    "torch_version"sv,
    "triton_kernel_info"sv,
};

constexpr std::array<std::pair<std::string_view, StagePlace>, 35> stages = {{
    {"dynamo_output_graph", StagePlace::Dynamo},
    {"compiled_autograd_graph", StagePlace::Dynamo},
    {"compiled_autograd_graph_pre_reordering", StagePlace::Dynamo},
    {"exported_program", StagePlace::Export},
    {"make_fx_fail_partial", StagePlace::Traced},
    {"optimize_ddp_split_graph", StagePlace::PreGrad},
    {"optimize_ddp_split_child", StagePlace::PreGrad},
    {"inductor_input_graph", StagePlace::PreGrad},
    {"inductor_pre_grad_graph", StagePlace::PreGrad},
    {"before_pre_grad_graph", StagePlace::PreGrad},
    {"after_pre_grad_graph", StagePlace::PreGrad},
    {"aot_joint_graph", StagePlace::Joint},
    {"aot_inference_graph", StagePlace::Inference},
    {"aot_inference_graph_after_hop_passes", StagePlace::Inference},
    {"before_joint_graph", StagePlace::JointOrInference},
    {"after_joint_graph", StagePlace::JointOrInference},
    {"min_cut_failed_fx_graph", StagePlace::Joint},
    {"aot_forward_graph", StagePlace::Forward},
    {"before_activation_quantization_fwd_aten_pass", StagePlace::Forward},
    {"after_activation_quantization_fwd_aten_pass", StagePlace::Forward},
    {"aot_backward_graph", StagePlace::Backward},
    {"before_activation_quantization_bwd_aten_pass", StagePlace::Backward},
    {"after_activation_quantization_bwd_aten_pass", StagePlace::Backward},
    {"before_post_grad_graph", StagePlace::PostGrad},
    {"inductor_post_grad_graph", StagePlace::PostGrad},
    {"after_post_grad_graph", StagePlace::PostGrad},
    {"overlap_scheduling_graph_before", StagePlace::PostGrad},
    {"overlap_scheduling_graph_after", StagePlace::PostGrad},
    {"fusion_regions_before", StagePlace::PostGrad},
    {"fusion_regions_after", StagePlace::PostGrad},
    {"inductor_output_code", StagePlace::Code},
    {"inductor_aot_code", StagePlace::Code},
    {"inductor_aot_wrapper_code", StagePlace::Code},
    {"inductor_aot_kernel_code", StagePlace::Code},
    {"inductor_aot_header_code", StagePlace::Code},
}};

/// Artifacts of which PyTorch fills in a part, "*".
constexpr std::array patterns = {
    "*_ORIGINAL_BYTECODE"sv,
    "*_MODIFIED_BYTECODE"sv,
    "*_ITERATIVE_RECOMPUTE_ERROR"sv,
    "*_fused"sv,
    "aotautograd_cache_*"sv,
    "fx_graph_cache_*"sv,
    "flex_gemm_*"sv,
    "get_*_code_state"sv,
};

/// Graphs after a pass of Inductor that changed something, told by the pass.
constexpr std::array<std::pair<std::string_view, StagePlace>, 4> stagePatterns = {{
    {"*_pre_grad", StagePlace::PreGrad},
    {"*_post_grad", StagePlace::PostGrad},
    {"optimus_*", StagePlace::PreOrPostGrad},
    {"cff_*", StagePlace::PreOrPostGrad},
}};

bool matches(std::string_view pattern, std::string_view name) {
    const std::size_t star = pattern.find('*');
    const std::string_view before = pattern.substr(0, star), after = pattern.substr(star + 1);
    return name.size() > before.size() + after.size() && name.starts_with(before) && name.ends_with(after);
}

template <typename Names>
bool contains(const Names& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace

std::optional<StagePlace> stagePlace(std::string_view name) {
    const auto found =
        std::find_if(stages.begin(), stages.end(), [&](const auto& stage) { return stage.first == name; });
    if (found != stages.end()) return found->second;
    const auto pattern = std::find_if(stagePatterns.begin(), stagePatterns.end(),
                                      [&](const auto& stage) { return matches(stage.first, name); });
    if (pattern != stagePatterns.end()) return pattern->second;
    return std::nullopt;
}

bool isKnownType(std::string_view type) {
    return contains(plainTypes, type) || type.ends_with("_saved_tensors_hooks") ||
           type.starts_with("aot_saved_tensors_hooks_") || type == "graph_dump" ||
           stagePlace(type).has_value();
}

bool isKnownArtifact(std::string_view name) {
    return name == digestArtifact || contains(plainArtifacts, name) || stagePlace(name).has_value() ||
           std::any_of(patterns.begin(), patterns.end(),
                       [&](std::string_view pattern) { return matches(pattern, name); });
}

bool beginsLikeGraph(std::string_view payload) {
    std::string_view head = payload.substr(0, 400);
    head.remove_prefix(std::min(head.size(), head.find_first_not_of("\t\r\n ")));
    const std::string_view line = firstLine(head);
    if (line.starts_with("graph(") && line.find("):") != std::string_view::npos) return true;
    return line.starts_with("class ") && line.find("torch.nn.Module):") != std::string_view::npos;
}

} // namespace dynascope::capture
