// SPDX-License-Identifier: BSD-3-Clause
//
// Guards on sizes as recompile reasons write them.
#pragma once

#include "core/dynamo/recompiles.h"

#include <string_view>

namespace dynascope::dynamo {

/// "8", "-1.5e-3".
[[nodiscard]] bool isNumber(std::string_view text);
/// "2 <= x.size()[0] <= 4096", "x.size()[0] == 8": what a size that is symbolic, or was, must be. False where the
/// text is none about one size and numbers.
[[nodiscard]] bool readSize(std::string_view text, FailedGuard& guard);

} // namespace dynascope::dynamo
