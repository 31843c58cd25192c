// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/dot_text.h"

#include "core/ir/value_parser.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <utility>

namespace dynascope::ir {

namespace {

/// The words and marks of the DOT language.
class Tokens {
public:
    explicit Tokens(std::string_view text)
        : m_text(text) {}

    struct Token {
        enum class Kind : std::uint8_t { End, Id, Mark, Arrow, Bad } kind = Kind::End;
        std::string text; ///< of an Id without quotes; of a Mark its character
        [[nodiscard]] bool isMark(char c) const { return kind == Kind::Mark && text.front() == c; }
        [[nodiscard]] bool isWord(std::string_view word) const { return kind == Kind::Id && text == word; }
    };

    [[nodiscard]] const Token& peek() {
        if (!m_peeked) m_peeked = read();
        return *m_peeked;
    }
    Token take() {
        Token out = peek();
        m_peeked.reset();
        return out;
    }
    [[nodiscard]] std::size_t line() const { return m_line; }

private:
    void skip() {
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            const std::string_view rest = m_text.substr(m_at);
            if (c == '#' || rest.starts_with("//")) {
                m_at = std::min(m_text.find('\n', m_at), m_text.size());
            } else if (rest.starts_with("/*")) {
                const std::size_t end = std::min(m_text.find("*/", m_at + 2), m_text.size() - 2);
                m_line += static_cast<std::size_t>(
                    std::count(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(end - m_at), '\n'));
                m_at = end + 2;
            } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
                m_line += c == '\n' ? 1 : 0;
                ++m_at;
            } else {
                return;
            }
        }
    }

    Token read() {
        skip();
        using Kind = Token::Kind;
        if (m_at >= m_text.size()) return {};
        const char c = m_text[m_at];
        if (c == '"') return quoted();
        const std::string_view pair = m_text.substr(m_at, 2);
        if (pair == "->" || pair == "--") {
            m_at += 2;
            return {Kind::Arrow, std::string(pair)};
        }
        if (std::string_view("{}[]=;,:").find(c) != std::string_view::npos) {
            ++m_at;
            return {Kind::Mark, std::string(1, c)};
        }
        std::size_t end = m_at;
        while (end < m_text.size() &&
               (isNameChar(m_text[end]) || m_text[end] == '.' || (m_text[end] == '-' && end == m_at)))
            ++end;
        if (end == m_at) return {Kind::Bad, {}};
        Token out{Kind::Id, std::string(m_text.substr(m_at, end - m_at))};
        m_at = end;
        return out;
    }

    /// In a quoted text only \" is undone; other escapes belong to labels.
    Token quoted() {
        Token out{Token::Kind::Id, {}};
        for (++m_at; m_at < m_text.size(); ++m_at) {
            const char c = m_text[m_at];
            if (c == '"') {
                ++m_at;
                return out;
            }
            if (c == '\n') ++m_line;
            if (c == '\\' && m_at + 1 < m_text.size()) {
                if (m_text[m_at + 1] != '"') out.text += c;
                out.text += m_text[++m_at];
            } else {
                out.text += c;
            }
        }
        out.kind = Token::Kind::Bad;
        return out;
    }

    std::string_view m_text;
    std::size_t m_at = 0, m_line = 1;
    std::optional<Token> m_peeked;
};

class DotReader {
public:
    DotReader(std::string_view text, DotListener& listener)
        : m_tokens(text)
        , m_listener(listener) {}

    [[nodiscard]] Result<DotText> run() {
        DotText out;
        if (m_tokens.peek().isWord("strict")) m_tokens.take();
        if (!m_tokens.take().isWord("digraph")) return fail("Expected 'digraph'");
        if (m_tokens.peek().kind == Kind::Id) out.name = m_tokens.take().text;
        if (!m_tokens.take().isMark('{')) return fail("Expected '{'");
        std::string subgraph; // its name, until its brace
        for (std::size_t depth = 1; depth > 0;) {
            const Token token = m_tokens.take();
            if (token.kind == Kind::End || token.kind == Kind::Bad)
                return fail("Expected a node, an edge or '}'");
            if (token.isMark('{')) {
                ++depth;
                m_listener.onBegin(std::exchange(subgraph, {}));
            } else if (token.isMark('}')) {
                if (--depth > 0) m_listener.onEnd();
            } else if (token.kind == Kind::Id) {
                if (token.text == "subgraph") {
                    if (m_tokens.peek().kind == Kind::Id) subgraph = m_tokens.take().text;
                } else if (!statement(token.text)) {
                    return fail("Expected the attributes of a node or an edge");
                }
            } else if (!token.isMark(';')) {
                return fail("Expected a node, an edge or '}'");
            }
        }
        out.line = m_tokens.line();
        return out;
    }

private:
    using Token = Tokens::Token;
    using Kind = Token::Kind;

    [[nodiscard]] tl::unexpected<Error> fail(std::string message) const {
        return failure(std::move(message), {}, m_tokens.line());
    }

    /// "a -> b -> c [..]", "a [..]", "key = value", "node [..]".
    bool statement(std::string id) {
        DotStatement out{{std::move(id)}, {}};
        skipPort();
        if (m_tokens.peek().isMark('=')) {
            m_tokens.take();
            return m_tokens.take().kind == Kind::Id;
        }
        while (m_tokens.peek().kind == Kind::Arrow) {
            m_tokens.take();
            Token next = m_tokens.take();
            if (next.kind != Kind::Id) return false;
            out.chain.push_back(std::move(next.text));
            skipPort();
        }
        if (m_tokens.peek().isMark('[') && !attributes(out.label)) return false;
        const std::string& first = out.chain.front();
        const bool isDefault = out.isNode() && (first == "graph" || first == "node" || first == "edge");
        if (!isDefault) m_listener.onStatement(std::move(out));
        return true;
    }
    void skipPort() {
        while (m_tokens.peek().isMark(':')) {
            m_tokens.take();
            if (m_tokens.peek().kind == Kind::Id) m_tokens.take();
        }
    }
    bool attributes(std::string& label) {
        m_tokens.take();
        while (true) {
            Token key = m_tokens.take();
            if (key.isMark(']')) return true;
            if (key.isMark(',') || key.isMark(';')) continue;
            if (key.kind != Kind::Id) return false;
            if (!m_tokens.peek().isMark('=')) continue;
            m_tokens.take();
            Token value = m_tokens.take();
            if (value.kind != Kind::Id) return false;
            if (key.text == "label") label = std::move(value.text);
        }
    }

    Tokens m_tokens;
    DotListener& m_listener;
};

} // namespace

Result<DotText> readDot(std::string_view text, DotListener& listener) {
    return DotReader(text, listener).run();
}

} // namespace dynascope::ir
