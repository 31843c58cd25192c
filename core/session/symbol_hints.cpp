// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/symbol_hints.h"

#include <charconv>

namespace dynascope::session {

ir::SymbolValues symbolHints(const Compile& compile) {
    ir::SymbolValues out;
    for (const SymbolInfo& symbol : compile.symbols) {
        std::int64_t value = 0;
        const char* const end = symbol.value.data() + symbol.value.size();
        const auto [read, error] = std::from_chars(symbol.value.data(), end, value);
        // A symbol that depends on data has no value.
        if (error == std::errc() && read == end) out[symbol.symbol] = value;
    }
    return out;
}

std::vector<std::string> unboundedSymbols(const Compile& compile) {
    std::vector<std::string> out;
    for (const SymbolInfo& symbol : compile.symbols) {
        // "[2, int_oo]", in older releases "[2, oo]"
        if (symbol.range.ends_with("oo]") && symbol.upperBound.empty()) out.push_back(symbol.symbol);
    }
    return out;
}

std::string specialisation(const SymbolInfo& symbol) {
    if (symbol.became.empty()) return {};
    std::string out = symbol.symbol + " became " + symbol.became;
    if (!symbol.becameAt.empty()) {
        const ir::SourceLocation& at = symbol.becameAt.back();
        out += " at " + at.file.substr(at.file.find_last_of('/') + 1) + ':' + std::to_string(at.line);
    }
    return symbol.becameReason.empty() ? out : out + " (" + symbol.becameReason + ')';
}

} // namespace dynascope::session
