// SPDX-License-Identifier: BSD-3-Clause
//
// Readers and printers of graph text. The readers understand str(gm.graph), old and new, and print_readable()
// as Dynamo, AOTAutograd and Inductor write it. Nothing is evaluated: Python text is parsed as data.
// Spellings follow torch/fx/node.py (Node.format_node) and torch/fx/graph.py (CodeGen._gen_python_code).
#pragma once

#include "core/base/result.h"
#include "core/ir/graph.h"

#include <string>
#include <string_view>
#include <vector>

namespace dynascope::ir {

/// Reads one graph in either form; the form is told by content. Fails with line and column in `text` at the
/// first thing that is not graph text. Extra text after the graph is an error here; readPasted() is the
/// lenient one.
[[nodiscard]] Result<GraphPtr> readGraph(std::string_view text);

/// One graph found in a larger text.
struct FoundGraph {
    GraphPtr graph;
    /// From a header such as "===== Forward graph 3 =====", else the class name or "graph 1"
    std::string title;
    std::size_t firstLine = 0, lastLine = 0; ///< in the text as given, from 1
};
struct PastedGraphs {
    std::vector<FoundGraph> graphs;
    std::vector<Error> problems; ///< pieces that began like a graph and could not be read
};

/// Reads text as people paste it: lost indentation, log prefixes ("V1121 01:30:09.469000 ... [0/0]
/// [__graph_code] "), headers, several graphs in one text, prose around them. Never fails; no graph gives an
/// empty list.
[[nodiscard]] PastedGraphs readPasted(std::string_view text);

/// True if the text begins like a graph in either form (after blank lines, log prefixes and headers).
[[nodiscard]] bool looksLikeGraph(std::string_view text);

/// str(gm.graph). A graph that was read from such text prints back byte for byte.
[[nodiscard]] std::string printFx(const Graph& graph);

struct ReadableOptions {
    bool annotations = true;    ///< `x: "f32[4][1]cpu" = ...`
    bool strides = true;        ///< within annotations
    bool sourceComments = true; ///< "# File: ..." lines
    bool clears = true;         ///< ";  x = None" after a last use
    bool shortTargets = false;  ///< aten.add.Tensor for torch.ops.aten.add.Tensor
};
/// print_readable() text. Line n of the result belongs to node nodeOfLine[n - 1] (npos for comments and
/// headers).
struct ReadableText {
    std::string text;
    std::vector<NodeIndex> nodeOfLine; ///< nodes of subgraphs count as npos
};
[[nodiscard]] ReadableText printReadable(const Graph& graph, const ReadableOptions& options = {});

/// One node as one line of readable code, without its trailing clears.
[[nodiscard]] std::string printNode(const Node& node, const ReadableOptions& options = {});

/// A JSON document: {"name", "nodes": [{"name", "op", "target", "args", "kwargs", "meta", "stack", "users"}],
/// "subgraphs"}.
[[nodiscard]] std::string printJson(const Graph& graph);
/// The lines of a node's box: its name, its target if that says more, and its shape.
[[nodiscard]] std::string nodeLabel(const Node& node);
/// Graphviz text, every label escaped.
[[nodiscard]] std::string printDot(const Graph& graph);

/// A Mermaid flowchart, as issues and READMEs show it, every label escaped.
struct MermaidText {
    std::string text;
    /// Why Mermaid would show an error in its place, as it is set unless somebody sets it otherwise: "612 edges,
    /// and Mermaid draws at most 500 (maxEdges)". Empty where it would not.
    std::string tooLarge;
};
[[nodiscard]] MermaidText printMermaid(const Graph& graph);

} // namespace dynascope::ir
