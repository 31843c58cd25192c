// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/client/index_bounds.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace dynascope::engine {

namespace {

using ir::Argument;
using ir::Node;
using ir::NodeIndex;
using Bound = std::optional<std::int64_t>;

/// "embedding" for "torch.ops.aten.embedding.default" and "torch.nn.functional.embedding".
std::string_view bareName(std::string_view target) {
    constexpr std::string_view aten = "torch.ops.aten.";
    if (target.starts_with(aten)) {
        target.remove_prefix(aten.size());
        return target.substr(0, target.find('.'));
    }
    const std::size_t dot = target.rfind('.');
    return dot == std::string_view::npos ? target : target.substr(dot + 1);
}

/// Operators whose result holds the elements of their first argument.
constexpr std::array<std::string_view, 24> passing{
    "view",  "reshape", "unsqueeze", "squeeze",    "expand", "to",      "_to_copy", "long",
    "int",   "clone",   "detach",    "contiguous", "alias",  "flatten", "t",        "transpose",
    "slice", "select",  "permute",   "getitem",    "cat",    "stack",   "repeat",   "_unsafe_view"};

/// Operators that read an index: positions of the indexed tensor, of the index, and of the dimension.
struct Role {
    std::string_view name;
    std::size_t indexed, index;
    int dim; ///< of the indexed tensor; -1: the argument after the indexed tensor names it
};
constexpr std::array<Role, 14> roles{{
    {"embedding", 1, 0, 0}, // torch.nn.functional's order; ATen's is seen to below
    {"index_select", 0, 2, -1},
    {"gather", 0, 2, -1},
    {"scatter", 0, 2, -1},
    {"scatter_", 0, 2, -1},
    {"scatter_add", 0, 2, -1},
    {"scatter_add_", 0, 2, -1},
    {"index_copy", 0, 2, -1},
    {"index_copy_", 0, 2, -1},
    {"index_add", 0, 2, -1},
    {"index_add_", 0, 2, -1},
    {"index_fill_", 0, 2, -1},
    {"cross_entropy", 0, 1, 1},
    {"nll_loss", 0, 1, 1},
}};

class Bounds {
public:
    Bounds(const ir::Graph& graph, const ir::SymbolValues& symbols)
        : m_graph(graph)
        , m_symbols(symbols)
        , m_bounds(graph.size()) {}

    std::vector<Bound> run() {
        for (NodeIndex i = m_graph.size(); i-- > 0;) {
            const Node& node = m_graph.node(i);
            if (node.op != ir::Op::CallFunction && node.op != ir::Op::CallMethod) continue;
            const std::string_view name = bareName(node.target);
            readRoles(node, name);
            readIndexing(node, name);
            if (m_bounds[i] && std::find(passing.begin(), passing.end(), name) != passing.end())
                pass(node, *m_bounds[i]);
        }
        return std::move(m_bounds);
    }

private:
    [[nodiscard]] NodeIndex nodeAt(const Node& node, std::size_t position) const {
        return position < node.args.size() && node.args[position].isNode()
                   ? m_graph.find(node.args[position].text)
                   : ir::npos;
    }

    [[nodiscard]] Bound sizeOf(NodeIndex node, std::int64_t dim) const {
        if (node == ir::npos || !m_graph.node(node).meta || !m_graph.node(node).meta->tensor)
            return std::nullopt;
        const std::vector<std::string>& sizes = m_graph.node(node).meta->tensor->sizes;
        const auto rank = static_cast<std::int64_t>(sizes.size());
        if (dim < 0) dim += rank;
        if (dim < 0 || dim >= rank) return std::nullopt;
        return ir::symbolValue(sizes[static_cast<std::size_t>(dim)], m_symbols);
    }

    void limit(NodeIndex node, Bound bound) {
        if (node == ir::npos || !bound) return;
        m_bounds[node] = std::min(m_bounds[node].value_or(*bound), *bound);
    }

    void readRoles(const Node& node, std::string_view name) {
        for (const Role& role : roles) {
            if (role.name != name) continue;
            Role use = role;
            if (name == "embedding" && node.target.starts_with("torch.ops."))
                std::swap(use.indexed, use.index);
            std::int64_t dim = use.dim;
            if (dim < 0) dim = node.args.size() > 1 ? node.args[1].asInt().value_or(0) : 0;
            limit(nodeAt(node, use.index), sizeOf(nodeAt(node, use.indexed), dim));
        }
        if (name == "nll_loss_forward") limit(nodeAt(node, 1), sizeOf(nodeAt(node, 0), 1));
    }

    /// x[i, :, j], aten.index(x, [i, None, j]) and the forms that write.
    void readIndexing(const Node& node, std::string_view name) {
        const bool python = name == "getitem" || name == "setitem";
        const bool aten =
            name == "index" || name == "index_put" || name == "index_put_" || name == "_unsafe_index";
        if ((!python && !aten) || node.args.size() < 2) return;
        const NodeIndex whole = nodeAt(node, 0);
        const Argument& index = node.args[1];
        if (index.isNode()) return limit(m_graph.find(index.text), sizeOf(whole, 0));
        std::int64_t dim = 0;
        for (const Argument& item : index.items) {
            if (item.isNode()) limit(m_graph.find(item.text), sizeOf(whole, dim));
            const bool added = python && item.kind == Argument::Kind::None;
            if (item.kind == Argument::Kind::Ellipsis) return;
            dim += added ? 0 : 1;
        }
    }

    void pass(const Node& node, std::int64_t bound) {
        for (const Argument& argument : node.args)
            argument.forEachNode([&](const std::string& name) { limit(m_graph.find(name), bound); });
    }

    const ir::Graph& m_graph;
    const ir::SymbolValues& m_symbols;
    std::vector<Bound> m_bounds;
};

} // namespace

std::vector<Bound> indexBounds(const ir::Graph& graph, const ir::SymbolValues& symbols) {
    return Bounds(graph, symbols).run();
}

} // namespace dynascope::engine
