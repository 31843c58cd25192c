// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_words.h"

#include <ATen/core/jit_type.h>
#include <array>
#include <charconv>
#include <cmath>

namespace dynascope::engine {

namespace {

using c10::ScalarType;
using ir::Argument;
using Kind = Argument::Kind;

struct DtypeWord {
    ScalarType type;
    std::string_view name;
    std::string_view shortName;
    std::string_view alias;
};
constexpr std::array<DtypeWord, 20> dtypes{{
    {ScalarType::Float, "float32", "f32", "float"},
    {ScalarType::Double, "float64", "f64", "double"},
    {ScalarType::Half, "float16", "f16", "half"},
    {ScalarType::BFloat16, "bfloat16", "bf16", ""},
    {ScalarType::Long, "int64", "i64", "long"},
    {ScalarType::Int, "int32", "i32", "int"},
    {ScalarType::Short, "int16", "i16", "short"},
    {ScalarType::Char, "int8", "i8", ""},
    {ScalarType::Byte, "uint8", "u8", ""},
    {ScalarType::UInt16, "uint16", "u16", ""},
    {ScalarType::UInt32, "uint32", "u32", ""},
    {ScalarType::UInt64, "uint64", "u64", ""},
    {ScalarType::Bool, "bool", "b8", ""},
    {ScalarType::ComplexFloat, "complex64", "c64", "cfloat"},
    {ScalarType::ComplexDouble, "complex128", "c128", "cdouble"},
    {ScalarType::ComplexHalf, "complex32", "c32", "chalf"},
    {ScalarType::Float8_e4m3fn, "float8_e4m3fn", "f8e4m3fn", ""},
    {ScalarType::Float8_e5m2, "float8_e5m2", "f8e5m2", ""},
    {ScalarType::Float8_e4m3fnuz, "float8_e4m3fnuz", "f8e4m3fnuz", ""},
    {ScalarType::Float8_e5m2fnuz, "float8_e5m2fnuz", "f8e5m2fnuz", ""},
}};

struct FormatWord {
    c10::MemoryFormat format;
    std::string_view name;
};
constexpr std::array<FormatWord, 4> formats{{
    {c10::MemoryFormat::Contiguous, "contiguous_format"},
    {c10::MemoryFormat::Preserve, "preserve_format"},
    {c10::MemoryFormat::ChannelsLast, "channels_last"},
    {c10::MemoryFormat::ChannelsLast3d, "channels_last_3d"},
}};

std::string_view withoutTorch(std::string_view word) {
    if (word.starts_with("torch.")) word.remove_prefix(6);
    return word;
}

template <typename Number>
std::optional<Number> parsed(std::string_view text) {
    Number value{};
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<double> floatOfText(std::string_view text) {
    if (text == "inf" || text == "nan" || text == "-inf" || text == "-nan") {
        const double value = text.ends_with("inf") ? INFINITY : NAN;
        return text.front() == '-' ? -value : value;
    }
    return parsed<double>(text);
}

std::optional<c10::IValue> formatFrom(std::string_view word) {
    for (const FormatWord& row : formats) {
        if (row.name == withoutTorch(word)) return c10::IValue(row.format);
    }
    return std::nullopt;
}

std::string formatName(c10::MemoryFormat format) {
    for (const FormatWord& row : formats) {
        if (row.format == format) return "torch." + std::string(row.name);
    }
    return {};
}

Argument word(Kind kind, std::string text) {
    return {kind, std::move(text), {}, {}};
}

Argument fromScalar(const c10::Scalar& scalar) {
    if (scalar.isBoolean()) return Argument::boolean(scalar.toBool());
    if (scalar.isIntegral(false)) return Argument::integer(scalar.toLong());
    if (scalar.isFloatingPoint()) return word(Kind::Float, ir::pythonRepr(scalar.toDouble()));
    const auto value = scalar.toComplexDouble();
    // Python writes no ".0" here.
    const auto part = [](double number) {
        std::string out = ir::pythonRepr(number);
        if (out.ends_with(".0")) out.resize(out.size() - 2);
        return out;
    };
    std::string text;
    if (value.real() != 0) {
        text.append(1, '(').append(part(value.real()));
        if (!std::signbit(value.imag())) text.push_back('+');
    }
    text.append(part(value.imag())).push_back('j');
    if (value.real() != 0) text.push_back(')');
    return word(Kind::Complex, std::move(text));
}

} // namespace

std::string dtypeName(ScalarType type) {
    for (const DtypeWord& row : dtypes) {
        if (row.type == type) return std::string(row.name);
    }
    return c10::toString(type);
}

std::optional<ScalarType> dtypeFromName(std::string_view name) {
    const std::string_view bare = withoutTorch(name);
    for (const DtypeWord& row : dtypes) {
        if (row.name == bare || (!row.alias.empty() && row.alias == bare)) return row.type;
    }
    return std::nullopt;
}

std::optional<ScalarType> dtypeFromShortName(std::string_view name) {
    for (const DtypeWord& row : dtypes) {
        if (row.shortName == name) return row.type;
    }
    return std::nullopt;
}

namespace {

/// "2j", "(1+2j)"
std::optional<c10::complex<double>> complexFrom(std::string_view text) {
    if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
    if (!text.ends_with('j')) return std::nullopt;
    text.remove_suffix(1);
    // The sign between both parts: not the first one, nor that of an exponent.
    std::size_t at = text.size();
    while (at-- > 1)
        if ((text[at] == '+' || text[at] == '-') && text[at - 1] != 'e') break;
    const bool both = at > 0 && at < text.size();
    const auto real = both ? floatOfText(text.substr(0, at)) : std::optional(0.0);
    std::string_view rest = both ? text.substr(at) : text;
    if (rest.starts_with('+')) rest.remove_prefix(1);
    const auto imaginary = floatOfText(rest);
    if (!real || !imaginary) return std::nullopt;
    return c10::complex<double>(*real, *imaginary);
}

} // namespace

std::optional<c10::IValue> constantFrom(const Argument& argument) {
    switch (argument.kind) {
    case Kind::None:
        return c10::IValue();
    case Kind::Bool:
        return c10::IValue(argument.text == "True");
    case Kind::Int:
        if (const auto value = argument.asInt()) return c10::IValue(*value);
        return std::nullopt;
    case Kind::Float:
        if (const auto value = floatOfText(argument.text)) return c10::IValue(*value);
        return std::nullopt;
    case Kind::Complex:
        if (const auto value = complexFrom(argument.text)) return c10::IValue(*value);
        return std::nullopt;
    case Kind::String:
    case Kind::Raw:
        return c10::IValue(argument.text);
    case Kind::Dtype:
        if (const auto type = dtypeFromName(argument.text)) return c10::IValue(*type);
        return std::nullopt;
    case Kind::Layout:
        if (argument.text == "torch.strided") return c10::IValue(c10::kStrided);
        return std::nullopt;
    case Kind::MemoryFormat:
        return formatFrom(argument.text);
    case Kind::Device:
        return c10::IValue(c10::Device(c10::kCPU));
    default:
        return std::nullopt;
    }
}

std::optional<Argument> argumentFrom(const c10::IValue& value, const c10::Type& type) {
    if (value.isNone()) return Argument::none();
    switch (type.kind()) {
    case c10::TypeKind::OptionalType:
        return argumentFrom(value, *type.containedType(0));
    case c10::TypeKind::ScalarTypeType:
        return word(Kind::Dtype, "torch." + dtypeName(value.toScalarType()));
    case c10::TypeKind::LayoutType:
        if (value.toLayout() == c10::kStrided) return word(Kind::Layout, "torch.strided");
        return std::nullopt;
    case c10::TypeKind::MemoryFormatType:
        return word(Kind::MemoryFormat, formatName(value.toMemoryFormat()));
    default:
        break;
    }
    if (value.isInt()) return Argument::integer(value.toInt());
    if (value.isDevice()) return word(Kind::Device, value.toDevice().str());
    if (value.isString()) return Argument::string(value.toStringRef());
    if (value.isScalar()) return fromScalar(value.toScalar());
    if (value.isList()) {
        Argument list = Argument::list({});
        const auto items = value.toListRef();
        const c10::TypePtr element = type.containedType(0);
        list.items.reserve(items.size());
        for (const c10::IValue& item : items) {
            std::optional<Argument> one = argumentFrom(item, *element);
            if (!one) return std::nullopt;
            list.items.push_back(std::move(*one));
        }
        return list;
    }
    return std::nullopt;
}

ir::TensorMeta tensorMeta(const at::Tensor& tensor, std::string device) {
    ir::TensorMeta out;
    out.dtype = ir::shortDtype(dtypeName(tensor.scalar_type()));
    out.strides.emplace();
    for (std::int64_t i = 0; i < tensor.dim(); ++i) {
        out.sizes.push_back(std::to_string(tensor.size(i)));
        out.strides->push_back(std::to_string(tensor.stride(i)));
    }
    out.device = std::move(device);
    return out;
}

} // namespace dynascope::engine
