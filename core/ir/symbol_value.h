// SPDX-License-Identifier: BSD-3-Clause
//
// The value of a symbolic size such as "2*s77 + 1" or "Max(1, (s0//4))" where the symbols' values are known.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace dynascope::ir {

/// By name, such as "s77".
using SymbolValues = std::map<std::string, std::int64_t, std::less<>>;

/// Nothing where a symbol has no value, the text is no expression that PyTorch prints for sizes, or the
/// result leaves 64 bits. Knows + - * / // % **, parentheses, FloorDiv, CeilDiv, Mod, PythonMod,
/// ModularIndexing, Max, Min, floor and ceiling; "/" must divide without rest.
[[nodiscard]] std::optional<std::int64_t> symbolValue(std::string_view expression,
                                                      const SymbolValues& symbols);

} // namespace dynascope::ir
