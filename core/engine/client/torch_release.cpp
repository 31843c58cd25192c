// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/client/torch_release.h"

namespace dynascope::engine {

namespace {

/// "2.13" of "2.13.0+cpu".
std::string_view release(std::string_view version) {
    const std::size_t point = version.find('.');
    return point == std::string_view::npos
               ? version
               : version.substr(0, version.find_first_not_of("0123456789", point + 1));
}

} // namespace

std::string releasesApart(std::string_view here, std::string_view there) {
    if (here.empty() || there.empty() || release(here) == release(there)) return {};
    return "PyTorch " + std::string(release(here)) + " here, " + std::string(release(there)) + " there";
}

} // namespace dynascope::engine
