// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/codec.h"

#include <algorithm>

namespace dynascope::wire {

namespace {

constexpr std::array specialWords{
    std::pair{std::string_view("nan"), std::numeric_limits<double>::quiet_NaN()},
    std::pair{std::string_view("inf"), std::numeric_limits<double>::infinity()},
    std::pair{std::string_view("-inf"), -std::numeric_limits<double>::infinity()}};

const char* kindOf(const Any& value) {
    switch (value.type()) {
    case Any::value_t::null:
        return "null";
    case Any::value_t::object:
        return "an object";
    case Any::value_t::array:
        return "a list";
    case Any::value_t::string:
        return "a string";
    case Any::value_t::boolean:
        return "true or false";
    case Any::value_t::number_integer:
    case Any::value_t::number_unsigned:
    case Any::value_t::number_float:
        return "a number";
    case Any::value_t::binary:
    case Any::value_t::discarded:
        break;
    }
    return "bytes";
}

} // namespace

bool isShallow(const Any& value, std::size_t levels) {
    if (!value.is_structured()) return true;
    if (levels == 0) return false;
    return std::all_of(value.begin(), value.end(),
                       [levels](const Any& item) { return isShallow(item, levels - 1); });
}

std::optional<double> numberFrom(const Any& value) {
    if (value.is_number()) return value.get<double>();
    if (value.is_string())
        for (const auto& [word, number] : specialWords)
            if (value.get_ref<const std::string&>() == word) return number;
    return std::nullopt;
}

Any numberToJson(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
}

void Writer::optionalCells(const char* field, const std::vector<double>& values) {
    if (values.empty()) return;
    constexpr double exact = 1e15; // below it whole numbers are told apart
    Any out = Any::array();
    for (const double value : values)
        out.push_back(value == std::floor(value) && std::fabs(value) < exact
                          ? Any(static_cast<std::int64_t>(value))
                          : numberToJson(value));
    (*m_object)[field] = std::move(out);
}

bool Reader::isListOf(const Any& at, std::size_t size) {
    if (!at.is_array())
        fail(at, "a list");
    else if (at.size() != size)
        failWith("expected a list of " + std::to_string(size) + ", not of " + std::to_string(at.size()));
    return at.is_array() && at.size() == size;
}

const Any* Reader::find(const char* field, bool required) {
    if (m_error) return nullptr;
    const auto at = m_object->find(field);
    if (at != m_object->end()) return &*at;
    if (required) {
        m_path.push_back({field, 0});
        failWith("is missing");
        m_path.pop_back();
    }
    return nullptr;
}

void Reader::object(const char* field, Any& out) {
    (*this)(field, out);
    check(field, out.is_object(), "expected an object");
}

void Reader::check(const char* field, bool holds, const char* otherwise) {
    if (holds || m_error) return;
    m_path.push_back({field, 0});
    failWith(otherwise);
    m_path.pop_back();
}

void Reader::read(const Any& at, bool& out) {
    if (!at.is_boolean()) return fail(at, "true or false");
    out = at.get<bool>();
}

void Reader::read(const Any& at, double& out) {
    const auto number = numberFrom(at);
    if (!number) return fail(at, "a number");
    out = *number;
}

void Reader::read(const Any& at, std::string& out) {
    if (!at.is_string()) return fail(at, "a string");
    out = at.get_ref<const std::string&>();
}

void Reader::read(const Any& at, std::vector<bool>& out) {
    if (!at.is_array()) return fail(at, "a list");
    out.assign(at.size(), false);
    for (std::size_t i = 0; i < at.size() && !m_error; ++i) {
        bool value = false;
        item(at, i, value);
        out[i] = value;
    }
}

void Reader::read(const Any& at, Any& out) {
    if (!isShallow(at)) return failWith("nested too deeply");
    out = at;
}

std::optional<Error> Reader::error(const char* what) const {
    if (!m_error) return std::nullopt;
    return Error{std::string(what) + ": " + *m_error};
}

void Reader::fail(const Any& at, const char* expected) {
    failWith(std::string("expected ") + expected + ", not " + kindOf(at));
}

void Reader::failItem(const Any& list, std::size_t i, const char* expected) {
    m_path.push_back({{}, i});
    fail(list[i], expected);
    m_path.pop_back();
}

void Reader::failWith(std::string why) {
    if (m_error) return;
    std::string path;
    for (const Step& step : m_path) {
        if (step.field.empty())
            path += '[' + std::to_string(step.index) + ']';
        else
            path += (path.empty() ? "" : ".") + std::string(step.field);
    }
    m_error = path.empty() ? std::move(why) : path + ": " + why;
}

} // namespace dynascope::wire
