// SPDX-License-Identifier: BSD-3-Clause
//
// The expression of a symbolic number, taken apart as sympy holds it. Internal to tensorify.
#pragma once

#include "core/ir/graph.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::passes::aot {

struct SymbolTree {
    enum class Kind { Symbol, Integer, Real, Call };
    Kind kind = Kind::Symbol;
    /// A symbol's name, a number as printed, or what is called: "Add", "Mul", "Pow", "FloatTrueDiv".
    std::string text;
    std::vector<SymbolTree> items; ///< of a call, in sympy's order

    /// The same for equal expressions.
    [[nodiscard]] std::string key() const;
    /// Whether Python has a float of it.
    [[nodiscard]] bool isFloat() const;
    [[nodiscard]] std::set<std::string> symbols() const;
};

/// Reads sums, products, powers and calls. Nothing where the text is anything else, or where sympy's order of
/// terms or factors, which is another than the printed one, is not known.
[[nodiscard]] std::optional<SymbolTree> parseSymbolTree(std::string_view text);

/// Python's repr of a float that sympy printed, of which it prints no more than 15 digits: where there are so
/// many, the one number of the graph's own calls that it may be. Nothing where that is none, or more.
[[nodiscard]] std::optional<std::string> exactFloat(const std::string& printed, const ir::Graph& graph);

} // namespace dynascope::passes::aot
