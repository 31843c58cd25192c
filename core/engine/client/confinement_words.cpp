// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/client/confinement_words.h"

#include <utility>

namespace dynascope::engine {

std::vector<std::string> unconfined(const std::optional<wire::Confinement>& confinement) {
    const wire::Confinement said = confinement.value_or(wire::Confinement());
    std::vector<std::string> out;
    for (const auto& [could, words] :
         {std::pair{said.writesFiles, "write your files"}, std::pair{said.readsFiles, "read your files"},
          std::pair{said.opensSockets, "use the network"}, std::pair{said.startsPrograms, "start programs"}})
        if (could) out.emplace_back(words);
    return out;
}

} // namespace dynascope::engine
