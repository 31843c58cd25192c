// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/text.h"

namespace dynascope::ir {

namespace {

/// A DOT string: quoted, with escapes that keep "\l" and "\N" in a name from meaning anything.
std::string dotString(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (static_cast<unsigned char>(c) >= 0x20) {
            out += c;
        }
    }
    return out += '"';
}

void appendGraph(std::string& out, const Graph& graph, const std::string& prefix, const std::string& indent) {
    for (NodeIndex i = 0; i < graph.size(); ++i) {
        const Node& node = graph.node(i);
        out.append(indent)
            .append(prefix)
            .append(std::to_string(i))
            .append(" [label=")
            .append(dotString(nodeLabel(node)));
        const bool isEnd = node.op == Op::Placeholder || node.op == Op::Output;
        out += isEnd ? ", style=rounded];\n" : "];\n";
    }
    for (NodeIndex i = 0; i < graph.size(); ++i)
        for (const NodeIndex input : graph.inputs(i))
            out.append(indent)
                .append(prefix)
                .append(std::to_string(input))
                .append(" -> ")
                .append(prefix)
                .append(std::to_string(i))
                .append(";\n");
    std::size_t count = 0;
    for (const std::string& attribute : graph.subgraphOrder()) {
        const std::string inner = prefix + 's' + std::to_string(count++) + '_';
        out.append(indent).append("subgraph cluster_").append(inner).append(" {\n");
        out.append(indent).append("  label=").append(dotString(attribute)).append(";\n");
        appendGraph(out, *graph.subgraphs().find(attribute)->second, inner, indent + "  ");
        out += indent + "}\n";
    }
}

} // namespace

std::string nodeLabel(const Node& node) {
    std::string out = node.name;
    if (node.op != Op::Output && !node.target.empty() && node.target != node.name)
        out += '\n' + shortTarget(node.target);
    if (node.meta) out += '\n' + node.meta->shortForm();
    return out;
}

std::string printDot(const Graph& graph) {
    std::string out = "digraph " + dotString(graph.name().empty() ? "graph" : graph.name()) + " {\n";
    out += "  node [shape=box];\n";
    appendGraph(out, graph, "n", "  ");
    return out += "}\n";
}

} // namespace dynascope::ir
