// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/meta.h"

#include "core/base/python_text.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace dynascope::ir {

namespace {

struct Dtype {
    std::string_view shortName;
    std::string_view name; ///< torch's, without "torch."; empty for spellings that only texts have
    unsigned bytes;
};

// Short names of torch/utils/_dtype_abbrs.py.
constexpr std::array dtypes{
    Dtype{"f32", "float32", 4},
    Dtype{"i64", "int64", 8},
    Dtype{"b8", "bool", 1},
    Dtype{"bf16", "bfloat16", 2},
    Dtype{"f16", "float16", 2},
    Dtype{"f64", "float64", 8},
    Dtype{"i32", "int32", 4},
    Dtype{"i16", "int16", 2},
    Dtype{"i8", "int8", 1},
    Dtype{"u8", "uint8", 1},
    Dtype{"u16", "uint16", 2},
    Dtype{"u32", "uint32", 4},
    Dtype{"u64", "uint64", 8},
    Dtype{"c32", "complex32", 4},
    Dtype{"c64", "complex64", 8},
    Dtype{"c128", "complex128", 16},
    Dtype{"f8e4m3", "", 1},
    Dtype{"f8e4m3fn", "float8_e4m3fn", 1},
    Dtype{"f8e5m2", "float8_e5m2", 1},
    Dtype{"f8e4m3fnuz", "float8_e4m3fnuz", 1},
    Dtype{"f8e8m0fnu", "float8_e8m0fnu", 1},
    Dtype{"f8e5m2fnuz", "float8_e5m2fnuz", 1},
    Dtype{"f4e2m1fnx2", "float4_e2m1fn_x2", 1},
    Dtype{"bits16", "", 2},
    Dtype{"b16", "", 2},
    Dtype{"bits8", "", 1},
};

/// Null where it is not known.
const Dtype* findShort(std::string_view shortName) {
    const auto* found =
        std::find_if(dtypes.begin(), dtypes.end(), [&](const Dtype& d) { return d.shortName == shortName; });
    return found == dtypes.end() ? nullptr : found;
}

/// Reads "[a, b]" at the front of text, split at top-level commas. False if there is no such list.
bool takeList(std::string_view& text, std::vector<std::string>& out) {
    if (text.empty() || text.front() != '[') return false;
    for (std::size_t start = 1; start < text.size();) {
        const std::size_t end = python::findOutside(text, start, python::Quotes::Marks,
                                                    [](char c) { return c == ',' || python::isClose(c); });
        if (end == text.size() || (text[end] != ',' && text[end] != ']')) return false;
        if (text[end] == ',' || end > start) out.emplace_back(text.substr(start, end - start));
        if (text[end] == ']') {
            text.remove_prefix(end + 1);
            return true;
        }
        start = std::min(text.find_first_not_of(' ', end + 1), text.size());
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
    const auto dtypeEnd = std::find_if_not(rest.begin(), rest.end(), isNameByte);
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
        good = std::all_of(rest.begin(), rest.end(), [](char c) { return isNameByte(c) || c == ':'; });
    }
    if (good && tensor.annotation() == text)
        meta.tensor = std::move(tensor);
    else
        meta.raw = text;
    return meta;
}

unsigned dtypeBytes(std::string_view shortDtype) {
    const Dtype* found = findShort(shortDtype);
    return found ? found->bytes : 0;
}

std::string shortDtype(std::string_view dtype) {
    constexpr std::string_view prefix = "torch.";
    if (dtype.starts_with(prefix)) dtype.remove_prefix(prefix.size());
    const auto* found = std::find_if(dtypes.begin(), dtypes.end(),
                                     [&](const Dtype& d) { return !dtype.empty() && d.name == dtype; });
    return std::string(found == dtypes.end() ? dtype : found->shortName);
}

std::string fullDtype(std::string_view shortDtype) {
    const Dtype* found = findShort(shortDtype);
    return found && !found->name.empty() ? "torch." + std::string(found->name) : std::string();
}

} // namespace dynascope::ir
