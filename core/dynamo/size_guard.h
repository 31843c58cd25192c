// SPDX-License-Identifier: BSD-3-Clause
//
// Guards as recompile reasons write them: on sizes, and what they call a local.
#pragma once

#include "core/dynamo/recompiles.h"

#include <string>
#include <string_view>

namespace dynascope::dynamo {

/// "8", "-1.5e-3".
[[nodiscard]] bool isNumber(std::string_view text);
/// "2 <= x.size()[0] <= 4096", "x.size()[0] == 8": what a size that is symbolic, or was, must be. False where the
/// text is none about one size and numbers.
[[nodiscard]] bool readSize(std::string_view text, FailedGuard& guard);

/// "L['self'].n" for "self.n": reasons name locals as the program does, guards by their source.
[[nodiscard]] std::string localSource(std::string_view subject);

} // namespace dynascope::dynamo
