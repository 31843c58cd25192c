// SPDX-License-Identifier: BSD-3-Clause
//
// Text of a capture on its way to a screen. A capture is a stranger's: its text may hold escape sequences
// that drive a terminal, and marks that turn the direction of what is read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dynascope {

/// Whether a character shows nothing of itself and changes how others are shown: control codes other than
/// tab and newline, and Unicode's marks of direction (UAX #9).
[[nodiscard]] bool hidesText(std::uint32_t point);

/// The same text with each such character, and each byte that is no UTF-8, made visible: '?' for control
/// codes and stray bytes, "<U+202E>" for the rest.
[[nodiscard]] std::string withoutControlCodes(std::string_view text);

} // namespace dynascope
