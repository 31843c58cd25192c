// SPDX-License-Identifier: BSD-3-Clause
//
// Alignment of two sequences of numbers, shared by the text diff and the graph diff.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace dynascope::diff::detail {

using Match = std::pair<std::uint32_t, std::uint32_t>;

/// A common subsequence as index pairs, rising in both. It is a longest one where fewer than `maxCost`
/// elements differ (Myers, greedy); beyond that, elements that occur once on each side anchor the pieces
/// (patience), and a piece with no anchor is left unmatched. O(n + m) memory beyond maxCost squared; O((n +
/// m) * maxCost) time.
[[nodiscard]] std::vector<Match> alignSequences(std::span<const std::uint32_t> a,
                                                std::span<const std::uint32_t> b,
                                                std::uint32_t maxCost = 512);

/// Positions (into `values`) of one longest strictly rising subsequence.
[[nodiscard]] std::vector<std::uint32_t> longestRising(std::span<const std::uint32_t> values);

} // namespace dynascope::diff::detail
