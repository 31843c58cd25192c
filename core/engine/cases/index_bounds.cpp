// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/cases/index_bounds.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
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
    constexpr std::string_view numpy =
        "torch__dynamo_utils_wrapped_"; // with a number behind, from the second on
    if (target.starts_with(numpy)) {
        target.remove_prefix(numpy.size());
        const std::size_t digits = target.find_last_not_of("0123456789") + 1;
        return digits > 1 && digits < target.size() && target[digits - 1] == '_'
                   ? target.substr(0, digits - 1)
                   : target;
    }
    const std::size_t dot = target.rfind('.');
    return dot == std::string_view::npos ? target : target.substr(dot + 1);
}

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// Operators whose result holds elements of their first argument, or of the tensors in it.
constexpr std::array<std::string_view, 42> passing{
    "view",     "reshape",   "unsqueeze", "squeeze",     "expand",       "expand_as",       "to",
    "_to_copy", "long",      "int",       "clone",       "detach",       "contiguous",      "alias",
    "flatten",  "unflatten", "t",         "transpose",   "slice",        "select",          "permute",
    "getitem",  "cat",       "stack",     "repeat",      "_unsafe_view", "gather",          "index_select",
    "index",    "narrow",    "roll",      "flip",        "movedim",      "broadcast_to",    "split",
    "chunk",    "unbind",    "clamp",     "masked_fill", "masked_fill_", "lift_fresh_copy", "copy"};

/// An argument by its position or as a keyword, which PyTorch and ATen spell alike but for the first one.
struct Parameter {
    std::size_t position;
    std::string_view name;
};

/// Operators that read an index into a dimension of another tensor.
struct Role {
    std::string_view op;
    Parameter indexed, index;
    int dim; ///< of the indexed tensor; -1: the argument behind it names it
};
constexpr Parameter first{0, "input"};
constexpr Parameter third{2, "index"};
constexpr std::array<Role, 22> roles{{
    {"embedding", {1, "weight"}, first, 0}, // torch.nn.functional's order; ATen's is seen to below
    {"embedding_bag", {1, "weight"}, first, 0},
    {"index_select", first, third, -1},
    {"gather", first, third, -1},
    {"scatter", first, third, -1},
    {"scatter_", first, third, -1},
    {"scatter_add", first, third, -1},
    {"scatter_add_", first, third, -1},
    {"scatter_reduce", first, third, -1},
    {"scatter_reduce_", first, third, -1},
    {"index_copy", first, third, -1},
    {"index_copy_", first, third, -1},
    {"index_add", first, third, -1},
    {"index_add_", first, third, -1},
    {"index_reduce", first, third, -1},
    {"index_reduce_", first, third, -1},
    {"index_fill", first, third, -1},
    {"index_fill_", first, third, -1},
    {"cross_entropy", first, {1, "target"}, 1},
    {"cross_entropy_loss", first, {1, "target"}, 1},
    {"nll_loss", first, {1, "target"}, 1},
    {"nll_loss_forward", first, {1, "target"}, 1},
}};

const Argument* argumentOf(const Node& node, const Parameter& parameter) {
    if (parameter.position < node.args.size()) return &node.args[parameter.position];
    const auto found = std::find_if(node.kwargs.begin(), node.kwargs.end(), [&](const auto& keyword) {
        return keyword.first == parameter.name || (parameter.position == 0 && keyword.first == "self");
    });
    return found == node.kwargs.end() ? nullptr : &found->second;
}

const Argument* keyword(const Node& node, std::string_view name) {
    return argumentOf(node, {SIZE_MAX, name});
}

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
            if (m_bounds[i]) handOn(node, name, *m_bounds[i]);
        }
        return std::move(m_bounds);
    }

private:
    [[nodiscard]] NodeIndex nodeIn(const Argument* argument) const {
        return argument && argument->isNode() ? m_graph.find(argument->text) : ir::npos;
    }
    [[nodiscard]] NodeIndex nodeAt(const Node& node, const Parameter& parameter) const {
        return nodeIn(argumentOf(node, parameter));
    }

    [[nodiscard]] Bound sizeOf(NodeIndex node, std::int64_t dim) const {
        if (node == ir::npos || !m_graph.node(node).meta || !m_graph.node(node).meta->tensor)
            return std::nullopt;
        const std::vector<std::string>& sizes = m_graph.node(node).meta->tensor->sizes;
        const auto rank = static_cast<std::int64_t>(sizes.size());
        if (rank == 0 && (dim == 0 || dim == -1)) return 1;
        if (dim < 0) dim += rank;
        if (dim < 0 || dim >= rank) return std::nullopt;
        return ir::symbolValue(sizes[static_cast<std::size_t>(dim)], m_symbols);
    }

    void limit(NodeIndex node, Bound bound) {
        if (node == ir::npos || !bound) return;
        m_bounds[node] = std::min(m_bounds[node].value_or(*bound), *bound);
    }
    void limitAll(const Argument* argument, std::int64_t bound) {
        if (argument)
            argument->forEachNode([&](const std::string& name) { limit(m_graph.find(name), bound); });
    }

    void readRoles(const Node& node, std::string_view name) {
        for (const Role& role : roles) {
            if (role.op != name) continue;
            Role use = role;
            const bool aten = node.target.starts_with("torch.ops.") || node.target == "torch.embedding";
            if (aten && name.starts_with("embedding")) use = {name, {0, "weight"}, {1, "indices"}, 0};
            std::int64_t dim = use.dim;
            if (dim < 0) {
                const Argument* given = argumentOf(node, {1, "dim"});
                dim = given ? given->asInt().value_or(0) : 0;
            }
            limit(nodeAt(node, use.index), sizeOf(nodeAt(node, use.indexed), dim));
        }
        if (name.starts_with("binary_cross_entropy") && name.find("logits") == std::string_view::npos) {
            for (const Parameter& probability : {first, Parameter{1, "target"}})
                limit(nodeAt(node, probability), 1);
        }
        readProbabilities(node, name);
        readPlaces(node, name);
        readNarrow(node, name);
        if (name != "one_hot") return;
        const Argument* classes = argumentOf(node, {1, "num_classes"});
        const Bound bound = classes ? classes->asInt() : std::nullopt;
        if (bound && *bound > 0) limit(nodeAt(node, first), bound);
    }

    /// Probabilities, and deviations, which are not negative either.
    void readProbabilities(const Node& node, std::string_view name) {
        if (name == "bernoulli" || name == "multinomial") limit(nodeAt(node, first), 1);
        if (name == "normal") limit(nodeAt(node, {1, "std"}), 1);
    }

    /// Where a piece begins, so that it ends within the dimension.
    void readNarrow(const Node& node, std::string_view name) {
        if (name != "narrow" && name != "narrow_copy") return;
        const auto number = [&](const Parameter& parameter) -> Bound {
            const Argument* argument = argumentOf(node, parameter);
            return argument ? argument->asInt() : std::nullopt;
        };
        const Bound dim = number({1, "dim"}), length = number({3, "length"});
        const Bound size = dim ? sizeOf(nodeAt(node, first), *dim) : std::nullopt;
        if (size && length) limit(nodeAt(node, {2, "start"}), std::max<std::int64_t>(*size - *length, 0) + 1);
    }

    /// Indices into something else than one dimension of one argument.
    void readPlaces(const Node& node, std::string_view name) {
        const Argument* axis = name == "take" ? keyword(node, "axis") : nullptr; // NumPy's
        if (axis && axis->asInt())
            limit(nodeAt(node, {1, "indices"}), sizeOf(nodeAt(node, first), *axis->asInt()));
        else if (name == "take" || name == "put" || name == "put_")
            limit(nodeAt(node, {1, "index"}), elementsOf(nodeAt(node, first)));
        if (name == "multi_margin_loss" || name == "multilabel_margin_loss")
            limit(nodeAt(node, {1, "target"}), sizeOf(nodeAt(node, first), -1));
        // Offsets of bags start at 0 and do not fall; places of an unpooling depend on its output.
        const bool bag = name == "embedding_bag" || name == "_embedding_bag";
        if (name.ends_with("segment_reduce")) limit(nodeIn(keyword(node, "offsets")), 1);
        if (bag) limit(nodeAt(node, {2, "offsets"}), 1);
        if (name.starts_with("max_unpool")) limit(nodeAt(node, {1, "indices"}), 1);
        if (name == "lu_solve") limit(nodeAt(node, third), sizeOf(nodeAt(node, {1, "LU_data"}), -1));
        for (const std::string_view key : {"LU_pivots", "pivots"})
            if (name == "lu_unpack" || name == "linalg_lu_solve")
                limit(nodeAt(node, {1, key}), sizeOf(nodeAt(node, first), -2));
        if (name == "linalg_ldl_solve") limit(nodeAt(node, {1, "pivots"}), sizeOf(nodeAt(node, first), -1));
    }

    [[nodiscard]] Bound elementsOf(NodeIndex node) const {
        if (node == ir::npos || !m_graph.node(node).meta || !m_graph.node(node).meta->tensor)
            return std::nullopt;
        std::int64_t out = 1;
        for (const std::string& size : m_graph.node(node).meta->tensor->sizes) {
            const auto value = ir::symbolValue(size, m_symbols);
            if (!value || __builtin_mul_overflow(out, *value, &out)) return std::nullopt;
        }
        return out;
    }

    /// x[i, :, j], aten.index(x, [i, None, j]) and the forms that write.
    void readIndexing(const Node& node, std::string_view name) {
        const bool python = name == "getitem" || name == "setitem";
        const bool aten =
            name == "index" || name == "index_put" || name == "index_put_" || name == "_unsafe_index";
        if ((!python && !aten) || node.args.size() < 2) return;
        const NodeIndex whole = nodeAt(node, first);
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

    /// What the bound of a result asks of the operands.
    void handOn(const Node& node, std::string_view name, std::int64_t bound) {
        if (contains(passing, name)) return limitAll(argumentOf(node, first), bound);
        if (name == "where") {
            for (const Argument& argument : node.args)
                limitAll(&argument, bound); // a condition has no use for it
            return;
        }
        if (name == "cumsum" || name == "sum") return limitSummands(node, bound);
        const bool difference = name == "sub" || name == "sub_" || name == "isub";
        const bool quotient =
            name == "div" || name == "floor_divide" || name == "floordiv" || name == "truediv";
        if ((difference || quotient) && node.args.size() >= 2) {
            const std::int64_t number = node.args[1].asInt().value_or(0);
            if (number <= 0) return;
            std::int64_t more = 0;
            const bool overflows = difference ? __builtin_add_overflow(bound, number, &more)
                                              : __builtin_mul_overflow(bound, number, &more);
            return overflows ? void() : limitAll(node.args.data(), more);
        }
        const bool sum = name == "add" || name == "add_" || name == "iadd";
        const bool product = name == "mul" || name == "mul_" || name == "imul";
        if ((!sum && !product) || node.args.size() < 2) return;
        const bool numberFirst = !node.args[0].isNode();
        const Argument& a = node.args[numberFirst ? 1 : 0];
        const Argument& b = node.args[numberFirst ? 0 : 1];
        if (const auto number = b.asInt(); number && *number >= 0) {
            if (sum) limitAll(&a, std::max<std::int64_t>(bound - *number, 1));
            if (product && *number > 0) limitAll(&a, (bound - 1) / *number + 1);
        } else if (sum && b.isNode()) { // half for each
            limitAll(&a, (bound + 1) / 2);
            limitAll(&b, (bound + 1) / 2);
        }
    }

    /// Each of the numbers that are added up gets an equal part.
    void limitSummands(const Node& node, std::int64_t bound) {
        const NodeIndex summed = nodeAt(node, first), result = m_graph.find(node.name);
        Bound count;
        if (bareName(node.target) == "cumsum") {
            const Argument* dim = argumentOf(node, {1, "dim"});
            count = sizeOf(summed, dim ? dim->asInt().value_or(0) : 0);
        } else if (const Bound all = elementsOf(summed), left = elementsOf(result);
                   all && left && *left > 0) {
            count = *all / *left;
        }
        if (count && *count > 0) limit(summed, (bound - 1) / *count + 1);
    }

    const ir::Graph& m_graph;
    const ir::SymbolValues& m_symbols;
    std::vector<Bound> m_bounds;
};

} // namespace

std::vector<InputNeed> inputNeeds(const ir::Graph& graph) {
    struct Use {
        std::string_view op;
        Parameter parameter;
        InputNeed need;
    };
    constexpr Parameter second{1, "other"};
    constexpr std::array<Use, 20> uses{{
        {"div", second, InputNeed::FromOne},
        {"div_", second, InputNeed::FromOne},
        {"floor_divide", second, InputNeed::FromOne},
        {"floor_divide_", second, InputNeed::FromOne},
        {"floordiv", second, InputNeed::FromOne},
        {"remainder", second, InputNeed::FromOne},
        {"remainder_", second, InputNeed::FromOne},
        {"mod", second, InputNeed::FromOne},
        {"fmod", second, InputNeed::FromOne},
        {"fmod_", second, InputNeed::FromOne},
        {"__rmod__", first, InputNeed::FromOne},
        {"__rfloordiv__", first, InputNeed::FromOne},
        {"cholesky", first, InputNeed::Definite},
        {"linalg_cholesky", first, InputNeed::Definite},
        {"linalg_cholesky_ex", first, InputNeed::Definite},
        {"lu_solve", third, InputNeed::FromOne},
        {"linalg_lu_solve", {1, "pivots"}, InputNeed::FromOne},
        {"lu_unpack", {1, "LU_pivots"}, InputNeed::FromOne},
        {"linalg_ldl_solve", {1, "pivots"}, InputNeed::FromOne},
        {"lu_unpack", {1, "pivots"}, InputNeed::FromOne},
    }};
    std::vector<InputNeed> out(graph.size(), InputNeed::None);
    const auto set = [&](const Argument* argument, InputNeed need) {
        const NodeIndex at = argument && argument->isNode() ? graph.find(argument->text) : ir::npos;
        if (at != ir::npos) out[at] = need;
    };
    for (NodeIndex i = graph.size(); i-- > 0;) {
        const Node& node = graph.node(i);
        if (node.op != ir::Op::CallFunction && node.op != ir::Op::CallMethod) continue;
        const std::string_view name = bareName(node.target);
        for (const Use& use : uses)
            if (use.op == name) set(argumentOf(node, use.parameter), use.need);
        if (out[i] != InputNeed::None && contains(passing, name)) set(argumentOf(node, first), out[i]);
    }
    return out;
}

namespace {

class RowSums {
public:
    RowSums(const ir::Graph& graph, const ir::SymbolValues& symbols)
        : m_graph(graph)
        , m_symbols(symbols)
        , m_sums(graph.size()) {}

    std::vector<std::optional<RowSum>> run() {
        constexpr std::array<std::string_view, 5> copies{"clone", "detach", "alias", "contiguous", "to"};
        for (NodeIndex i = m_graph.size(); i-- > 0;) {
            const Node& node = m_graph.node(i);
            if (node.op != ir::Op::CallFunction && node.op != ir::Op::CallMethod) continue;
            const std::string_view name = bareName(node.target);
            if (name.ends_with("segment_reduce")) readLengths(node);
            if (name == "masked_select") readMask(node);
            if (m_sums[i] && contains(copies, name)) set(argumentOf(node, first), *m_sums[i]);
        }
        return std::move(m_sums);
    }

private:
    using Sizes = std::vector<std::int64_t>;

    [[nodiscard]] std::optional<Sizes> sizesOf(const Argument* argument) const {
        const NodeIndex at = argument && argument->isNode() ? m_graph.find(argument->text) : ir::npos;
        if (at == ir::npos || !m_graph.node(at).meta || !m_graph.node(at).meta->tensor) return std::nullopt;
        Sizes out;
        std::int64_t elements = 1;
        for (const std::string& size : m_graph.node(at).meta->tensor->sizes) {
            const Bound value = ir::symbolValue(size, m_symbols);
            if (!value || *value < 0 || __builtin_mul_overflow(elements, *value, &elements))
                return std::nullopt;
            out.push_back(*value);
        }
        return out;
    }

    static std::int64_t elementsOf(const Sizes& sizes) {
        return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
    }

    void set(const Argument* argument, RowSum sum) {
        const NodeIndex at = argument && argument->isNode() ? m_graph.find(argument->text) : ir::npos;
        if (at != ir::npos) m_sums[at] = sum;
    }

    void readLengths(const Node& node) {
        const Argument* lengths = keyword(node, "lengths");
        const Argument* axis = keyword(node, "axis");
        const auto data = sizesOf(argumentOf(node, first)), shape = sizesOf(lengths);
        std::int64_t dim = axis ? axis->asInt().value_or(0) : 0;
        if (!data || !shape || shape->empty() || shape->back() == 0) return;
        if (dim < 0) dim += std::ssize(*data);
        if (dim >= 0 && dim < std::ssize(*data))
            set(lengths, {shape->back(), (*data)[static_cast<std::size_t>(dim)]});
    }

    /// Half of what may be selected, so that something is and something is not.
    void readMask(const Node& node) {
        const Argument* mask = argumentOf(node, {1, "mask"});
        const auto from = sizesOf(argumentOf(node, first)), by = sizesOf(mask);
        if (!from || !by) return;
        std::int64_t broadcast = 1;
        for (std::size_t i = 0; i < std::max(from->size(), by->size()); ++i) {
            const auto fromEnd = [i](const Sizes& sizes) {
                return i < sizes.size() ? sizes[sizes.size() - 1 - i] : 1;
            };
            const std::int64_t a = fromEnd(*from), b = fromEnd(*by);
            if (__builtin_mul_overflow(broadcast, a == 1 ? b : a, &broadcast)) return;
        }
        const std::int64_t elements = elementsOf(*from), places = elementsOf(*by);
        if (places == 0 || broadcast <= elements) return;
        const std::int64_t most = elements / (broadcast / places);
        set(mask, {places, std::max(most / 2, std::min<std::int64_t>(most, 1))});
    }

    const ir::Graph& m_graph;
    const ir::SymbolValues& m_symbols;
    std::vector<std::optional<RowSum>> m_sums;
};

} // namespace

std::vector<std::optional<RowSum>> rowSums(const ir::Graph& graph, const ir::SymbolValues& symbols) {
    return RowSums(graph, symbols).run();
}

std::vector<Bound> indexBounds(const ir::Graph& graph, const ir::SymbolValues& symbols) {
    return Bounds(graph, symbols).run();
}

} // namespace dynascope::engine
