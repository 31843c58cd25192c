// SPDX-License-Identifier: BSD-3-Clause
//
// Reads str(graph): a header line and one line per node, as torch.fx.Node.format_node writes them.
#include "core/base/python_text.h"
#include "core/base/text.h"
#include "core/ir/lines.h"
#include "core/ir/text.h"
#include "core/ir/value_parser.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <memory>
#include <utility>

namespace dynascope::ir {

namespace {

constexpr std::string_view newUsersKey = "num_users";
constexpr std::string_view oldUsersKey = "#users";

bool startsNode(std::string_view trimmedLine) {
    return trimmedLine.starts_with('%');
}
bool startsReturn(std::string_view trimmedLine) {
    return trimmedLine == "return" || trimmedLine.starts_with("return ");
}

class FxReader {
public:
    FxReader(std::span<const Line> lines, const TextTail& tail)
        : m_lines(lines) {
        m_style.trailingNewline = tail.trailingNewline;
        m_style.trailer = tail.trailer;
    }

    Result<GraphPtr> read(std::size_t& next);

private:
    bool header(const Line& line);
    bool headerPlaceholder(std::string_view text, const Line& line);
    bool statement(const Line& line);
    bool node(ValueParser& in, Node& out);
    bool typeAndUsers(ValueParser& in, Node& out);
    bool target(ValueParser& in, Node& out);
    bool defaultValue(ValueParser& in, Node& out);
    bool positional(ValueParser& in, Node& out);
    bool arguments(ValueParser& in, Node& out);
    bool result(ValueParser& in, Node& out);
    Line joined(std::size_t& next);
    void add(Node node);
    bool fail(const Line& line, std::size_t at, std::string message) {
        m_error = errorAt(line, at, std::move(message));
        return false;
    }

    std::span<const Line> m_lines;
    std::vector<std::shared_ptr<Node>> m_nodes;
    NameSet m_names;
    TextStyle m_style;
    Error m_error;
    std::deque<std::string> m_joinedText;
    bool m_sawUsers = false;
};

void FxReader::add(Node node) {
    m_nodes.push_back(std::make_shared<Node>(std::move(node)));
    m_names.insert(m_nodes.back()->name);
}

// "graph():", and of old versions "graph(x, y : torch.Tensor):" with the placeholders in it.
bool FxReader::header(const Line& line) {
    const std::string_view text = line.trimmed();
    m_style.header = text;
    constexpr std::string_view open = "graph(";
    for (std::size_t start = open.size(); start < text.size();) {
        const std::size_t end = python::findOutside(text, start, python::Quotes::Marks,
                                                    [](char c) { return c == ',' || python::isClose(c); });
        if (end == text.size()) break;
        const std::string_view piece = trimmed(text.substr(start, end - start));
        if (!piece.empty() && !headerPlaceholder(piece, line)) return false;
        if (text[end] != ',') return true;
        start = end + 1;
    }
    return fail(line, line.text.size(), "Expected ')' to close the graph's placeholders");
}

bool FxReader::headerPlaceholder(std::string_view text, const Line& line) {
    const auto at = static_cast<std::size_t>(text.data() - line.text.data());
    const bool hasPercent = text.starts_with('%');
    if (hasPercent) text.remove_prefix(1);
    std::size_t end = 0;
    while (end < text.size() && isNameChar(text[end]))
        ++end;
    if (end == 0) return fail(line, at, "Expected the name of a placeholder");
    std::string_view name = text.substr(0, end);
    std::string_view rest = trimmed(text.substr(end));
    if (rest.starts_with(':')) rest = trimmed(rest.substr(1));
    rest = trimmed(rest.substr(0, rest.find("[num_users=")));
    rest = trimmed(rest.substr(0, rest.find("[#users=")));
    // A typed placeholder came out with its name doubled ("xx: torch.Tensor").
    const std::size_t half = name.size() / 2;
    if (!hasPercent && !rest.empty() && name.substr(0, half) == name.substr(half))
        name = name.substr(0, half);

    Node node;
    node.name = name;
    node.op = Op::Placeholder;
    node.target = name;
    node.typeExpr = rest;
    node.sourceLine = line.number;
    add(std::move(node));
    m_style.placeholdersInHeader = true;
    return true;
}

bool FxReader::typeAndUsers(ValueParser& in, Node& out) {
    in.skipBlanks();
    if (!in.take(":")) return true;
    in.skipBlanks();
    const std::string_view rest = in.text.substr(in.pos);
    const std::size_t equals = rest.find(" = ");
    std::size_t open = rest.find("[num_users=");
    std::string_view key = newUsersKey;
    if (open >= equals) {
        open = rest.find("[#users=");
        key = oldUsersKey;
    }
    if (open >= equals) { // no count is printed
        out.typeExpr = trimmed(rest.substr(0, equals));
        in.pos += out.typeExpr.size();
        return true;
    }
    out.typeExpr = trimmed(rest.substr(0, open));
    if (const std::size_t quote = out.typeExpr.find('"');
        out.typeExpr.ends_with('"') && quote + 1 < out.typeExpr.size())
        out.meta = parseAnnotation(
            std::string_view(out.typeExpr).substr(quote + 1, out.typeExpr.size() - quote - 2));
    in.pos += open + key.size() + 2;
    const char* begin = in.text.data() + in.pos;
    const auto [stop, error] = std::from_chars(begin, in.text.data() + in.text.size(), out.printedUsers);
    if (error != std::errc()) return in.fail("Expected the number of users");
    in.pos += static_cast<std::size_t>(stop - begin);
    if (!in.take("]")) return in.fail("Expected ']' after the number of users");
    m_style.usersKey = key;
    m_sawUsers = true;
    return true;
}

bool FxReader::target(ValueParser& in, Node& out) {
    if (!in.take("[target=")) return in.fail("Expected '[target=' after the op");
    const std::size_t start = in.pos;
    // Square brackets alone: a name is written without quotes, and others may stand alone in it.
    std::size_t depth = 0;
    for (; !in.atEnd(); ++in.pos) {
        if (in.peek() == '[') ++depth;
        if (in.peek() == ']' && depth-- == 0) break;
    }
    if (in.atEnd()) return in.fail("Expected ']' to close the target", start);
    out.target = in.text.substr(start, in.pos - start);
    ++in.pos;
    if (out.target.empty()) return in.fail("Expected the name of the target", start);
    return true;
}

bool FxReader::defaultValue(ValueParser& in, Node& out) {
    if (!in.take("(default=")) return true;
    const std::size_t close = in.text.rfind(')');
    if (close == std::string_view::npos || close < in.pos)
        return in.fail("Expected ')' to close the default");
    ValueParser inner(in.text.substr(0, close), m_names);
    inner.pos = in.pos;
    Argument value;
    // str() of what is not a plain value can be anything, so what does not read as one value is kept as it
    // is.
    if (!inner.value(value, Syntax::Fx) || !inner.atEnd())
        value = Argument::raw(std::string(inner.text.substr(in.pos)));
    out.args.push_back(std::move(value));
    in.pos = close + 1;
    return true;
}

// Up to and with the ")" of args. A string argument has no quotes, so that a bracket in it can go unmatched:
// then the place where kwargs start tells where args end.
bool FxReader::positional(ValueParser& in, Node& out) {
    const std::size_t start = in.pos;
    if (in.items(out.args, Syntax::Fx, ')', "args") && in.peek() == ',') return true;
    const std::size_t end = in.text.rfind("), kwargs = {");
    if (end == std::string_view::npos || end < start) {
        if (!out.args.empty() && out.args.back().text.starts_with("kwargs = "))
            return in.fail("Expected ')' to close args", in.text.rfind("kwargs = "));
        return !in.failure.empty() ? false : in.fail("Expected ', kwargs = {' after args");
    }
    ValueParser whole(in.text.substr(0, end), m_names);
    whole.pos = start;
    std::vector<Argument> args;
    while (!whole.atEnd()) {
        if (!whole.value(args.emplace_back(), Syntax::Fx)) break;
        if (!whole.atEnd() && !whole.take(",")) break;
        whole.skipBlanks();
    }
    if (!whole.atEnd() || !whole.failure.empty())
        return !in.failure.empty() ? false : in.fail("Expected ', kwargs = {' after args");
    in.failure.clear();
    in.pos = end + 1;
    out.args = std::move(args);
    return true;
}

bool FxReader::arguments(ValueParser& in, Node& out) {
    if (!in.take("(")) return in.fail("Expected '(args = ' after the target");
    in.skipBlanks();
    if (!in.take("args")) return in.fail("Expected 'args = ' after the target");
    in.skipBlanks();
    if (!in.take("=")) return in.fail("Expected '=' after 'args'");
    in.skipBlanks();
    if (!in.take("(")) return in.fail("Expected '(' to open args");
    if (!positional(in, out)) return false;
    in.skipBlanks();
    if (!in.take(",")) return in.fail("Expected ', kwargs = {' after args");
    in.skipBlanks();
    if (!in.take("kwargs")) return in.fail("Expected 'kwargs = {' after args");
    in.skipBlanks();
    if (!in.take("=")) return in.fail("Expected '=' after 'kwargs'");
    in.skipBlanks();
    if (!in.take("{")) return in.fail("Expected '{' to open kwargs");
    in.skipBlanks();
    if (!in.fxKwargs(out.kwargs)) return false;
    in.skipBlanks();
    if (!in.take(")")) return in.fail("Expected ')' after kwargs");
    return true;
}

/// Texts have no quotes here, and the last argument of a functional collective is the name of its process group, "0".
void nameGroup(Node& node) {
    constexpr std::string_view functional = "torch.ops._c10d_functional", placed = "torch.ops._dtensor.";
    if (node.args.empty() || node.args.back().kind != Argument::Kind::Int) return;
    if (node.target.starts_with(functional) || node.target.starts_with(placed))
        node.args.back() = Argument::string(node.args.back().text);
}

bool FxReader::node(ValueParser& in, Node& out) {
    ++in.pos; // "%"
    out.name = in.takeName();
    if (out.name.empty()) return in.fail("Expected the name of a node after '%'");
    if (!typeAndUsers(in, out)) return false;
    in.skipBlanks();
    if (!in.take("=")) return in.fail("Expected '=' after the node '" + out.name + "'");
    in.skipBlanks();
    const std::size_t opAt = in.pos;
    const std::string_view name = in.takeName();
    const std::optional<Op> op = opFromName(name);
    if (!op) return in.fail("Expected an op such as call_function, found '" + std::string(name) + "'", opAt);
    out.op = *op;
    if (!target(in, out)) return false;
    if (out.op == Op::Placeholder) return defaultValue(in, out);
    // get_attr has no arguments, but no version minds them.
    if (out.op == Op::GetAttr && in.peek() != '(') return true;
    if (!arguments(in, out)) return false;
    nameGroup(out);
    return true;
}

bool FxReader::result(ValueParser& in, Node& out) {
    out.op = Op::Output;
    out.target = "output";
    out.name = "output";
    for (int suffix = 1; m_names.contains(out.name); ++suffix)
        out.name = "output_" + std::to_string(suffix);
    in.pos += std::string_view("return").size();
    in.skipBlanks();
    if (in.atEnd()) {
        out.args.push_back(Argument::none());
        return true;
    }
    return in.value(out.args.emplace_back(), Syntax::Python);
}

bool FxReader::statement(const Line& line) {
    ValueParser in(line.text, m_names);
    in.pos = line.indent();
    if (in.pos == 0) m_style.indented = false;
    Node out;
    out.sourceLine = line.number;
    const bool isNode = in.peek() == '%';
    const bool good = isNode ? node(in, out) : result(in, out);
    if (!good) return fail(line, in.failedAt, std::move(in.failure));
    in.skipBlanks();
    if (!in.atEnd())
        return fail(line, in.pos,
                    "Expected the end of the line after " + std::string(isNode ? "the node" : "the output"));
    add(std::move(out));
    return true;
}

// A string argument is printed without quotes and may hold line ends: one statement with the lines that
// continue it.
Line FxReader::joined(std::size_t& next) {
    constexpr std::size_t maxLines = 64;
    Line line = m_lines[next];
    std::string& text = m_joinedText.emplace_back(line.text);
    std::size_t end = next + 1;
    while (end < m_lines.size() && end - next < maxLines && !startsNode(m_lines[end].trimmed()) &&
           !startsReturn(m_lines[end].trimmed())) {
        text += '\n';
        text += m_lines[end++].text;
    }
    next = end - 1;
    line.text = text;
    return line;
}

Result<GraphPtr> FxReader::read(std::size_t& next) {
    if (!header(m_lines[next])) return tl::unexpected(m_error);
    ++next;
    // No more than this in advance: a text may open many graphs and hold the nodes of none.
    constexpr std::size_t mostReserved = 2048;
    const std::size_t expected = std::min(m_lines.size() - next, mostReserved);
    m_nodes.reserve(expected);
    m_names.reserve(expected);
    bool returned = false;
    for (; next < m_lines.size() && !returned; ++next) {
        const std::string_view text = m_lines[next].trimmed();
        if (text.empty()) break;
        returned = startsReturn(text);
        if (!returned && !startsNode(text))
            return tl::unexpected(
                errorAt(m_lines[next], m_lines[next].indent(), "Expected '%name = ...' or 'return'"));
        if (statement(m_lines[next])) continue;
        const Error first = m_error;
        std::size_t last = next;
        const Line longer = joined(last);
        if (last == next || !statement(longer)) return tl::unexpected(first);
        next = last;
    }
    if (!m_sawUsers) m_style.usersKey.clear();

    GraphBuilder builder;
    for (const std::shared_ptr<Node>& node : m_nodes)
        builder.add(NodePtr(node));
    GraphPtr graph = builder.setStyle(std::move(m_style)).build();
    // Counts that the graph itself gives are not kept, so that they stay right when a node is shared with
    // another.
    for (NodeIndex i = 0; i < graph->size(); ++i)
        if (m_nodes[i]->printedUsers == graph->users(i).size()) m_nodes[i]->printedUsers = UINT32_MAX;
    return graph;
}

} // namespace

Result<GraphPtr> readFxLines(std::span<const Line> lines, std::size_t& next, const TextTail& tail) {
    return FxReader(lines, tail).read(next);
}

} // namespace dynascope::ir
