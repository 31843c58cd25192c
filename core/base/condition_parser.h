// SPDX-License-Identifier: BSD-3-Clause
//
// What conditions have in common: words, quoted texts and signs, joined by and, or, not and brackets. A language of
// its own derives from ConditionParser and reads one test.
#pragma once

#include "core/base/result.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace dynascope {

/// Node has an `enum class Kind` with And, Or and Not, a `kind`, and `left` and `right`, pointers to constant nodes.
/// Errors name the column. For one text, once.
template <typename Node>
class ConditionParser {
public:
    using NodePtr = std::shared_ptr<const Node>;

    explicit ConditionParser(std::string_view text)
        : m_text(text) {
        advance();
    }
    ConditionParser(const ConditionParser&) = delete;
    ConditionParser& operator=(const ConditionParser&) = delete;
    virtual ~ConditionParser() = default;

    Result<NodePtr> whole() {
        NodePtr out = either(0);
        if (m_error.empty() && m_token.kind != Token::Kind::End)
            fail("'" + m_token.text + "' is not expected here");
        if (!m_error.empty())
            return tl::unexpected(
                Error{m_error + ", column " + std::to_string(m_errorColumn), "condition", 0, m_errorColumn});
        return out;
    }

protected:
    struct Token {
        enum class Kind { End, Word, Text, Sign } kind = Kind::End;
        std::string text;
        std::size_t column = 0;
    };

    /// One test, at the current token. After fail() it may give anything.
    virtual NodePtr test() = 0;

    void fail(std::string why) {
        if (!m_error.empty()) return;
        m_error = std::move(why);
        m_errorColumn = m_token.column;
    }

    void advance() {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t'))
            ++m_at;
        m_token = {Token::Kind::End, {}, m_at + 1};
        if (m_at >= m_text.size()) return;
        const char c = m_text[m_at];
        const std::size_t begin = m_at;
        if (c == '"' || c == '\'') {
            const std::size_t end = m_text.find(c, m_at + 1);
            m_token.kind = Token::Kind::Text;
            m_token.text = m_text.substr(m_at + 1, end == std::string_view::npos ? end : end - m_at - 1);
            m_at = end == std::string_view::npos ? m_text.size() : end + 1;
            if (end == std::string_view::npos) fail("the quotation has no end");
        } else if (isWordPart(c)) {
            while (m_at < m_text.size() && isWordPart(m_text[m_at]))
                ++m_at;
            m_token.kind = Token::Kind::Word;
            m_token.text = m_text.substr(begin, m_at - begin);
        } else {
            const std::string_view two = m_text.substr(m_at, 2);
            const bool pair = two == "==" || two == "!=" || two == "<=" || two == ">=";
            m_at += pair ? 2 : 1;
            m_token.kind = Token::Kind::Sign;
            m_token.text = m_text.substr(begin, m_at - begin);
        }
    }

    [[nodiscard]] bool at(std::string_view text) const {
        return m_token.kind != Token::Kind::Text && m_token.text == text;
    }
    bool take(std::string_view text) {
        if (m_token.kind == Token::Kind::End || !at(text)) return false;
        advance();
        return true;
    }

    static NodePtr join(Node::Kind kind, NodePtr left, NodePtr right) {
        auto out = std::make_shared<Node>();
        out->kind = kind;
        out->left = std::move(left);
        out->right = std::move(right);
        return out;
    }

    void operand(std::string& text, bool& quoted) {
        if (m_token.kind != Token::Kind::Word && m_token.kind != Token::Kind::Text) {
            fail(m_token.kind == Token::Kind::End ? "something is missing at the end"
                                                  : "'" + m_token.text + "' is not expected here");
            return;
        }
        quoted = m_token.kind == Token::Kind::Text;
        text = m_token.text;
        advance();
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    Token m_token;

private:
    static constexpr int deepest = 100;

    [[nodiscard]] static bool isWordPart(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '.' || c == '-' || c == '$' || static_cast<unsigned char>(c) >= 128;
    }

    // A chain grows to the left: as deep as it is long. So its length is bounded as well.
    NodePtr either(int depth) {
        NodePtr out = both(depth);
        for (int links = 0; m_error.empty() && take("or"); ++links) {
            if (links == deepest) fail("too many parts");
            out = join(Node::Kind::Or, std::move(out), both(depth));
        }
        return out;
    }

    NodePtr both(int depth) {
        NodePtr out = one(depth);
        for (int links = 0; m_error.empty() && take("and"); ++links) {
            if (links == deepest) fail("too many parts");
            out = join(Node::Kind::And, std::move(out), one(depth));
        }
        return out;
    }

    NodePtr one(int depth) {
        if (depth >= deepest) fail("nested too deeply");
        if (!m_error.empty()) return nullptr;
        if (take("not")) return join(Node::Kind::Not, one(depth + 1), nullptr);
        if (take("(")) {
            NodePtr out = either(depth + 1);
            if (!take(")")) fail("')' is missing");
            return out;
        }
        return test();
    }

    std::string m_error;
    std::size_t m_errorColumn = 0;
};

} // namespace dynascope
