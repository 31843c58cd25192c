// SPDX-License-Identifier: BSD-3-Clause
//
// An immutable snapshot of an FX graph. A pass makes a new Graph and shares the nodes it did not touch.
#pragma once

#include "core/ir/name_table.h"
#include "core/ir/node.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::ir {

class Graph;
using GraphPtr = std::shared_ptr<const Graph>;

/// How a graph was spelled, so that it can be printed back the same way. Printers take their defaults from
/// here.
struct TextStyle {
    enum class Form : std::uint8_t { Fx, Readable } form = Form::Fx;
    std::string usersKey = "num_users"; ///< "num_users" or "#users" or "" (none printed)
    std::string header = "graph():";    ///< first line of FX text
    bool indented = true;               ///< FX text: nodes indented by four blanks
    bool trailingNewline = false;
    bool placeholdersInHeader = false; ///< old FX text: "graph(x, y):" and no line per placeholder

    // print_readable text only.
    /// `torch.fx._symbolic_trace.wrap("f")`: lines that FX prints before forward for functions that it kept
    /// as leaves, as read.
    std::vector<std::string> wraps;
    bool classLine = true;          ///< false for gm.code, which starts at "def forward"
    bool expandedSignature = false; ///< one placeholder a line
    bool sourceComments = false;  ///< "# File: ..." lines, or "# No stacktrace ..." for nodes without a stack
    bool clears = true;           ///< ";  x = None" after last uses
    std::string returnAnnotation; ///< " -> torch.Tensor"; empty where absent
    /// Signature of a graph whose inputs are flattened first: "primals", "tangents". Empty for a plain
    /// signature.
    std::vector<std::string> pytreeArgs;
    /// The lines that bind the placeholders from pytreeArgs, as read.
    std::vector<std::string> pytreeBindings;
    bool pytreeReturn = false; ///< "return pytree.tree_unflatten(..., self._out_spec)"

    std::string trailer; ///< comment lines after the graph, such as Inductor's graph id, as read
};

/// Graphs are built by GraphBuilder, read by text.h, or derived by passes; they never change afterwards.
/// Thread-safe to share.
class Graph {
public:
    /// Name of the module as printed ("GraphModule", "<lambda>", "inner_f"); may be empty.
    [[nodiscard]] const std::string& name() const { return m_name; }
    [[nodiscard]] std::span<const NodePtr> nodes() const { return m_nodes; }
    [[nodiscard]] std::size_t size() const { return m_nodes.size(); }
    [[nodiscard]] const Node& node(NodeIndex i) const { return *m_nodes[i]; }
    /// npos where there is no such node.
    [[nodiscard]] NodeIndex find(std::string_view name) const;

    /// Distinct nodes that node i reads, in reading order. Names that no node has are left out (see
    /// missing()).
    [[nodiscard]] std::span<const NodeIndex> inputs(NodeIndex i) const;
    /// Distinct nodes that read node i, in graph order.
    [[nodiscard]] std::span<const NodeIndex> users(NodeIndex i) const;
    /// Names that are used but not defined: "user reads name". Empty for a well-formed graph.
    [[nodiscard]] const std::vector<std::pair<NodeIndex, std::string>>& missing() const { return m_missing; }

    /// Nested GraphModules of higher-order ops, by attribute name.
    [[nodiscard]] const std::map<std::string, GraphPtr, std::less<>>& subgraphs() const {
        return m_subgraphs;
    }
    /// Keys of subgraphs() in the order of the text.
    [[nodiscard]] const std::vector<std::string>& subgraphOrder() const { return m_subgraphOrder; }
    /// Nodes of this graph and of every subgraph.
    [[nodiscard]] std::size_t totalNodes() const;
    [[nodiscard]] const TextStyle& style() const { return m_style; }

private:
    friend class GraphBuilder;
    Graph() = default;

    std::string m_name;
    std::vector<NodePtr> m_nodes;
    NameTable m_byName;                                   ///< of m_nodes
    std::vector<std::uint32_t> m_inputStart, m_userStart; // compressed rows, size() + 1 each
    std::vector<NodeIndex> m_inputs, m_users;
    std::vector<std::pair<NodeIndex, std::string>> m_missing;
    std::map<std::string, GraphPtr, std::less<>> m_subgraphs;
    std::vector<std::string> m_subgraphOrder;
    TextStyle m_style;
};

/// Collects nodes, then freezes them. Not thread-safe. A duplicate name is kept and the first wins in find().
class GraphBuilder {
public:
    GraphBuilder& setName(std::string name);
    GraphBuilder& setStyle(TextStyle style);
    GraphBuilder& add(Node node);
    GraphBuilder& add(NodePtr node); ///< shares a node of another graph
    GraphBuilder& addSubgraph(std::string attribute, GraphPtr graph);
    [[nodiscard]] std::size_t size() const { return m_nodes.size(); }
    /// Leaves the builder empty.
    [[nodiscard]] GraphPtr build();

private:
    std::string m_name;
    TextStyle m_style;
    std::vector<NodePtr> m_nodes;
    std::map<std::string, GraphPtr, std::less<>> m_subgraphs;
    std::vector<std::string> m_subgraphOrder;
};

/// The address by which notes, links, history and selection name a node or a stage. Text form:
/// "rank:compile:attempt:stage#k:node", e.g. "0:0/0:1:before_post_grad_graph#1:add_3"; trailing parts may be
/// empty.
struct Address {
    int rank = 0;
    std::string compileId; ///< "0/0"; "-" for a file that is one graph
    int attempt = 0;
    std::string stage;
    int k = 0;
    std::string node;

    [[nodiscard]] std::string toString() const;
    [[nodiscard]] static std::optional<Address> parse(std::string_view text);
    friend bool operator==(const Address&, const Address&) = default;
    friend auto operator<=>(const Address&, const Address&) = default;
};

} // namespace dynascope::ir
