// SPDX-License-Identifier: BSD-3-Clause
//
// Reads print_readable() text: a class, its forward with a signature and one statement per node, then the
// classes of nested GraphModules. Follows CodeGen._gen_python_code and GraphModule._print_readable of
// torch.fx.
#include "core/base/text.h"
#include "core/ir/lines.h"
#include "core/ir/signature.h"
#include "core/ir/source_comment.h"
#include "core/ir/statement.h"
#include "core/ir/text.h"
#include "core/ir/value_parser.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

namespace dynascope::ir {

namespace {

constexpr std::size_t maxModuleDepth = 100;

/// True if print_readable would clear a value somewhere in this graph.
bool endsValues(const Graph& graph) {
    for (NodeIndex i = 0; i < graph.size(); ++i) {
        if (graph.node(i).op == Op::Placeholder || graph.node(i).op == Op::Output) continue;
        const std::span<const NodeIndex> inputs = graph.inputs(i);
        const bool lastUse = std::any_of(inputs.begin(), inputs.end(),
                                         [&](NodeIndex input) { return graph.users(input).back() == i; });
        if (lastUse || graph.users(i).empty()) return true;
    }
    return false;
}

class ModuleReader {
public:
    ModuleReader(std::span<const Line> lines, std::size_t& next, std::size_t depth, const TextTail& tail)
        : m_lines(lines)
        , m_next(next)
        , m_depth(depth) {
        m_style.trailingNewline = tail.trailingNewline;
        m_style.trailer = tail.trailer;
        if (depth > 0) return; // the lines are those of all modules
        m_nodes.reserve(lines.size() / 2);
        m_names.reserve(lines.size() / 2);
    }

    Result<GraphPtr> read();

private:
    bool opening();
    bool body();
    bool statement(const Line& line, std::string_view text);
    bool declarations(ValueParser& in, const Line& line);
    bool binding(const Line& line, std::string_view text);
    bool assignment(const Line& line);
    bool rename(Node& node);
    bool result(const Line& line);
    bool resultItems(ValueParser& in, Argument& out, std::string& comments);
    bool subgraphs(GraphBuilder& builder);
    [[nodiscard]] bool isChild(const Line& line);
    void add(Node node);
    bool fail(const Line& line, std::size_t at, std::string message) {
        m_error = errorAt(line, at, std::move(message));
        return false;
    }
    bool fail(ValueParser& in) { return fail(m_lines[m_next], in.failedAt, std::move(in.failure)); }

    std::span<const Line> m_lines;
    std::size_t& m_next;
    std::size_t m_depth;
    std::string m_name;
    std::size_t m_indent = 0;
    bool m_flat = false; ///< indentation was lost
    std::vector<std::shared_ptr<Node>> m_nodes;
    std::vector<Node> m_declared; ///< `primals_1: "f32[2]"` lines of a flattened signature
    /// Not yet renamed, to their place in m_nodes
    std::unordered_map<std::string_view, std::size_t> m_parameters;
    std::pmr::monotonic_buffer_resource m_pool; ///< of m_names, which grow with the graph and end at once
    NameSet m_names{&m_pool};
    NameSet m_attributes; ///< what the graph reads from self; only where indentation was lost
    SourceComment m_comment;
    TextStyle m_style;
    bool m_sawClears = false;
    bool m_sawStatement = false;
    Error m_error;
};

void ModuleReader::add(Node node) {
    m_nodes.push_back(std::make_shared<Node>(std::move(node)));
    const Node& added = *m_nodes.back();
    m_names.insert(added.name);
    if (added.op != Op::Placeholder) return;
    std::string_view parameter = added.target;
    parameter.remove_prefix(std::min(parameter.find_first_not_of('*'), parameter.size()));
    m_parameters.try_emplace(parameter, m_nodes.size() - 1);
}

bool ModuleReader::opening() {
    m_style.form = TextStyle::Form::Readable;
    const std::size_t start = m_next;
    for (; m_next + 1 < m_lines.size(); ++m_next) { // gm.code has them in front
        const std::string_view text = m_lines[m_next].trimmed();
        if (isWrapLine(text))
            m_style.wraps.emplace_back(text);
        else if (m_style.wraps.empty() || !text.empty())
            break;
    }
    const std::string_view first = m_lines[m_next].trimmed();
    m_indent = m_lines[m_next].indent();
    m_style.classLine = isClassLine(first);
    if (m_style.classLine) {
        constexpr std::size_t keyword = std::string_view("class ").size();
        m_name = trimmed(first.substr(keyword, first.find('(') - keyword));
        ++m_next;
    }
    for (; m_next < m_lines.size(); ++m_next) {
        const std::string_view text = m_lines[m_next].trimmed();
        if (isDefLine(text)) break;
        if (isClassLine(text))
            return fail(m_lines[m_next], 0, "Expected 'def forward' before the next class");
        if (isWrapLine(text)) {
            m_style.wraps.emplace_back(text);
            continue;
        }
        const bool skipped = text.empty() || text.starts_with('#') || text.starts_with('@') ||
                             text.starts_with("import ") || text.starts_with("from ");
        if (!skipped)
            return fail(m_lines[m_next], m_lines[m_next].indent(), "Expected 'def forward(self, ...):'");
    }
    if (m_next >= m_lines.size())
        return fail(m_lines[start], 0, "Expected 'def forward(self, ...):' after this");
    m_flat = m_style.classLine && m_lines[m_next].indent() <= m_indent;

    Signature signature;
    if (!readSignature(m_lines, m_next, signature, m_error)) return false;
    m_style.expandedSignature = signature.expanded;
    m_style.returnAnnotation = std::move(signature.returnAnnotation);
    for (Node& parameter : signature.parameters)
        add(std::move(parameter));
    ++m_next;
    return true;
}

bool ModuleReader::body() {
    for (; m_next < m_lines.size(); ++m_next) {
        const Line& line = m_lines[m_next];
        const std::string_view text = line.trimmed();
        if (text.empty()) continue;
        if (text.front() == '#') {
            if (m_comment.read(text)) m_style.sourceComments = true;
            continue;
        }
        if (isClassLine(text) || isDefLine(text)) return true;
        if (text == "return" || text.starts_with("return ") || text.starts_with("return(")) {
            if (!result(line)) return false;
            ++m_next;
            return true;
        }
        if (text == "pass") {
            ++m_next;
            return true;
        }
        if (!statement(line, text)) return false;
    }
    return true;
}

bool ModuleReader::statement(const Line& line, std::string_view text) {
    // Everything but an assignment is rare: tell it by what follows the first name.
    std::size_t end = 0;
    while (end < text.size() && isNameChar(text[end]))
        ++end;
    if (end > 0 && end < text.size() && text[end] == ',') return binding(line, text);
    if (end > 0 && end < text.size() && text[end] == ':') {
        ValueParser in(line.text, m_names);
        in.pos = line.indent() + end;
        if (skipAnnotation(in)) {
            in.skipBlanks();
            if (in.peek() != '=') return declarations(in, line);
        }
    }
    return assignment(line);
}

// `primals_1: "f32[2]"  # comment`, or several on one line with "; " between them.
bool ModuleReader::declarations(ValueParser& in, const Line& line) {
    in.pos = line.indent();
    while (!in.atEnd()) {
        Node node;
        node.name = in.takeName();
        if (node.name.empty()) return fail(line, in.pos, "Expected a name with an annotation");
        node.target = node.name;
        node.op = Op::Placeholder;
        node.sourceLine = line.number;
        if (!readAnnotation(in, node)) return fail(in);
        in.skipBlanks();
        if (in.take("#")) {
            node.comment = trimmed(in.text.substr(in.pos));
            in.pos = in.text.size();
        } else if (!in.atEnd() && !in.take(";")) {
            return fail(line, in.pos, "Expected '=' or the end of the line after the annotation");
        }
        in.skipBlanks();
        m_declared.push_back(std::move(node));
    }
    return true;
}

// `primals_1, tangents_1, = fx_pytree.tree_flatten_spec([primals, tangents], self._in_spec)`: the parameters
// are trees and the names bound here are the placeholders.
bool ModuleReader::binding(const Line& line, std::string_view text) {
    const std::size_t equals = text.find(" = ");
    if (equals == std::string_view::npos)
        return fail(line, line.text.size(), "Expected ' = ' after the names");
    const std::string_view source = text.substr(equals + 3);
    if (m_style.pytreeArgs.empty()) {
        for (const std::shared_ptr<Node>& node : m_nodes)
            if (node != nullptr) m_style.pytreeArgs.push_back(node->target);
        m_names.clear();
        m_parameters.clear();
        m_nodes.clear();
    }
    m_style.pytreeBindings.emplace_back(text);
    if (source.starts_with("pytree.tree_leaves(")) return true;

    std::size_t declared = 0;
    ValueParser in(text.substr(0, equals), m_names);
    while (!in.atEnd()) {
        Node node;
        node.name = in.takeName();
        if (node.name.empty()) return fail(line, line.indent() + in.pos, "Expected a name");
        node.target = node.name;
        node.op = Op::Placeholder;
        node.sourceLine = line.number;
        // Declarations come in the order of the names, though not every name has one.
        if (declared < m_declared.size() && m_declared[declared].name == node.name)
            node = std::move(m_declared[declared++]);
        add(std::move(node));
        in.skipBlanks();
        if (!in.atEnd() && !in.take(","))
            return fail(line, line.indent() + in.pos, "Expected ',' between names");
        in.skipBlanks();
    }
    m_declared.clear();
    return true;
}

bool ModuleReader::assignment(const Line& line) {
    ValueParser in(line.text, m_names);
    in.pos = line.indent();
    Assignment read;
    if (!readAssignment(in, m_names, read)) return fail(in);
    m_sawClears |= read.clears;
    Node& node = read.node;
    node.sourceLine = line.number;
    if (read.isRename) {
        if (rename(node)) return true;
        node.op = Op::CallFunction;
        node.args.push_back(Argument::node(std::exchange(node.target, {})));
    }
    m_sawStatement = true;
    node.stack = m_comment.stack;
    node.note = m_comment.note;
    add(std::move(node));
    return true;
}

bool ModuleReader::rename(Node& node) {
    const auto found = m_parameters.find(node.target);
    if (found == m_parameters.end()) return false;
    const std::shared_ptr<Node> placeholder = m_nodes[found->second];
    m_names.erase(placeholder->name);
    placeholder->name = node.name;
    placeholder->sourceLine = node.sourceLine;
    m_names.insert(placeholder->name);
    if (m_sawStatement) { // concrete_args: its place is behind other nodes
        m_nodes[found->second].reset();
        m_nodes.push_back(placeholder);
    }
    m_parameters.erase(found);
    return true;
}

bool ModuleReader::result(const Line& line) {
    Node out;
    out.op = Op::Output;
    out.target = "output";
    out.name = "output";
    out.sourceLine = line.number;
    for (int suffix = 1; m_names.contains(out.name); ++suffix)
        out.name = "output_" + std::to_string(suffix);

    ValueParser in(line.text, m_names);
    in.pos = line.indent() + std::string_view("return").size();
    in.skipBlanks();
    m_style.pytreeReturn = in.take("pytree.tree_unflatten(");
    in.skipBlanks();
    Argument& value = out.args.emplace_back();
    const char open = in.peek();
    const bool opens = open == '(' || open == '[';
    const std::string_view rest = opens ? trimmed(in.text.substr(in.pos + 1)) : std::string_view();
    if (in.atEnd()) {
        // "return" alone gives None.
    } else if (opens && (rest.empty() || rest.starts_with('#'))) {
        if (!resultItems(in, value, out.comment)) return fail(in);
    } else if (!in.value(value, Syntax::Python)) {
        return fail(in);
    }
    in.skipBlanks();
    if (m_style.pytreeReturn && !in.take(", self._out_spec)"))
        return fail(m_lines[m_next], in.pos, "Expected ', self._out_spec)' after the outputs");
    in.skipBlanks();
    if (!in.atEnd() && in.peek() != '#' && in.peek() != ';')
        return fail(m_lines[m_next], in.pos, "Expected the end of the line after the output");
    add(std::move(out));
    return true;
}

// One returned value a line, each with its description.
bool ModuleReader::resultItems(ValueParser& in, Argument& out, std::string& comments) {
    const bool isTuple = in.peek() == '(';
    out.kind = isTuple ? Argument::Kind::Tuple : Argument::Kind::List;
    const std::string expected =
        isTuple ? "Expected ')' to close the outputs" : "Expected ']' to close the outputs";
    bool sawComment = false;
    in.pos = in.text.size();
    for (;;) {
        in.skipBlanks();
        if (in.atEnd() || in.peek() == '#') {
            if (!nextLine(m_lines, m_next, in)) return in.fail(expected);
            continue;
        }
        if (in.take(isTuple ? ")" : "]")) break;
        if (!out.items.empty()) comments += '\n';
        if (!in.value(out.items.emplace_back(), Syntax::Python)) return false;
        in.skipBlanks();
        const bool comma = in.take(",");
        in.skipBlanks();
        if (in.take("#")) {
            comments += trimmed(in.text.substr(in.pos));
            in.pos = in.text.size();
            sawComment = true;
        } else if (!comma && !in.atEnd() && in.peek() != (isTuple ? ')' : ']')) {
            return in.fail(expected);
        }
    }
    if (!sawComment) comments.clear();
    return true;
}

// Nested modules are indented deeper. Where indentation was lost, the graph that reads the attribute owns the
// class.
bool ModuleReader::isChild(const Line& line) {
    if (!m_flat) return line.indent() > m_indent && m_style.classLine;
    if (m_attributes.empty())
        for (const std::shared_ptr<Node>& node : m_nodes)
            if (node->op == Op::GetAttr || node->op == Op::CallModule) m_attributes.insert(node->target);
    const std::string_view text = line.trimmed();
    constexpr std::size_t keyword = std::string_view("class ").size();
    return m_attributes.contains(trimmed(text.substr(keyword, text.find('(') - keyword)));
}

bool ModuleReader::subgraphs(GraphBuilder& builder) {
    while (m_next < m_lines.size()) {
        std::size_t ahead = m_next;
        while (ahead < m_lines.size() && m_lines[ahead].blank())
            ++ahead;
        if (ahead >= m_lines.size() || !isClassLine(m_lines[ahead].trimmed()) || !isChild(m_lines[ahead]))
            return true;
        if (m_depth >= maxModuleDepth)
            return fail(m_lines[ahead], 0, "Expected at most 100 levels of nested modules");
        m_next = ahead;
        Result<GraphPtr> child = ModuleReader(m_lines, m_next, m_depth + 1, {}).read();
        if (!child) {
            m_error = std::move(child.error());
            return false;
        }
        std::string attribute = (*child)->name();
        builder.addSubgraph(std::move(attribute), std::move(*child));
    }
    return true;
}

Result<GraphPtr> ModuleReader::read() {
    if (!opening() || !body()) return tl::unexpected(m_error);
    std::erase(m_nodes, nullptr); // where a placeholder moved away

    GraphBuilder builder;
    if (!subgraphs(builder)) return tl::unexpected(m_error);
    const auto build = [&] {
        for (const std::shared_ptr<Node>& node : m_nodes)
            builder.add(NodePtr(node));
        return builder.setName(m_name).setStyle(m_style).build();
    };
    GraphPtr graph = build();
    if (m_sawClears || !endsValues(*graph)) return graph;
    m_style.clears = false;
    for (const std::string& attribute : graph->subgraphOrder())
        builder.addSubgraph(attribute, graph->subgraphs().find(attribute)->second);
    return build();
}

} // namespace

Result<GraphPtr> readReadableLines(std::span<const Line> lines, std::size_t& next, const TextTail& tail) {
    return ModuleReader(lines, next, 0, tail).read();
}

} // namespace dynascope::ir
