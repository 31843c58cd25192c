// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/aot/symbol_tree.h"

#include "core/ir/expression_scanner.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace dynascope::passes::aot {

namespace {

using Kind = SymbolTree::Kind;
using MaybeTree = std::optional<SymbolTree>;

bool isNumber(const SymbolTree& tree) {
    return tree.kind == Kind::Integer || tree.kind == Kind::Real;
}

/// Where sympy puts it among terms or factors: by class, and symbols and functions by name.
std::pair<int, std::string_view> placeOf(const SymbolTree& tree) {
    constexpr std::array<std::string_view, 3> known{"Pow", "Mul", "Add"};
    if (isNumber(tree)) return {0, {}};
    if (tree.kind == Kind::Symbol) return {1, tree.text};
    const auto at = std::find(known.begin(), known.end(), tree.text);
    return at == known.end() ? std::pair(5, std::string_view(tree.text))
                             : std::pair(2 + static_cast<int>(at - known.begin()), std::string_view());
}

/// A sum or product; nothing where two items have one place, whose order their parts decide.
MaybeTree associative(std::string_view name, std::vector<SymbolTree> items) {
    if (items.size() == 1) return std::move(items.front());
    std::stable_sort(items.begin(), items.end(),
                     [](const SymbolTree& a, const SymbolTree& b) { return placeOf(a) < placeOf(b); });
    for (std::size_t i = 1; i < items.size(); ++i)
        if (placeOf(items[i - 1]) == placeOf(items[i])) return std::nullopt;
    return SymbolTree{Kind::Call, std::string(name), std::move(items)};
}

SymbolTree negated(SymbolTree tree) {
    if (isNumber(tree)) {
        tree.text = tree.text.starts_with('-') ? tree.text.substr(1) : '-' + tree.text;
        return tree;
    }
    if (tree.kind == Kind::Call && tree.text == "Mul" && isNumber(tree.items.front())) {
        tree.items.front() = negated(std::move(tree.items.front()));
        return tree;
    }
    SymbolTree minus{Kind::Integer, "-1", {}};
    if (tree.kind == Kind::Call && tree.text == "Mul") {
        tree.items.insert(tree.items.begin(), std::move(minus));
        return tree;
    }
    return {Kind::Call, "Mul", {std::move(minus), std::move(tree)}};
}

constexpr int printedDigits = 15;

int digitsOf(std::string_view number) {
    int out = 0;
    for (const char c : number.substr(0, number.find('e')))
        if (isDigit(c) && (out > 0 || c != '0')) ++out;
    return out;
}

class TreeReader : ir::ExpressionScanner {
public:
    explicit TreeReader(std::string_view text)
        : ExpressionScanner(text) {}

    MaybeTree run() {
        MaybeTree out = sum();
        return atEnd() ? out : std::nullopt;
    }

private:
    MaybeTree sum() {
        if (++m_depth > maxDepth) return std::nullopt;
        std::vector<SymbolTree> terms;
        bool minus = take("-");
        do {
            MaybeTree term = product();
            if (!term) return std::nullopt;
            terms.push_back(minus ? negated(std::move(*term)) : std::move(*term));
            minus = take("-");
        } while (minus || take("+"));
        --m_depth;
        return associative("Add", std::move(terms));
    }

    MaybeTree product() {
        std::vector<SymbolTree> factors;
        do {
            MaybeTree factor = power();
            if (!factor) return std::nullopt;
            factors.push_back(std::move(*factor));
        } while (take("*"));
        return associative("Mul", std::move(factors));
    }

    MaybeTree power() {
        MaybeTree base = atom();
        if (!base || !take("**")) return base;
        MaybeTree exponent = atom();
        if (!exponent) return std::nullopt;
        return SymbolTree{Kind::Call, "Pow", {std::move(*base), std::move(*exponent)}};
    }

    MaybeTree atom() {
        if (take("(")) {
            MaybeTree inner = sum();
            return take(")") ? inner : std::nullopt;
        }
        if (m_pos < m_text.size() && isDigit(m_text[m_pos])) return number();
        SymbolTree out{Kind::Symbol, std::string(word()), {}};
        if (out.text.empty()) return std::nullopt;
        if (!take("(")) return out;
        out.kind = Kind::Call;
        do {
            MaybeTree item = sum();
            if (!item) return std::nullopt;
            out.items.push_back(std::move(*item));
        } while (take(","));
        return take(")") ? MaybeTree(std::move(out)) : std::nullopt;
    }

    MaybeTree number() {
        const char* const begin = m_text.data() + m_pos;
        double value = 0;
        const auto [end, error] = std::from_chars(begin, m_text.data() + m_text.size(), value);
        if (error != std::errc()) return std::nullopt;
        std::string text(begin, end);
        m_pos += text.size();
        const bool whole = std::all_of(text.begin(), text.end(), isDigit);
        return SymbolTree{whole ? Kind::Integer : Kind::Real, std::move(text), {}};
    }

    static constexpr int maxDepth = 100;
    int m_depth = 0;
};

} // namespace

std::string SymbolTree::key() const {
    if (kind != Kind::Call) return text;
    std::string out = text;
    for (std::size_t i = 0; i < items.size(); ++i)
        out += (i == 0 ? '(' : ',') + items[i].key();
    return out + ')';
}

bool SymbolTree::isFloat() const {
    constexpr std::array<std::string_view, 5> floats{"ToFloat", "FloatTrueDiv", "IntTrueDiv", "FloatPow",
                                                     "TruncToFloat"};
    if (kind == Kind::Symbol) return text.starts_with("zf") || text.starts_with("zuf");
    if (kind != Kind::Call) return kind == Kind::Real;
    if (text.starts_with("OpaqueUnaryFn_") || std::find(floats.begin(), floats.end(), text) != floats.end())
        return true;
    const bool follows = text == "Add" || text == "Mul" || text == "Pow";
    return follows &&
           std::any_of(items.begin(), items.end(), [](const SymbolTree& item) { return item.isFloat(); });
}

std::set<std::string> SymbolTree::symbols() const {
    std::set<std::string> out;
    if (kind == Kind::Symbol) out.insert(text);
    for (const SymbolTree& item : items)
        out.merge(item.symbols());
    return out;
}

std::optional<SymbolTree> parseSymbolTree(std::string_view text) {
    return TreeReader(text).run();
}

std::optional<std::string> exactFloat(const std::string& printed, const ir::Graph& graph) {
    double value = 0;
    const auto [end, error] = std::from_chars(printed.data(), printed.data() + printed.size(), value);
    if (error != std::errc() || end != printed.data() + printed.size()) return std::nullopt;
    if (digitsOf(printed) < printedDigits) return ir::pythonRepr(value);
    std::set<std::string> found;
    for (const ir::NodePtr& node : graph.nodes())
        for (const ir::Argument& argument : node->args) {
            const auto own = argument.kind == ir::Argument::Kind::Float ? argument.asDouble() : std::nullopt;
            if (own && std::abs(std::abs(*own) - std::abs(value)) <= std::abs(value) * 1e-14)
                found.insert(ir::pythonRepr(std::copysign(*own, value)));
        }
    return found.size() == 1 ? std::optional(*found.begin()) : std::nullopt;
}

} // namespace dynascope::passes::aot
