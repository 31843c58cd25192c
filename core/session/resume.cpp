// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/resume.h"

#include <charconv>

namespace dynascope::session {

std::optional<ResumedFunction> parseResumedFunction(std::string_view name) {
    constexpr std::string_view prefix = "torch_dynamo_resume_in_";
    constexpr std::string_view separator = "_at_";
    if (!name.starts_with(prefix)) return std::nullopt;
    name.remove_prefix(prefix.size());
    const std::size_t at = name.rfind(separator);
    if (at == std::string_view::npos || at == 0) return std::nullopt;
    ResumedFunction out{name.substr(0, at), 0};
    const std::string_view line = name.substr(at + separator.size());
    std::from_chars(line.data(), line.data() + line.size(), out.line);
    return out;
}

std::string_view originalFunction(std::string_view name) {
    const auto resumed = parseResumedFunction(name);
    return resumed ? resumed->function : name;
}

} // namespace dynascope::session
