// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/client/confinement_words.h"

#include <array>
#include <utility>

namespace dynascope::engine {

std::vector<std::string> unconfined(const nlohmann::json& confinement) {
    constexpr std::array asked{
        std::pair{"writes_files", "write your files"}, std::pair{"reads_files", "read your files"},
        std::pair{"opens_sockets", "use the network"}, std::pair{"starts_programs", "start programs"}};
    std::vector<std::string> out;
    for (const auto& [key, words] : asked) {
        const nlohmann::json said =
            confinement.is_object() ? confinement.value(key, nlohmann::json()) : nlohmann::json();
        if (!said.is_boolean() || said.get<bool>()) out.emplace_back(words);
    }
    return out;
}

} // namespace dynascope::engine
