// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/dot_graph.h"

#include "core/base/text.h"
#include "core/ir/value_parser.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dynascope::capture {

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
               (ir::isNameChar(m_text[end]) || m_text[end] == '.' || (m_text[end] == '-' && end == m_at)))
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

/// The fields of a record label: "{name=%add|op_code=call_function\n|target=...|args=(3,)|num_users=2\n}".
std::map<std::string, std::string> fieldsOf(std::string_view label) {
    std::vector<std::string> parts(1);
    for (std::size_t i = 0; i < label.size(); ++i) {
        const char c = label[i];
        if (c == '\\' && i + 1 < label.size()) {
            const char escaped = label[++i];
            if (std::string_view("nlr").find(escaped) == std::string_view::npos)
                parts.back() += escaped;
            else
                parts.back() += ' ';
        } else if (c == '|') {
            parts.emplace_back();
        } else if (c != '{' && c != '}') {
            parts.back() += c == '\n' ? ' ' : c;
        }
    }
    std::map<std::string, std::string> out;
    for (const std::string& part : parts) {
        const std::size_t equals = part.find('=');
        if (equals != std::string::npos)
            out.emplace(trimmed(std::string_view(part).substr(0, equals)),
                        trimmed(std::string_view(part).substr(equals + 1)));
    }
    return out;
}

/// "(4, 5)" as "4", "5".
std::vector<std::string> sizes(std::string_view text) {
    std::vector<std::string> out;
    if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        const std::string_view size = trimmed(text.substr(0, comma));
        if (!size.empty()) out.emplace_back(size);
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    }
    return out;
}

std::optional<ir::ValueMeta> metaOf(const std::map<std::string, std::string>& fields) {
    const auto dtype = fields.find("dtype"), shape = fields.find("shape"), stride = fields.find("stride");
    if (dtype == fields.end() || shape == fields.end()) return std::nullopt;
    ir::TensorMeta tensor;
    tensor.dtype = ir::shortDtype(dtype->second);
    tensor.sizes = sizes(shape->second);
    if (stride != fields.end()) tensor.strides = sizes(stride->second);
    return ir::ValueMeta{std::move(tensor), {}};
}

/// "cap.py:44 y = y + 3".
std::shared_ptr<const ir::StackTrace> stackOf(std::string_view file) {
    const std::size_t colon = file.find(':');
    if (colon == std::string_view::npos) return nullptr;
    ir::SourceLocation at;
    at.file = file.substr(0, colon);
    const std::string_view rest = file.substr(colon + 1);
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), at.line);
    if (error != std::errc()) return nullptr;
    at.code = trimmed(rest.substr(static_cast<std::size_t>(end - rest.data())));
    return std::make_shared<const ir::StackTrace>(ir::StackTrace{std::move(at)});
}

class DotReader {
public:
    explicit DotReader(std::string_view text)
        : m_tokens(text) {}

    [[nodiscard]] Result<ir::GraphPtr> run() {
        if (m_tokens.peek().isWord("strict")) m_tokens.take();
        if (!m_tokens.take().isWord("digraph")) return fail("Expected 'digraph'");
        if (m_tokens.peek().kind == Kind::Id) m_name = m_tokens.take().text;
        if (!m_tokens.take().isMark('{')) return fail("Expected '{'");
        for (std::size_t depth = 1; depth > 0;) {
            const Token token = m_tokens.take();
            if (token.kind == Kind::End || token.kind == Kind::Bad)
                return fail("Expected a node, an edge or '}'");
            if (token.isMark('{')) {
                ++depth;
            } else if (token.isMark('}')) {
                --depth;
            } else if (token.kind == Kind::Id) {
                if (token.text == "subgraph") {
                    if (m_tokens.peek().kind == Kind::Id) m_tokens.take();
                } else if (!statement(token.text)) {
                    return fail("Expected the attributes of a node or an edge");
                }
            } else if (!token.isMark(';')) {
                return fail("Expected a node, an edge or '}'");
            }
        }
        return build();
    }

private:
    using Token = Tokens::Token;
    using Kind = Token::Kind;

    struct Drawn {
        std::string id;
        std::map<std::string, std::string> fields;
        std::vector<std::size_t> inputs; ///< of m_nodes, in the order of the edges
    };

    [[nodiscard]] tl::unexpected<Error> fail(std::string message) const {
        return failure(std::move(message), {}, m_tokens.line());
    }

    /// "a -> b -> c [..]", "a [..]", "key = value", "node [..]".
    bool statement(std::string id) {
        std::vector<std::string> chain = {std::move(id)};
        skipPort();
        if (m_tokens.peek().isMark('=')) {
            m_tokens.take();
            return m_tokens.take().kind == Kind::Id;
        }
        while (m_tokens.peek().kind == Kind::Arrow) {
            m_tokens.take();
            Token next = m_tokens.take();
            if (next.kind != Kind::Id) return false;
            chain.push_back(std::move(next.text));
            skipPort();
        }
        std::string label;
        if (m_tokens.peek().isMark('[') && !attributes(label)) return false;
        for (std::size_t i = 1; i < chain.size(); ++i)
            m_edges.emplace_back(chain[i - 1], chain[i]);
        const bool isDefault = chain.front() == "graph" || chain.front() == "node" || chain.front() == "edge";
        if (chain.size() > 1 || isDefault || label.find("op_code=") == std::string::npos) return true;
        if (m_index.try_emplace(chain.front(), m_nodes.size()).second)
            m_nodes.push_back({chain.front(), fieldsOf(label), {}});
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

    [[nodiscard]] Result<ir::GraphPtr> build() {
        if (m_nodes.empty()) return fail("The drawing has no node of an FX graph");
        for (const auto& [from, to] : m_edges) {
            const auto a = m_index.find(from), b = m_index.find(to);
            if (a == m_index.end() || b == m_index.end()) continue;
            std::vector<std::size_t>& inputs = m_nodes[b->second].inputs;
            if (inputs.empty() || inputs.back() != a->second) inputs.push_back(a->second);
        }
        ir::GraphBuilder builder;
        builder.setName(m_name);
        for (const Drawn& drawn : m_nodes)
            builder.add(nodeOf(drawn));
        return builder.build();
    }

    [[nodiscard]] std::string nameOf(const Drawn& drawn) const {
        const auto name = drawn.fields.find("name");
        if (name == drawn.fields.end()) return drawn.id;
        return name->second.starts_with('%') ? name->second.substr(1) : name->second;
    }

    [[nodiscard]] ir::Node nodeOf(const Drawn& drawn) const {
        const auto field = [&](const char* key) {
            const auto found = drawn.fields.find(key);
            return found == drawn.fields.end() ? std::string() : found->second;
        };
        ir::Node node;
        node.name = nameOf(drawn);
        node.op = ir::opFromName(field("op_code")).value_or(ir::Op::CallFunction);
        node.target = field("target");
        node.meta = metaOf(drawn.fields);
        node.stack = stackOf(field("file"));
        for (const std::size_t input : drawn.inputs)
            node.args.push_back(ir::Argument::node(nameOf(m_nodes[input])));
        if (node.op == ir::Op::Output) { // what is returned is one tuple
            node.args = {ir::Argument::tuple(std::move(node.args))};
            return node;
        }
        if (std::string args = field("args"); args.starts_with('(')) {
            const ir::NameSet names;
            ir::ValueParser parser(args, names);
            parser.pos = 1;
            std::vector<ir::Argument> values;
            if (parser.items(values, ir::Syntax::Fx, ')', "arguments"))
                node.args.insert(node.args.end(), values.begin(), values.end());
            else
                node.args.push_back(ir::Argument::raw(std::move(args)));
        }
        if (const std::string kwargs = field("kwargs"); kwargs.starts_with('{')) {
            const ir::NameSet names;
            ir::ValueParser parser(kwargs, names);
            parser.pos = 1;
            std::vector<std::pair<std::string, ir::Argument>> values;
            if (parser.fxKwargs(values)) node.kwargs = std::move(values);
        }
        return node;
    }

    Tokens m_tokens;
    std::string m_name;
    std::vector<Drawn> m_nodes;
    std::unordered_map<std::string, std::size_t> m_index;
    std::vector<std::pair<std::string, std::string>> m_edges;
};

} // namespace

bool looksLikeDot(std::string_view text) {
    text = trimmed(text.substr(0, 4096));
    if (text.starts_with("strict ")) text = trimmed(text.substr(7));
    return text.starts_with("digraph ") || text.starts_with("digraph{");
}

Result<ir::GraphPtr> readDotGraph(std::string_view text) {
    return DotReader(text).run();
}

} // namespace dynascope::capture
