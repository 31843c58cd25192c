// SPDX-License-Identifier: BSD-3-Clause
#include "core/profile/work.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string_view>

namespace dynascope::profile {

namespace {

using Shape = std::vector<double>;
using MaybeShape = std::optional<Shape>;

MaybeShape shapeOf(const ir::Graph& graph, const ir::Node& node, std::size_t argument) {
    if (argument >= node.args.size() || !node.args[argument].isNode()) return {};
    const ir::NodeIndex index = graph.find(node.args[argument].text);
    if (index == ir::npos) return {};
    const auto& meta = graph.node(index).meta;
    if (!meta || !meta->tensor) return {};
    Shape out;
    for (const std::string& size : meta->tensor->sizes) {
        double value = 0;
        const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), value);
        if (error != std::errc() || end != size.data() + size.size()) return {};
        out.push_back(value);
    }
    return out;
}

double product(const Shape& shape, std::size_t from = 0) {
    return std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(std::min(from, shape.size())),
                           shape.end(), 1.0, std::multiplies<>());
}

/// The tensors of some arguments; nothing where one is not known or has another rank (0 for any).
std::optional<std::vector<Shape>> shapesAt(const ir::Graph& graph, const ir::Node& node,
                                           std::initializer_list<std::size_t> arguments, std::size_t rank) {
    std::vector<Shape> out;
    for (const std::size_t argument : arguments) {
        MaybeShape shape = shapeOf(graph, node, argument);
        if (!shape || (rank != 0 && shape->size() != rank)) return {};
        out.push_back(std::move(*shape));
    }
    return out;
}

std::optional<double> matrixFlops(const ir::Graph& graph, const ir::Node& node, std::size_t first) {
    const auto shapes = shapesAt(graph, node, {first, first + 1}, 0);
    if (!shapes || (*shapes)[0].size() < 2 || (*shapes)[1].empty()) return {};
    return 2 * product((*shapes)[0]) * (*shapes)[1].back();
}

double convolution(const Shape& x, const Shape& w, const Shape& out, bool transposed) {
    return 2 * product(transposed ? x : out, 2) * product(w) * x[0];
}

bool isTrue(const ir::Node& node, std::size_t argument) {
    return argument < node.args.size() && node.args[argument].text == "True";
}

MaybeShape ownShape(const ir::Graph& graph, const ir::Node& node) {
    ir::Node reader;
    reader.args.push_back(ir::Argument::node(node.name));
    return shapeOf(graph, reader, 0);
}

/// `transposed` is that argument of the operator; notTransposed where it has none.
constexpr std::size_t notTransposed = SIZE_MAX;
std::optional<double> convolutionFlops(const ir::Graph& graph, const ir::Node& node, std::size_t transposed) {
    const auto shapes = shapesAt(graph, node, {0, 1}, 0);
    const MaybeShape out = ownShape(graph, node);
    if (!shapes || !out || (*shapes)[0].empty()) return {};
    return convolution((*shapes)[0], (*shapes)[1], *out, isTrue(node, transposed));
}

std::optional<double> convolutionBackwardFlops(const ir::Graph& graph, const ir::Node& node) {
    const auto shapes = shapesAt(graph, node, {0, 1, 2}, 0);
    if (!shapes || node.args.size() < 11 || node.args[10].items.size() < 2) return {};
    auto [gradient, x, w] = std::tie((*shapes)[0], (*shapes)[1], (*shapes)[2]);
    if (gradient.size() < 2 || x.size() < 2 || w.size() < 2) return {};
    const bool transposed = isTrue(node, 7);
    const auto swapped = [](Shape shape) {
        std::swap(shape[0], shape[1]);
        return shape;
    };
    double out = 0;
    if (node.args[10].items[0].text == "True") out += convolution(gradient, w, x, !transposed);
    if (node.args[10].items[1].text == "True")
        out += transposed ? convolution(swapped(gradient), swapped(x), swapped(w), false)
                          : convolution(swapped(x), swapped(gradient), swapped(w), false);
    return out;
}

/// Two products forward, five backward; of query, key and value, the first of which is that argument. A mask that leaves
/// blocks out is not accounted for, as PyTorch's counter does not.
std::optional<double> attentionFlops(const ir::Graph& graph, const ir::Node& node, std::size_t first,
                                     bool backward) {
    const auto shapes = shapesAt(graph, node, {first, first + 1, first + 2}, 4);
    if (!shapes) return {};
    const Shape &q = (*shapes)[0], &k = (*shapes)[1], &v = (*shapes)[2];
    const double heads = q[0] * q[1], scores = 2 * heads * q[2] * k[2];
    return backward ? scores * (3 * q[3] + 2 * v[3]) : scores * (q[3] + v[3]);
}

std::string_view operatorName(const ir::Node& node) {
    std::string_view target = node.target;
    for (const std::string_view start : {"torch.ops.", "aten."})
        if (target.starts_with(start)) target.remove_prefix(start.size());
    constexpr std::string_view higher = "higher_order.";
    const std::size_t from = target.starts_with(higher) ? higher.size() : 0;
    return target.substr(0, target.find('.', from));
}

std::optional<double> bytesOf(const ir::Node& node) {
    if (!node.meta || !node.meta->tensor) return {};
    const auto bytes = node.meta->tensor->bytes();
    return bytes ? std::optional<double>(static_cast<double>(*bytes)) : std::nullopt;
}

bool movesNothing(const ir::Node& node) {
    return node.target == "operator.getitem" || ir::opKind(node) == ir::OpKind::View;
}

const std::set<std::pair<int, int>>& callsAt(const CallsOfNodes& calls, ir::NodeIndex node) {
    static const std::set<std::pair<int, int>> none;
    return node < calls.size() ? calls[node] : none;
}

/// Whether several calls compute a part of it each, as Inductor splits large reductions.
bool isSplit(const ir::Graph& graph, ir::NodeIndex index, const CallsOfNodes& calls) {
    if (callsAt(calls, index).size() < 2) return false;
    const std::optional<double> out = bytesOf(graph.node(index));
    return !out || std::ranges::any_of(graph.inputs(index), [&](ir::NodeIndex input) {
        return bytesOf(graph.node(input)).value_or(0) > 4 * *out;
    });
}

/// Whether every call that computes `user` computes `node` for itself.
bool computesAnew(const CallsOfNodes& calls, ir::NodeIndex user, ir::NodeIndex node) {
    const auto& users = callsAt(calls, user);
    return !users.empty() && std::ranges::includes(callsAt(calls, node), users);
}

/// What a node writes for others than `own`: its value, or those of its values that somebody takes out.
std::optional<double> bytesWritten(const ir::Graph& graph, ir::NodeIndex index,
                                   const std::set<ir::NodeIndex>& own, const CallsOfNodes& calls) {
    if (callsAt(calls, index).size() > 1) {
        const bool isNeeded = std::ranges::any_of(graph.users(index), [&](ir::NodeIndex user) {
            return !own.contains(user) && !computesAnew(calls, user, index);
        });
        return isNeeded ? std::nullopt : std::optional(0.0);
    }
    const auto users = graph.users(index);
    const bool isTuple = !graph.node(index).meta;
    double out = 0;
    for (const ir::NodeIndex user : users) {
        if (!isTuple) {
            if (!own.contains(user) || movesNothing(graph.node(user))) return bytesOf(graph.node(index));
            continue;
        }
        if (graph.node(user).target != "operator.getitem") return {};
        const std::optional<double> part = bytesOf(graph.node(user));
        if (!part) return {};
        out += *part;
    }
    return out;
}

std::string operandType(const ir::Graph& graph, ir::NodeIndex index) {
    // All of the operators that are counted have an operand there.
    const ir::Node& node = graph.node(index);
    if (node.args.size() < 2 || !node.args[1].isNode()) return {};
    const ir::NodeIndex operand = graph.find(node.args[1].text);
    if (operand == ir::npos) return {};
    const auto& meta = graph.node(operand).meta;
    return meta && meta->tensor ? meta->tensor->dtype : std::string();
}

} // namespace

std::optional<double> flopsOf(const ir::Graph& graph, ir::NodeIndex index) {
    const ir::Node& node = graph.node(index);
    if (node.target == "operator.getitem" || node.op != ir::Op::CallFunction) return 0;
    if (!node.target.starts_with("torch.ops.") && !node.target.starts_with("aten.") &&
        !node.target.starts_with("prims."))
        return {};
    const std::string_view name = operatorName(node);
    if (name == "mm" || name == "bmm" || name == "_scaled_mm") return matrixFlops(graph, node, 0);
    if (name == "addmm" || name == "baddbmm") return matrixFlops(graph, node, 1);
    if (name == "convolution" || name == "_convolution" || name == "convolution_overrideable")
        return convolutionFlops(graph, node, 6);
    if (name == "cudnn_convolution" || name == "_slow_conv2d_forward")
        return convolutionFlops(graph, node, notTransposed);
    if (name == "convolution_backward") return convolutionBackwardFlops(graph, node);
    if (name == "_scaled_dot_product_efficient_attention" || name == "_scaled_dot_product_flash_attention" ||
        name == "_scaled_dot_product_cudnn_attention")
        return attentionFlops(graph, node, 0, false);
    if (name == "_scaled_dot_product_efficient_attention_backward" ||
        name == "_scaled_dot_product_flash_attention_backward" ||
        name == "_scaled_dot_product_cudnn_attention_backward")
        return attentionFlops(graph, node, 1, true);
    if (name == "higher_order.flex_attention") return attentionFlops(graph, node, 0, false);
    if (name == "higher_order.flex_attention_backward") return attentionFlops(graph, node, 0, true);
    if (name.starts_with("higher_order.")) return {};
    // Of sequences of several lengths, which are in a tensor's values; and of others PyTorch's counter reads heads and
    // lengths the other way round than these operators take them.
    static constexpr std::array<std::string_view, 4> uncounted = {
        "_flash_attention_forward", "_flash_attention_backward", "_efficient_attention_forward",
        "_efficient_attention_backward"};
    if (std::ranges::find(uncounted, name) != uncounted.end()) return {};
    return 0;
}

Work workOf(const ir::Graph& graph, const std::vector<ir::NodeIndex>& nodes, const CallsOfNodes& calls) {
    Work out{0.0, 0.0, {}};
    std::set<std::string> types;
    const std::set<ir::NodeIndex> own(nodes.begin(), nodes.end());
    std::map<ir::NodeIndex, ir::NodeIndex> roots; // of views among them: what they are views of
    std::map<ir::NodeIndex, double> reads;        // by what is read, each once
    const auto rootOf = [&](ir::NodeIndex index) {
        const auto known = roots.find(index);
        return known == roots.end() ? index : known->second;
    };
    for (const ir::NodeIndex index : own) {
        const ir::Node& node = graph.node(index);
        const std::optional<double> flops = flopsOf(graph, index);
        out.flops = out.flops && flops ? std::optional(*out.flops + *flops) : std::nullopt;
        if (flops.value_or(0) > 0) types.insert(operandType(graph, index));
        if (movesNothing(node)) {
            if (!graph.inputs(index).empty()) roots[index] = rootOf(graph.inputs(index).front());
            continue;
        }
        for (const ir::NodeIndex input : graph.inputs(index)) {
            const auto& meta = graph.node(input).meta;
            if (meta && !meta->tensor) continue; // a number
            const std::optional<double> bytes = bytesOf(graph.node(input));
            if (!bytes) out.bytes.reset();
            if (!bytes || own.contains(rootOf(input))) continue;
            double& most = reads[rootOf(input)];
            most = std::max(most, *bytes);
        }
        const std::optional<double> written =
            isSplit(graph, index, calls) ? std::nullopt : bytesWritten(graph, index, own, calls);
        out.bytes = out.bytes && written ? std::optional(*out.bytes + *written) : std::nullopt;
    }
    if (out.bytes)
        for (const auto& [from, bytes] : reads)
            out.bytes = *out.bytes + bytes;
    if (types.size() == 1) out.type = *types.begin();
    return out;
}

bool isCollective(std::string_view target) {
    return target.find("c10d_functional.") != std::string_view::npos ||
           target.find("torch.ops._dtensor.") != std::string_view::npos ||
           target.find("torch.ops.c10d.") != std::string_view::npos;
}

std::string collectiveOf(const ir::Graph& graph, ir::NodeIndex index) {
    const ir::Node& node = graph.node(index);
    if (!isCollective(node.target)) return {};
    const auto isWait = [](const ir::Node& one) {
        return one.target.find("wait_tensor") != std::string::npos;
    };
    const ir::Node* made = &node;
    constexpr int most = 8;
    for (int step = 0; step < most && (isWait(*made) || !isCollective(made->target)); ++step) {
        if (made->args.empty() || !made->args.front().isNode()) break;
        const ir::NodeIndex before = graph.find(made->args.front().text);
        if (before == ir::npos) break;
        made = &graph.node(before);
    }
    return isCollective(made->target) ? made->name : node.name;
}

} // namespace dynascope::profile
