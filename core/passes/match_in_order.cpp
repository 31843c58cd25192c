// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/match_in_order.h"

#include "core/diff/canonical.h"
#include "core/ir/text.h"

#include <algorithm>
#include <unordered_map>

namespace dynascope::passes {

namespace {

using ir::NodeIndex;
using Names = std::unordered_map<std::string, std::string>; ///< of `got` by those of `expected`

/// An operator that is passed on, however it is spelled: "torch.ops.aten.add.Tensor" or "aten.add.Tensor".
std::string_view operatorName(const ir::Argument& raw) {
    constexpr std::string_view ops = "torch.ops.";
    const std::string_view text = raw.text;
    return text.starts_with(ops) ? text.substr(ops.size()) : text;
}

/// The first argument that differs, in words; empty where none does.
class ArgumentMatch {
public:
    ArgumentMatch(const ir::Node& expected, const ir::Node& got, const Names& names)
        : m_expected(expected)
        , m_got(got)
        , m_names(names) {}

    [[nodiscard]] std::string difference() const {
        const auto returnsList = [](const ir::Node& node) {
            return node.op == ir::Op::Output && node.args.size() == 1 && !node.args[0].isNode();
        };
        if (returnsList(m_expected) && returnsList(m_got))
            return inList("result ", m_expected.args[0].items, m_got.args[0].items, {});
        const std::string of = " of '" + m_expected.name + "'";
        std::string out = inList("argument ", m_expected.args, m_got.args, of);
        if (!out.empty()) return out;
        const auto& a = m_expected.kwargs;
        const auto& b = m_got.kwargs;
        for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
            const bool both = i < a.size() && i < b.size() && a[i].first == b[i].first;
            if (both && same(a[i].second, b[i].second)) continue;
            const std::string& name = i < a.size() ? a[i].first : b[i].first;
            return "keyword " + name + of +
                   values(i < a.size() ? &a[i].second : nullptr,
                          both || i >= a.size() ? &b[i].second : nullptr);
        }
        return {};
    }

private:
    [[nodiscard]] bool same(const ir::Argument& expected, const ir::Argument& got) const {
        using Kind = ir::Argument::Kind;
        if (expected.kind == Kind::Raw && got.kind == Kind::Raw)
            return operatorName(expected) == operatorName(got);
        // FX text writes a string without its quotes.
        if ((expected.kind == Kind::String && got.kind == Kind::Raw) ||
            (expected.kind == Kind::Raw && got.kind == Kind::String))
            return expected.text == got.text;
        return diff::detail::sameArgument(expected, got, [&](const std::string& a, const std::string& b) {
            const auto found = m_names.find(a);
            return found != m_names.end() && found->second == b;
        });
    }

    [[nodiscard]] std::string inList(std::string_view what, const std::vector<ir::Argument>& a,
                                     const std::vector<ir::Argument>& b, const std::string& of) const {
        for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
            if (i < a.size() && i < b.size() && same(a[i], b[i])) continue;
            return std::string(what) + std::to_string(i) + of +
                   values(i < a.size() ? &a[i] : nullptr, i < b.size() ? &b[i] : nullptr);
        }
        return {};
    }

    static std::string values(const ir::Argument* captured, const ir::Argument* derived) {
        const auto text = [](const ir::Argument* argument) {
            return argument ? argument->toString() : std::string("absent");
        };
        if (captured && derived && text(captured) == text(derived))
            return " is " + text(captured) + " in both graphs, where these are different nodes";
        return " is " + text(captured) + " in the captured graph and " + text(derived) +
               " in the derived one";
    }

    const ir::Node& m_expected;
    const ir::Node& m_got;
    const Names& m_names;
};

std::string described(const ir::Node& node) {
    if (node.op == ir::Op::Placeholder) return "the input '" + node.name + "'";
    if (node.op == ir::Op::Output) return "the output";
    return "'" + node.name + "' (" + node.target + ")";
}

std::vector<std::string> around(const ir::Graph& graph, std::size_t at) {
    constexpr std::size_t before = 3, after = 3;
    std::vector<std::string> out;
    for (std::size_t i = at < before ? 0 : at - before; i < std::min(graph.size(), at + after); ++i)
        out.push_back((i == at ? "> " : "  ") + ir::printNode(graph.node(static_cast<NodeIndex>(i))));
    return out;
}

constexpr int maxDepth = 32; ///< of graphs in graphs

/// The graph that a node takes out of the module; null where it takes a tensor or calls.
ir::GraphPtr subgraphOf(const ir::Graph& graph, const ir::Node& node) {
    const auto found = graph.subgraphs().find(node.target);
    return node.op == ir::Op::GetAttr && found != graph.subgraphs().end() ? found->second : nullptr;
}

OrderedMatch match(const ir::Graph& expected, const ir::Graph& got, int depth) {
    OrderedMatch out;
    Names names;
    const auto differ = [&](std::string what) {
        out.difference = std::move(what);
        out.expected = around(expected, out.matched);
        out.got = around(got, out.matched);
        return out;
    };
    for (; out.matched < std::min(expected.size(), got.size()); ++out.matched) {
        const ir::Node& a = expected.node(static_cast<NodeIndex>(out.matched));
        const ir::Node& b = got.node(static_cast<NodeIndex>(out.matched));
        const ir::GraphPtr inner = subgraphOf(expected, a), innerGot = subgraphOf(got, b);
        if (inner && innerGot && a.target == b.target && depth < maxDepth) {
            OrderedMatch within = match(*inner, *innerGot, depth + 1);
            if (!within.same) {
                within.matched = out.matched;
                within.difference = "in '" + a.target + "': " + within.difference;
                return within;
            }
        }
        const bool input = a.op == ir::Op::Placeholder, output = a.op == ir::Op::Output;
        if (a.op != b.op || (!input && !output && a.target != b.target))
            return differ("where the captured graph has " + described(a) + ", the derived one has " +
                          described(b));
        if (std::string difference = input ? std::string() : ArgumentMatch(a, b, names).difference();
            !difference.empty())
            return differ(std::move(difference));
        names[a.name] = b.name;
    }
    if (expected.size() != got.size())
        return differ("the captured graph has " + std::to_string(expected.size()) +
                      " nodes, the derived one " + std::to_string(got.size()));
    out.same = true;
    return out;
}

} // namespace

OrderedMatch matchInOrder(const ir::Graph& expected, const ir::Graph& got) {
    return match(expected, got, 0);
}

} // namespace dynascope::passes
