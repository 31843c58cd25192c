// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/symbol_number.h"

#include "core/ir/expression_scanner.h"

#include <charconv>
#include <cmath>
#include <vector>

namespace dynascope::ir {

namespace {

using MaybeNumber = std::optional<SymbolNumber>;

double realOf(const SymbolNumber& number) {
    return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

const std::int64_t* integerOf(const SymbolNumber& number) {
    return std::get_if<std::int64_t>(&number);
}

MaybeNumber wholeNumber(double value) {
    constexpr double limit = 9223372036854775808.0;
    if (!(value > -limit && value < limit)) return std::nullopt;
    return static_cast<std::int64_t>(value);
}

class NumberReader : ExpressionScanner {
public:
    NumberReader(std::string_view text, const SymbolValues& sizes, const FloatSymbolValues& floats)
        : ExpressionScanner(text)
        , m_sizes(sizes)
        , m_floats(floats) {}

    MaybeNumber run() {
        const MaybeNumber value = sum();
        return atEnd() ? value : std::nullopt;
    }

private:
    /// What both are integers for, symbolValue() knows.
    static MaybeNumber applied(char op, const MaybeNumber& left, const MaybeNumber& right) {
        if (!left || !right) return std::nullopt;
        const std::int64_t *a = integerOf(*left), *b = integerOf(*right);
        if (a && b) {
            const auto value = symbolValue("(a)" + std::string(op == 'd' ? "//" : std::string(1, op)) + "(b)",
                                           {{"a", *a}, {"b", *b}});
            return value ? MaybeNumber(*value) : std::nullopt;
        }
        const double x = realOf(*left), y = realOf(*right);
        switch (op) {
        case '+':
            return x + y;
        case '-':
            return x - y;
        case '*':
            return x * y;
        case '/':
            return y == 0 ? std::nullopt : MaybeNumber(x / y);
        default:
            return std::nullopt;
        }
    }

    MaybeNumber sum() {
        MaybeNumber left = product();
        while (left) {
            const bool plus = take("+");
            if (!plus && !take("-")) break;
            left = applied(plus ? '+' : '-', left, product());
        }
        return left;
    }

    MaybeNumber product() {
        MaybeNumber left = factor();
        while (left) {
            if (take("//"))
                left = applied('d', left, factor());
            else if (take("/"))
                left = applied('/', left, factor());
            else if (take("%"))
                left = applied('%', left, factor());
            else if (take("*"))
                left = applied('*', left, factor());
            else
                break;
        }
        return left;
    }

    MaybeNumber factor() {
        if (++m_depth > maxDepth) return std::nullopt;
        MaybeNumber out;
        if (take("-")) {
            out = applied('-', SymbolNumber(std::int64_t{0}), factor());
        } else {
            out = atom();
            if (out && take("**")) out = powerOf(out, factor());
        }
        --m_depth;
        return out;
    }

    static MaybeNumber powerOf(const MaybeNumber& base, const MaybeNumber& exponent) {
        if (!base || !exponent) return std::nullopt;
        const std::int64_t *a = integerOf(*base), *b = integerOf(*exponent);
        if (!a || !b) return std::pow(realOf(*base), realOf(*exponent));
        const auto value = symbolValue("(a)**(b)", {{"a", *a}, {"b", *b}});
        return value ? MaybeNumber(*value) : std::nullopt;
    }

    MaybeNumber atom() {
        skip();
        if (take("(")) {
            const MaybeNumber value = sum();
            return take(")") ? value : std::nullopt;
        }
        if (m_pos < m_text.size() && (isDigit(m_text[m_pos]) || m_text[m_pos] == '.')) return number();
        const std::string_view word = this->word();
        if (word.empty()) return std::nullopt;
        if (take("(")) return function(word);
        if (const auto size = m_sizes.find(word); size != m_sizes.end()) return size->second;
        if (const auto value = m_floats.find(word); value != m_floats.end()) return value->second;
        return std::nullopt;
    }

    MaybeNumber number() {
        const char* const begin = m_text.data() + m_pos;
        const char* const end = m_text.data() + m_text.size();
        std::int64_t whole = 0;
        const auto [wholeEnd, wholeError] = std::from_chars(begin, end, whole);
        double value = 0;
        const auto [read, error] = std::from_chars(begin, end, value);
        if (error != std::errc()) return std::nullopt;
        m_pos += static_cast<std::size_t>(read - begin);
        if (wholeError == std::errc() && wholeEnd == read) return whole;
        return value;
    }

    /// What a Piecewise or a comparison of its asks: True, False, Eq, Ne, comparisons, ~, & and |.
    std::optional<bool> condition() {
        std::optional<bool> left = conjunction();
        while (left && take("|")) {
            const std::optional<bool> right = conjunction();
            left = right ? std::optional(*left || *right) : std::nullopt;
        }
        return left;
    }

    std::optional<bool> conjunction() {
        std::optional<bool> left = relation();
        while (left && take("&")) {
            const std::optional<bool> right = relation();
            left = right ? std::optional(*left && *right) : std::nullopt;
        }
        return left;
    }

    std::optional<bool> relation() {
        if (++m_depth > maxDepth) return std::nullopt;
        const std::optional<bool> out = oneRelation();
        --m_depth;
        return out;
    }

    std::optional<bool> oneRelation() {
        if (take("True")) return true;
        if (take("False")) return false;
        if (take("~")) {
            const std::optional<bool> value = relation();
            return value ? std::optional(!*value) : std::nullopt;
        }
        if (const bool equal = take("Eq("); equal || take("Ne(")) {
            const MaybeNumber left = sum();
            if (!left || !take(",")) return std::nullopt;
            const MaybeNumber right = sum();
            if (!right || !take(")")) return std::nullopt;
            return holds(equal ? "==" : "!=", *left, *right);
        }
        const std::size_t start = m_pos;
        const int depth = m_depth;
        if (take("(")) { // of conditions, or of the numbers that are compared
            const std::optional<bool> value = condition();
            if (value && take(")")) return value;
            if (++m_returns > maxReturns) return std::nullopt;
            m_pos = start;
            m_depth = depth;
        }
        const MaybeNumber left = sum();
        for (const std::string_view sign : {"<=", ">=", "<", ">", "==", "!="}) {
            if (!left || !take(sign)) continue;
            const MaybeNumber right = sum();
            return right ? holds(sign, *left, *right) : std::nullopt;
        }
        return std::nullopt;
    }

    static std::optional<bool> holds(std::string_view sign, const SymbolNumber& left,
                                     const SymbolNumber& right) {
        const auto compared = [sign](auto a, auto b) {
            return sign == "<="   ? a <= b
                   : sign == ">=" ? a >= b
                   : sign == "<"  ? a < b
                   : sign == ">"  ? a > b
                   : sign == "==" ? a == b
                                  : a != b;
        };
        const std::int64_t *a = integerOf(left), *b = integerOf(right);
        return a && b ? compared(*a, *b) : compared(realOf(left), realOf(right));
    }

    /// The value beside the first condition that holds; those behind it must be readable, too.
    MaybeNumber piecewise() {
        MaybeNumber out;
        do {
            if (!take("(")) return std::nullopt;
            const MaybeNumber value = sum();
            if (!value || !take(",")) return std::nullopt;
            const std::optional<bool> chosen = condition();
            if (!chosen || !take(")")) return std::nullopt;
            if (*chosen && !out) out = value;
        } while (take(","));
        return take(")") ? out : std::nullopt;
    }

    MaybeNumber function(std::string_view name) {
        if (name == "Piecewise") return piecewise();
        std::vector<SymbolNumber> args;
        do {
            const MaybeNumber value = sum();
            if (!value) return std::nullopt;
            args.push_back(*value);
        } while (take(","));
        if (!take(")")) return std::nullopt;
        if (args.size() == 1) return ofOne(name, args[0]);
        if (args.size() == 2 && (name == "FloatTrueDiv" || name == "IntTrueDiv"))
            return realOf(args[1]) == 0 ? std::nullopt : MaybeNumber(realOf(args[0]) / realOf(args[1]));
        if (args.size() == 2 && name == "FloatPow") return std::pow(realOf(args[0]), realOf(args[1]));
        if (args.size() == 2 && name == "PowByNatural") return powerOf(args[0], args[1]);
        return ofIntegers(name, args);
    }

    static MaybeNumber ofOne(std::string_view name, const SymbolNumber& x) {
        if (name == "ToFloat") return realOf(x);
        if (name == "TruncToInt" || name == "trunc") return wholeNumber(std::trunc(realOf(x)));
        if (name == "FloorToInt") return wholeNumber(std::floor(realOf(x)));
        if (name == "CeilToInt") return wholeNumber(std::ceil(realOf(x)));
        if (name == "TruncToFloat") return std::trunc(realOf(x));
        if (name == "OpaqueUnaryFn_sqrt") return std::sqrt(realOf(x));
        if (name == "floor" || name == "ceiling")
            return integerOf(x) ? MaybeNumber(x)
                                : wholeNumber(name == "floor" ? std::floor(realOf(x)) : std::ceil(realOf(x)));
        return std::nullopt;
    }

    static MaybeNumber ofIntegers(std::string_view name, const std::vector<SymbolNumber>& args) {
        SymbolValues values;
        std::string call(name);
        for (std::size_t i = 0; i < args.size(); ++i) {
            const std::int64_t* value = integerOf(args[i]);
            if (!value) return std::nullopt;
            const std::string place = "a" + std::to_string(i);
            values[place] = *value;
            call.append(i == 0 ? "(" : ", ").append(place);
        }
        const auto value = symbolValue(call + ')', values);
        return value ? MaybeNumber(*value) : std::nullopt;
    }

    static constexpr int maxDepth = 200;
    static constexpr int maxReturns = 64; ///< each reads a part again
    const SymbolValues& m_sizes;
    const FloatSymbolValues& m_floats;
    int m_depth = 0;
    int m_returns = 0;
};

} // namespace

std::optional<SymbolNumber> symbolNumber(std::string_view expression, const SymbolValues& sizes,
                                         const FloatSymbolValues& floats) {
    return NumberReader(expression, sizes, floats).run();
}

} // namespace dynascope::ir
