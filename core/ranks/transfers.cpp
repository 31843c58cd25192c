// SPDX-License-Identifier: BSD-3-Clause
#include "core/ranks/transfers.h"

#include <algorithm>
#include <array>
#include <limits>

namespace dynascope::ranks::detail {

namespace {

using ir::Argument;

std::string shapeOfNode(const ir::Graph& graph, const Argument& argument) {
    std::string out;
    argument.forEachNode([&](const std::string& name) {
        const ir::NodeIndex i = graph.find(name);
        if (out.empty() && i != ir::npos && graph.node(i).meta) out = graph.node(i).meta->shortForm();
    });
    return out;
}

std::optional<int> rankIn(const Argument& argument) {
    if (argument.kind != Argument::Kind::Int) return std::nullopt;
    const auto number = argument.asInt();
    if (!number || *number < 0 || *number > std::numeric_limits<int>::max()) return std::nullopt;
    return static_cast<int>(*number);
}

/// isend(tensor, dst, tag, group), irecv(tensor, src, tag, group).
Transfers single(const ir::Graph& graph, const ir::Node& node, bool send) {
    Transfers out;
    const auto peer = node.args.size() >= 3 ? rankIn(node.args[1]) : std::nullopt;
    if (!peer) {
        out.unreadable = true;
        return out;
    }
    out.list.push_back({send, *peer, node.args[2].asInt().value_or(0), shapeOfNode(graph, node.args[0])});
    return out;
}

/// batch_p2p_ops(ops, peers, tags, tensors, group).
Transfers batch(const ir::Graph& graph, const ir::Node& node) {
    Transfers out;
    out.unreadable = node.args.size() < 4;
    if (out.unreadable) return out;
    const auto &ops = node.args[0].items, &peers = node.args[1].items, &tags = node.args[2].items,
               &tensors = node.args[3].items;
    out.unreadable = ops.empty() || peers.size() != ops.size() || tensors.size() != ops.size();
    for (std::size_t i = 0; !out.unreadable && i < ops.size(); ++i) {
        const auto peer = rankIn(peers[i]);
        const std::string& op = ops[i].text;
        out.unreadable = !peer || (op != "isend" && op != "irecv");
        if (out.unreadable) break;
        out.list.push_back({op == "isend", *peer, i < tags.size() ? tags[i].asInt().value_or(0) : 0,
                            shapeOfNode(graph, tensors[i])});
    }
    if (out.unreadable) out.list.clear();
    return out;
}

std::optional<std::vector<std::int64_t>> integersOf(const Argument& list) {
    std::vector<std::int64_t> out;
    for (const Argument& item : list.items) {
        const auto number = item.kind == Argument::Kind::Int ? item.asInt() : std::nullopt;
        if (!number) return std::nullopt;
        out.push_back(*number);
    }
    return out;
}

/// all_to_all_single(input, output_split_sizes, input_split_sizes, group).
std::optional<Splits> splitsOf(const ir::Node& node) {
    if (node.args.size() < 3) return std::nullopt;
    auto received = integersOf(node.args[1]), sent = integersOf(node.args[2]);
    if (!received || !sent || received->empty() || received->size() != sent->size()) return std::nullopt;
    return Splits{std::move(*sent), std::move(*received)};
}

} // namespace

bool isTransferName(std::string_view name) {
    constexpr std::array<std::string_view, 3> names{"isend", "irecv", "batch_p2p_ops"};
    return std::ranges::any_of(
        names, [name](std::string_view one) { return name.find(one) != std::string_view::npos; });
}

Transfers transfersOf(const ir::Graph& graph, const Collective& call) {
    Transfers out;
    if (call.index == ir::npos || (!call.pointToPoint && call.kind != "all_to_all_single")) return out;
    const ir::Node& node = graph.node(call.index);
    const bool functional = node.target.find("_c10d_functional") != std::string::npos;
    if (!call.within.empty() || !functional) {
        out.unreadable = call.pointToPoint;
        return out;
    }
    if (call.kind == "isend" || call.kind == "irecv") return single(graph, node, call.kind == "isend");
    if (call.kind == "batch_p2p_ops") return batch(graph, node);
    if (call.pointToPoint)
        out.unreadable = true;
    else
        out.splits = splitsOf(node);
    return out;
}

} // namespace dynascope::ranks::detail
