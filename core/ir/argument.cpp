// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/argument.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace dynascope::ir {

namespace {

enum class Form : std::uint8_t { Fx, Python };

void appendValue(std::string& out, const Argument& arg, Form form, std::string_view prefix);

void appendItems(std::string& out, const std::vector<Argument>& items, Form form, std::string_view prefix) {
    bool first = true;
    for (const Argument& item : items) {
        if (!first) out += ", ";
        first = false;
        appendValue(out, item, form, prefix);
    }
}

void appendDevice(std::string& out, const Argument& arg, Form form) {
    if (form == Form::Fx) {
        out += arg.text;
        return;
    }
    const std::size_t colon = arg.text.find(':');
    out += "device(type='";
    out += std::string_view(arg.text).substr(0, colon);
    out += '\'';
    if (colon != std::string::npos) {
        out += ", index=";
        out += std::string_view(arg.text).substr(colon + 1);
    }
    out += ')';
}

void appendDict(std::string& out, const Argument& arg, Form form, std::string_view prefix) {
    out += '{';
    for (std::size_t i = 0; i + 1 < arg.items.size(); i += 2) {
        if (i != 0) out += ", ";
        appendValue(out, arg.items[i], form, prefix);
        out += ": ";
        appendValue(out, arg.items[i + 1], form, prefix);
    }
    out += '}';
}

void appendValue(std::string& out, const Argument& arg, Form form, std::string_view prefix) {
    if (!arg.spelling.empty()) {
        out += arg.spelling;
        return;
    }
    switch (arg.kind) {
    case Argument::Kind::None:
        out += "None";
        break;
    case Argument::Kind::Ellipsis:
        out += "Ellipsis";
        break;
    case Argument::Kind::NodeRef:
        out += prefix;
        out += arg.text;
        break;
    case Argument::Kind::String:
        if (form == Form::Fx)
            out += arg.text;
        else
            out += pythonRepr(arg.text);
        break;
    case Argument::Kind::Device:
        appendDevice(out, arg, form);
        break;
    case Argument::Kind::List:
        out += '[';
        appendItems(out, arg.items, form, prefix);
        out += ']';
        break;
    case Argument::Kind::Tuple:
        out += '(';
        appendItems(out, arg.items, form, prefix);
        out += arg.items.size() == 1 ? ",)" : ")";
        break;
    case Argument::Kind::Dict:
        appendDict(out, arg, form, prefix);
        break;
    // str() of what follows shows its parts by repr(), and nodes in them by their bare names.
    case Argument::Kind::Set:
        out += '{';
        appendItems(out, arg.items, Form::Python, {});
        out += '}';
        break;
    case Argument::Kind::Slice:
        out += "slice(";
        appendItems(out, arg.items, Form::Python, {});
        out += ')';
        break;
    case Argument::Kind::Call:
        out += arg.text;
        out += '(';
        appendItems(out, arg.items, Form::Python, {});
        out += ')';
        break;
    case Argument::Kind::Keyword:
        out += arg.text;
        out += '=';
        appendItems(out, arg.items, Form::Python, {});
        break;
    case Argument::Kind::Bool:
    case Argument::Kind::Int:
    case Argument::Kind::Float:
    case Argument::Kind::Complex:
    case Argument::Kind::Symbol:
    case Argument::Kind::Dtype:
    case Argument::Kind::Layout:
    case Argument::Kind::MemoryFormat:
    case Argument::Kind::Raw:
        out += arg.text;
        break;
    }
}

} // namespace

std::string pythonRepr(std::string_view text) {
    const bool hasSingle = text.find('\'') != std::string_view::npos;
    const bool hasDouble = text.find('"') != std::string_view::npos;
    const char quote = hasSingle && !hasDouble ? '"' : '\'';
    constexpr std::array<char, 17> hex{"0123456789abcdef"};
    std::string out;
    out.reserve(text.size() + 2);
    out += quote;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == quote || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\r') {
            out += "\\r";
        } else if (c == '\t') {
            out += "\\t";
        } else if (byte < 0x20 || byte == 0x7F) {
            out += "\\x";
            out += hex[byte >> 4U];
            out += hex[byte & 0xFU];
        } else {
            out += c;
        }
    }
    out += quote;
    return out;
}

std::string pythonRepr(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    std::array<char, 64> buffer{};
    const auto print = [&](std::chars_format format) {
        const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format).ptr;
        return std::string(buffer.data(), end);
    };
    std::string scientific = print(std::chars_format::scientific);
    const int exponent = std::atoi(scientific.c_str() + scientific.find('e') + 1);
    if (exponent < -4 || exponent >= 16) return scientific;
    std::string fixed = print(std::chars_format::fixed);
    if (fixed.find('.') == std::string::npos) fixed += ".0";
    return fixed;
}

std::optional<std::int64_t> Argument::asInt() const {
    if (kind != Kind::Int) return std::nullopt;
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) return std::nullopt;
    return value;
}

std::optional<double> Argument::asDouble() const {
    if (kind != Kind::Int && kind != Kind::Float) return std::nullopt;
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) return std::nullopt;
    return value;
}

std::string Argument::toString(std::string_view nodePrefix) const {
    std::string out;
    appendTo(out, nodePrefix);
    return out;
}

void Argument::appendTo(std::string& out, std::string_view nodePrefix) const {
    appendValue(out, *this, nodePrefix == "%" ? Form::Fx : Form::Python, nodePrefix);
}

} // namespace dynascope::ir
