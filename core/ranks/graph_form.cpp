// SPDX-License-Identifier: BSD-3-Clause
#include "core/ranks/graph_form.h"

#include "core/base/digest.h"
#include "core/base/utf8.h"
#include "core/compare/own.h"
#include "core/ranks/collectives.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

namespace dynascope::ranks {

namespace {

using ir::Argument;
using ir::NodeIndex;

/// Writes nodes of one graph, one after the other.
class FormWriter {
public:
    FormWriter(const ir::Graph& graph, int own)
        : m_graph(graph)
        , m_own(own) {
        for (const Collective& collective : collectivesOf(graph)) {
            if (!collective.group.empty())
                m_groups.try_emplace(collective.group, "group " + std::to_string(m_groups.size()));
            if (collective.pointToPoint && collective.within.empty()) m_transfers.insert(collective.index);
        }
    }

    /// The node without the numbers of its arguments, which `number` is given.
    std::string write(NodeIndex index, const auto& number) {
        const ir::Node& node = m_graph.node(index);
        std::string out = std::string(opName(node.op)) + ' ' + node.target + '(';
        // With whom a rank sends and receives is its own: whether that fits is judged apart.
        const auto none = [](const std::string&) {};
        const bool own = m_transfers.contains(index);
        for (const Argument& argument : node.args) {
            if (own) {
                write(argument, none, out);
                out += ", ";
                continue;
            }
            write(argument, number, out);
            out += ", ";
        }
        for (const auto& [key, argument] : node.kwargs) {
            out += key + '=';
            write(argument, number, out);
            out += ", ";
        }
        out += ')';
        return compare::withoutAddresses(compare::withoutOwnDevice(out, m_own));
    }

    std::string meta(NodeIndex index) const {
        const ir::Node& node = m_graph.node(index);
        return node.meta ? compare::withoutOwnDevice(node.meta->annotation(), m_own) : std::string();
    }

private:
    void write(const Argument& argument, const auto& number, std::string& out) {
        switch (argument.kind) {
        case Argument::Kind::NodeRef: {
            const NodeIndex i = m_graph.find(argument.text);
            out += i == ir::npos ? '%' + argument.text : '#' + std::to_string(i);
            return;
        }
        case Argument::Kind::Int:
            number(argument.text);
            out += "int";
            return;
        case Argument::Kind::String: {
            const auto group = m_groups.find(argument.text);
            out += group == m_groups.end() ? argument.toString() : group->second;
            return;
        }
        default:
            break;
        }
        if (argument.items.empty()) {
            out += argument.toString();
            return;
        }
        out += argument.text + static_cast<char>('a' + static_cast<int>(argument.kind)) + '[';
        for (const Argument& item : argument.items) {
            write(item, number, out);
            out += ", ";
        }
        out += ']';
    }

    const ir::Graph& m_graph;
    int m_own;
    std::set<NodeIndex> m_transfers;             ///< sends and receives
    std::map<std::string, std::string> m_groups; ///< names, and what stands for each
};

std::string digestOf(std::string_view text) {
    return toHex(sha256(text));
}

void addForms(const ir::Graph& graph, int own, bool isOuter, GraphForm& out, std::string& all, int depth) {
    FormWriter writer(graph, own);
    for (NodeIndex i = 0; i < graph.size(); ++i) {
        all += writer.write(i, [&](const std::string& number) {
            out.numbers.push_back(number);
            out.numberOf.push_back(isOuter ? i : ir::npos);
        });
        all += ' ' + writer.meta(i) + '\n';
    }
    if (depth > 20) return;
    for (const std::string& name : graph.subgraphOrder()) {
        const auto found = graph.subgraphs().find(name);
        if (found == graph.subgraphs().end() || !found->second) continue;
        all += "subgraph " + name + '\n';
        addForms(*found->second, own, false, out, all, depth + 1);
    }
}

bool hasSymbol(std::string_view text) {
    return std::ranges::any_of(text, [](unsigned char c) { return std::isalpha(c) != 0; });
}

/// Whether two annotations differ in sizes and strides only, and at each of those one side is no number.
bool differInSymbolsOnly(const ir::Node& a, const ir::Node& b) {
    if (!a.meta || !b.meta || !a.meta->tensor || !b.meta->tensor) return false;
    const ir::TensorMeta &ta = *a.meta->tensor, &tb = *b.meta->tensor;
    if (ta.dtype != tb.dtype || ta.sizes.size() != tb.sizes.size()) return false;
    bool some = false;
    for (std::size_t i = 0; i < ta.sizes.size(); ++i) {
        if (ta.sizes[i] == tb.sizes[i]) continue;
        if (!hasSymbol(ta.sizes[i]) && !hasSymbol(tb.sizes[i])) return false;
        some = true;
    }
    return some;
}

bool isSymbolInput(const ir::Node& node) {
    return node.op == ir::Op::Placeholder && node.meta && !node.meta->tensor &&
           node.meta->raw.find("Sym(") != std::string::npos;
}

} // namespace

GraphForm formOf(const ir::GraphPtr& graph, int ownDevice) {
    GraphForm out;
    out.graph = graph;
    std::string all;
    addForms(*graph, ownDevice, true, out, all, 0);
    out.digest = digestOf(all);
    return out;
}

FormDifference firstDifference(const ir::Graph& a, int ownA, const ir::Graph& b, int ownB) {
    FormWriter writerA(a, ownA), writerB(b, ownB);
    const auto ignored = [](const std::string&) {};
    const auto shared = static_cast<NodeIndex>(std::min(a.size(), b.size()));
    for (NodeIndex i = 0; i < shared; ++i) {
        const bool calls = writerA.write(i, ignored) == writerB.write(i, ignored);
        if (calls && writerA.meta(i) == writerB.meta(i)) continue;
        const bool symbol = isSymbolInput(a.node(i)) != isSymbolInput(b.node(i));
        return {i, i, symbol || (calls && differInSymbolsOnly(a.node(i), b.node(i)))};
    }
    if (a.size() == b.size()) return {};
    return {a.size() > shared ? shared : ir::npos, b.size() > shared ? shared : ir::npos, false};
}

std::string nodeText(const ir::Node& node) {
    constexpr std::size_t most = 90;
    if (node.op == ir::Op::Output) return "its output";
    std::string out = node.name;
    if (node.op == ir::Op::Placeholder) {
        out = "input " + out;
    } else {
        out += " = " + ir::shortTarget(node.target) + '(';
        for (std::size_t i = 0; i < node.args.size(); ++i)
            out += (i == 0 ? "" : ", ") + node.args[i].toString();
        out += ')';
    }
    if (out.size() > most) out = out.substr(0, characterStart(out, most - 3)) + "...";
    if (node.meta) out += ": " + node.meta->shortForm();
    return out;
}

} // namespace dynascope::ranks
