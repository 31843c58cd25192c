// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/release.h"

#include <charconv>

namespace dynascope::session {

bool isSince(std::string_view torchVersion, int minor, bool unknown) {
    int of = 0, its = 0;
    const char* const end = torchVersion.data() + torchVersion.size();
    const auto read = std::from_chars(torchVersion.data(), end, of);
    if (read.ec != std::errc() || read.ptr == end ||
        std::from_chars(read.ptr + 1, end, its).ec != std::errc())
        return unknown;
    return of > 2 || (of == 2 && its >= minor);
}

} // namespace dynascope::session
