// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/wire/pass.h"

#include "core/engine/wire/pass_fields.h"

#include <algorithm>

namespace dynascope::wire {

DYNASCOPE_WIRE(RunOn)
DYNASCOPE_WIRE(PassStep)
DYNASCOPE_WIRE(PassSummary)
DYNASCOPE_WIRE(WriteBack)
DYNASCOPE_WIRE(PassRequest)
DYNASCOPE_WIRE(PassReply)

namespace {
constexpr std::array emissionNames{std::string_view("operator"), std::string_view("inverse"),
                                   std::string_view("regeneration"), std::string_view("write_back")};
}

std::string_view emissionName(Emission emission) {
    return emissionNames[static_cast<std::size_t>(emission)];
}

std::optional<Emission> emissionOf(std::string_view name) {
    const auto at = std::find(emissionNames.begin(), emissionNames.end(), name);
    if (at == emissionNames.end()) return std::nullopt;
    return static_cast<Emission>(at - emissionNames.begin());
}

} // namespace dynascope::wire
