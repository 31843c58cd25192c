// SPDX-License-Identifier: BSD-3-Clause
//
// The value of a symbolic number such as "FloatTrueDiv(ToFloat(s58) - 1.0, 2.0)", where floats come in as
// well (symbol_value.h has the sizes alone).
#pragma once

#include "core/ir/symbol_value.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace dynascope::ir {

using SymbolNumber = std::variant<std::int64_t, double>;
/// By name, such as "zf12".
using FloatSymbolValues = std::map<std::string, double, std::less<>>;

/// Nothing where a symbol has no value, the text is no expression that PyTorch prints for numbers, or an
/// integer leaves 64 bits. Knows + - * / // % **, parentheses, numbers with a point or exponent, and besides
/// the functions of symbolValue() ToFloat, FloatTrueDiv, IntTrueDiv, FloatPow, PowByNatural, TruncToInt,
/// FloorToInt, CeilToInt, TruncToFloat, OpaqueUnaryFn_sqrt, and Piecewise by comparisons. Computes as Python
/// does.
[[nodiscard]] std::optional<SymbolNumber> symbolNumber(std::string_view expression, const SymbolValues& sizes,
                                                       const FloatSymbolValues& floats);

} // namespace dynascope::ir
