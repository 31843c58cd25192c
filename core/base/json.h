// SPDX-License-Identifier: BSD-3-Clause
//
// Reading simdjson documents without exceptions: a missing key or another type gives the fallback.
#pragma once

#include <cstdint>
#include <simdjson.h>
#include <string>
#include <string_view>

namespace dynascope::capture::json {

using simdjson::dom::element;

inline std::string_view text(const element& object, std::string_view key, std::string_view fallback = {}) {
    std::string_view out;
    return object[key].get(out) == simdjson::SUCCESS ? out : fallback;
}

inline std::int64_t integer(const element& object, std::string_view key, std::int64_t fallback = -1) {
    std::int64_t out = 0;
    return object[key].get(out) == simdjson::SUCCESS ? out : fallback;
}

inline double number(const element& object, std::string_view key, double fallback = 0) {
    double out = 0;
    return object[key].get(out) == simdjson::SUCCESS ? out : fallback;
}

inline bool boolean(const element& object, std::string_view key) {
    bool out = false;
    return object[key].get(out) == simdjson::SUCCESS && out;
}

/// A number or a string ("s77") as it is spelled; empty for anything else.
inline std::string spelling(const element& value) {
    std::string_view string;
    if (value.get(string) == simdjson::SUCCESS) return std::string(string);
    if (value.is_number() || value.is_bool()) return simdjson::minify(value);
    return {};
}

/// An integer that fits an int, else the fallback: ids of a hostile file must not wrap around.
inline int smallInteger(const element& object, std::string_view key, int fallback = -1) {
    const std::int64_t value = integer(object, key, fallback);
    return value >= INT32_MIN && value <= INT32_MAX ? static_cast<int>(value) : fallback;
}

} // namespace dynascope::capture::json
