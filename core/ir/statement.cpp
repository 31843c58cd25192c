// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/statement.h"

#include "core/base/python_text.h"
#include "core/ir/operators.h"

#include <utility>

namespace dynascope::ir {

namespace {

constexpr ValueStops operandStops{.blank = true, .colon = false};

/// "a.b.c" or getattr(a.b, "0").c: the root and the attributes behind it, joined by dots.
struct Path {
    std::string_view root;
    std::string attributes;
};

class StatementReader {
public:
    StatementReader(ValueParser& in, const NameSet& names, Assignment& out)
        : m_in(in)
        , m_names(names)
        , m_out(out)
        , m_node(out.node) {}

    bool read();

private:
    bool expression();
    bool structured();
    bool path(Path& out);
    bool attributes(Path& out);
    bool ofPath(const Path& path);
    bool called(const Path& path);
    bool unary();
    bool operand(Argument& out) { return m_in.value(out, Syntax::Python, operandStops); }
    bool subscript(Argument base);
    bool binary(Argument left);
    bool clears();
    bool mutation(std::string_view base);
    [[nodiscard]] bool ended() {
        m_in.skipBlanks();
        return m_in.atEnd() || m_in.peek() == ';';
    }
    void function(std::string_view target, std::vector<Argument> args) {
        m_node.op = Op::CallFunction;
        m_node.target = target;
        m_node.args = std::move(args);
    }
    [[nodiscard]] Argument named(std::string_view name) const { return Argument::node(std::string(name)); }

    ValueParser& m_in;
    const NameSet& m_names;
    Assignment& m_out;
    Node& m_node;
};

bool StatementReader::attributes(Path& out) {
    while (m_in.peek() == '.' && isNameStart(m_in.peek(1))) {
        ++m_in.pos;
        if (!out.attributes.empty()) out.attributes += '.';
        out.attributes += m_in.takeName();
    }
    // Names that are no identifiers: self.layers.0 as people write it, getattr(self.layers, "0") as FX does.
    while (m_in.peek() == '.' && isDigit(m_in.peek(1))) {
        ++m_in.pos;
        if (!out.attributes.empty()) out.attributes += '.';
        while (isNameChar(m_in.peek()) && !m_in.atEnd())
            out.attributes += m_in.text[m_in.pos++];
        if (!attributes(out)) return false;
    }
    return true;
}

bool StatementReader::path(Path& out) {
    constexpr std::string_view open = "getattr(";
    std::size_t wrapped = 0;
    while (m_in.take(open)) {
        if (++wrapped > maxArgumentDepth) return false;
    }
    out.root = m_in.takeName();
    if (out.root.empty() || !attributes(out)) return false;
    for (; wrapped > 0; --wrapped) {
        if (!m_in.take(", \"")) return false;
        const std::size_t end = m_in.text.find("\")", m_in.pos);
        if (end == std::string_view::npos) return false;
        if (!out.attributes.empty()) out.attributes += '.';
        out.attributes += m_in.text.substr(m_in.pos, end - m_in.pos);
        m_in.pos = end + 2;
        if (!attributes(out)) return false;
    }
    return true;
}

bool StatementReader::called(const Path& path) {
    if (path.root == "self" && !path.attributes.empty()) {
        m_node.op = Op::CallModule;
        m_node.target = path.attributes;
    } else if (!path.attributes.empty() && m_names.contains(path.root)) {
        m_node.op = Op::CallMethod;
        m_node.target = path.attributes;
        m_node.args.push_back(named(path.root));
    } else {
        m_node.op = Op::CallFunction;
        m_node.target = path.attributes.empty() ? targetOfCallee(path.root)
                                                : std::string(path.root) + '.' + path.attributes;
    }
    return m_in.callArguments(m_node.args, m_node.kwargs);
}

bool StatementReader::ofPath(const Path& path) {
    const bool isNode = m_names.contains(path.root);
    if (m_in.take("(")) {
        // The root of a method call may come from a part of the text that was not pasted.
        return called(path) && ended();
    }
    if (ended()) {
        if (path.root == "self" && !path.attributes.empty()) {
            m_node.op = Op::GetAttr;
            m_node.target = path.attributes;
            return true;
        }
        if (!path.attributes.empty() && isNode) {
            function(getattrTarget, {named(path.root), Argument::string(path.attributes)});
            return true;
        }
        if (path.attributes.empty()) {
            m_out.isRename = true;
            m_node.target = path.root;
            return true;
        }
        return false;
    }
    if (!path.attributes.empty()) return false;
    return m_in.peek() == '[' ? subscript(named(path.root)) : binary(named(path.root));
}

bool StatementReader::subscript(Argument base) {
    ++m_in.pos;
    Argument index;
    if (!m_in.value(index, Syntax::Python)) return false;
    m_in.skipBlanks();
    if (!m_in.take("]")) return false;
    function(getitemTarget, {std::move(base), std::move(index)});
    return ended();
}

bool StatementReader::unary() {
    for (const OperatorSpelling& entry : unaryOperators) {
        if (!m_in.take(entry.sign)) continue;
        Argument arg;
        if (!operand(arg)) return false;
        function(entry.target, {std::move(arg)});
        return ended();
    }
    return false;
}

bool StatementReader::binary(Argument left) {
    m_in.skipBlanks();
    for (const OperatorSpelling& entry : binaryOperators) {
        if (!m_in.take(entry.sign)) continue;
        m_in.skipBlanks();
        Argument right;
        if (!operand(right)) return false;
        function(entry.target, {std::move(left), std::move(right)});
        return ended();
    }
    return false;
}

bool StatementReader::structured() {
    const char c = m_in.peek();
    if (isNameStart(c)) {
        const std::size_t start = m_in.pos;
        const std::string_view word = m_in.takeName();
        const bool isWord = word == "inf" || word == "nan" || wordKind(word) != Argument::Kind::Raw;
        m_in.pos = start;
        const bool isLiteral = (isWord && !m_names.contains(word)) || word == "slice" || word == "device" ||
                               m_in.text.substr(start).starts_with("torch.Size(");
        if (!isLiteral) {
            Path found;
            if (path(found)) return ofPath(found);
            m_in.pos = start; // getattr(x, 'name', default) is a plain call
            found = {m_in.takeName(), {}};
            return attributes(found) && ofPath(found);
        }
    }
    const bool isSigned = c == '-' || c == '+' || c == '~';
    const bool signOfName = isSigned && (c == '~' || (!isDigit(m_in.peek(1)) && m_in.peek(1) != '.' &&
                                                      m_in.text.substr(m_in.pos + 1, 3) != "inf"));
    if (signOfName) return unary();
    const std::size_t start = m_in.pos;
    Argument left;
    if (!operand(left)) return false;
    // No statement is a number alone: what is "-0.5" was operator.neg of 0.5, as Dynamo has of an optimizer's rate.
    if (isSigned && ended()) {
        m_in.pos = start;
        return unary();
    }
    if (ended()) { // Dynamo's graphs have it where sizes were checked
        if (left.kind != Argument::Kind::Call || left.text != "torch.Size") return false;
        function("torch.Size", std::move(left.items));
        return true;
    }
    return m_in.peek() == '[' ? subscript(std::move(left)) : binary(std::move(left));
}

bool StatementReader::expression() {
    m_in.skipBlanks();
    const std::size_t start = m_in.pos;
    if (ended()) return m_in.fail("Expected an expression after '='");
    if (structured()) return true;
    // A call that is cut off or misspelt is an error; what is merely unknown to FX is kept.
    const std::string failure = std::exchange(m_in.failure, {});
    const std::size_t failedAt = m_in.failedAt;
    m_in.pos = start;
    const python::Walk walk =
        python::walkOutside(m_in.text, start, python::Quotes::Strings,
                            [](char c, std::size_t) { return c == ';' || python::isClose(c); });
    if (walk.openString != std::string_view::npos)
        return m_in.fail("Expected a closing quote", walk.openString);
    m_in.pos = walk.end;
    if (python::isClose(m_in.peek())) return m_in.fail("Unexpected '" + std::string(1, m_in.peek()) + "'");
    if (walk.openBrackets != 0)
        return m_in.fail(failure.empty() ? "Expected a closing bracket" : failure,
                         failure.empty() ? m_in.pos : failedAt);
    m_in.failure.clear();
    std::string_view text = m_in.text.substr(start, m_in.pos - start);
    while (text.ends_with(' '))
        text.remove_suffix(1);
    Node kept;
    kept.name = std::move(m_node.name);
    kept.typeExpr = std::move(m_node.typeExpr);
    kept.meta = std::move(m_node.meta);
    kept.args.push_back(Argument::raw(std::string(text)));
    m_node = std::move(kept);
    m_out.isRename = false;
    return true;
}

// ";  a = b = None", once or several times.
bool StatementReader::clears() {
    while (m_in.take(";")) {
        m_in.skipBlanks();
        if (m_in.atEnd()) return true;
        for (;;) {
            const std::string_view name = m_in.takeName();
            if (name.empty()) return m_in.fail("Expected 'name = None' after ';'");
            m_in.skipBlanks();
            if (name == "None") break;
            if (!m_in.take("=")) return m_in.fail("Expected '=' after '" + std::string(name) + "'");
            m_in.skipBlanks();
        }
        m_out.clears = true;
        m_in.skipBlanks();
    }
    return m_in.atEnd() || m_in.fail("Expected ';' or the end of the line");
}

// "x[i] = v;  setitem = x" and "x += v;  iadd = x", after the x.
bool StatementReader::mutation(std::string_view base) {
    std::string_view targetName;
    std::vector<Argument> args{named(base)};
    if (m_in.take("[")) {
        targetName = setitemTarget;
        if (!m_in.value(args.emplace_back(), Syntax::Python)) return false;
        m_in.skipBlanks();
        if (!m_in.take("]")) return m_in.fail("Expected ']' to close the index");
        m_in.skipBlanks();
        if (!m_in.take("=")) return m_in.fail("Expected '=' after the index");
    } else {
        for (const OperatorSpelling& entry : augmentedOperators) {
            if (!m_in.take(entry.sign)) continue;
            targetName = entry.target;
            break;
        }
        if (targetName.empty()) return m_in.fail("Expected '=' after '" + std::string(base) + "'");
    }
    m_in.skipBlanks();
    if (!m_in.value(args.emplace_back(), Syntax::Python)) return false;
    m_in.skipBlanks();
    function(targetName, std::move(args));
    if (!m_in.take(";"))
        return m_in.fail("Expected ';' and the name of the node after an assignment in place");
    m_in.skipBlanks();
    m_node.name = m_in.takeName();
    if (m_node.name.empty()) return m_in.fail("Expected the name of the node after ';'");
    if (!readAnnotation(m_in, m_node)) return false;
    m_in.skipBlanks();
    if (!m_in.take("=")) return m_in.fail("Expected '=' after '" + m_node.name + "'");
    m_in.skipBlanks();
    if (m_in.takeName() != base) return m_in.fail("Expected '" + std::string(base) + "' after '='");
    m_in.skipBlanks();
    return clears();
}

bool StatementReader::read() {
    const std::string_view name = m_in.takeName();
    if (name.empty()) return m_in.fail("Expected a statement of the form 'name = ...'");
    if (m_in.peek() == '[') return mutation(name);
    m_node.name = name;
    if (!readAnnotation(m_in, m_node)) return false;
    m_in.skipBlanks();
    if (m_in.peek() != '=' || m_in.peek(1) == '=') return mutation(name);
    ++m_in.pos;
    return expression() && clears();
}

} // namespace

bool readAssignment(ValueParser& in, const NameSet& names, Assignment& out) {
    return StatementReader(in, names, out).read();
}

namespace {

/// The type behind a colon that is no string.
std::string_view takeType(ValueParser& in) {
    const std::size_t start = in.pos;
    in.pos = python::findOutside(in.text, start, python::Quotes::Marks, [](char c) {
        return python::isClose(c) || std::string_view(",=#;").find(c) != std::string_view::npos;
    });
    std::string_view type = in.text.substr(start, in.pos - start);
    while (type.ends_with(' '))
        type.remove_suffix(1);
    return type;
}

} // namespace

bool readAnnotation(ValueParser& in, Node& out) {
    in.skipBlanks();
    if (!in.take(":")) return true;
    in.skipBlanks();
    if (python::isQuote(in.peek())) {
        std::string text;
        if (!in.takeString(text)) return false;
        out.meta = parseAnnotation(text);
        return true;
    }
    const std::size_t start = in.pos;
    out.typeExpr = takeType(in);
    return !out.typeExpr.empty() || in.fail("Expected a type after ':'", start);
}

bool skipAnnotation(ValueParser& in) {
    in.skipBlanks();
    if (!in.take(":")) return true;
    in.skipBlanks();
    if (!python::isQuote(in.peek())) return !takeType(in).empty();
    const std::size_t close = python::closingQuote(in.text, in.pos);
    if (close == std::string_view::npos) return false;
    in.pos = close + 1;
    return true;
}

} // namespace dynascope::ir
