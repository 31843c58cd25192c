// SPDX-License-Identifier: BSD-3-Clause
#include "core/ranks/collectives.h"

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/breaks.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace dynascope::ranks {

namespace {

using ir::Argument;
using ir::NodeIndex;

constexpr std::size_t mostLookedAt = 300; ///< nodes, of a search for a wait or a line
constexpr std::size_t mostCalls = 100'000;
constexpr int deepest = 8; ///< of subgraphs in one another

/// "_c10d_functional.all_reduce" of every spelling of a target; empty where it is of no collective's namespace.
std::string_view collectiveTarget(std::string_view target) {
    constexpr std::array<std::string_view, 4> spaces = {"_c10d_functional.", "_c10d_functional_autograd.",
                                                        "_dtensor.", "c10d."};
    if (target.starts_with("torch.ops.")) {
        target.remove_prefix(10);
        const bool ours = std::ranges::any_of(spaces, [&](auto space) { return target.starts_with(space); });
        return ours ? target : std::string_view();
    }
    constexpr std::string_view traceable = "_functional_collectives";
    const std::size_t at = target.find(traceable);
    if (at == std::string_view::npos || at + traceable.size() + 1 >= target.size()) return {};
    const char after = target[at + traceable.size()];
    return after == '.' || after == '_' ? target.substr(at) : std::string_view();
}

/// The name of the operator: without its namespace and overload.
std::string_view operatorName(std::string_view target) {
    constexpr std::string_view traceable = "_functional_collectives";
    if (target.starts_with(traceable)) return target.substr(traceable.size() + 1);
    target.remove_prefix(target.find('.') + 1);
    return target.substr(0, target.find('.'));
}

/// One name for what does the same.
std::string kindOf(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 9> same = {{
        {"allreduce_", "all_reduce"},
        {"allreduce_coalesced_", "all_reduce_coalesced"},
        {"_allgather_base_", "all_gather_into_tensor"},
        {"allgather_", "all_gather"},
        {"allgather_coalesced_", "all_gather_coalesced"},
        {"allgather_into_tensor_coalesced_", "all_gather_into_tensor_coalesced"},
        {"_reduce_scatter_base_", "reduce_scatter_tensor"},
        {"alltoall_", "all_to_all"},
        {"alltoall_base_", "all_to_all_single"},
    }};
    for (const auto& [spelled, kind] : same)
        if (name == spelled) return std::string(kind);
    for (const std::string_view end : {"_inplace", "_out", "_"})
        if (name.ends_with(end)) name.remove_suffix(end.size());
    return std::string(name == "all_gather_tensor" ? "all_gather_into_tensor" : name);
}

bool isWait(const ir::Node& node) {
    const std::string_view target = collectiveTarget(node.target);
    return !target.empty() && operatorName(target).starts_with("wait_tensor");
}

void eachTensor(const ir::Graph& graph, const ir::Node& node, const auto& found) {
    node.forEachInput([&](const std::string& name) {
        if (const NodeIndex i = graph.find(name); i != ir::npos && graph.node(i).meta)
            found(*graph.node(i).meta);
    });
}

/// Group, reduction, sizes and what is left, by the schemas of torch/csrc/distributed/c10d/Functional.cpp: the
/// group's name is the last text, a reduction the first of two.
void readArguments(const ir::Node& node, Collective& out) {
    std::vector<const Argument*> texts, numbers;
    std::vector<std::string> rest;
    std::vector<const Argument*> all;
    for (const Argument& argument : node.args)
        all.push_back(&argument);
    for (const auto& [key, argument] : node.kwargs)
        if (key != "out" && key != "tag") all.push_back(&argument);
    for (const Argument* argument : all) {
        bool readsNodes = false;
        argument->forEachNode([&](const std::string&) { readsNodes = true; });
        if (readsNodes) continue;
        if (argument->kind == Argument::Kind::String)
            texts.push_back(argument);
        else if (argument->kind == Argument::Kind::Int)
            numbers.push_back(argument);
        else if (!out.uneven && argument->kind != Argument::Kind::None)
            rest.push_back(argument->toString());
    }
    if (!texts.empty()) out.group = texts.back()->text;
    if (texts.size() > 1) out.reduction = lowered(texts.front()->text);
    const bool sized = out.kind.starts_with("all_gather") || out.kind.starts_with("reduce_scatter");
    if (sized && numbers.size() == 1 && !texts.empty())
        out.groupSize = numbers.front()->asInt();
    else
        for (const Argument* number : numbers)
            rest.push_back(number->text);
    out.rest = joined(rest, ", ");
}

bool isProgram(const ir::SourceLocation* at) {
    return at != nullptr && !at->file.empty() && !session::isInstalled(at->file);
}

/// The program's line for a node, else that of the nearest node that it reads, else of the nearest that reads it.
void findLine(const ir::Graph& graph, NodeIndex index, Collective& out) {
    const auto search = [&](bool backwards) {
        std::vector<NodeIndex> queue = {index};
        std::set<NodeIndex> seen = {index};
        for (std::size_t i = 0; i < queue.size() && queue.size() < mostLookedAt; ++i) {
            const ir::SourceLocation* at = graph.node(queue[i]).location();
            if (isProgram(at)) {
                out.at = *at;
                out.near = queue[i] != index;
                return true;
            }
            for (const NodeIndex next : backwards ? graph.inputs(queue[i]) : graph.users(queue[i]))
                if (queue.size() < mostLookedAt && seen.insert(next).second) queue.push_back(next);
        }
        return false;
    };
    if (!search(true) && !search(false) && graph.node(index).location())
        out.at = *graph.node(index).location();
}

void findWait(const ir::Graph& graph, NodeIndex index, bool functional, Collective& out) {
    std::vector<NodeIndex> queue = {index};
    std::set<NodeIndex> seen = {index};
    bool returned = false, read = false;
    for (std::size_t i = 0; i < queue.size(); ++i) {
        for (const NodeIndex user : graph.users(queue[i])) {
            const ir::Node& node = graph.node(user);
            if (isWait(node)) {
                out.wait = node.name;
                out.nodesUntilWait = user > index ? user - index - 1 : 0;
                return;
            }
            returned = returned || node.op == ir::Op::Output;
            read = true;
            if (queue.size() < mostLookedAt && seen.insert(user).second) queue.push_back(user);
        }
        if (queue.size() >= mostLookedAt) return;
    }
    out.forgotten = functional && !returned && !read;
}

/// In-place ones are waited for by what they were given, too.
bool inputIsWaitedFor(const ir::Graph& graph, NodeIndex index) {
    for (const NodeIndex input : graph.inputs(index))
        for (const NodeIndex user : graph.users(input))
            if (user > index && isWait(graph.node(user))) return true;
    return false;
}

/// What the collective of a node is; nothing where it is none.
std::optional<Collective> collectiveAt(const ir::Graph& graph, NodeIndex i) {
    const ir::Node& node = graph.node(i);
    if (node.op != ir::Op::CallFunction || isWait(node)) return std::nullopt;
    const std::string_view target = collectiveTarget(node.target);
    if (target.empty()) return std::nullopt;
    const std::string_view name = operatorName(target);
    if (name == "check_for_nan" || name.starts_with("_")) {
        if (!name.starts_with("_allgather") && !name.starts_with("_reduce_scatter")) return std::nullopt;
    }
    Collective found;
    found.index = i;
    found.node = node.name;
    found.kind = kindOf(name);
    found.pointToPoint = found.kind.find("send") != std::string::npos ||
                         found.kind.find("recv") != std::string::npos ||
                         found.kind.find("p2p") != std::string::npos;
    found.uneven = found.kind.starts_with("all_to_all");
    readArguments(node, found);
    std::uint64_t bytes = 0;
    bool known = true;
    eachTensor(graph, node, [&](const ir::ValueMeta& meta) {
        found.inputs.push_back(meta.shortForm());
        const auto size = meta.tensor ? meta.tensor->bytes() : std::nullopt;
        known = known && size;
        bytes += size.value_or(0);
    });
    if (known && !found.inputs.empty()) found.bytes = bytes;
    if (node.meta) found.outputs.push_back(node.meta->shortForm());
    findLine(graph, i, found);
    const bool functional = target.starts_with("_c10d_functional") || target.starts_with("_dtensor");
    findWait(graph, i, functional && !target.starts_with("_dtensor"), found);
    if (found.forgotten && inputIsWaitedFor(graph, i)) found.forgotten = false;
    return found;
}

/// The subgraph that a node runs once, and its name; null for anything else.
std::pair<const ir::Graph*, std::string_view> ranOnce(const ir::Graph& graph, NodeIndex i) {
    constexpr std::array<std::string_view, 6> once = {"invoke_subgraph",
                                                      "tag_activation_checkpoint",
                                                      "wrap_activation_checkpoint",
                                                      "wrap",
                                                      "wrap_with_set_grad_enabled",
                                                      "wrap_with_autocast"};
    const ir::Node& node = graph.node(i);
    constexpr std::string_view space = "higher_order.";
    const std::size_t at = node.target.find(space);
    if (node.op != ir::Op::CallFunction || at == std::string::npos ||
        std::ranges::find(once, std::string_view(node.target).substr(at + space.size())) == once.end())
        return {};
    for (const NodeIndex input : graph.inputs(i)) {
        const ir::Node& read = graph.node(input);
        if (read.op != ir::Op::GetAttr) continue;
        if (const auto found = graph.subgraphs().find(read.target); found != graph.subgraphs().end())
            return {found->second.get(), found->first};
    }
    return {};
}

void addCollectives(const ir::Graph& graph, int depth, std::vector<Collective>& out) {
    for (NodeIndex i = 0; i < graph.size() && out.size() < mostCalls; ++i) {
        if (std::optional<Collective> found = collectiveAt(graph, i)) {
            out.push_back(std::move(*found));
            continue;
        }
        const auto [subgraph, name] = ranOnce(graph, i);
        if (!subgraph || depth == deepest) continue;
        const std::size_t first = out.size();
        addCollectives(*subgraph, depth + 1, out);
        for (std::size_t k = first; k < out.size(); ++k) {
            Collective& inside = out[k];
            inside.within =
                (inside.within.empty() ? inside.node : inside.within) + " in " + std::string(name);
            inside.index = i;
            inside.node = graph.node(i).name;
            if (!isProgram(&inside.at)) findLine(graph, i, inside);
        }
    }
}

} // namespace

std::vector<Collective> collectivesOf(const ir::Graph& graph) {
    std::vector<Collective> out;
    addCollectives(graph, 0, out);
    return out;
}

bool isCollectiveTarget(std::string_view target) {
    return !collectiveTarget(target).empty();
}

std::vector<GroupUse> groupsOf(const ir::Graph& graph) {
    std::map<std::string, std::optional<std::int64_t>> found;
    const auto add = [&](const std::string& name, std::optional<std::int64_t> size) {
        auto& known = found[name];
        if (size && *size >= 1 && *size <= mostGroupSize) known = std::max(known.value_or(0), *size);
    };
    for (NodeIndex i = 0; i < graph.size(); ++i) {
        const std::optional<Collective> call = collectiveAt(graph, i);
        if (!call || call->group.empty()) continue;
        const Argument* splits = nullptr; // of all_to_all_single: a number for each rank
        for (const Argument& argument : graph.node(i).args)
            if (argument.kind == Argument::Kind::List && call->kind == "all_to_all_single")
                splits = &argument;
        add(call->group, splits ? std::optional(std::ssize(splits->items)) : call->groupSize);
    }
    for (const auto& [name, inner] : graph.subgraphs())
        for (GroupUse& use : groupsOf(*inner))
            add(use.name, use.size);
    std::vector<GroupUse> out;
    for (const auto& [name, size] : found)
        out.push_back({name, size});
    return out;
}

std::string aloneText(const ir::Graph& graph) {
    std::string out;
    for (const GroupUse& use : groupsOf(graph)) {
        out += out.empty() ? "every rank of group '" : ", of group '";
        out += use.name + "' (" +
               (use.size ? count(static_cast<std::size_t>(*use.size), "rank")
                         : "the graph does not say how many") +
               ')';
    }
    return out.empty() ? out : out + " is taken to give what this one gives";
}

std::string shapesText(const Collective& collective) {
    const std::string in = joined(collective.inputs, ", "), result = joined(collective.outputs, ", ");
    return in.empty() || in == result ? result : result.empty() ? in : in + " -> " + result;
}

} // namespace dynascope::ranks
