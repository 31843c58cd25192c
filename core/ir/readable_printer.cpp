// SPDX-License-Identifier: BSD-3-Clause
//
// Prints graphs as GraphModule.print_readable() does: see CodeGen._gen_python_code of torch/fx/graph.py.
#include "core/base/text.h"
#include "core/ir/readable_code.h"
#include "core/ir/source_comment.h"
#include "core/ir/text.h"

#include <algorithm>
#include <utility>

namespace dynascope::ir {

namespace {

class ModulePrinter {
public:
    ModulePrinter(const Graph& graph, const ReadableOptions& options, ReadableText& out, std::size_t indent,
                  bool top)
        : m_graph(graph)
        , m_options(options)
        , m_out(out)
        , m_indent(indent)
        , m_top(top) {
        if (graph.style().form == TextStyle::Form::Readable) m_style = graph.style();
        const bool anyStack = std::any_of(graph.nodes().begin(), graph.nodes().end(),
                                          [](const NodePtr& node) { return node->stack != nullptr; });
        m_comments = options.sourceComments && (m_style.sourceComments || anyStack);
    }

    void print(std::string_view name);

private:
    void line(std::string_view text, NodeIndex node = npos);
    void signature();
    void flattened();
    [[nodiscard]] std::string parameter(const Node& node) const;
    void body();
    void sourceComment(const Node& node);
    void statement(NodeIndex i);
    void result(NodeIndex i);
    void subgraphs();

    const Graph& m_graph;
    const ReadableOptions& m_options;
    ReadableText& m_out;
    std::size_t m_indent;
    bool m_top;
    TextStyle m_style;
    bool m_comments = false;
    std::string m_lastComment;
    bool m_bodyEmpty = true;
};

void ModulePrinter::line(std::string_view text, NodeIndex node) {
    if (!text.empty()) m_out.text.append(m_indent, ' ');
    m_out.text += text;
    m_out.text += '\n';
    m_out.nodeOfLine.push_back(m_top ? node : npos);
}

std::string ModulePrinter::parameter(const Node& node) const {
    std::string out = node.target;
    appendAnnotation(out, node, m_options);
    if (!node.args.empty()) out += " = " + node.args.front().toString();
    return out;
}

void ModulePrinter::signature() {
    std::vector<std::pair<std::string, NodeIndex>> parameters{{"self", npos}};
    if (!m_style.pytreeArgs.empty()) {
        for (const std::string& name : m_style.pytreeArgs)
            parameters.emplace_back(name, npos);
    } else {
        for (NodeIndex i = 0; i < m_graph.size(); ++i)
            if (m_graph.node(i).op == Op::Placeholder) parameters.emplace_back(parameter(m_graph.node(i)), i);
    }
    if (m_style.expandedSignature) {
        line("def forward(");
        for (const auto& [text, node] : parameters) {
            const std::string_view comment = node == npos ? std::string_view() : m_graph.node(node).comment;
            line("    " + text + (comment.empty() ? "," : ",  # " + std::string(comment)), node);
        }
        line(")" + m_style.returnAnnotation + ":");
    } else {
        std::string text = "def forward(";
        for (const auto& [parameterText, node] : parameters) {
            if (text.back() != '(') text += ", ";
            text += parameterText;
        }
        line(text + ")" + m_style.returnAnnotation + ":");
    }
}

// The placeholders of a flattened signature: their annotations, then the line that binds them.
void ModulePrinter::flattened() {
    std::string joined;
    for (NodeIndex i = 0; i < m_graph.size(); ++i) {
        const Node& node = m_graph.node(i);
        if (node.op != Op::Placeholder) continue;
        std::string text = parameter(node);
        if (!node.comment.empty()) text += "  # " + node.comment;
        if (text.find(':') == std::string::npos) continue;
        if (m_style.expandedSignature)
            line(text, i);
        else
            joined += text + "; ";
    }
    if (!joined.empty()) {
        line(joined);
        line({});
    }
    for (const std::string& binding : m_style.pytreeBindings)
        line(binding);
}

void ModulePrinter::sourceComment(const Node& node) {
    if (!m_comments) return;
    std::string comment = SourceComment::print(node);
    if (comment == m_lastComment) return;
    if (!m_bodyEmpty) line({});
    line(comment);
    m_lastComment = std::move(comment);
}

void ModulePrinter::statement(NodeIndex i) {
    const Node& node = m_graph.node(i);
    std::string text;
    appendStatement(text, node, m_options);
    if (m_options.clears && m_style.clears) {
        std::string cleared;
        for (const NodeIndex input : m_graph.inputs(i))
            if (m_graph.users(input).back() == i) cleared += m_graph.node(input).name + " = ";
        if (m_graph.users(i).empty()) cleared += node.name + " = ";
        if (!cleared.empty()) text += ";  " + cleared + "None";
    }
    line(text, i);
}

void ModulePrinter::result(NodeIndex i) {
    const Node& node = m_graph.node(i);
    const std::string_view before = m_style.pytreeReturn ? "return pytree.tree_unflatten(" : "return ";
    const std::string_view after = m_style.pytreeReturn ? ", self._out_spec)" : "";
    const Argument value = node.args.empty() ? Argument::none() : node.args.front();
    const bool isTuple = value.kind == Argument::Kind::Tuple;
    const auto comments =
        static_cast<std::size_t>(std::count(node.comment.begin(), node.comment.end(), '\n')) + 1;
    if (node.comment.empty() || comments != value.items.size() ||
        (!isTuple && value.kind != Argument::Kind::List)) {
        line(std::string(before) + value.toString() + std::string(after), i);
        return;
    }
    line(std::string(before) + (isTuple ? "(" : "["), i);
    std::string_view rest = node.comment;
    for (const Argument& item : value.items) {
        const std::string_view comment = firstLine(rest);
        rest.remove_prefix(std::min(comment.size() + 1, rest.size()));
        line("    " + item.toString() + (comment.empty() ? "," : ",  # " + std::string(comment)), i);
    }
    line((isTuple ? ")" : "]") + std::string(after), i);
}

void ModulePrinter::body() {
    bool any = false;
    for (NodeIndex i = 0; i < m_graph.size(); ++i) {
        const Node& node = m_graph.node(i);
        if (node.op == Op::Placeholder) {
            std::string_view parameterName = node.target;
            parameterName.remove_prefix(std::min(parameterName.find_first_not_of('*'), parameterName.size()));
            if (parameterName == node.name) continue;
            line(node.name + " = " + std::string(parameterName), i);
        } else if (node.op == Op::Output) {
            result(i);
        } else {
            sourceComment(node);
            statement(i);
        }
        m_bodyEmpty = false;
        any = true;
    }
    if (!any) line("pass");
}

void ModulePrinter::subgraphs() {
    for (const std::string& attribute : m_graph.subgraphOrder()) {
        m_out.text += '\n';
        m_out.nodeOfLine.push_back(npos);
        ModulePrinter(*m_graph.subgraphs().find(attribute)->second, m_options, m_out, m_indent, false)
            .print(attribute);
    }
}

void ModulePrinter::print(std::string_view name) {
    const std::size_t outer = m_indent;
    if (m_style.classLine) {
        line("class " + std::string(name.empty() ? "GraphModule" : name) + "(torch.nn.Module):");
        m_indent += 4;
    }
    for (const std::string& wrap : m_style.wraps)
        line(wrap);
    if (!m_style.wraps.empty()) {
        m_out.text += '\n';
        m_out.nodeOfLine.push_back(npos);
    }
    signature();
    m_indent += 4;
    if (!m_style.pytreeBindings.empty()) flattened();
    body();
    m_indent = outer + 4;
    subgraphs();
}

} // namespace

ReadableText printReadable(const Graph& graph, const ReadableOptions& options) {
    ReadableText out;
    out.text.reserve(graph.totalNodes() * 160);
    ModulePrinter(graph, options, out, 0, true).print(graph.name());
    const TextStyle& style = graph.style();
    if (style.form == TextStyle::Form::Readable) {
        if (!style.trailingNewline) out.text.pop_back();
        out.text += style.trailer;
    }
    return out;
}

} // namespace dynascope::ir
