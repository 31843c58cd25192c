// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/symbol_ranges.h"

#include "core/base/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace dynascope::session {

namespace {

using Range = SymbolRanges::Range;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largestWhole = 9007199254740992.0; ///< up to here doubles count exactly
constexpr int deepestExpression = 32;
constexpr std::size_t longest = 512; ///< of a guard that is read
constexpr int mostTrials = 5;        ///< as try_solve() in torch/utils/_sympy/solve.py

struct Sum;

/// Something that is multiplied: a symbol, the floor of a quotient, or a product of sums.
struct Atom {
    enum class Kind : std::uint8_t { Symbol, Floor, Product } kind = Kind::Symbol;
    std::string symbol;
    std::vector<Sum> parts; ///< of Floor numerator and divisor
};

struct Term {
    double factor = 1;
    Atom atom;
};

/// Terms and a number.
struct Sum {
    std::vector<Term> terms;
    double number = 0;

    [[nodiscard]] bool isNumber() const { return terms.empty(); }
};

bool has(const Sum& sum, std::string_view symbol);
bool has(const Atom& atom, std::string_view symbol) {
    if (atom.kind == Atom::Kind::Symbol) return atom.symbol == symbol;
    return std::any_of(atom.parts.begin(), atom.parts.end(),
                       [&](const Sum& one) { return has(one, symbol); });
}
bool has(const Sum& sum, std::string_view symbol) {
    return std::any_of(sum.terms.begin(), sum.terms.end(),
                       [&](const Term& term) { return has(term.atom, symbol); });
}

void addSymbols(const Sum& sum, std::set<std::string>& out) {
    for (const Term& term : sum.terms) {
        if (term.atom.kind == Atom::Kind::Symbol) out.insert(term.atom.symbol);
        for (const Sum& part : term.atom.parts)
            addSymbols(part, out);
    }
}

Sum scaled(Sum sum, double by) {
    for (Term& term : sum.terms)
        term.factor *= by;
    sum.number *= by;
    return sum;
}

Sum divided(Sum sum, double by) {
    for (Term& term : sum.terms)
        term.factor /= by;
    sum.number /= by;
    return sum;
}

Sum plus(Sum a, const Sum& b) {
    for (const Term& term : b.terms) {
        const auto same = std::find_if(a.terms.begin(), a.terms.end(), [&](const Term& one) {
            return one.atom.kind == Atom::Kind::Symbol && term.atom.kind == Atom::Kind::Symbol &&
                   one.atom.symbol == term.atom.symbol;
        });
        if (same == a.terms.end()) {
            a.terms.push_back(term);
            continue;
        }
        same->factor += term.factor;
        if (same->factor == 0) a.terms.erase(same);
    }
    a.number += b.number;
    return a;
}

Sum times(const Sum& a, const Sum& b) {
    if (a.isNumber()) return scaled(b, a.number);
    if (b.isNumber()) return scaled(a, b.number);
    return {{{1, {Atom::Kind::Product, {}, {a, b}}}}, 0};
}

/// The symbol that a sum is; null where it is anything else.
const std::string* onlySymbol(const Sum& sum) {
    const bool is = sum.number == 0 && sum.terms.size() == 1 && sum.terms[0].factor == 1 &&
                    sum.terms[0].atom.kind == Atom::Kind::Symbol;
    return is ? &sum.terms[0].atom.symbol : nullptr;
}

/// Guards as SymPy prints them, as far as whole numbers are added, multiplied and divided in them.
class Reader {
public:
    explicit Reader(std::string_view text)
        : m_text(text) {}

    std::optional<Sum> sum() {
        if (++m_depth > deepestExpression) return std::nullopt;
        std::optional<Sum> out = product();
        while (out) {
            const bool adds = take('+');
            if (!adds && !take('-')) break;
            const std::optional<Sum> next = product();
            out = next ? std::optional(plus(*out, scaled(*next, adds ? 1 : -1))) : std::nullopt;
        }
        --m_depth;
        return out;
    }
    bool take(char c) {
        skip();
        if (m_text.empty() || m_text.front() != c) return false;
        m_text.remove_prefix(1);
        return true;
    }
    bool take(std::string_view word) {
        skip();
        if (!m_text.starts_with(word)) return false;
        m_text.remove_prefix(word.size());
        return true;
    }
    bool done() {
        skip();
        return m_text.empty();
    }

private:
    void skip() { m_text.remove_prefix(std::min(m_text.find_first_not_of(' '), m_text.size())); }

    std::optional<Sum> product() {
        std::optional<Sum> out = factor();
        while (out) {
            if (take("//")) {
                const std::optional<Sum> by = factor();
                if (!by) return std::nullopt;
                out = Sum{{{1, {Atom::Kind::Floor, {}, {*out, *by}}}}, 0};
            } else if (!m_text.starts_with("**") && take('*')) {
                const std::optional<Sum> by = factor();
                if (!by) return std::nullopt;
                out = times(*out, *by);
            } else {
                break;
            }
        }
        return out;
    }

    std::optional<Sum> factor() {
        if (take('-')) {
            const std::optional<Sum> of = ++m_depth > deepestExpression ? std::nullopt : factor();
            --m_depth;
            return of ? std::optional(scaled(*of, -1)) : std::nullopt;
        }
        std::optional<Sum> base = primary();
        if (!base || !take("**")) return base;
        const std::optional<double> power = number();
        if (!onlySymbol(*base) || !power || *power < 1 || *power > 8) return std::nullopt;
        Sum out = *base;
        for (double i = 1; i < *power; ++i)
            out = times(out, *base);
        return out;
    }

    std::optional<Sum> primary() {
        if (take('(')) {
            std::optional<Sum> inner = sum();
            return take(')') ? inner : std::nullopt;
        }
        if (m_text.empty()) return std::nullopt;
        if (const std::optional<double> value = number()) return Sum{{}, *value};
        const auto end = std::find_if_not(m_text.begin(), m_text.end(), isNameByte);
        const std::string name(m_text.begin(), end);
        if (name.empty() || std::isalpha(static_cast<unsigned char>(name.front())) == 0) return std::nullopt;
        m_text.remove_prefix(name.size());
        if (m_text.starts_with('(')) return std::nullopt; // Mod, Max, ...: what they bound is not read
        return Sum{{{1, {Atom::Kind::Symbol, name, {}}}}, 0};
    }

    std::optional<double> number() {
        skip();
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(m_text.data(), m_text.data() + m_text.size(), value);
        if (error != std::errc() || static_cast<double>(value) > largestWhole) return std::nullopt;
        m_text.remove_prefix(static_cast<std::size_t>(end - m_text.data()));
        if (m_text.starts_with('.')) return std::nullopt; // ranges of whole numbers alone are refined
        return static_cast<double>(value);
    }

    std::string_view m_text;
    int m_depth = 0;
};

enum class Relation : std::uint8_t { Equal, Less, LessEqual, Greater, GreaterEqual };

Relation mirrored(Relation relation) {
    static constexpr Relation others[] = {Relation::Equal, Relation::Greater, Relation::GreaterEqual,
                                          Relation::Less, Relation::LessEqual};
    return others[static_cast<std::size_t>(relation)];
}

struct Comparison {
    Relation relation = Relation::Equal;
    Sum left, right;
};

std::optional<Comparison> readGuard(std::string_view text) {
    if (text.size() > longest) return std::nullopt;
    Reader reader(text);
    Comparison out;
    const bool equal = reader.take("Eq(");
    std::optional<Sum> left = reader.sum();
    if (!left) return std::nullopt;
    if (equal ? !reader.take(',') : false) return std::nullopt;
    if (!equal) {
        if (reader.take("<="))
            out.relation = Relation::LessEqual;
        else if (reader.take('<'))
            out.relation = Relation::Less;
        else if (reader.take(">="))
            out.relation = Relation::GreaterEqual;
        else if (reader.take('>'))
            out.relation = Relation::Greater;
        else
            return std::nullopt;
    }
    std::optional<Sum> right = reader.sum();
    if (!right || (equal && !reader.take(')')) || !reader.done()) return std::nullopt;
    out.left = std::move(*left);
    out.right = std::move(*right);
    return out;
}

bool isWhole(const Sum& sum) {
    const auto whole = [](double value) { return std::floor(value) == value; };
    return whole(sum.number) && std::all_of(sum.terms.begin(), sum.terms.end(),
                                            [&](const Term& term) { return whole(term.factor); });
}

/// A product without one of its factors; nothing where that is none.
std::optional<Sum> quotientOf(const Sum& sum, const std::string& symbol) {
    if (sum.number != 0 || sum.terms.size() != 1) return std::nullopt;
    const auto& [factor, atom] = sum.terms[0];
    if (atom.kind == Atom::Kind::Symbol && atom.symbol == symbol) return Sum{{}, factor};
    if (atom.kind != Atom::Kind::Product) return std::nullopt;
    for (const std::size_t i : {0U, 1U})
        if (const std::string* one = onlySymbol(atom.parts[i]); one && *one == symbol)
            return scaled(atom.parts[1 - i], factor);
    return std::nullopt;
}

/// The guard with the symbol alone at its left; nothing where PyTorch does not get it there, or where `whole`
/// and what is then at the right need not be a whole number.
std::optional<Comparison> solve(Comparison guard, std::string_view symbol, bool whole = true) {
    const bool left = has(guard.left, symbol), right = has(guard.right, symbol);
    if (left == right) return std::nullopt;
    if (right) {
        std::swap(guard.left, guard.right);
        guard.relation = mirrored(guard.relation);
    }
    for (int trial = 0; trial < mostTrials; ++trial) {
        const auto of = [&](const Term& term) { return has(term.atom, symbol); };
        if (std::count_if(guard.left.terms.begin(), guard.left.terms.end(), of) != 1) return std::nullopt;
        const auto found = std::find_if(guard.left.terms.begin(), guard.left.terms.end(), of);
        const Term term = *found;
        if (term.factor == 0) return std::nullopt;
        guard.left.terms.erase(found);
        guard.right = divided(plus(guard.right, scaled(guard.left, -1)), term.factor);
        if (term.factor < 0) guard.relation = mirrored(guard.relation);
        if (whole && !isWhole(guard.right)) return std::nullopt;
        guard.left = Sum{{{1, term.atom}}, 0};
        if (term.atom.kind == Atom::Kind::Symbol) return guard;
        // a * b < 4 * b: a < 4, as sizes are positive.
        if (term.atom.kind == Atom::Kind::Product) {
            const bool first = has(term.atom.parts[0], symbol);
            const std::string* const shared = onlySymbol(term.atom.parts[first ? 1 : 0]);
            std::optional<Sum> quotient = shared ? quotientOf(guard.right, *shared) : std::nullopt;
            if (!quotient) return std::nullopt;
            guard.right = std::move(*quotient);
            guard.left = term.atom.parts[first ? 0 : 1];
            continue;
        }
        // a // b < c: a < b * c, and so on; only where b is known to be positive.
        if (term.atom.kind != Atom::Kind::Floor || guard.relation == Relation::Equal) return std::nullopt;
        const Sum &numerator = term.atom.parts[0], &divisor = term.atom.parts[1];
        if (!divisor.isNumber() || divisor.number <= 0) return std::nullopt;
        const bool below = guard.relation == Relation::Less || guard.relation == Relation::LessEqual;
        if (guard.relation == Relation::LessEqual || guard.relation == Relation::Greater)
            guard.right.number += 1;
        guard.relation = below ? Relation::Less : Relation::GreaterEqual;
        guard.right = scaled(guard.right, divisor.number);
        guard.left = numerator;
    }
    return std::nullopt;
}

/// 0 where one is nothing, however large the other may be.
double product(double a, double b) {
    return a == 0 || b == 0 ? 0 : a * b;
}

Range times(const Range& a, const Range& b) {
    const auto [low, high] = std::minmax({product(a.lower, b.lower), product(a.lower, b.upper),
                                          product(a.upper, b.lower), product(a.upper, b.upper)});
    return {low, high};
}

Range boundsOf(const Sum& sum, const SymbolRanges& known);
Range boundsOf(const Atom& atom, const SymbolRanges& known) {
    if (atom.kind == Atom::Kind::Symbol) return known.of(atom.symbol);
    const Range first = boundsOf(atom.parts[0], known), second = boundsOf(atom.parts[1], known);
    if (atom.kind == Atom::Kind::Product) return times(first, second);
    if (second.lower < 1) return {};
    const auto quotient = [](double a, double b) { return std::isinf(a) ? a : std::floor(a / b); };
    return {std::min(quotient(first.lower, second.lower), quotient(first.lower, second.upper)),
            std::max(quotient(first.upper, second.lower), quotient(first.upper, second.upper))};
}
Range boundsOf(const Sum& sum, const SymbolRanges& known) {
    Range out{sum.number, sum.number};
    for (const Term& term : sum.terms) {
        const Range one = times({term.factor, term.factor}, boundsOf(term.atom, known));
        out.lower += one.lower;
        out.upper += one.upper;
    }
    return out;
}

} // namespace

void SymbolRanges::create(const std::string& symbol, std::string_view range) {
    Range& out = m_ranges[symbol] = {};
    if (!range.starts_with('[') || !range.ends_with(']')) return;
    range = range.substr(1, range.size() - 2);
    const std::size_t comma = range.find(", ");
    if (comma == std::string_view::npos) return;
    const auto read = [](std::string_view text, double& bound) {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc() && end == text.data() + text.size()) bound = static_cast<double>(value);
    };
    read(range.substr(0, comma), out.lower);
    read(range.substr(comma + 2), out.upper);
}

SymbolRanges::Range SymbolRanges::of(std::string_view symbol) const {
    const auto found = m_ranges.find(symbol);
    return found == m_ranges.end() ? Range() : found->second;
}

std::vector<std::string> SymbolRanges::add(std::string_view text) {
    std::vector<std::string> out;
    const std::optional<Comparison> guard = readGuard(text);
    if (!guard) return out;
    std::set<std::string> symbols;
    addSymbols(guard->left, symbols);
    addSymbols(guard->right, symbols);
    if (symbols.size() > 5) return out; // nor does PyTorch look at these
    // Of two sizes one of which is a multiple of the other, the larger one is replaced, and then bounds the
    // other one as well (_set_replacement).
    const bool replaces = guard->relation == Relation::Equal && symbols.size() == 2 &&
                          guard->left.number == guard->right.number &&
                          std::any_of(symbols.begin(), symbols.end(), [&](const std::string& symbol) {
                              return solve(*guard, symbol).has_value();
                          });
    for (const std::string& symbol : symbols) {
        const auto found = m_ranges.find(symbol);
        const std::optional<Comparison> solved = solve(*guard, symbol, !replaces);
        if (found == m_ranges.end() || !solved) continue;
        Range& range = found->second;
        Range refined = range;
        const Range other = boundsOf(solved->right, *this);
        const Relation relation = solved->relation;
        const bool equal = relation == Relation::Equal;
        if (range.lower <= other.lower &&
            (equal || relation == Relation::Greater || relation == Relation::GreaterEqual))
            refined.lower = other.lower + (relation == Relation::Greater ? 1 : 0);
        const bool wasOpen = range.upper == infinity;
        if (range.upper >= other.upper &&
            (equal || relation == Relation::Less || relation == Relation::LessEqual))
            refined.upper = other.upper - (relation == Relation::Less ? 1 : 0);
        // A guard that no size meets was never added: the text is no guard of these symbols.
        if (refined.lower > refined.upper) continue;
        range = refined;
        if (wasOpen && range.upper < infinity) out.push_back(symbol);
    }
    return out;
}

} // namespace dynascope::session
