// SPDX-License-Identifier: BSD-3-Clause
//
// Both layout documents from any bytes; what is read must lay out and survive its own JSON.
#include "core/layout/layout.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace dynascope::layout;

namespace {

constexpr std::size_t maxBoxes = 200; // larger inputs only cost time

void require(bool condition) {
    if (!condition) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto result = resultFromJson(text)) {
        const auto again = resultFromJson(toJson(*result));
        require(again.has_value());
        require(toJson(*again) == toJson(*result));
    }
    const auto input = inputFromJson(text);
    if (!input) return 0;
    require(toJson(*inputFromJson(toJson(*input))) == toJson(*input));
    if (input->boxes.size() > maxBoxes || input->edges.size() > 4 * maxBoxes ||
        input->clusters.size() > maxBoxes)
        return 0;
    const auto laidOut = layoutLayered(*input);
    if (!laidOut) return 0;
    require(laidOut->boxes.size() == input->boxes.size());
    require(laidOut->edges.size() == input->edges.size());
    for (const EdgePath& edge : laidOut->edges)
        require(edge.points.size() >= 4 && edge.points.size() % 3 == 1);
    return 0;
}
