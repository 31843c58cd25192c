// SPDX-License-Identifier: BSD-3-Clause
//
// Keyword arguments and constructors: the parts of ValueParser that look like calls.
#include "core/ir/value_parser.h"

#include <algorithm>
#include <utility>

namespace dynascope::ir {

namespace {

using Kind = Argument::Kind;

} // namespace

bool ValueParser::startsKeyword() {
    const std::size_t start = pos;
    skipBlanks();
    const bool found = !takeName().empty() && peek() == ':';
    pos = start;
    return found;
}

bool ValueParser::fxKwargs(std::vector<std::pair<std::string, Argument>>& kwargs) {
    while (peek() != '}') {
        const std::string_view key = takeName();
        if (key.empty()) return fail(atEnd() ? "Expected '}' to close kwargs" : "Expected a keyword");
        if (!take(":")) return fail("Expected ':' after the keyword '" + std::string(key) + "'");
        skipBlanks();
        const std::size_t start = pos;
        Argument& out = kwargs.emplace_back(std::string(key), Argument{}).second;
        if (!value(out, Syntax::Fx)) return false;
        // A comma that no keyword follows belongs to a string, which is printed without quotes.
        while (out.kind == Kind::String && peek() == ',') {
            ++pos;
            if (startsKeyword()) {
                --pos;
                break;
            }
            static_cast<void>(token(Syntax::Fx, {}));
            out.text = text.substr(start, pos - start);
        }
        skipBlanks();
        if (take(","))
            skipBlanks();
        else if (peek() != '}')
            return fail("Expected '}' to close kwargs");
    }
    ++pos;
    return true;
}

bool ValueParser::callArguments(std::vector<Argument>& args,
                                std::vector<std::pair<std::string, Argument>>& kwargs) {
    skipBlanks();
    while (peek() != ')') {
        if (atEnd()) return fail("Expected ')' to close the call");
        const std::size_t start = pos;
        const std::string_view key = takeName();
        skipBlanks();
        if (!key.empty() && peek() == '=' && peek(1) != '=') {
            ++pos;
            skipBlanks();
            auto& entry = kwargs.emplace_back(std::string(key), Argument{});
            if (!value(entry.second, Syntax::Python)) return false;
        } else {
            pos = start;
            if (!value(args.emplace_back(), Syntax::Python)) return false;
        }
        skipBlanks();
        if (take(","))
            skipBlanks();
        else if (peek() != ')')
            return fail("Expected ')' to close the call");
    }
    ++pos;
    return true;
}

// Items of a constructor inside an argument, up to and with ")".
bool ValueParser::callItems(std::vector<Argument>& out) {
    std::vector<std::pair<std::string, Argument>> kwargs;
    if (!callArguments(out, kwargs)) return false;
    for (auto& [key, keyValue] : kwargs) {
        Argument keyword{Kind::Keyword, key, {}, {}};
        keyword.items.push_back(std::move(keyValue));
        out.push_back(std::move(keyword));
    }
    return true;
}

bool ValueParser::call(std::string_view word, Argument& out, Syntax syntax) {
    const std::size_t open = word.find('(');
    if (open == 0 || open == std::string_view::npos || word.back() != ')') return false;
    const std::string_view callee = word.substr(0, open);
    if (!isNameStart(callee.front()) ||
        !std::all_of(callee.begin(), callee.end(), [](char c) { return isNameChar(c) || c == '.'; }))
        return false;

    ValueParser inner(word, m_names);
    inner.pos = open + 1;
    inner.m_depth = m_depth + 1;
    inner.m_insideCall = callee != "slice";
    Argument call{Kind::Call, std::string(callee), {}, {}};
    if (inner.m_depth >= maxArgumentDepth || !inner.callItems(call.items) || !inner.atEnd()) return false;

    const auto isString = [](const Argument& a) { return a.kind == Kind::String; };
    if (callee == "slice" && call.items.size() == 3) {
        call.kind = Kind::Slice;
        call.text.clear();
    } else if (callee == "device" && !call.items.empty() && call.items[0].kind == Kind::Keyword &&
               isString(call.items[0].items[0])) {
        std::string device = call.items[0].items[0].text;
        if (call.items.size() == 2 && call.items[1].kind == Kind::Keyword)
            device += ':' + call.items[1].items[0].text;
        call = {Kind::Device, std::move(device), {}, {}};
    }
    if (call.toString(syntax == Syntax::Fx ? "%" : "") != word) call.spelling = word;
    out = std::move(call);
    return true;
}

} // namespace dynascope::ir
