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

bool sameArguments(const ir::Node& expected, const ir::Node& got, const Names& names) {
    const auto sameNode = [&](const std::string& a, const std::string& b) {
        const auto found = names.find(a);
        return found != names.end() && found->second == b;
    };
    const auto same = [&](const ir::Argument& a, const ir::Argument& b) {
        return diff::detail::sameArgument(a, b, sameNode);
    };
    return std::equal(expected.args.begin(), expected.args.end(), got.args.begin(), got.args.end(), same) &&
           std::equal(
               expected.kwargs.begin(), expected.kwargs.end(), got.kwargs.begin(), got.kwargs.end(),
               [&](const auto& a, const auto& b) { return a.first == b.first && same(a.second, b.second); });
}

std::vector<std::string> around(const ir::Graph& graph, std::size_t at) {
    constexpr std::size_t before = 3, after = 3;
    std::vector<std::string> out;
    for (std::size_t i = at < before ? 0 : at - before; i < std::min(graph.size(), at + after); ++i)
        out.push_back((i == at ? "> " : "  ") + ir::printNode(graph.node(static_cast<NodeIndex>(i))));
    return out;
}

} // namespace

OrderedMatch matchInOrder(const ir::Graph& expected, const ir::Graph& got) {
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
        const bool input = a.op == ir::Op::Placeholder, output = a.op == ir::Op::Output;
        if (a.op != b.op || (!input && !output && a.target != b.target))
            return differ("'" + a.name + "' is " + a.target + " there and " + b.target + " here");
        if (!input && !sameArguments(a, b, names))
            return differ(output ? "the results differ" : "the arguments of '" + a.name + "' differ");
        names[a.name] = b.name;
    }
    if (expected.size() != got.size())
        return differ("there are " + std::to_string(expected.size()) + " nodes there and " +
                      std::to_string(got.size()) + " here");
    out.same = true;
    return out;
}

} // namespace dynascope::passes
