// SPDX-License-Identifier: BSD-3-Clause
#include "core/diff/canonical.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace dynascope::diff::detail {

namespace {

using ir::Argument;
using Kind = ir::Argument::Kind;

// What Python's operator module and Tensor's methods call otherwise than ATen.
constexpr std::array<std::pair<std::string_view, std::string_view>, 30> renamed{{
    {"and_", "bitwise_and"},
    {"floordiv", "floor_divide"},
    {"iadd", "add_"},
    {"iand", "bitwise_and_"},
    {"ifloordiv", "floor_divide_"},
    {"ilshift", "__ilshift__"},
    {"imatmul", "matmul_"},
    {"imod", "remainder_"},
    {"imul", "mul_"},
    {"inv", "bitwise_not"},
    {"invert", "bitwise_not"},
    {"ior", "bitwise_or_"},
    {"ipow", "pow_"},
    {"irshift", "__irshift__"},
    {"isub", "sub_"},
    {"itruediv", "div_"},
    {"ixor", "bitwise_xor_"},
    {"lshift", "__lshift__"},
    {"mod", "remainder"},
    {"negative", "neg"},
    {"or_", "bitwise_or"},
    {"rshift", "__rshift__"},
    {"truediv", "div"},
    {"xor", "bitwise_xor"},
    {"true_divide", "div"},
    {"subtract", "sub"},
    {"multiply", "mul"},
    {"divide", "div"},
    {"absolute", "abs"},
    {"not_", "logical_not"},
}};
constexpr std::string_view atenPrefix = "torch.ops.";

/// "add" of "torch.ops.aten.add.Tensor" and of "aten.add.Tensor".
std::optional<std::string_view> overloadedName(std::string_view target) {
    if (target.starts_with(atenPrefix)) {
        target.remove_prefix(atenPrefix.size());
    } else if (!target.starts_with("aten.") && !target.starts_with("prims.") &&
               !target.starts_with("inductor.")) {
        return std::nullopt;
    }
    const std::size_t space = target.find('.');
    if (space == std::string_view::npos) return target;
    target.remove_prefix(space + 1);
    return target.substr(0, target.find('.'));
}

bool isFullSlice(const Argument& a) {
    return a.kind == Kind::Slice && std::all_of(a.items.begin(), a.items.end(),
                                                [](const Argument& i) { return i.kind == Kind::None; });
}

bool isTensor(const ir::Graph& graph, const Argument& a) {
    if (!a.isNode()) return false;
    const ir::NodeIndex i = graph.find(a.text);
    return i != ir::npos && graph.node(i).meta && graph.node(i).meta->tensor;
}

/// x[i, j] with tensors as indices.
bool lowerTensorIndex(const ir::Graph& graph, Form& form) {
    const Argument& index = form.node->args[1];
    const std::vector<Argument> items =
        index.kind == Kind::Tuple ? index.items : std::vector<Argument>{index};
    const bool tensors = !items.empty() && std::all_of(items.begin(), items.end(),
                                                       [&](const Argument& a) { return isTensor(graph, a); });
    if (!tensors) return false;
    form.op = "index";
    form.rewritten = {form.node->args[0], Argument::list(items)};
    return true;
}

/// select or slice for an index that touches one dimension, index for tensors.
void lowerGetitem(const ir::Graph& graph, Form& form) {
    const auto& args = form.node->args;
    if (args.size() != 2 || !isTensor(graph, args[0])) return;
    if (lowerTensorIndex(graph, form)) return;
    const Argument& index = args[1];
    const bool tuple = index.kind == Kind::Tuple;
    const std::size_t size = tuple ? index.items.size() : 1;
    // Dimensions before an ellipsis count from the front, those after it from the back.
    const std::size_t rank = graph.node(graph.find(args[0].text)).meta->tensor->sizes.size();
    std::optional<std::size_t> only;
    std::ptrdiff_t dimension = 0;
    std::ptrdiff_t skipped = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const Argument& item = tuple ? index.items[i] : index;
        if (item.kind == Kind::None) return;
        if (item.kind == Kind::Ellipsis) {
            if (size > rank + 1) return;
            skipped = static_cast<std::ptrdiff_t>(rank) - static_cast<std::ptrdiff_t>(size);
            continue;
        }
        if (isFullSlice(item)) continue;
        if (only) return;
        only = i;
        dimension = static_cast<std::ptrdiff_t>(i) + skipped;
    }
    if (!only) return;
    const Argument& item = tuple ? index.items[*only] : index;
    const auto position = Argument::integer(static_cast<std::int64_t>(dimension));
    if (item.kind == Kind::Int) {
        form.op = "select";
        form.rewritten = {args[0], position, item};
    } else if (item.kind == Kind::Slice && item.items.size() == 3) {
        form.op = "slice";
        form.rewritten = {args[0], position, item.items[0], item.items[1], item.items[2]};
    }
}

/// aten.slice(x, dim, start, end, step) without what only repeats the defaults.
void trimSlice(Form& form) {
    std::vector<Argument> args = form.args();
    if (args.size() < 2) return;
    if (args.size() > 2 && args[2].kind == Kind::None) args[2] = Argument::integer(0);
    if (args.size() > 3 && args[3].text == "9223372036854775807") args[3] = Argument::none();
    if (args.size() > 4 && args[4].kind == Kind::None) args[4] = Argument::integer(1);
    if (args.size() > 4 && args[4].text == "1") args.pop_back();
    form.rewritten = std::move(args);
}

template <std::size_t N>
bool isAmong(std::string_view name, const std::array<std::string_view, N>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// x.view(2, 3) is view(x, [2, 3]).
void gatherSizes(Form& form) {
    constexpr std::array<std::string_view, 6> takesSizes{"view",    "reshape", "expand",
                                                         "permute", "repeat",  "tile"};
    const auto& args = form.node->args;
    if (form.node->op != ir::Op::CallMethod || args.size() < 2 || !isAmong(form.op, takesSizes)) return;
    const bool sizes = std::all_of(args.begin() + 1, args.end(), [](const Argument& a) {
        return a.kind == Kind::Int || a.kind == Kind::Symbol || a.isNode();
    });
    if (sizes) form.rewritten = {args[0], Argument::list({args.begin() + 1, args.end()})};
}

/// ATen wants the tensor first: 0.5 * x is mul(x, 0.5).
void tensorFirst(Form& form) {
    constexpr std::array<std::string_view, 7> commutative{"add",         "mul",        "eq",         "ne",
                                                          "bitwise_and", "bitwise_or", "bitwise_xor"};
    const auto& args = form.node->args;
    if (args.size() == 2 && !args[0].isNode() && args[1].isNode() && isAmong(form.op, commutative))
        form.rewritten = {args[1], args[0]};
}

/// torch.nn.functional.embedding(input, weight, ...) is aten.embedding(weight, indices, ...).
void weightFirst(Form& form) {
    const auto& args = form.node->args;
    if (form.op != "embedding" || args.size() < 2 ||
        form.node->target.find("functional") == std::string::npos)
        return;
    std::vector<Argument> swapped{args[1], args[0]};
    // padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse: ATen leaves out the third and fourth.
    const bool plain = std::all_of(args.begin() + 2, args.end(), [](const Argument& a) {
        return isDefaultLike(a) || a.kind == Kind::Float;
    });
    if (!plain) swapped.insert(swapped.end(), args.begin() + 2, args.end());
    form.rewritten = std::move(swapped);
}

std::uint64_t hashArgument(const Argument& a, int depth) {
    if (depth > maxArgumentDepth) return 1;
    if (a.isNode()) return 2;
    std::uint64_t h = 3;
    if (!isSequence(a)) {
        const bool plain = a.kind != Kind::Float && a.kind != Kind::Device;
        h = mix(static_cast<std::uint64_t>(a.kind) + 8,
                plain ? hashText(a.text) : hashText(canonicalScalar(a)));
    }
    for (const Argument& item : a.items)
        h = mix(h, hashArgument(item, depth + 1));
    return h;
}

} // namespace

std::uint64_t hashText(std::string_view text) {
    return std::hash<std::string_view>{}(text);
}

bool isSequence(const Argument& argument) {
    return argument.kind == Kind::List || argument.kind == Kind::Tuple;
}

std::string canonicalTarget(const ir::Node& node) {
    switch (node.op) {
    case ir::Op::Placeholder:
        return "placeholder";
    case ir::Op::Output:
        return "output";
    case ir::Op::GetAttr:
        return "get_attr " + node.target;
    case ir::Op::CallModule:
        return "module " + node.target;
    case ir::Op::CallFunction:
    case ir::Op::CallMethod:
        break;
    }
    const std::string_view target = node.target;
    if (const auto name = overloadedName(target)) return std::string(*name);
    const std::string_view last = target.substr(target.rfind('.') + 1);
    const auto entry =
        std::find_if(renamed.begin(), renamed.end(), [last](const auto& e) { return e.first == last; });
    return std::string(entry == renamed.end() ? last : entry->second);
}

std::string_view opFamily(std::string_view name) {
    // Operations that lowering names otherwise, by what their names hold.
    constexpr std::array<std::pair<std::string_view, std::string_view>, 12> families{{
        {"scaled_dot_product", "attention"},
        {"batch_norm", "batch_norm"},
        {"layer_norm", "layer_norm"},
        {"group_norm", "group_norm"},
        {"max_pool2d", "max_pool2d"},
        {"convolution", "convolution"},
        {"embedding", "embedding"},
        {"log_softmax", "log_softmax"},
        {"nll_loss", "nll_loss"},
        {"threshold_backward", "relu"},
        {"addmm", "linear"},
        {"baddbmm", "matmul"},
    }};
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> exact{{
        {"conv1d", "convolution"},
        {"conv2d", "convolution"},
        {"conv3d", "convolution"},
        {"mm", "linear"},
        {"bmm", "matmul"},
        {"reshape", "view"},
    }};
    constexpr std::string_view native = "native_";
    constexpr std::string_view unsafe = "unsafe_";
    constexpr std::string_view backward = "_backward";
    for (const auto& [part, family] : families)
        if (name.find(part) != std::string_view::npos) return family;
    for (const auto& [whole, family] : exact)
        if (name == whole) return family;
    while (name.starts_with('_'))
        name.remove_prefix(1);
    if (name.starts_with(native)) name.remove_prefix(native.size());
    if (name.starts_with(unsafe)) name.remove_prefix(unsafe.size());
    if (name.ends_with(backward)) name.remove_suffix(backward.size());
    return name;
}

bool isDefaultLike(const Argument& value) {
    return value.kind == Kind::None || (value.kind == Kind::Bool && value.text == "False");
}

std::string canonicalScalar(const Argument& a) {
    if (a.kind == Kind::Float) {
        if (const auto value = a.asDouble())
            return std::to_string(*value) + "/" + std::to_string(*value * 1e12);
    }
    if (a.kind == Kind::Device) {
        std::string name;
        const std::size_t quote = a.text.find('\'');
        if (quote == std::string::npos) return a.text;
        name = a.text.substr(quote + 1, a.text.find('\'', quote + 1) - quote - 1);
        if (const std::size_t index = a.text.find("index="); index != std::string::npos)
            name +=
                ":" + a.text.substr(index + 6, a.text.find_first_not_of("0123456789", index + 6) - index - 6);
        return name;
    }
    return a.text;
}

std::uint64_t Form::hash() const {
    std::uint64_t h = hashText(op);
    for (const Argument& a : args())
        h = mix(h, hashArgument(a, 0));
    std::uint64_t keywords = 0;
    for (const auto& [key, value] : node->kwargs)
        if (!isDefaultLike(value)) keywords += mix(hashText(key), hashArgument(value, 0));
    return mix(h, keywords);
}

std::vector<Form> formsOf(const ir::Graph& graph) {
    std::vector<Form> forms(graph.size());
    for (ir::NodeIndex i = 0; i < graph.size(); ++i) {
        const ir::Node& node = graph.node(i);
        Form& form = forms[i];
        form.node = &node;
        form.op = canonicalTarget(node);
        if (form.op == "getitem") lowerGetitem(graph, form);
        if (form.op == "slice") trimSlice(form);
        gatherSizes(form);
        tensorFirst(form);
        weightFirst(form);
        const auto add = [&](const std::string& name) { form.operands.push_back(graph.find(name)); };
        for (const Argument& a : form.args())
            a.forEachNode(add);
        for (const auto& [key, a] : node.kwargs)
            a.forEachNode(add);
    }
    return forms;
}

} // namespace dynascope::diff::detail
