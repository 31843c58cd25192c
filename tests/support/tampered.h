// SPDX-License-Identifier: BSD-3-Clause
//
// Changes a case in one fact at a time, a fact for each class of them that it states.
#pragma once

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dynascope::test {

/// Another value of the same type: what is neither is changed in its first word.
inline nlohmann::json otherThan(const nlohmann::json& value) {
    if (value.is_boolean()) return !value.get<bool>();
    if (value.is_number_integer()) return value.get<std::int64_t>() + 1;
    if (value.is_number()) return value.get<double>() + 1.5;
    if (value.is_null()) return 7;
    if (value.is_array()) return {"tampered"};
    if (value.is_object()) return {{"tampered", 1}};
    std::string text = value.get<std::string>();
    std::size_t word = 0;
    while (word < text.size() && std::isalpha(static_cast<unsigned char>(text[word])) == 0)
        ++word;
    return text.insert(std::min(word, text.size()), "tampered");
}

/// The facts of a case by class: a path in which the place in a list is "*", and below the keys of `maps`,
/// whose members have names of the case's own, the name is too. Of each class the last.
class FactClasses {
public:
    FactClasses(const nlohmann::json& oracleCase, std::vector<std::string> maps)
        : m_maps(std::move(maps)) {
        visit(oracleCase, nlohmann::json::json_pointer(), {}, false);
    }
    [[nodiscard]] const std::map<std::string, nlohmann::json::json_pointer>& facts() const { return m_facts; }

private:
    void visit(const nlohmann::json& value, const nlohmann::json::json_pointer& at, const std::string& name,
               bool named) {
        if (!value.is_structured() || value.empty()) {
            m_facts[name] = at;
            return;
        }
        for (const auto& [key, item] : value.items()) {
            const bool member = value.is_object();
            const bool isMap = member && std::find(m_maps.begin(), m_maps.end(), key) != m_maps.end();
            const std::string step = member && !named ? key : "*";
            nlohmann::json::json_pointer there = at;
            if (member)
                there.push_back(key);
            else
                there.push_back(std::to_string(std::stoul(key)));
            visit(item, there, name.empty() ? step : name + '/' + step, isMap);
        }
    }

    std::vector<std::string> m_maps;
    std::map<std::string, nlohmann::json::json_pointer> m_facts;
};

} // namespace dynascope::test
