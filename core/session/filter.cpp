// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/filter.h"

#include "core/session/filter_match.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace dynascope::session {

namespace {

constexpr int maxDepth = 200;

constexpr std::array keys{
    FilterKey{"status", "how a compile ended", "break, recompile, compiled, failed", true, false},
    FilterKey{"file", "source file, with a line if wanted", "cap.py:43", true, true},
    FilterKey{"function", "name of the compiled function, or of one that made a node", "f, forward", true,
              true},
    FilterKey{"id", "compile id", "0/0", true, false},
    FilterKey{"rank", "rank of a distributed run", "0, 1", true, false},
    FilterKey{"capture", "name of the capture", "graph_breaks", true, false},
    FilterKey{"stage", "name of a captured stage", "aot_joint", true, false},
    FilterKey{"kernel", "kernel of the generated code", "cpp_fused_add, extern_kernels.mm", true, false},
    FilterKey{"time", "compile time in seconds", "time>0.5", true, false},
    FilterKey{"op", "op or kind of a node, or what it calls", "placeholder, writes, view, aten.mm", false,
              true},
    FilterKey{"target", "op or function name", "aten.select", false, true},
    FilterKey{"name", "name of a node", "add_3", false, true},
    FilterKey{"module", "module that a node belongs to, or parameter", "layers.12.q_proj, mlp", false, true},
    FilterKey{"dtype", "dtype of a node's value", "f32, f64, i64, b8", false, true},
    FilterKey{"shape", "sizes of a node's value", "[4, 5] [4] [*, 5]", false, true},
    FilterKey{"numel", "number of elements", "numel>16", false, true},
    FilterKey{"device", "device of a node's value", "cpu, cuda:0", false, true},
};

const FilterKey* findKey(std::string_view name) {
    const auto* at =
        std::find_if(keys.begin(), keys.end(), [name](const FilterKey& k) { return k.name == name; });
    return at == keys.end() ? nullptr : at;
}

bool isBlank(char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}
bool isKeyChar(char c) {
    return c >= 'a' && c <= 'z';
}

} // namespace

struct Filter::Expression {
    enum class Kind : std::uint8_t { And, Or, Not, Term } kind = Kind::Term;
    std::vector<std::shared_ptr<const Expression>> parts;
    FilterTerm term;
};

namespace {

using Expression = Filter::Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;

class Parser {
public:
    explicit Parser(std::string_view text)
        : m_text(text) {}

    Result<ExpressionPtr> parse() {
        skipBlanks();
        if (atEnd()) return ExpressionPtr{};
        auto root = parseOr(0);
        if (root && !atEnd()) return error(m_at, "This bracket closes nothing");
        return root;
    }

private:
    [[nodiscard]] bool atEnd() const { return m_at >= m_text.size(); }
    [[nodiscard]] char peek() const { return atEnd() ? '\0' : m_text[m_at]; }
    void skipBlanks() {
        while (!atEnd() && isBlank(peek()))
            ++m_at;
    }
    [[nodiscard]] static tl::unexpected<Error> error(std::size_t at, std::string message) {
        return failure(std::move(message), {}, 1, at + 1);
    }
    [[nodiscard]] bool atOr() const {
        return m_text.substr(m_at, 2) == "or" && (m_at + 2 >= m_text.size() || isBlank(m_text[m_at + 2]) ||
                                                  m_text[m_at + 2] == '(' || m_text[m_at + 2] == ')');
    }

    Result<ExpressionPtr> parseOr(int depth) {
        if (depth > maxDepth) return error(m_at, "Groups are nested too deeply");
        auto any = std::make_shared<Expression>();
        any->kind = Expression::Kind::Or;
        while (true) {
            auto all = parseAnd(depth);
            if (!all) return all;
            any->parts.push_back(*all);
            if (atEnd() || !atOr()) break;
            m_at += 2;
            skipBlanks();
        }
        if (any->parts.size() == 1) return any->parts.front();
        return any;
    }

    Result<ExpressionPtr> parseAnd(int depth) {
        auto all = std::make_shared<Expression>();
        all->kind = Expression::Kind::And;
        while (!atEnd() && peek() != ')' && !atOr()) {
            auto part = parseUnary(depth);
            if (!part) return part;
            all->parts.push_back(*part);
            skipBlanks();
        }
        if (all->parts.empty())
            return error(std::min(m_at, m_text.size()),
                         atEnd() ? "A term is missing at the end" : "A term is missing");
        if (all->parts.size() == 1) return all->parts.front();
        return all;
    }

    Result<ExpressionPtr> parseUnary(int depth) {
        const std::size_t begin = m_at;
        bool negated = false;
        while (peek() == '-') {
            negated = !negated;
            ++m_at;
        }
        if (atEnd() || isBlank(peek())) {
            if (m_at > begin) return error(begin, "Nothing follows the minus sign");
        }
        Result<ExpressionPtr> inner = ExpressionPtr{};
        if (peek() == '(') {
            const std::size_t open = m_at++;
            skipBlanks();
            inner = parseOr(depth + 1);
            if (!inner) return inner;
            if (peek() != ')') return error(open, "This bracket is not closed");
            ++m_at;
        } else {
            inner = parseTerm();
            if (!inner) return inner;
        }
        if (!negated) return inner;
        auto no = std::make_shared<Expression>();
        no->kind = Expression::Kind::Not;
        no->parts.push_back(*inner);
        return no;
    }

    Result<ExpressionPtr> parseTerm() {
        auto expression = std::make_shared<Expression>();
        FilterTerm& term = expression->term;
        const std::size_t begin = m_at;
        std::size_t end = m_at;
        while (end < m_text.size() && isKeyChar(m_text[end]))
            ++end;
        const char after = end < m_text.size() ? m_text[end] : '\0';
        const bool comparison = after == '>' || after == '<' || after == '=';
        // "a::b" and "f=3" are words; a single colon behind a plain name makes a key.
        const bool colon = after == ':' && m_text.substr(end, 2) != "::";
        const std::string_view name = m_text.substr(begin, end - begin);
        if (end > begin && (colon || (comparison && findKey(name)))) {
            const FilterKey* key = findKey(name);
            if (!key) return error(begin, "There is no key " + std::string(name));
            term.key = key->name;
            m_at = end + 1;
            if (comparison) {
                term.compare = after == '>'   ? FilterTerm::Compare::More
                               : after == '<' ? FilterTerm::Compare::Less
                                              : FilterTerm::Compare::Equal;
                if (peek() == '=' && after != '=') {
                    term.compare = after == '>' ? FilterTerm::Compare::AtLeast : FilterTerm::Compare::AtMost;
                    ++m_at;
                }
            }
        }
        auto value = parseValue();
        if (!value) return tl::unexpected(value.error());
        if (value->empty()) return error(begin, std::string(name) + ": needs a value");
        term.value = std::move(*value);
        term.prepare();
        if (term.numeric() && !term.number)
            return error(begin, std::string(name) + " is compared with a number");
        return ExpressionPtr(std::move(expression));
    }

    Result<std::string> parseValue() {
        std::string value;
        const std::size_t begin = m_at;
        if (peek() == '"') {
            ++m_at;
            while (!atEnd() && peek() != '"') {
                if (peek() == '\\' && m_at + 1 < m_text.size()) ++m_at;
                value += m_text[m_at++];
            }
            if (atEnd()) return error(begin, "This quotation is not closed");
            ++m_at;
            return value;
        }
        int brackets = 0;
        while (!atEnd()) {
            const char c = peek();
            if (brackets == 0 && (isBlank(c) || c == '(' || c == ')')) break;
            if (c == '[') ++brackets;
            if (c == ']' && brackets > 0) --brackets;
            value += c;
            ++m_at;
        }
        if (brackets > 0) return error(begin + value.find('['), "This bracket is not closed");
        return value;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
};

template <typename Ask>
FilterVerdict evaluate(const Expression& e, const Ask& ask) {
    switch (e.kind) {
    case Expression::Kind::Term:
        return ask(e.term);
    case Expression::Kind::Not: {
        const FilterVerdict v = evaluate(*e.parts.front(), ask);
        return v == FilterVerdict::Unknown ? v
               : v == FilterVerdict::Yes   ? FilterVerdict::No
                                           : FilterVerdict::Yes;
    }
    case Expression::Kind::And: {
        FilterVerdict all = FilterVerdict::Yes;
        for (const ExpressionPtr& part : e.parts)
            all = std::min(all, evaluate(*part, ask));
        return all;
    }
    case Expression::Kind::Or: {
        FilterVerdict any = FilterVerdict::No;
        for (const ExpressionPtr& part : e.parts)
            any = std::max(any, evaluate(*part, ask));
        return any;
    }
    }
    return FilterVerdict::Unknown;
}

bool anyTerm(const Expression& e, std::string_view key) {
    return e.term.key == key || std::any_of(e.parts.begin(), e.parts.end(),
                                            [key](const ExpressionPtr& p) { return anyTerm(*p, key); });
}

bool anyNodeTerm(const Expression& e) {
    if (e.kind == Expression::Kind::Term) {
        const FilterKey* key = findKey(e.term.key);
        return key && key->onNodes && !key->onCompiles;
    }
    return std::any_of(e.parts.begin(), e.parts.end(),
                       [](const ExpressionPtr& p) { return anyNodeTerm(*p); });
}

} // namespace

std::span<const FilterKey> filterKeys() {
    return keys;
}

Result<Filter> Filter::parse(std::string_view text) {
    auto root = Parser(text).parse();
    if (!root) return tl::unexpected(root.error());
    Filter filter;
    filter.m_root = std::move(*root);
    return filter;
}

bool Filter::asksAboutNodes() const {
    return m_root && (anyNodeTerm(*m_root) || anyTerm(*m_root, "kernel"));
}

FilterVerdict Filter::verdict(const FilterSubject& subject) const {
    return verdictBy([&subject](const FilterTerm& term) { return term.verdict(subject); });
}

FilterVerdict Filter::verdictBy(const std::function<FilterVerdict(const FilterTerm&)>& term) const {
    return m_root ? evaluate(*m_root, term) : FilterVerdict::Yes;
}

bool Filter::matchesCompile(const Session& session, const Compile& compile, std::size_t* matching,
                            const ModulesOf& modules) const {
    if (matching) *matching = 0;
    FilterSubject subject{&session, &compile, nullptr};
    const bool kernels = m_root && anyTerm(*m_root, "kernel");
    const std::vector<std::string> names = kernels ? kernelNames(compile) : std::vector<std::string>();
    if (kernels) subject.kernels = &names;
    const FilterVerdict without = verdict(subject);
    if (!m_root || !anyNodeTerm(*m_root)) return without != FilterVerdict::No;
    if (without == FilterVerdict::No) return false;
    std::size_t most = 0;
    for (const StagePtr& stage : compile.stages) {
        if (stage->content != Stage::Content::Graph) continue;
        const auto graph = stage->graph();
        if (!graph) continue;
        std::size_t count = 0;
        std::vector<std::string> places;
        if (modules && anyTerm(*m_root, "module")) places = modules(compile, **graph);
        for (ir::NodeIndex i = 0; i < (*graph)->size(); ++i) {
            subject.node = &(*graph)->node(i);
            subject.module = i < places.size() ? &places[i] : nullptr;
            if (verdict(subject) == FilterVerdict::Yes) ++count;
        }
        most = std::max(most, count);
        if (most > 0 && !matching) return true;
    }
    if (matching) *matching = most;
    return most > 0 || without == FilterVerdict::Yes;
}

FilterToken filterTokenAt(std::string_view text, std::size_t cursor) {
    cursor = std::min(cursor, text.size());
    // Walks the tokens from the start, since quotes and brackets decide what a blank means.
    std::size_t at = 0;
    while (true) {
        while (at < text.size() && at < cursor &&
               (isBlank(text[at]) || text[at] == '(' || text[at] == ')' || text[at] == '-'))
            ++at;
        const std::size_t begin = at;
        int brackets = 0;
        bool quoted = false;
        while (at < text.size()) {
            const char c = text[at];
            if (!quoted && brackets == 0 && (isBlank(c) || c == '(' || c == ')')) break;
            if (c == '"') quoted = !quoted;
            if (!quoted && c == '[') ++brackets;
            if (!quoted && c == ']' && brackets > 0) --brackets;
            ++at;
        }
        if (cursor > at && at < text.size()) continue;
        FilterToken token{begin, at, {}, {}};
        const std::string_view word = text.substr(begin, at - begin);
        std::size_t nameEnd = 0;
        while (nameEnd < word.size() && isKeyChar(word[nameEnd]))
            ++nameEnd;
        if (nameEnd > 0 && nameEnd < word.size() &&
            (word[nameEnd] == ':' || word[nameEnd] == '>' || word[nameEnd] == '<') &&
            begin + nameEnd < cursor && findKey(word.substr(0, nameEnd))) {
            token.key = std::string(word.substr(0, nameEnd));
            token.begin = begin + nameEnd + 1;
        }
        const std::size_t from = std::min(token.begin, cursor);
        token.prefix = std::string(text.substr(from, cursor - from));
        if (token.prefix.starts_with('"')) token.prefix.erase(0, 1);
        return token;
    }
}

std::string quotedFilterValue(std::string_view value) {
    const bool plain = !value.empty() && std::none_of(value.begin(), value.end(), [](char c) {
        return isBlank(c) || c == '(' || c == ')' || c == '"';
    });
    const bool shape =
        value.starts_with('[') && value.ends_with(']') && value.find_first_of("()\"") == value.npos;
    if (plain || shape) return std::string(value);
    std::string out = "\"";
    for (const char c : value) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

} // namespace dynascope::session
