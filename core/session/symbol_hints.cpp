// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/symbol_hints.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace dynascope::session {

namespace {

bool readNumber(std::string_view text, std::uint64_t& out) {
    const auto end = std::from_chars(text.data(), text.data() + text.size(), out);
    return end.ec == std::errc() && end.ptr == text.data() + text.size();
}

} // namespace

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

std::string_view boundedSymbol(std::string_view guard) {
    const std::size_t less = guard.find(" <");
    if (less == std::string_view::npos) return {};
    std::string_view left = guard.substr(0, less), right = guard.substr(less + 2);
    if (right.starts_with('=')) right.remove_prefix(1);
    if (!right.starts_with(' ')) return {};
    right.remove_prefix(1);
    std::uint64_t factor = 1, bound = 0;
    if (const std::size_t times = left.find('*'); times != std::string_view::npos) {
        if (!readNumber(left.substr(0, times), factor) || factor == 0) return {};
        left.remove_prefix(times + 1);
    }
    const bool isSymbol = !left.empty() && std::isalpha(static_cast<unsigned char>(left.front())) != 0 &&
                          std::all_of(left.begin(), left.end(),
                                      [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    return isSymbol && readNumber(right, bound) && bound % factor == 0 ? left : std::string_view();
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
