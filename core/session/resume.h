// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dynascope::session {

/// A function that Dynamo made to go on after a graph break (torch/_dynamo/resume_execution.py).
struct ResumedFunction {
    std::string_view function; ///< the one it continues
    std::uint32_t line = 0;    ///< where
};

/// "f" and 30 of "torch_dynamo_resume_in_f_at_30"; nothing for other names.
[[nodiscard]] std::optional<ResumedFunction> parseResumedFunction(std::string_view name);

/// The function that `name` continues; `name` itself where it continues none. A view into `name`.
[[nodiscard]] std::string_view originalFunction(std::string_view name);

} // namespace dynascope::session
