// SPDX-License-Identifier: BSD-3-Clause
//
// Texts as pickles of protocol 0 spell them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dynascope::capture {

/// Python's raw-unicode-escape: Latin-1, with \uXXXX and \UXXXXXXXX.
[[nodiscard]] std::string decodeRawUnicode(std::string_view line);
/// A Python 2 string literal; nothing where it is not quoted.
[[nodiscard]] std::optional<std::string> decodeLiteral(std::string_view line);

} // namespace dynascope::capture
