// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/failure.h"

#include "core/base/text.h"

namespace dynascope::session {

std::string failureInALine(const Compile& compile) {
    const std::string_view reason = trimmed(compile.failReason);
    const std::string_view first = trimmed(firstLine(reason));
    if (!first.ends_with(':')) return std::string(first);
    const std::string_view second = trimmed(firstLine(trimmed(reason.substr(first.size()))));
    return second.empty() ? std::string(first) : std::string(first) + ' ' + std::string(second);
}

} // namespace dynascope::session
