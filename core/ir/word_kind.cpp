// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/value_parser.h"

#include <algorithm>
#include <array>

namespace dynascope::ir {

namespace {

using Kind = Argument::Kind;

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::array<std::string_view, 13> dtypePrefixes{"float", "int",    "uint",   "bfloat", "complex",
                                                         "qint",  "quint",  "half",   "double", "long",
                                                         "short", "cfloat", "cdouble"};
constexpr std::array<std::string_view, 8> layouts{"strided",    "sparse_coo", "sparse_csr", "sparse_csc",
                                                  "sparse_bsr", "sparse_bsc", "jagged",     "_mkldnn"};
constexpr std::array<std::string_view, 4> memoryFormats{"contiguous_format", "preserve_format",
                                                        "channels_last", "channels_last_3d"};
constexpr std::array<std::string_view, 14> deviceTypes{"cpu", "cuda", "meta", "mps",          "xpu",
                                                       "hpu", "xla",  "mtia", "lazy",         "ipu",
                                                       "hip", "maia", "fpga", "privateuseone"};

/// "s77", "u0", "zf3", "zuf1", "ps2", "i4": the prefixes of torch/utils/_sympy/symbol.py that graphs show.
bool isSymbol(std::string_view word) {
    constexpr std::array<std::string_view, 7> prefixes{"s", "u", "zf", "zuf", "ps", "i", "z"};
    const std::size_t letters = std::min(word.find_first_of("0123456789"), word.size());
    return letters < word.size() && contains(prefixes, word.substr(0, letters)) &&
           word.find_first_not_of("0123456789", letters) == std::string_view::npos;
}

/// Arithmetic over symbols, numbers and functions with a capital name.
bool isSymbolic(std::string_view word) {
    bool sawSymbol = false;
    for (std::size_t i = 0; i < word.size();) {
        const char c = word[i];
        if (isNameStart(c)) {
            std::size_t end = i;
            while (end < word.size() && isNameChar(word[end]))
                ++end;
            const std::string_view name = word.substr(i, end - i);
            const bool isFunction = end < word.size() && word[end] == '(' &&
                                    ((c >= 'A' && c <= 'Z') || name == "floor" || name == "ceiling");
            if (isSymbol(name))
                sawSymbol = true;
            else if (!isFunction)
                return false;
            i = end;
        } else if (isDigit(c) || std::string_view("+-*/%(), .<>=!&|").find(c) != std::string_view::npos) {
            ++i;
        } else {
            return false;
        }
    }
    return sawSymbol;
}

/// Int, Float, Complex or Raw.
Kind numberKind(std::string_view word) {
    if (word.starts_with('(') && word.ends_with("j)")) {
        word = word.substr(1, word.size() - 2);
        const bool plain = word.find_first_not_of("0123456789.+-ej") == std::string_view::npos;
        return plain ? Kind::Complex : Kind::Raw;
    }
    std::string_view body = word;
    if (body.starts_with('-') || body.starts_with('+')) body.remove_prefix(1);
    if (body == "inf" || body == "nan") return Kind::Float;
    const bool imaginary = body.ends_with('j');
    if (imaginary) body.remove_suffix(1);
    bool digits = false;
    bool isFloat = false;
    for (std::size_t i = 0; i < body.size(); ++i) {
        const char c = body[i];
        if (isDigit(c)) {
            digits = true;
        } else if (c == '.' && !isFloat) {
            isFloat = true;
        } else if ((c == 'e' || c == 'E') && digits && i + 1 < body.size()) {
            std::string_view exponent = body.substr(i + 1);
            if (exponent.front() == '-' || exponent.front() == '+') exponent.remove_prefix(1);
            isFloat = true;
            if (exponent.empty() || exponent.find_first_not_of("0123456789") != std::string_view::npos)
                return Kind::Raw;
            break;
        } else {
            return Kind::Raw;
        }
    }
    if (!digits) return Kind::Raw;
    if (imaginary) return Kind::Complex;
    return isFloat ? Kind::Float : Kind::Int;
}

Kind torchKind(std::string_view name) {
    if (contains(layouts, name)) return Kind::Layout;
    if (contains(memoryFormats, name)) return Kind::MemoryFormat;
    if (name == "bool") return Kind::Dtype;
    for (const std::string_view prefix : dtypePrefixes) {
        if (!name.starts_with(prefix)) continue;
        const std::string_view rest = name.substr(prefix.size());
        if (rest.empty() || isDigit(rest.front())) return isName(name) ? Kind::Dtype : Kind::Raw;
    }
    return name.starts_with("bits") && isName(name) ? Kind::Dtype : Kind::Raw;
}

} // namespace

bool isName(std::string_view text) {
    return !text.empty() && isNameStart(text.front()) && std::all_of(text.begin(), text.end(), isNameChar);
}

bool isDeviceWord(std::string_view word) {
    const std::size_t colon = word.find(':');
    if (!contains(deviceTypes, word.substr(0, colon))) return false;
    if (colon == std::string_view::npos) return true;
    return colon + 1 < word.size() &&
           word.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
}

Argument::Kind wordKind(std::string_view word) {
    if (word.empty()) return Kind::Raw;
    const char c = word.front();
    if (isDigit(c) || c == '-' || c == '+' || c == '.' || c == '(') {
        if (word == "...") return Kind::Ellipsis;
        const Kind number = numberKind(word);
        if (number != Kind::Raw) return number;
        return isSymbolic(word) ? Kind::Symbol : Kind::Raw;
    }
    if (word == "None") return Kind::None;
    if (word == "True" || word == "False") return Kind::Bool;
    if (word == "Ellipsis") return Kind::Ellipsis;
    if (word == "inf" || word == "nan") return Kind::Float;
    constexpr std::string_view torch = "torch.";
    if (word.starts_with(torch)) return torchKind(word.substr(torch.size()));
    return isSymbolic(word) ? Kind::Symbol : Kind::Raw;
}

} // namespace dynascope::ir
