// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/fx_names.h"

#include "core/base/words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace dynascope::passes {

namespace {

/// Python's keywords and lower-case builtins, and the names that FX itself puts into generated code; sorted.
constexpr std::array<std::string_view, 113> reserved{
    "abs",        "aiter",      "all",          "and",        "anext",     "any",       "as",
    "ascii",      "assert",     "async",        "await",      "bin",       "bool",      "break",
    "breakpoint", "bytearray",  "bytes",        "callable",   "chr",       "class",     "classmethod",
    "compile",    "complex",    "continue",     "copyright",  "credits",   "def",       "del",
    "delattr",    "device",     "dict",         "dir",        "divmod",    "elif",      "else",
    "enumerate",  "eval",       "except",       "exec",       "exit",      "filter",    "finally",
    "float",      "for",        "format",       "from",       "frozenset", "fx_pytree", "getattr",
    "global",     "globals",    "hasattr",      "hash",       "help",      "hex",       "id",
    "if",         "import",     "in",           "inf",        "input",     "int",       "is",
    "isinstance", "issubclass", "iter",         "lambda",     "len",       "license",   "list",
    "locals",     "map",        "max",          "memoryview", "min",       "nan",       "next",
    "nonlocal",   "not",        "object",       "oct",        "open",      "or",        "ord",
    "pass",       "pow",        "print",        "property",   "pytree",    "quit",      "raise",
    "range",      "repr",       "return",       "reversed",   "round",     "set",       "setattr",
    "slice",      "sorted",     "staticmethod", "str",        "sum",       "super",     "torch",
    "try",        "tuple",      "type",         "vars",       "while",     "with",      "yield",
    "zip"};

bool isReserved(std::string_view name) {
    return std::binary_search(reserved.begin(), reserved.end(), name);
}

/// Lower case, letters, digits and underscores only, and no digit first.
std::string normalized(std::string_view candidate) {
    std::string out;
    for (const char c : candidate) {
        const bool upper = c >= 'A' && c <= 'Z';
        const bool plain = (c >= 'a' && c <= 'z') || isDigit(c) || c == '_';
        out += upper ? static_cast<char>(c - 'A' + 'a') : plain ? c : '_';
    }
    if (out.empty()) return "_unnamed";
    if (isDigit(out.front())) out.insert(out.begin(), '_');
    return out;
}

std::string numbered(const std::string& base, int number) {
    std::array<char, 16> digits{};
    const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    const auto length = static_cast<std::size_t>(end - digits.data());
    std::string out;
    out.reserve(base.size() + 1 + length);
    out.append(base).append(1, '_').append(digits.data(), length);
    return out;
}

} // namespace

bool FxNames::Family::take(int number) {
    constexpr int dense = 1 << 16;
    if (number >= dense) return givenBeyond.insert(number).second;
    const auto at = static_cast<std::size_t>(number);
    if (at >= given.size()) given.resize(std::max(at + 1, 2 * given.size()));
    if (given[at]) return false;
    given[at] = true;
    return true;
}

FxNames::Candidate FxNames::parse(std::string_view candidate) {
    constexpr int maxSuffix = 1'000'000'000; // leaves room to count on
    Candidate out;
    out.name = normalized(candidate);
    const std::string_view name = out.name;
    std::string_view base = name;
    const std::size_t underscore = name.rfind('_');
    if (underscore != std::string_view::npos && underscore > 0 && underscore + 1 < name.size() &&
        std::all_of(name.begin() + static_cast<std::ptrdiff_t>(underscore) + 1, name.end(), isDigit)) {
        const char* const end = name.data() + name.size();
        out.hasSuffix = std::from_chars(name.data() + underscore + 1, end, out.suffix).ec == std::errc() &&
                        out.suffix <= maxSuffix;
        if (out.hasSuffix) base = name.substr(0, underscore);
    }
    const auto [known, isNew] = m_familyOf.try_emplace(std::string(base), m_families.size());
    if (isNew) m_families.emplace_back().base = base;
    out.family = known->second;
    out.isOdd = out.hasSuffix && numbered(known->first, out.suffix) != name;
    out.isReserved = isReserved(name);
    if (!out.hasSuffix) out.suffix = 0;
    return out;
}

bool FxNames::take(const Candidate& candidate) {
    Family& family = m_families[candidate.family];
    if (candidate.isOdd) return m_odd.insert(candidate.name).second;
    if (candidate.hasSuffix) return family.take(candidate.suffix);
    return !std::exchange(family.plain, true);
}

std::string FxNames::create(std::string_view candidate) {
    auto known = m_candidates.find(candidate);
    if (known == m_candidates.end())
        known = m_candidates.emplace(std::string(candidate), parse(candidate)).first;
    const Candidate& wanted = known->second;
    Family& family = m_families[wanted.family];
    const bool own = !wanted.isReserved && take(wanted);
    int number = wanted.suffix;
    if ((!own || !wanted.hasSuffix) && family.count != unused) number = family.count;
    if (!own) {
        // A plain name that was given before is taken; its numbers go on from the highest.
        do
            ++number;
        while (!family.take(number));
    }
    family.count = number;
    return own ? wanted.name : numbered(family.base, number);
}

} // namespace dynascope::passes
