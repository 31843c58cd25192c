// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dynascope {

/// Appends a code point below 0x110000 as UTF-8. A surrogate is encoded as it is; who must not have one
/// replaces it first.
void appendUtf8(std::string& out, std::uint32_t point);

/// The start of the character at `at`, or `at` itself where that is none: where a text can be cut.
[[nodiscard]] std::size_t characterStart(std::string_view text, std::size_t at);

} // namespace dynascope
