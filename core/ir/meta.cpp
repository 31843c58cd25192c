// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/meta.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace dynascope::ir {

namespace {

struct DtypeSize {
    std::string_view name;
    unsigned bytes;
};

// Short names of torch/utils/_dtype_abbrs.py.
constexpr std::array dtypeSizes{
    DtypeSize{"f32", 4},        DtypeSize{"i64", 8},        DtypeSize{"b8", 1},
    DtypeSize{"bf16", 2},       DtypeSize{"f16", 2},        DtypeSize{"f64", 8},
    DtypeSize{"i32", 4},        DtypeSize{"i16", 2},        DtypeSize{"i8", 1},
    DtypeSize{"u8", 1},         DtypeSize{"u16", 2},        DtypeSize{"u32", 4},
    DtypeSize{"u64", 8},        DtypeSize{"c32", 4},        DtypeSize{"c64", 8},
    DtypeSize{"c128", 16},      DtypeSize{"f8e4m3", 1},     DtypeSize{"f8e4m3fn", 1},
    DtypeSize{"f8e5m2", 1},     DtypeSize{"f8e4m3fnuz", 1}, DtypeSize{"f8e8m0fnu", 1},
    DtypeSize{"f8e5m2fnuz", 1}, DtypeSize{"f4e2m1fnx2", 1}, DtypeSize{"bits16", 2},
    DtypeSize{"b16", 2},        DtypeSize{"bits8", 1},
};

bool isWordChar(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Reads "[a, b]" at the front of text, split at top-level commas. False if there is no such list.
bool takeList(std::string_view& text, std::vector<std::string>& out) {
    if (text.empty() || text.front() != '[') return false;
    std::size_t depth = 0;
    std::size_t start = 1;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '[' || c == '(') ++depth;
        if (c == ']' || c == ')') {
            if (--depth != 0) continue;
            if (c != ']') return false;
            if (i > start) out.emplace_back(text.substr(start, i - start));
            text.remove_prefix(i + 1);
            return true;
        }
        if (c == ',' && depth == 1) {
            out.emplace_back(text.substr(start, i - start));
            start = i + 1;
            while (start < text.size() && text[start] == ' ')
                ++start;
        }
    }
    return false;
}

void appendList(std::string& out, const std::vector<std::string>& items) {
    out += '[';
    bool first = true;
    for (const std::string& item : items) {
        if (!first) out += ", ";
        first = false;
        out += item;
    }
    out += ']';
}

} // namespace

std::string TensorMeta::shortForm() const {
    std::string out = dtype;
    appendList(out, sizes);
    return out;
}

std::string TensorMeta::annotation() const {
    std::string out = shortForm();
    if (strides) appendList(out, *strides);
    return out + device;
}

std::optional<std::uint64_t> TensorMeta::bytes() const {
    std::uint64_t total = dtypeBytes(dtype);
    if (total == 0) return std::nullopt;
    for (const std::string& size : sizes) {
        std::uint64_t value = 0;
        const char* end = size.data() + size.size();
        const auto [stop, error] = std::from_chars(size.data(), end, value);
        if (error != std::errc() || stop != end) return std::nullopt;
        if (value != 0 && total > std::numeric_limits<std::uint64_t>::max() / value) return std::nullopt;
        total *= value;
    }
    return total;
}

ValueMeta parseAnnotation(std::string_view text) {
    ValueMeta meta;
    std::string_view rest = text;
    const auto dtypeEnd = std::find_if_not(rest.begin(), rest.end(), isWordChar);
    TensorMeta tensor;
    tensor.dtype = std::string(rest.begin(), dtypeEnd);
    rest.remove_prefix(tensor.dtype.size());
    bool good = !tensor.dtype.empty() && takeList(rest, tensor.sizes);
    if (good && !rest.empty() && rest.front() == '[') {
        tensor.strides.emplace();
        good = takeList(rest, *tensor.strides);
    }
    if (good) {
        tensor.device = rest;
        good = std::all_of(rest.begin(), rest.end(), [](char c) { return isWordChar(c) || c == ':'; });
    }
    if (good && tensor.annotation() == text)
        meta.tensor = std::move(tensor);
    else
        meta.raw = text;
    return meta;
}

unsigned dtypeBytes(std::string_view shortDtype) {
    const auto* found = std::find_if(dtypeSizes.begin(), dtypeSizes.end(),
                                     [&](const DtypeSize& d) { return d.name == shortDtype; });
    return found == dtypeSizes.end() ? 0 : found->bytes;
}

} // namespace dynascope::ir
