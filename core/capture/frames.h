// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/session/session.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dynascope::capture {

/// Where the code object of a compile begins.
struct CodeObject {
    std::string file;
    std::uint32_t firstLine = 0;
};

/// Groups compiles by function. `code` runs parallel to `compiles`. A resume function joins the function of
/// its file that begins last before it and has its name.
[[nodiscard]] std::vector<session::Frame> groupFrames(const std::vector<session::Compile>& compiles,
                                                      const std::vector<CodeObject>& code);

} // namespace dynascope::capture
