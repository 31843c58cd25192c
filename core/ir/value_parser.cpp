// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/value_parser.h"

#include "core/base/python_text.h"

#include <algorithm>

namespace dynascope::ir {

namespace {

using Kind = Argument::Kind;

using python::isClose;
using python::isOpen;
using python::isQuote;

/// Position after "<function f at 0x7f, (a, b)>" if the text has such an object at `pos`, else `pos`.
std::size_t afterAngles(std::string_view text, std::size_t pos) {
    if (pos >= text.size() || text[pos] != '<') return pos;
    constexpr std::size_t longest = 1000;
    const std::size_t end = std::min(text.size(), pos + longest);
    std::size_t depth = 0;
    for (std::size_t i = pos; i < end; ++i) {
        if (text[i] == '<') ++depth;
        if (text[i] == '>' && text[i - 1] != '-' && --depth == 0) return i + 1;
    }
    return pos;
}

/// FX text does not quote strings, so there a comma counts only before a blank or a closing bracket ("bld,eld->ble"
/// is one string).
bool commaEnds(std::string_view text, std::size_t at, Syntax syntax) {
    return syntax == Syntax::Python || at + 1 >= text.size() || text[at + 1] == ' ' || isClose(text[at + 1]);
}

} // namespace

bool ValueParser::fail(std::string message, std::size_t at) {
    failure = std::move(message);
    failedAt = std::min(at, text.size());
    return false;
}

std::string_view ValueParser::takeName() {
    if (!isNameStart(peek()) || atEnd()) return {};
    const std::size_t start = pos;
    while (pos < text.size() && isNameChar(text[pos]))
        ++pos;
    return text.substr(start, pos - start);
}

bool ValueParser::takeString(std::string& out) {
    const std::size_t start = pos;
    const char quote = peek();
    out.clear();
    for (std::size_t i = pos + 1; i < text.size();) {
        if (text[i] == quote) {
            pos = i + 1;
            return true;
        }
        if (text[i] == '\\') {
            i = python::appendEscape(text, i, python::Literal::Str, out);
            continue;
        }
        const std::size_t plain = i;
        while (i < text.size() && text[i] != quote && text[i] != '\\')
            ++i;
        out.append(text, plain, i - plain);
    }
    return fail("Expected a closing quote", start);
}

bool ValueParser::atStop(Syntax syntax, ValueStops stops) const {
    std::size_t i = pos;
    if (stops.blank && i < text.size() && text[i] == ' ') return true;
    while (i < text.size() && text[i] == ' ')
        ++i;
    if (i >= text.size()) return true;
    const char c = text[i];
    if (c == ',') return commaEnds(text, i, syntax);
    return isClose(c) || (c == ';' && syntax == Syntax::Python) || (c == ':' && stops.colon);
}

// The text up to what ends a value. In FX text quotes mean nothing.
std::string_view ValueParser::token(Syntax syntax, ValueStops stops) {
    const std::size_t start = pos;
    const bool isPython = syntax == Syntax::Python;
    const auto ends = [&](char c, std::size_t at) {
        if (c == ',') return commaEnds(text, at, syntax);
        return isClose(c) || (c == ';' && isPython) || (c == ':' && stops.colon) || (c == ' ' && stops.blank);
    };
    const python::Quotes quotes = isPython ? python::Quotes::Strings : python::Quotes::Marks;
    pos = python::walkOutside(text, afterAngles(text, pos), quotes, ends).end;
    return text.substr(start, pos - start);
}

bool ValueParser::value(Argument& out, Syntax syntax, ValueStops stops) {
    if (m_depth >= maxArgumentDepth) return fail("Expected at most 200 levels of brackets");
    const std::size_t start = pos;
    const char c = peek();
    if (c == '%' && syntax == Syntax::Fx) {
        ++pos;
        const std::string_view name = takeName();
        if (!name.empty() && atStop(syntax, stops)) {
            out.kind = Kind::NodeRef;
            out.text = name;
            return true;
        }
    } else if (isOpen(c)) {
        bool isValue = false;
        if (!compound(out, syntax, isValue)) return false;
        if (isValue && atStop(syntax, stops)) return true;
        out = {};
    }
    pos = start;
    const std::string_view whole = token(syntax, stops);
    const std::string_view word = whole.substr(0, whole.find_last_not_of(' ') + 1);
    if (word.empty()) {
        const bool emptyString = syntax == Syntax::Fx && !stops.colon && !atEnd();
        if (!emptyString) return fail("Expected a value", start);
        out.kind = Kind::String;
        return true;
    }
    classify(word, out, syntax);
    // Blanks at the end of a string without quotes belong to it.
    if (syntax == Syntax::Fx && out.kind == Kind::String && out.spelling.empty()) out.text = whole;
    return true;
}

bool ValueParser::compound(Argument& out, Syntax syntax, bool& isValue) {
    const char open = text[pos++];
    ++m_depth;
    bool good = false;
    bool trailingComma = false;
    isValue = true;
    if (open == '(') {
        out.kind = Kind::Tuple;
        good = items(out.items, syntax, ')', "the tuple", &trailingComma);
        isValue = out.items.size() != 1 || trailingComma;
    } else if (open == '[') {
        out.kind = Kind::List;
        good = items(out.items, syntax, ']', "the list");
    } else {
        good = braces(out, syntax);
    }
    --m_depth;
    return good;
}

bool ValueParser::items(std::vector<Argument>& out, Syntax syntax, char close, std::string_view what,
                        bool* trailingComma) {
    const auto expected = [&] {
        return std::string("Expected '") + close + "' to close " + std::string(what);
    };
    skipBlanks();
    while (peek() != close || atEnd()) {
        if (atEnd() || isClose(peek())) return fail(expected());
        if (!value(out.emplace_back(), syntax)) return false;
        skipBlanks();
        if (peek() == ',') {
            ++pos;
            skipBlanks();
            if (trailingComma != nullptr) *trailingComma = peek() == close;
        } else if (atEnd() || peek() != close) {
            return fail(expected());
        }
    }
    ++pos;
    return true;
}

bool ValueParser::braces(Argument& out, Syntax syntax) {
    skipBlanks();
    out.kind = Kind::Dict;
    if (take("}")) return true;
    const std::size_t start = pos;
    Argument first;
    if (!value(first, syntax, {.blank = false, .colon = true})) return false;
    skipBlanks();
    if (take(":")) {
        out.items.push_back(std::move(first));
        return pairs(out, syntax);
    }
    if (peek() != ',' && peek() != '}') return fail("Expected '}' to close the dict");
    // A set prints its members by repr() even in FX text.
    pos = start;
    out.kind = Kind::Set;
    return items(out.items, Syntax::Python, '}', "the set");
}

// The rest of a dict whose first key has been read.
bool ValueParser::pairs(Argument& out, Syntax syntax) {
    for (;;) {
        skipBlanks();
        if (!value(out.items.emplace_back(), syntax)) return false;
        skipBlanks();
        if (take("}")) return true;
        if (!take(",")) return fail("Expected '}' to close the dict");
        skipBlanks();
        if (take("}")) return true;
        if (!value(out.items.emplace_back(), syntax, {.blank = false, .colon = true})) return false;
        skipBlanks();
        if (!take(":")) return fail("Expected ':' after a key of the dict");
    }
}

void ValueParser::classify(std::string_view word, Argument& out, Syntax syntax) {
    out.kind = wordKind(word);
    if (out.kind == Kind::None) return;
    if (out.kind == Kind::Ellipsis) {
        if (word != "Ellipsis") out.spelling = word;
        return;
    }
    const bool isBareName = isName(word);
    if (isBareName && syntax == Syntax::Python && m_names.contains(word)) out.kind = Kind::NodeRef;
    if (out.kind != Kind::Raw) {
        out.text = word;
        return;
    }
    if (isQuote(word.front())) {
        ValueParser literal(word, m_names);
        if (literal.takeString(out.text) && literal.atEnd()) {
            out.kind = Kind::String;
            if (syntax == Syntax::Fx || pythonRepr(out.text) != word) out.spelling = word;
            return;
        }
        out.text.clear();
    }
    if (call(word, out, syntax)) return;
    out.text = word;
    if (syntax == Syntax::Python) {
        // A name that nothing defines is a lost node in code, but an enum or a dtype inside a constructor.
        if (isBareName && !m_insideCall) out.kind = Kind::NodeRef;
    } else if (isDeviceWord(word)) {
        out.kind = Kind::Device;
    } else if (word.front() != '<' && word.front() != '%' && !word.starts_with("torch.") &&
               !word.starts_with("aten.") && !word.starts_with("prims.")) {
        out.kind = Kind::String;
    }
}

} // namespace dynascope::ir
