# SPDX-License-Identifier: BSD-3-Clause
"""Settings of Inductor that switch passes on and off, and which passes did not run because of them."""

# Phase -> pass -> the setting without which it does not run, as post_grad_passes and the like ask for it.
_SWITCHES = {
    "pre_grad": (
        ("group_batch_fusion_passes", "pattern_matcher"),
        ("efficient_conv_bn_eval_pass", "pattern_matcher"),
        ("pre_grad_custom_pass", "pre_grad_custom_pass"),
        ("fuse_conv_bn", "freezing"),
        ("linear_permute_fusion", "permute_fusion"),
    ),
    "joint": (
        ("constant_fold_uniform_value", "joint_graph_constant_folding"),
        ("pass_pattern_0", "pattern_matcher"),
        ("auto_chunker", "auto_chunker.enable"),
        ("joint_custom_pre_pass", "joint_custom_pre_pass"),
        ("joint_custom_post_pass", "joint_custom_post_pass"),
    ),
    "post_grad": (
        ("eliminate_dead_code", "dce"),
        ("reorder_for_locality", "reorder_for_locality"),
        ("remove_noop_ops", "pattern_matcher"),
        ("pass_pattern_0", "pattern_matcher"),
        ("grouped_gemm_pass", "cpp.enable_grouped_gemm_template"),
        ("concat_linear_woq_int4", "cpp.enable_concat_linear"),
        ("partitioned_scatter_optimization", "partitioned_scatter_enabled"),
        ("b2b_gemm_pass", "b2b_gemm_pass"),
        ("micro_pipeline_tp_pass", "_micro_pipeline_tp"),
        ("fuse_ddp_communication", "_fuse_ddp_communication"),
        ("post_grad_custom_pre_pass", "post_grad_custom_pre_pass"),
        ("post_grad_custom_post_pass", "post_grad_custom_post_pass"),
        ("chain_random_ops_ordering", "fallback_random"),
        ("dedup_reduce_scatters", "dedup_reduce_scatters"),
        ("bucket_reduce_scatters", "bucket_reduce_scatters_fx"),
        ("bucket_all_reduce", "bucket_all_reduces_fx"),
        ("bucket_all_gathers", "bucket_all_gathers_fx"),
        ("overlap_scheduling", "aten_distributed_optimizations.enable_overlap_scheduling"),
        ("replace_collectives_with_low_contention", "aten_distributed_optimizations.enable_low_contention_collectives"),
    ),
    "freezing": (),
}
_OFF = (None, False, "none", "", (), [], {})
_MORE = {
    "pre_grad": ("use_pre_grad_passes", "is_predispatch", "pre_grad_fusion_options", "add_pre_grad_passes", "remove_pre_grad_passes"),
    "joint": ("use_joint_graph_passes", "fallback_random"),
    "post_grad": ("use_post_grad_passes", "post_grad_fusion_options", "reorder_for_compute_comm_overlap", "disabled_passes"),
    "freezing": ("freezing", "freezing_discard_parameters"),
    "inductor": ("fx_graph_cache", "force_disable_caches", "max_autotune", "layout_optimization", "epilogue_fusion", "prologue_fusion",
                 "max_fusion_size", "benchmark_fusion", "combo_kernels", "graph_partition", "memory_planning", "allow_buffer_reuse",
                 "inplace_buffers", "reorder_for_peak_memory", "cpp_wrapper", "triton.cudagraphs", "realize_reads_threshold",
                 "realize_opcount_threshold", "split_reductions", "comprehensive_padding"),
}
_MISSING = object()


def _value(config, name):
    for part in name.split("."):
        config = getattr(config, part, _MISSING)
        if config is _MISSING:
            break
    return config


def read(phase):
    """Values of the settings that matter to a phase, as text; those that this version of PyTorch lacks are left out."""
    from torch._inductor import config

    names = [setting for _, setting in _SWITCHES.get(phase, ())] + list(_MORE.get(phase, ()))
    values = {name: _value(config, name) for name in dict.fromkeys(names)}
    return {name: repr(value)[:300] for name, value in values.items() if value is not _MISSING}


def not_run(phase, kind, ran):
    """(pass, reason) of those that did not run."""
    from torch._inductor import config

    off = f"use_{'joint_graph' if phase == 'joint' else phase}_passes"
    if _value(config, off) is False:
        yield f"{phase} passes", f"config.{off} is False"
        return
    for name, setting in _SWITCHES.get(phase, ()):
        if name in ran:
            continue
        value = _value(config, setting)
        if value is _MISSING:
            continue
        if any(value is off or value == off for off in _OFF if type(value) is type(off)):
            yield name, f"config.{setting} is {value!r}"
        elif name == "reorder_for_locality" and kind != "inference":
            yield name, "only for inference"
