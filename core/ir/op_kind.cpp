// SPDX-License-Identifier: BSD-3-Clause
//
// Op kinds by name alone, so that they work for any capture and without LibTorch. Names are the last parts of
// targets without overload: "view" for torch.ops.aten.view.default, torch.Tensor.view and the method view.
#include "core/ir/node.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace dynascope::ir {

namespace {

using std::string_view;

template <std::size_t N>
bool contains(const std::array<string_view, N>& sorted, string_view name) {
    return std::binary_search(sorted.begin(), sorted.end(), name);
}

template <std::size_t N>
constexpr bool isSorted(const std::array<string_view, N>& names) {
    return std::is_sorted(names.begin(), names.end());
}

// Ops whose schema says that the output aliases the input ("Tensor(a)"), and their torch-level names.
constexpr std::array viewNames = std::to_array<string_view>({
    "H",
    "T",
    "_conj",
    "_neg_view",
    "_reshape_alias",
    "_unsafe_view",
    "adjoint",
    "alias",
    "as_strided",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_tensors",
    "broadcast_to",
    "chunk",
    "conj",
    "detach",
    "diagonal",
    "dsplit",
    "expand",
    "expand_as",
    "flatten",
    "hsplit",
    "imag",
    "lift_fresh",
    "mH",
    "mT",
    "matrix_H",
    "moveaxis",
    "movedim",
    "narrow",
    "permute",
    "positive",
    "ravel",
    "real",
    "reshape",
    "reshape_as",
    "select",
    "slice",
    "split",
    "split_with_sizes",
    "squeeze",
    "swapaxes",
    "swapdims",
    "t",
    "tensor_split",
    "transpose",
    "unbind",
    "unflatten",
    "unfold",
    "unsafe_chunk",
    "unsafe_split",
    "unsqueeze",
    "view",
    "view_as",
    "view_as_complex",
    "view_as_real",
    "vsplit",
});
static_assert(isSorted(viewNames));

constexpr std::array linearNames = std::to_array<string_view>({
    "_addmm_activation",
    "_convolution",
    "_flash_attention_forward",
    "_grouped_mm",
    "_int_mm",
    "_scaled_dot_product_attention",
    "_scaled_dot_product_cudnn_attention",
    "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_efficient_attention_backward",
    "_scaled_dot_product_flash_attention",
    "_scaled_dot_product_flash_attention_backward",
    "_scaled_dot_product_flash_attention_for_cpu",
    "_scaled_dot_product_flash_attention_for_cpu_backward",
    "_scaled_grouped_mm",
    "_scaled_mm",
    "_trilinear",
    "addbmm",
    "addmm",
    "addmv",
    "addr",
    "baddbmm",
    "bilinear",
    "bmm",
    "chain_matmul",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "convolution",
    "convolution_backward",
    "dot",
    "einsum",
    "inner",
    "linear",
    "linear_backward",
    "matmul",
    "mkldnn_convolution",
    "mm",
    "multi_head_attention_forward",
    "mv",
    "outer",
    "scaled_dot_product_attention",
    "tensordot",
    "vdot",
});
static_assert(isSorted(linearNames));

constexpr std::array functionalWriteNames = std::to_array<string_view>({
    "_index_put_impl",
    "_unsafe_index_put",
    "_unsafe_masked_index_put_accumulate",
    "as_strided_scatter",
    "copy",
    "diagonal_scatter",
    "fill",
    "index_add",
    "index_copy",
    "index_fill",
    "index_put",
    "index_reduce",
    "masked_fill",
    "masked_scatter",
    "put",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "select_scatter",
    "slice_scatter",
    "zero",
});
static_assert(isSorted(functionalWriteNames));

constexpr std::array factoryNames = std::to_array<string_view>({
    "arange",
    "as_tensor",
    "bernoulli",
    "blackman_window",
    "empty",
    "empty_permuted",
    "empty_quantized",
    "empty_strided",
    "eye",
    "full",
    "hann_window",
    "inductor_randint",
    "inductor_random",
    "inductor_seed",
    "inductor_seeds",
    "iota",
    "linspace",
    "logspace",
    "new_empty",
    "new_empty_strided",
    "new_full",
    "new_ones",
    "new_tensor",
    "new_zeros",
    "normal",
    "ones",
    "poisson",
    "rand",
    "randint",
    "randn",
    "randperm",
    "range",
    "scalar_tensor",
    "tensor",
    "tril_indices",
    "triu_indices",
    "zeros",
});
static_assert(isSorted(factoryNames));

// Ops that write although their name has no underscore at the end.
constexpr std::array writeNames = std::to_array<string_view>({
    "_foreach_copy",
    "resize_as",
    "set_data",
});
static_assert(isSorted(writeNames));

/// The op's name within a target: "add_" of "torch.ops.aten.add_.Tensor", "relu" of
/// "torch.nn.functional.relu".
string_view baseName(const Node& node, string_view& overload) {
    string_view target = node.target;
    overload = {};
    constexpr string_view ops = "torch.ops.";
    bool hasNamespace = target.starts_with(ops);
    if (hasNamespace) target.remove_prefix(ops.size());
    hasNamespace |= target.starts_with("aten.") || target.starts_with("prims.");
    if (hasNamespace && node.op == Op::CallFunction) {
        const std::size_t space = target.find('.');
        if (space == string_view::npos) return target;
        target.remove_prefix(space + 1);
        const std::size_t dot = target.find('.');
        if (dot != string_view::npos) overload = target.substr(dot + 1);
        return target.substr(0, dot);
    }
    const std::size_t dot = target.rfind('.');
    return dot == string_view::npos ? target : target.substr(dot + 1);
}

bool hasKeyword(const Node& node, string_view key) {
    return std::any_of(node.kwargs.begin(), node.kwargs.end(), [&](const auto& entry) {
        return entry.first == key && entry.second.kind != Argument::Kind::None;
    });
}

bool isTrue(const Node& node, string_view key) {
    return std::any_of(node.kwargs.begin(), node.kwargs.end(),
                       [&](const auto& entry) { return entry.first == key && entry.second.text == "True"; });
}

bool writes(const Node& node, string_view name, string_view overload) {
    // x[i] = v is operator.setitem; operator.iadd and its like write too when x is a tensor.
    constexpr string_view operatorPrefix = "operator.";
    if (string_view(node.target).starts_with(operatorPrefix)) {
        constexpr std::array augmented = std::to_array<string_view>({
            "iadd",
            "iand",
            "ifloordiv",
            "ilshift",
            "imatmul",
            "imod",
            "imul",
            "ior",
            "ipow",
            "irshift",
            "isub",
            "itruediv",
            "ixor",
            "setitem",
        });
        static_assert(isSorted(augmented));
        return contains(augmented, name);
    }
    const bool trailing = name.ends_with('_') && !name.ends_with("__") && name.size() > 1;
    const bool dunder =
        name.starts_with("__i") && name.ends_with("__") && name != "__invert__" && name != "__index__";
    const bool out = overload == "out" || overload.ends_with("_out") || hasKeyword(node, "out");
    return trailing || dunder || out || isTrue(node, "inplace") || contains(writeNames, name) ||
           name == "__setitem__";
}

/// True for an index that only slices: x[0], x[:, 1:3], x[None]. Tensors and lists in an index gather.
bool onlySlices(const Argument& index) {
    switch (index.kind) {
    case Argument::Kind::Int:
    case Argument::Kind::Slice:
    case Argument::Kind::None:
    case Argument::Kind::Ellipsis:
    case Argument::Kind::Symbol:
        return true;
    case Argument::Kind::Tuple:
        return std::all_of(index.items.begin(), index.items.end(), onlySlices);
    default:
        return false;
    }
}

bool isParameterName(string_view name) {
    // Dynamo: L_self_modules_fc_parameters_weight_; export: p_fc_weight, b_bn_running_mean,
    // c_lifted_tensor_0.
    return name.find("_parameters_") != string_view::npos || name.find("_buffers_") != string_view::npos ||
           name.starts_with("p_") || name.starts_with("b_") || name.starts_with("c_lifted_tensor");
}

/// One lookup a node: a large graph asks hundreds of thousands of times.
const std::unordered_map<string_view, OpKind>& kindsByName() {
    static const auto kinds = [] {
        std::unordered_map<string_view, OpKind> out;
        const auto add = [&out](const auto& names, OpKind kind) {
            for (const string_view name : names)
                out.try_emplace(name, kind);
        };
        add(viewNames, OpKind::View);
        add(linearNames, OpKind::Linear);
        add(functionalWriteNames, OpKind::FunctionalWrite);
        add(factoryNames, OpKind::Factory);
        return out;
    }();
    return kinds;
}

OpKind functionKind(const Node& node) {
    const string_view target = node.target;
    if (target.starts_with("torch.ops.higher_order.") || target.starts_with("higher_order."))
        return OpKind::HigherOrder;
    string_view overload;
    const string_view name = baseName(node, overload);
    if (writes(node, name, overload)) return OpKind::Write;
    if (name == "getitem" || name == "__getitem__")
        return node.args.size() == 2 && onlySlices(node.args[1]) ? OpKind::View : OpKind::Compute;
    if (target == "builtins.getattr") {
        const bool isView = node.args.size() == 2 && contains(viewNames, node.args[1].text);
        return isView ? OpKind::View : OpKind::Compute;
    }
    if (const auto known = kindsByName().find(name); known != kindsByName().end()) return known->second;
    return name.ends_with("_like") ? OpKind::Factory : OpKind::Compute;
}

} // namespace

OpKind opKind(const Node& node) {
    switch (node.op) {
    case Op::Placeholder:
        return isParameterName(node.target) ? OpKind::Parameter : OpKind::InputOutput;
    case Op::Output:
        return OpKind::InputOutput;
    case Op::GetAttr:
        return OpKind::Parameter;
    case Op::CallModule:
        return OpKind::HigherOrder;
    case Op::CallFunction:
    case Op::CallMethod:
        break;
    }
    return functionKind(node);
}

string_view opKindName(OpKind kind) {
    switch (kind) {
    case OpKind::InputOutput:
        return "input or output";
    case OpKind::Parameter:
        return "parameter or buffer";
    case OpKind::Linear:
        return "linear";
    case OpKind::View:
        return "view";
    case OpKind::Write:
        return "writes in place";
    case OpKind::FunctionalWrite:
        return "functional write";
    case OpKind::Factory:
        return "factory";
    case OpKind::HigherOrder:
        return "higher-order";
    case OpKind::Compute:
        break;
    }
    return "compute";
}

} // namespace dynascope::ir
