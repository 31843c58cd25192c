// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/symbol_value.h"

#include "core/ir/expression_scanner.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace dynascope::ir {

namespace {

using Int = std::int64_t;
using Maybe = std::optional<Int>;

Maybe floorDivided(Int a, Int b) {
    if (b == 0 || (b == -1 && a == INT64_MIN)) return std::nullopt;
    return a / b - static_cast<Int>(a % b != 0 && (a < 0) != (b < 0));
}

Maybe remainderOf(Int a, Int b) {
    const Maybe quotient = floorDivided(a, b);
    return quotient ? Maybe(a - *quotient * b) : std::nullopt;
}

Maybe power(Int base, Int exponent) {
    if (exponent < 0 || exponent > 63) return std::nullopt;
    Int out = 1;
    for (Int i = 0; i < exponent; ++i) {
        if (__builtin_mul_overflow(out, base, &out)) return std::nullopt;
    }
    return out;
}

class Evaluator : ExpressionScanner {
public:
    Evaluator(std::string_view text, const SymbolValues& symbols)
        : ExpressionScanner(text)
        , m_symbols(symbols) {}

    Maybe run() {
        const Maybe value = sum();
        return atEnd() ? value : std::nullopt;
    }

private:
    Maybe sum() {
        Maybe left = product();
        while (left) {
            const bool plus = take("+");
            if (!plus && !take("-")) break;
            const Maybe right = product();
            Int out = 0;
            if (!right || (plus ? __builtin_add_overflow(*left, *right, &out)
                                : __builtin_sub_overflow(*left, *right, &out)))
                return std::nullopt;
            left = out;
        }
        return left;
    }

    Maybe product() {
        Maybe left = factor();
        while (left) {
            if (take("//")) {
                const Maybe right = factor();
                left = right ? floorDivided(*left, *right) : std::nullopt;
            } else if (take("/")) {
                const Maybe right = factor();
                if (!right || remainderOf(*left, *right) != Maybe(0)) return std::nullopt;
                left = floorDivided(*left, *right);
            } else if (take("%")) {
                const Maybe right = factor();
                left = right ? remainderOf(*left, *right) : std::nullopt;
            } else if (take("*")) {
                const Maybe right = factor();
                Int out = 0;
                if (!right || __builtin_mul_overflow(*left, *right, &out)) return std::nullopt;
                left = out;
            } else {
                break;
            }
        }
        return left;
    }

    Maybe factor() {
        if (++m_depth > maxDepth) return std::nullopt;
        Maybe out;
        if (take("-")) {
            const Maybe value = factor();
            if (value && *value != INT64_MIN) out = -*value;
        } else {
            out = atom();
            if (out && take("**")) {
                const Maybe exponent = factor();
                out = exponent ? power(*out, *exponent) : std::nullopt;
            }
        }
        --m_depth;
        return out;
    }

    Maybe atom() {
        skip();
        if (take("(")) {
            const Maybe value = sum();
            return take(")") ? value : std::nullopt;
        }
        const std::string_view word = this->word();
        if (word.empty()) return std::nullopt;
        if (isDigit(word.front())) {
            Int number = 0;
            const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), number);
            return status == std::errc() && end == word.data() + word.size() ? Maybe(number) : std::nullopt;
        }
        if (take("(")) return function(word);
        const auto found = m_symbols.find(word);
        return found == m_symbols.end() ? std::nullopt : Maybe(found->second);
    }

    Maybe function(std::string_view name) {
        std::vector<Int> args;
        do {
            const Maybe value = sum();
            if (!value) return std::nullopt;
            args.push_back(*value);
        } while (take(","));
        if (!take(")")) return std::nullopt;
        if (name == "Max") return *std::max_element(args.begin(), args.end());
        if (name == "Min") return *std::min_element(args.begin(), args.end());
        if ((name == "floor" || name == "ceiling") && args.size() == 1) return args[0];
        if (name == "ModularIndexing" && args.size() == 3) {
            const Maybe quotient = floorDivided(args[0], args[1]);
            return quotient ? remainderOf(*quotient, args[2]) : std::nullopt;
        }
        if (args.size() != 2) return std::nullopt;
        if (name == "FloorDiv") return floorDivided(args[0], args[1]);
        if (name == "Mod" || name == "PythonMod") return remainderOf(args[0], args[1]);
        if (name == "CeilDiv") {
            const Maybe quotient = floorDivided(args[0], args[1]);
            return quotient && remainderOf(args[0], args[1]) != Maybe(0) ? Maybe(*quotient + 1) : quotient;
        }
        return std::nullopt;
    }

    static constexpr int maxDepth = 200;
    const SymbolValues& m_symbols;
    int m_depth = 0;
};

} // namespace

std::optional<std::int64_t> symbolValue(std::string_view expression, const SymbolValues& symbols) {
    return Evaluator(expression, symbols).run();
}

} // namespace dynascope::ir
