// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/signature.h"

#include "core/base/text.h"
#include "core/ir/statement.h"

#include <utility>

namespace dynascope::ir {

namespace {

class SignatureReader {
public:
    SignatureReader(std::span<const Line> lines, std::size_t& next, Signature& out, Error& error)
        : m_lines(lines)
        , m_next(next)
        , m_out(out)
        , m_error(error) {}

    bool read();

private:
    bool parameters(ValueParser& in);
    bool parameter(ValueParser& in);
    bool returnAnnotation(ValueParser& in);
    bool fail(const Line& line, std::size_t at, std::string message) {
        m_error = errorAt(line, at, std::move(message));
        return false;
    }
    bool fail(ValueParser& in) { return fail(m_lines[m_next], in.failedAt, std::move(in.failure)); }

    std::span<const Line> m_lines;
    std::size_t& m_next;
    Signature& m_out;
    Error& m_error;
    NameSet m_names; ///< defaults read no node
};

bool SignatureReader::read() {
    const Line& line = m_lines[m_next];
    ValueParser in(line.text, m_names);
    in.pos = line.indent() + std::string_view("def ").size();
    in.skipBlanks();
    if (in.takeName().empty()) return fail(line, in.pos, "Expected the name of the function after 'def'");
    in.skipBlanks();
    if (!in.take("(")) return fail(line, in.pos, "Expected '(' after the name of the function");
    in.skipBlanks();
    m_out.expanded = in.atEnd();
    if (!parameters(in) || !returnAnnotation(in)) return fail(in);
    return true;
}

bool SignatureReader::parameters(ValueParser& in) {
    bool first = true;
    bool afterComma = true;
    for (;;) {
        in.skipBlanks();
        if (in.take("#")) {
            if (!m_out.parameters.empty()) m_out.parameters.back().comment = trimmed(in.text.substr(in.pos));
            in.pos = in.text.size();
        }
        if (in.atEnd()) {
            if (!nextLine(m_lines, m_next, in)) return in.fail("Expected ')' to close the signature");
            continue;
        }
        if (in.take(")")) return true;
        if (!afterComma) return in.fail("Expected ',' or ')' after a parameter");
        const bool isSelf = first && in.text.substr(in.pos).starts_with("self") && !isNameChar(in.peek(4));
        if (isSelf)
            in.pos += 4;
        else if (!parameter(in))
            return false;
        first = false;
        in.skipBlanks();
        afterComma = in.take(",");
    }
}

bool SignatureReader::parameter(ValueParser& in) {
    const std::size_t start = in.pos;
    while (in.take("*")) {
    }
    Node node;
    node.op = Op::Placeholder;
    node.name = in.takeName();
    if (node.name.empty()) return in.fail("Expected the name of a parameter");
    node.target = in.text.substr(start, in.pos - start);
    node.sourceLine = m_lines[m_next].number;
    if (!readAnnotation(in, node)) return false;
    in.skipBlanks();
    if (in.take("=")) {
        in.skipBlanks();
        if (!in.value(node.args.emplace_back(), Syntax::Python)) return false;
    }
    m_out.parameters.push_back(std::move(node));
    return true;
}

bool SignatureReader::returnAnnotation(ValueParser& in) {
    const std::size_t start = in.pos;
    in.skipBlanks();
    if (in.take("->")) {
        const std::size_t colon = in.text.rfind(':');
        if (colon == std::string_view::npos || colon < in.pos)
            return in.fail("Expected ':' after the signature", in.text.size());
        m_out.returnAnnotation = in.text.substr(start, colon - start);
        in.pos = colon;
    }
    if (!in.take(":")) return in.fail("Expected ':' after the signature");
    in.skipBlanks();
    return in.atEnd() || in.peek() == '#' || in.fail("Expected the end of the line after the signature");
}

} // namespace

bool readSignature(std::span<const Line> lines, std::size_t& next, Signature& out, Error& error) {
    return SignatureReader(lines, next, out, error).read();
}

bool nextLine(std::span<const Line> lines, std::size_t& next, ValueParser& in) {
    in.pos = in.text.size();
    if (next + 1 >= lines.size()) return false;
    ++next;
    in.text = lines[next].text;
    in.pos = lines[next].indent();
    return true;
}

} // namespace dynascope::ir
