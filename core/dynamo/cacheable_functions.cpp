// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/cacheable_functions.h"

#include <algorithm>
#include <array>

namespace dynascope::dynamo {

namespace {

struct Module {
    std::string_view name, functions; ///< functions are separated by blanks
};

// torch_non_c_binding_in_graph_functions of torch/_dynamo/trace_rules.py and SAFE_TORCH_FUNCTIONS of
// autograd_cache.py, PyTorch 2.13, without the public functions of torch.functional and torch.nn.functional.
constexpr auto modules = std::to_array<Module>({
    {"torch", "Size Tensor __getattr__ _assert _check_is_size _load_global_deps _preload_cuda_deps "
              "_register_device_module _sym_sqrt are_deterministic_algorithms_enabled atleast_1d atleast_2d "
              "atleast_3d block_diag broadcast_tensors cartesian_prod cdist chain_matmul compile "
              "compiled_with_cxx11_abi einsum get_deterministic_debug_mode get_float32_matmul_precision "
              "is_deterministic_algorithms_warn_only_enabled is_storage is_tensor is_warn_always_enabled "
              "meshgrid norm set_default_dtype set_default_tensor_type set_deterministic_debug_mode "
              "set_float32_matmul_precision set_warn_always split stft sym_float sym_int sym_ite sym_max "
              "sym_min sym_not sym_sum tensordot unique_consecutive use_deterministic_algorithms"},
    {"torch.__future__",
     "get_overwrite_module_params_on_conversion set_overwrite_module_params_on_conversion"},
    {"torch._compile", "_disable_dynamo"},
    {"torch._functorch.apis", "chunk_vmap"},
    {"torch._functorch.batch_norm_replacement",
     "batch_norm_without_running_stats replace_all_batch_norm_modules_"},
    {"torch._functorch.deprecated", "combine_state_for_ensemble functionalize get_warning make_functional "
                                    "make_functional_with_buffers setup_docs warn_deprecated"},
    {"torch._functorch.eager_transforms",
     "_any_differentiable _autograd_grad _is_differentiable _maybe_unwrap_functional_tensor "
     "_maybe_wrap_functional_tensor _set_tensor_requires_grad _unwrap_all_tensors_from_functional "
     "_wrap_all_tensors_to_functional assert_flat_tuple_of_tensors functionalize "
     "lazy_dynamo_disable noop"},
    {"torch._functorch.predispatch",
     "_add_batch_dim _make_dual _remove_batch_dim _unpack_dual _unwrap_for_grad "
     "_vmap_decrement_nesting _vmap_increment_nesting lazy_load_decompositions"},
    {"torch._functorch.utils", "enable_single_level_autograd_function exposed_in unwrap_dead_wrappers"},
    {"torch._guards", "compile_context detect_fake_mode tracing"},
    {"torch._higher_order_ops.map",
     "_has_potential_branch_input_alias _has_potential_branch_input_mutation _stack_pytree "
     "_unstack_pytree create_fw_bw_graph map_autograd map_dense map_fake_tensor_mode "
     "map_functionalize map_proxy_torch_dispatch_mode map_wrapper trace_map"},
    {"torch._higher_order_ops.out_dtype",
     "elementwise_dtypes is_int_mm out_dtype_dense out_dtype_fake_tensor_mode out_dtype_fallback "
     "out_dtype_func out_dtype_proxy trace_out_dtype"},
    {"torch._higher_order_ops.utils", "autograd_not_implemented autograd_not_implemented_inner"},
    {"torch._linalg_utils",
     "_symeig basis bform eig get_floating_dtype is_sparse lstsq matmul matrix_rank qform solve "
     "symeig"},
    {"torch._lowrank", "_svd_lowrank get_approximate_basis pca_lowrank svd_lowrank"},
    {"torch._utils", "_dummy_type _flatten_dense_tensors _unflatten_dense_tensors"},
    {"torch._weights_only_unpickler", "_get_allowed_globals load"},
    {"torch.accelerator",
     "current_accelerator current_device_index current_stream device_count is_available set_stream "
     "synchronize"},
    {"torch.amp.autocast_mode", "autocast_decorator custom_bwd custom_fwd"},
    {"torch.amp.grad_scaler", "_refresh_per_optimizer_state"},
    {"torch.autograd", "_calculate_shape _is_checkpoint_valid _make_grads _profiler_enabled "
                       "_register_py_tensor_class_for_device _tensor_or_tensors_to_tuple grad variable"},
    {"torch.autograd.forward_ad", "_maybe_load_decompositions"},
    {"torch.autograd.function",
     "_iter_None_tensors _iter_filter _iter_jit_values _iter_tensors _iter_tensors_permissive "
     "_jit_unwrap_structured _map_tensor_data _nested_map _unflatten once_differentiable traceable"},
    {"torch.autograd.functional",
     "_as_tuple _as_tuple_nocheck _autograd_grad _check_requires_grad "
     "_construct_standard_basis_for _fill_in_zeros _grad_postprocess _grad_preprocess _jacfwd "
     "_tuple_postprocess _validate_v hessian hvp jacobian jvp vhp vjp"},
    {"torch.autograd.graph",
     "_get_sid _get_tid allow_mutation_on_saved_tensors get_gradient_edge increment_version "
     "register_multi_grad_hook"},
    {"torch.backends", "__allow_nonbracketed_mutation disable_global_flags flags_frozen"},
    {"torch.backends.cpu", "get_cpu_capability"},
    {"torch.backends.cuda",
     "allow_fp16_bf16_reduction_math_sdp can_use_cudnn_attention can_use_efficient_attention "
     "can_use_flash_attention cudnn_sdp_enabled enable_cudnn_sdp enable_flash_sdp enable_math_sdp "
     "enable_mem_efficient_sdp flash_sdp_enabled fp16_bf16_reduction_math_sdp_allowed is_built "
     "is_flash_attention_available math_sdp_enabled mem_efficient_sdp_enabled "
     "preferred_blas_library preferred_linalg_library preferred_rocm_fa_library sdp_kernel"},
    {"torch.backends.cudnn", "_init flags is_acceptable is_available set_flags version"},
    {"torch.backends.mkl", "is_available"},
    {"torch.backends.mkldnn", "flags is_available set_flags"},
    {"torch.backends.mps", "_init is_available is_built is_macos13_or_newer"},
    {"torch.backends.openmp", "is_available"},
    {"torch.backends.quantized", "_get_qengine_id _get_qengine_str"},
    {"torch.cpu", "_init_amx current_device current_stream device_count get_capabilities is_available "
                  "set_device stream synchronize"},
    {"torch.cuda",
     "_check_capability _check_cubins _device_count_amdsmi _device_count_nvml "
     "_get_amdsmi_device_index _get_amdsmi_handler _get_device _get_generator "
     "_get_nvml_device_index _get_pynvml_handler _get_rng_state_offset _is_compiled _lazy_call "
     "_lazy_init _nvml_based_avail _parse_visible_devices _raw_device_count_amdsmi "
     "_raw_device_count_nvml _raw_device_uuid_amdsmi _raw_device_uuid_nvml "
     "_register_triton_kernels _set_rng_state_offset _set_stream_by_id _sleep "
     "_transform_uuid_to_ordinals can_device_access_peer check_error clock_rate cudart "
     "current_blas_handle current_solver_handle current_stream default_stream device_count "
     "device_memory_used get_arch_list get_device_capability get_device_name get_device_properties "
     "get_gencode_flags get_sync_debug_mode init ipc_collect is_available is_bf16_supported "
     "is_initialized memory_usage power_draw set_stream set_sync_debug_mode stream synchronize "
     "temperature utilization"},
    {"torch.cuda._memory_viz",
     "_block_extra _block_extra_legacy _format_size _format_viz _frame_filter _frame_fmt "
     "_frames_fmt _profile_to_snapshot _report_free _write_blocks calc_active compare "
     "format_flamegraph memory profile_plot segment_plot segments segsum trace trace_plot"},
    {"torch.cuda._utils", "_get_device_index"},
    {"torch.cuda.amp.autocast_mode", "_cast custom_bwd custom_fwd"},
    {"torch.cuda.amp.common", "amp_definitely_not_available"},
    {"torch.cuda.graphs", "graph_pool_handle is_current_stream_capturing make_graphed_callables"},
    {"torch.cuda.jiterator", "_create_jit_fn _create_multi_output_jit_fn"},
    {"torch.cuda.memory",
     "_dump_snapshot _get_current_allocator _host_allocator _record_memory_history "
     "_record_memory_history_impl _record_memory_history_legacy _save_memory_usage "
     "_save_segment_usage _set_allocator_settings _snapshot caching_allocator_alloc "
     "caching_allocator_delete caching_allocator_enable change_current_allocator empty_cache "
     "get_allocator_backend get_per_process_memory_fraction host_memory_stats "
     "host_memory_stats_as_nested_dict list_gpu_processes max_memory_allocated max_memory_cached "
     "max_memory_reserved mem_get_info memory_allocated memory_cached memory_reserved "
     "memory_snapshot memory_stats memory_stats_as_nested_dict memory_summary "
     "reset_accumulated_host_memory_stats reset_accumulated_memory_stats "
     "reset_max_memory_allocated reset_max_memory_cached reset_peak_host_memory_stats "
     "reset_peak_memory_stats set_per_process_memory_fraction"},
    {"torch.cuda.nccl", "_check_sequence_type all_gather all_reduce broadcast init_rank is_available reduce "
                        "reduce_scatter unique_id version"},
    {"torch.cuda.nvtx", "mark range range_end range_pop range_push range_start"},
    {"torch.cuda.profiler", "init profile start stop"},
    {"torch.cuda.random", "get_rng_state_all initial_seed seed seed_all set_rng_state_all"},
    {"torch.distributed.tensor._api", "from_local"},
    {"torch.functional",
     "_check_list_size _consecutive_return_counts _consecutive_return_inverse "
     "_consecutive_return_inverse_false _consecutive_return_inverse_true "
     "_consecutive_return_output _lu_impl _lu_no_infos _lu_with_infos _meshgrid _return_counts "
     "_return_inverse _return_inverse_false _return_inverse_true _return_output "
     "_unique_consecutive_impl _unique_impl _unravel_index"},
    {"torch.futures", "collect_all wait_all"},
    {"torch.fx.experimental.const_fold", "split_const_subgraphs"},
    {"torch.fx.experimental.proxy_tensor", "make_fx"},
    {"torch.masked._ops",
     "_any _apply_docstring_templates _canonical_dim _combine_input_and_mask _generate_docstring "
     "_input_mask _output_mask _reduction_identity _sparse_coo_flatten_indices "
     "_sparse_coo_scatter_reduction_helper _sparse_coo_where _sparse_csr_segment_reduction_helper "
     "_sparse_csr_where _std_var _where amax amin argmax argmin corresponding_real_dtype cumprod "
     "cumsum log_softmax logaddexp logsumexp mean median norm normalize prod softmax softmin std "
     "sum var"},
    {"torch.mps", "_get_default_mps_generator current_allocated_memory driver_allocated_memory empty_cache "
                  "get_rng_state manual_seed seed set_per_process_memory_fraction set_rng_state synchronize"},
    {"torch.mps.profiler", "profile start stop"},
    {"torch.nested", "as_nested_tensor narrow nested_tensor"},
    {"torch.nested._internal.nested_tensor",
     "buffer_from_jagged get_tensor_symint is_expandable_to jagged_from_list "
     "jagged_from_tensor_and_lengths nested_view_from_values_offsets "
     "nested_view_from_values_offsets_lengths"},
    {"torch.nn", "factory_kwargs"},
    {"torch.nn._reduction", "get_enum legacy_get_enum legacy_get_string"},
    {"torch.nn.grad",
     "_pair _single _triple conv1d_input conv1d_weight conv2d_input conv2d_weight conv3d_input "
     "conv3d_weight"},
    {"torch.nn.modules.activation", "_is_make_fx_tracing"},
    {"torch.nn.modules.utils", "_list_with_default _ntuple _quadruple _reverse_repeat_tuple "
                               "consume_prefix_in_state_dict_if_present"},
    {"torch.nn.parameter", "is_lazy"},
    {"torch.quantization", "default_eval_fn"},
    {"torch.random", "_seed_custom_device fork_rng initial_seed seed"},
    {"torch.return_types", "pytree_register_structseq"},
    {"torch.signal.windows.windows",
     "_add_docstr _window_function_checks bartlett blackman cosine exponential gaussian "
     "general_cosine general_hamming hamming hann kaiser merge_dicts nuttall parse_kwargs"},
    {"torch.sparse", "sum"},
    {"torch.sparse.semi_structured", "to_sparse_semi_structured"},
    {"torch.xpu",
     "_get_device _get_generator _get_rng_state_offset _is_compiled _lazy_call _lazy_init "
     "_set_rng_state_offset _set_stream_by_id current_device current_stream device_count "
     "get_arch_list get_device_capability get_device_name get_device_properties get_gencode_flags "
     "get_stream_from_external init is_available is_bf16_supported is_initialized set_stream "
     "stream synchronize"},
    {"torch.xpu._utils", "_get_device_index"},
    {"torch.xpu.memory",
     "empty_cache max_memory_allocated max_memory_reserved mem_get_info memory_allocated "
     "memory_reserved memory_stats memory_stats_as_nested_dict reset_accumulated_memory_stats "
     "reset_peak_memory_stats"},
    {"torch.xpu.random", "initial_seed seed seed_all"},
});

bool hasWord(std::string_view words, std::string_view word) {
    for (std::size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
    }
    return false;
}

} // namespace

bool isCacheableTorchFunction(std::string_view module, std::string_view name) {
    if (name.empty()) return false;
    if ((module == "torch.functional" || module == "torch.nn.functional") && !name.starts_with('_'))
        return true;
    const auto found = std::find_if(modules.begin(), modules.end(),
                                    [&](const Module& entry) { return entry.name == module; });
    return found != modules.end() && hasWord(found->functions, name);
}

} // namespace dynascope::dynamo
