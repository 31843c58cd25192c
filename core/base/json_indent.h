// SPDX-License-Identifier: BSD-3-Clause
//
// JSON for reading: what was written on one line, on several. Every token keeps its spelling, so that numbers,
// escapes and names that stand twice are what the file has.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dynascope {

/// An object or a list with two spaces for each level; what fits into `width` characters stays on its line.
/// Nothing where the text is no JSON document, or is neither. Linear in the text; up to twelve times its size
/// where it nests deeply.
[[nodiscard]] std::optional<std::string> indentJson(std::string_view text, std::size_t width = 100);

} // namespace dynascope
