// SPDX-License-Identifier: BSD-3-Clause
//
// How well a text answers what was typed in the palette.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace dynascope::views {

/// Better first. Fuzzy: the letters occur in order.
enum class MatchRank : std::uint8_t { Prefix, WordStart, Contains, Fuzzy };

struct PaletteMatch {
    MatchRank rank = MatchRank::Prefix;
    std::vector<std::pair<int, int>> ranges; ///< (begin, length) of what matched, ascending
};

/// Every word of `pattern` must match; the worst word ranks the whole. Case does not matter. An empty pattern
/// matches all.
[[nodiscard]] std::optional<PaletteMatch> matchPalette(const QString& pattern, const QString& text);

} // namespace dynascope::views
