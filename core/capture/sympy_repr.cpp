// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/sympy_repr.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

namespace dynascope::capture {

namespace {

constexpr int maxDepth = 100;

/// How tightly the outermost operator of a text binds.
enum class Binding : std::uint8_t { Sum, Product, Power, Atom };

struct Term {
    std::string text;
    Binding binding = Binding::Atom;
    bool number = false;
};

std::string enclosed(const Term& term, Binding weakest) {
    return term.binding < weakest ? '(' + term.text + ')' : term.text;
}

Term sum(std::vector<Term> terms) {
    // Numbers last, as SymPy prints them.
    std::stable_partition(terms.begin(), terms.end(), [](const Term& term) { return !term.number; });
    Term out{{}, Binding::Sum, false};
    for (const Term& term : terms) {
        if (out.text.empty())
            out.text = term.text;
        else if (term.text.starts_with('-'))
            out.text += " - " + term.text.substr(1);
        else
            out.text += " + " + term.text;
    }
    return out;
}

Term product(const std::vector<Term>& factors) {
    Term out{{}, Binding::Product, false};
    for (const Term& factor : factors) {
        if (factor.number && factor.text == "-1" && out.text.empty()) {
            out.text = "-";
            continue;
        }
        if (!out.text.empty() && out.text != "-") out.text += '*';
        out.text += enclosed(factor, Binding::Product);
    }
    return out;
}

class Reader {
public:
    explicit Reader(std::string_view text)
        : m_text(text) {}

    std::optional<Term> whole() {
        std::optional<Term> term = expression(0);
        skipBlanks();
        return m_at == m_text.size() ? term : std::nullopt;
    }

private:
    void skipBlanks() {
        while (m_at < m_text.size() && m_text[m_at] == ' ')
            ++m_at;
    }
    bool take(char c) {
        skipBlanks();
        if (m_at == m_text.size() || m_text[m_at] != c) return false;
        ++m_at;
        return true;
    }
    std::string_view word() {
        skipBlanks();
        const std::size_t first = m_at;
        while (m_at < m_text.size() && (std::isalnum(static_cast<unsigned char>(m_text[m_at])) != 0 ||
                                        m_text[m_at] == '_' || m_text[m_at] == '.'))
            ++m_at;
        return m_text.substr(first, m_at - first);
    }

    std::optional<Term> expression(int depth) {
        if (depth > maxDepth) return std::nullopt;
        skipBlanks();
        if (m_at == m_text.size()) return std::nullopt;
        if (m_text[m_at] == '\'') return quoted();
        if (m_text[m_at] == '-') {
            ++m_at;
            const std::string_view digits = word();
            if (digits.empty()) return std::nullopt;
            return Term{'-' + std::string(digits), Binding::Sum, true};
        }
        const std::string_view name = word();
        if (name.empty()) return std::nullopt;
        if (!take('('))
            return Term{std::string(name), Binding::Atom,
                        std::isdigit(static_cast<unsigned char>(name[0])) != 0};
        std::vector<Term> arguments;
        while (!take(')')) {
            if (!arguments.empty() && !take(',')) return std::nullopt;
            if (isKeyword()) {
                word();
                if (!take('=') || !expression(depth + 1)) return std::nullopt;
                continue;
            }
            std::optional<Term> argument = expression(depth + 1);
            if (!argument) return std::nullopt;
            arguments.push_back(std::move(*argument));
        }
        return call(name, std::move(arguments));
    }

    /// True before "positive=True".
    bool isKeyword() {
        const std::size_t start = m_at;
        const bool named = !word().empty() && take('=');
        m_at = start;
        return named;
    }

    std::optional<Term> quoted() {
        const std::size_t end = m_text.find('\'', m_at + 1);
        if (end == std::string_view::npos) return std::nullopt;
        Term out{std::string(m_text.substr(m_at + 1, end - m_at - 1)), Binding::Atom, false};
        m_at = end + 1;
        return out;
    }

    static std::optional<Term> call(std::string_view name, std::vector<Term> arguments) {
        if (arguments.empty()) return std::nullopt;
        if (name == "Symbol" || name == "Dummy") return arguments.front();
        if (name == "Integer" || name == "Float") {
            arguments.front().number = true;
            return arguments.front();
        }
        if (name == "Add") return sum(std::move(arguments));
        if (name == "Mul") return product(arguments);
        if (name == "Pow" && arguments.size() == 2)
            return Term{enclosed(arguments[0], Binding::Atom) + "**" + enclosed(arguments[1], Binding::Atom),
                        Binding::Power, false};
        const bool floor = name.ends_with("FloorDiv");
        if ((floor || name == "Rational") && arguments.size() == 2)
            return Term{'(' + enclosed(arguments[0], Binding::Power) + (floor ? "//" : "/") +
                            enclosed(arguments[1], Binding::Power) + ')',
                        Binding::Atom, false};
        Term out{std::string(name.substr(name.rfind('.') + 1)) + '(', Binding::Atom, false};
        for (std::size_t i = 0; i < arguments.size(); ++i)
            out.text += (i == 0 ? "" : ", ") + arguments[i].text;
        out.text += ')';
        return out;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
};

} // namespace

std::string spellSympy(std::string_view repr) {
    std::optional<Term> term = Reader(repr).whole();
    return term ? std::move(term->text) : std::string(repr);
}

} // namespace dynascope::capture
