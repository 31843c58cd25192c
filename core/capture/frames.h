// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/session/session.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

/// "f" for "torch_dynamo_resume_in_f_at_30" (torch/_dynamo/resume_execution.py); nothing for other names.
[[nodiscard]] std::optional<std::string_view> resumedFunction(std::string_view name);

} // namespace dynascope::capture
