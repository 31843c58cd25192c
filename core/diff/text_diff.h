// SPDX-License-Identifier: BSD-3-Clause
//
// Line diff of two texts with changed words inside changed lines. Myers' O(ND) algorithm (E. Myers, "An O(ND)
// Difference Algorithm and Its Variations", 1986) after common prefix and suffix are taken off, with a cost
// bound beyond which unique common lines anchor the rest (patience).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::diff {

struct WordRange {
    std::size_t begin = 0, end = 0; ///< byte offsets within the line
};

struct LineRow {
    enum class Kind : std::uint8_t { Same, Changed, Added, Removed } kind = Kind::Same;
    std::size_t a = SIZE_MAX, b = SIZE_MAX; ///< line numbers from 0; SIZE_MAX where that side has none
    std::vector<WordRange> wordsA, wordsB;  ///< Changed only: what differs
};

struct TextDiff {
    std::vector<std::string_view> linesA, linesB; ///< views into the texts given
    std::vector<LineRow> rows;
    std::size_t added = 0, removed = 0, changed = 0;
};

/// The texts must outlive the result.
[[nodiscard]] TextDiff diffTexts(std::string_view a, std::string_view b);

} // namespace dynascope::diff
