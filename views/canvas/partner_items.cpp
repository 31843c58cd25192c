// SPDX-License-Identifier: BSD-3-Clause
#include "views/canvas/partner_items.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>

namespace dynascope::views::canvas {

std::vector<std::pair<std::uint32_t, std::uint32_t>>
partnerItems(const layout::Pane& a, const layout::Pane& b, const diff::GraphDiff& diff) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> votes;
    if (diff.partnerOfA.size() != a.graph->size() || diff.partnerOfB.size() != b.graph->size()) return {};
    for (ir::NodeIndex n = 0; n < diff.partnerOfA.size(); ++n) {
        const ir::NodeIndex partner = diff.partnerOfA[n];
        if (partner == ir::npos) continue;
        ++votes[{a.folded.itemOfNode[n], b.folded.itemOfNode[partner]}];
    }
    std::vector<std::pair<std::size_t, std::pair<std::uint32_t, std::uint32_t>>> best;
    best.reserve(votes.size());
    for (const auto& [pair, count] : votes)
        best.emplace_back(count, pair);
    std::stable_sort(best.begin(), best.end(),
                     [](const auto& x, const auto& y) { return x.first > y.first; });
    std::vector<bool> takenA(a.folded.items.size());
    std::vector<bool> takenB(b.folded.items.size());
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const auto& [count, pair] : best) {
        if (pair.first >= takenA.size() || pair.second >= takenB.size() || takenA[pair.first] ||
            takenB[pair.second])
            continue;
        takenA[pair.first] = takenB[pair.second] = true;
        pairs.push_back(pair);
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

std::vector<GutterBand> gutterBands(const Scene& a, const Scene& b,
                                    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& partners) {
    // The loudest change of a row wins.
    constexpr std::array loudness{diff::Change::Same, diff::Change::Respelled, diff::Change::Moved,
                                  diff::Change::Changed};
    const auto rank = [&loudness](diff::Change change) {
        return std::find(loudness.begin(), loudness.end(), change) - loudness.begin();
    };
    std::map<std::pair<std::uint32_t, std::uint32_t>, GutterBand> rows;
    for (const auto& [i, k] : partners) {
        const SceneItem& x = a.items[i];
        const SceneItem& y = b.items[k];
        const GutterBand band{x.rect.top(), x.rect.bottom(), y.rect.top(), y.rect.bottom(), y.change};
        const auto [at, fresh] = rows.try_emplace({a.levelOfItem[i], b.levelOfItem[k]}, band);
        if (fresh) continue;
        GutterBand& row = at->second;
        row.topA = std::min(row.topA, band.topA);
        row.bottomA = std::max(row.bottomA, band.bottomA);
        row.topB = std::min(row.topB, band.topB);
        row.bottomB = std::max(row.bottomB, band.bottomB);
        if (rank(band.change) > rank(row.change)) row.change = band.change;
    }
    // Bands that would cross or cover another are left out, quiet ones first.
    std::vector<GutterBand> bands;
    bands.reserve(rows.size());
    for (const auto& [levels, band] : rows)
        bands.push_back(band);
    std::stable_sort(bands.begin(), bands.end(), [&rank](const GutterBand& x, const GutterBand& y) {
        const auto skew = [](const GutterBand& b) { return std::abs(b.topA - b.topB) > 1; };
        return std::make_tuple(skew(x), -rank(x.change), x.topA) <
               std::make_tuple(skew(y), -rank(y.change), y.topA);
    });
    std::map<double, GutterBand> kept;
    for (const GutterBand& band : bands) {
        const auto below = kept.lower_bound(band.topA);
        const bool fitsBelow =
            below == kept.end() || (below->second.topA >= band.bottomA && below->second.topB >= band.bottomB);
        const bool fitsAbove = below == kept.begin() || (std::prev(below)->second.bottomA <= band.topA &&
                                                         std::prev(below)->second.bottomB <= band.topB);
        if (fitsBelow && fitsAbove) kept.emplace(band.topA, band);
    }
    bands.clear();
    for (const auto& [top, band] : kept)
        bands.push_back(band);
    return bands;
}

} // namespace dynascope::views::canvas
