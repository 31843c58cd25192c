// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/export_values.h"

#include "core/capture/sympy_repr.h"

#include <array>
#include <cmath>
#include <span>

namespace dynascope::capture {

namespace {

using ir::Argument;
using json::element;
using simdjson::SUCCESS;

std::string enumName(std::int64_t code, std::span<const std::string_view> names) {
    return code >= 0 && code < static_cast<std::int64_t>(names.size())
               ? std::string(names[static_cast<std::size_t>(code)])
               : std::string("unknown");
}

} // namespace

std::string exportedDtype(std::int64_t code) {
    static constexpr std::array<std::string_view, 14> low = {
        "",        "uint8",   "int8",      "int16",     "int32",      "int64", "float16",
        "float32", "float64", "complex32", "complex64", "complex128", "bool",  "bfloat16"};
    static constexpr std::array<std::string_view, 8> high = {
        "uint16",          "float8_e4m3fn",  "float8_e5m2", "float8_e4m3fnuz",
        "float8_e5m2fnuz", "float8_e8m0fnu", "uint32",      "uint64"};
    constexpr std::int64_t firstHigh = 28;
    if (code >= 0 && code < static_cast<std::int64_t>(low.size()))
        return std::string(low[static_cast<std::size_t>(code)]);
    if (code >= firstHigh && code < firstHigh + static_cast<std::int64_t>(high.size()))
        return std::string(high[static_cast<std::size_t>(code - firstHigh)]);
    return {};
}

std::string exportedLayout(std::int64_t code) {
    static constexpr std::array<std::string_view, 8> names = {"unknown",    "sparse_coo", "sparse_csr",
                                                              "sparse_csc", "sparse_bsr", "sparse_bsc",
                                                              "_mkldnn",    "strided"};
    return "torch." + enumName(code, names);
}

std::string exportedMemoryFormat(std::int64_t code) {
    static constexpr std::array<std::string_view, 5> names = {"unknown", "contiguous_format", "channels_last",
                                                              "channels_last_3d", "preserve_format"};
    return "torch." + enumName(code, names);
}

std::string exportedDevice(const element& device) {
    std::string name(json::text(device, "type"));
    if (const std::int64_t index = json::integer(device, "index"); index >= 0)
        name += ':' + std::to_string(index);
    return name;
}

Argument exportedFloat(const element& value) {
    double number = 0;
    std::string_view word;
    // JSON has no infinities; PyTorch writes them as strings.
    if (value.get(word) == SUCCESS)
        number = word == "NaN" ? std::nan("") : word.starts_with('-') ? -HUGE_VAL : HUGE_VAL;
    else if (value.get(number) != SUCCESS)
        return Argument::raw(simdjson::minify(value));
    return {Argument::Kind::Float, ir::pythonRepr(number), {}, {}};
}

std::optional<Variant> variantOf(const element& item) {
    simdjson::dom::object object;
    if (item.get(object) != SUCCESS || object.size() != 1) return std::nullopt;
    const auto field = *object.begin();
    return Variant{field.key, field.value};
}

std::string exportedSymbol(const element& value) {
    element inner;
    if (value["as_expr"].get(inner) == SUCCESS) return spellSympy(json::text(inner, "expr_str"));
    const std::optional<Variant> variant = variantOf(value);
    return variant ? simdjson::minify(variant->value) : std::string();
}

std::vector<std::string> exportedSymbols(const element& meta, std::string_view key) {
    std::vector<std::string> out;
    simdjson::dom::array items;
    if (meta[key].get(items) != SUCCESS) return out;
    for (const element item : items)
        out.push_back(exportedSymbol(item));
    return out;
}

ir::TensorMeta exportedTensor(const element& meta) {
    ir::TensorMeta out;
    out.dtype = ir::shortDtype(exportedDtype(json::integer(meta, "dtype")));
    out.sizes = exportedSymbols(meta, "sizes");
    if (element strides; meta["strides"].get(strides) == SUCCESS)
        out.strides = exportedSymbols(meta, "strides");
    if (element device; meta["device"].get(device) == SUCCESS) out.device = exportedDevice(device);
    return out;
}

ExportedRoles exportedRoles(const element& module) {
    ExportedRoles out;
    simdjson::dom::array specs;
    if (module["signature"]["input_specs"].get(specs) != SUCCESS) return out;
    for (const element spec : specs) {
        const std::optional<Variant> variant = variantOf(spec);
        if (!variant) continue;
        element arg;
        if (variant->value["arg"].get(arg) != SUCCESS) continue;
        std::string_view name = json::text(arg, "name");
        if (name.empty())
            if (const std::optional<Variant> inner = variantOf(arg)) name = json::text(inner->value, "name");
        std::string role(variant->key);
        const std::string_view target = json::text(variant->value, role + "_name");
        if (role == "user_input") role = "input";
        for (char& c : role)
            if (c == '_') c = ' ';
        if (!target.empty()) role += ' ' + std::string(target);
        out.emplace(name, std::move(role));
    }
    return out;
}

} // namespace dynascope::capture
