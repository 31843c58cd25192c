// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/text.h"

namespace dynascope::ir {

namespace {

void appendUsers(std::string& out, const Graph& graph, NodeIndex i, const TextStyle& style) {
    const Node& node = graph.node(i);
    const bool typed = !node.typeExpr.empty();
    if (typed || !style.usersKey.empty()) out += " :";
    if (typed) {
        out += ' ';
        out += node.typeExpr;
    }
    if (style.usersKey.empty()) return;
    if (!node.typeExpr.ends_with('"')) out += ' ';
    out += '[';
    out += style.usersKey;
    out += '=';
    out += std::to_string(node.printedUsers == UINT32_MAX ? graph.users(i).size() : node.printedUsers);
    out += ']';
}

void appendArguments(std::string& out, const Node& node) {
    out += "(args = (";
    bool first = true;
    for (const Argument& arg : node.args) {
        if (!first) out += ", ";
        first = false;
        arg.appendTo(out, "%");
    }
    out += node.args.size() == 1 ? ",), kwargs = {" : "), kwargs = {";
    first = true;
    for (const auto& [key, value] : node.kwargs) {
        if (!first) out += ", ";
        first = false;
        out += key;
        out += ": ";
        value.appendTo(out, "%");
    }
    out += "})";
}

void appendNode(std::string& out, const Graph& graph, NodeIndex i, const TextStyle& style) {
    const Node& node = graph.node(i);
    if (node.op == Op::Output) {
        out += "return ";
        if (node.args.empty())
            out += "None";
        else
            node.args.front().appendTo(out, "");
        return;
    }
    out += '%';
    out += node.name;
    appendUsers(out, graph, i, style);
    out += " = ";
    out += opName(node.op);
    out += "[target=";
    out += node.target;
    out += ']';
    if (node.op == Op::Placeholder) {
        if (node.args.empty()) return;
        out += "(default=";
        node.args.front().appendTo(out, "%");
        out += ')';
    } else if (node.op != Op::GetAttr) {
        appendArguments(out, node);
    }
}

} // namespace

std::string printFx(const Graph& graph) {
    const TextStyle style = graph.style().form == TextStyle::Form::Fx ? graph.style() : TextStyle{};
    std::string out;
    out.reserve(graph.size() * 120 + style.header.size());
    out += style.header;
    for (NodeIndex i = 0; i < graph.size(); ++i) {
        if (style.placeholdersInHeader && graph.node(i).op == Op::Placeholder) continue;
        out += style.indented ? "\n    " : "\n";
        appendNode(out, graph, i, style);
    }
    if (style.trailingNewline) out += '\n';
    return out += style.trailer;
}

} // namespace dynascope::ir
