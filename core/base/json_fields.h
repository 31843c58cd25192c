// SPDX-License-Identifier: BSD-3-Clause
//
// Fields of JSON objects that others wrote.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace dynascope {

/// Any value; null where `object` is no object, or the field is missing.
[[nodiscard]] inline const nlohmann::json& field(const nlohmann::json& object, const char* key) {
    static const nlohmann::json none;
    const auto at = object.find(key);
    return at == object.end() ? none : *at;
}

/// A string; empty where `object` is no object, or the field is missing or no text.
[[nodiscard]] inline std::string stringField(const nlohmann::json& object, const char* key) {
    const auto at = object.find(key);
    return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

} // namespace dynascope
