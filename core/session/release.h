// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace dynascope::session {

/// Whether a release of PyTorch, such as "2.13.0+cpu", is 2.`minor` or newer; `unknown` where the text is none.
[[nodiscard]] bool isSince(std::string_view torchVersion, int minor, bool unknown);

} // namespace dynascope::session
