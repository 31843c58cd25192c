// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/wire/elements.h"

#include <algorithm>

namespace dynascope::wire {

namespace {

bool isElement(const Any& value) {
    if (value.is_boolean() || numberFrom(value)) return true;
    return value.is_array() && value.size() == 2 && numberFrom(value[0]) && numberFrom(value[1]);
}

} // namespace

void Own<Elements>::read(Reader& reader, const Any& at, Elements& out) {
    if (!at.is_array()) return reader.fail(at, "a list");
    for (std::size_t i = 0; i < at.size(); ++i)
        if (!isElement(at[i])) return reader.failItem(at, i, "an element of a tensor");
    out.list = at;
}

std::vector<std::string> Elements::texts(std::size_t most) const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < list.size() && i < most; ++i)
        out.push_back(list[i].is_string() ? list[i].get<std::string>() : list[i].dump());
    return out;
}

Any Own<Number>::toJson(const Number& value) {
    if (const auto* complex = std::get_if<std::complex<double>>(&value.value))
        return Any::array({numberToJson(complex->real()), numberToJson(complex->imag())});
    if (const auto* real = std::get_if<double>(&value.value)) return numberToJson(*real);
    if (const auto* whole = std::get_if<std::int64_t>(&value.value)) return *whole;
    return std::get<bool>(value.value);
}

void Own<Number>::read(Reader& reader, const Any& at, Number& out) {
    if (at.is_array() && at.size() == 2) {
        std::pair<double, double> parts;
        reader.read(at, parts);
        out.value = std::complex<double>(parts.first, parts.second);
    } else if (!isElement(at))
        reader.fail(at, "a number");
    else if (at.is_boolean())
        out.value = at.get<bool>();
    else if (at.is_number_integer())
        reader.read(at, out.value.emplace<std::int64_t>());
    else
        out.value = *numberFrom(at);
}

std::string Number::text() const {
    return Own<Number>::toJson(*this).dump();
}

std::vector<double> Elements::numbers(std::size_t most) const {
    std::vector<double> out;
    if (!list.is_array()) return out;
    out.reserve(std::min(most, list.size()));
    for (std::size_t i = 0; i < list.size() && i < most; ++i) {
        const Any& item = list[i].is_array() && !list[i].empty() ? list[i].front() : list[i];
        if (item.is_boolean())
            out.push_back(item.get<bool>() ? 1 : 0);
        else
            out.push_back(numberFrom(item).value_or(std::numeric_limits<double>::quiet_NaN()));
    }
    return out;
}

} // namespace dynascope::wire
