// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/text.h"

namespace dynascope::ir {

namespace {

// Of Mermaid's configuration (maxEdges, maxTextSize): above them it draws nothing but an error.
constexpr std::size_t mostEdges = 500, mostText = 50'000;

/// A quoted label. Mermaid writes characters that mean something as "#name;" or "#number;"; a label in
/// backticks would be Markdown, and one in angle brackets HTML.
std::string mermaidString(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        switch (c) {
        case '"':
            out += "#quot;";
            break;
        case '<':
            out += "#lt;";
            break;
        case '>':
            out += "#gt;";
            break;
        case '&':
            out += "#amp;";
            break;
        case '\n':
            out += "<br/>";
            break;
        case '#':
        case ';':
        case '`':
        case '\\':
        case '{':
        case '}':
            out += '#' + std::to_string(static_cast<int>(c)) + ';';
            break;
        default:
            if (static_cast<unsigned char>(c) >= 0x20) out += c;
        }
    }
    return out += '"';
}

/// Returns how many edges it wrote.
std::size_t appendNodes(std::string& out, const Graph& graph, const std::string& prefix,
                        const std::string& indent) {
    for (NodeIndex i = 0; i < graph.size(); ++i) {
        const Node& node = graph.node(i);
        const bool isEnd = node.op == Op::Placeholder || node.op == Op::Output;
        out.append(indent).append(prefix).append(std::to_string(i));
        out.append(isEnd ? "(" : "[").append(mermaidString(nodeLabel(node))).append(isEnd ? ")\n" : "]\n");
    }
    std::size_t edges = 0;
    for (NodeIndex i = 0; i < graph.size(); ++i)
        for (const NodeIndex input : graph.inputs(i)) {
            out.append(indent).append(prefix).append(std::to_string(input)).append(" --> ");
            out.append(prefix).append(std::to_string(i)).append("\n");
            ++edges;
        }
    std::size_t count = 0;
    for (const std::string& attribute : graph.subgraphOrder()) {
        const std::string inner = prefix + 's' + std::to_string(count++) + '_';
        out.append(indent)
            .append("subgraph ")
            .append(inner)
            .append("[")
            .append(mermaidString(attribute))
            .append("]\n");
        edges += appendNodes(out, *graph.subgraphs().find(attribute)->second, inner, indent + "  ");
        out.append(indent).append("end\n");
    }
    return edges;
}

} // namespace

MermaidText printMermaid(const Graph& graph) {
    MermaidText out;
    out.text = "flowchart TD\n";
    const std::size_t edges = appendNodes(out.text, graph, "n", "  ");
    if (edges > mostEdges)
        out.tooLarge = std::to_string(edges) + " edges, and Mermaid draws at most " +
                       std::to_string(mostEdges) + " (maxEdges)";
    else if (out.text.size() > mostText)
        out.tooLarge = std::to_string(out.text.size()) + " characters, and Mermaid reads at most " +
                       std::to_string(mostText) + " (maxTextSize)";
    return out;
}

} // namespace dynascope::ir
