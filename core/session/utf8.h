// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace dynascope::session {

/// True for well-formed UTF-8 (Unicode 15, table 3-7: no surrogates, no overlong forms, nothing above
/// U+10FFFF).
[[nodiscard]] bool isUtf8(std::string_view text);

/// A copy in which each maximal ill-formed sequence became one U+FFFD.
[[nodiscard]] std::string toValidUtf8(std::string_view text);

} // namespace dynascope::session
