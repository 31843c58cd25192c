// SPDX-License-Identifier: BSD-3-Clause
#include "views/palette/palette_match.h"

#include <QStringList>
#include <algorithm>

namespace dynascope::views {

namespace {

bool startsWord(const QString& text, qsizetype at) {
    if (at == 0) return true;
    const QChar before = text[at - 1], here = text[at];
    return !before.isLetterOrNumber() || (before.isLower() && here.isUpper()) ||
           (before.isLetter() && here.isDigit());
}

std::optional<PaletteMatch> matchWord(const QString& word, const QString& text) {
    if (text.startsWith(word, Qt::CaseInsensitive))
        return PaletteMatch{MatchRank::Prefix, {{0, int(word.size())}}};
    qsizetype first = -1;
    for (qsizetype at = text.indexOf(word, 0, Qt::CaseInsensitive); at >= 0;
         at = text.indexOf(word, at + 1, Qt::CaseInsensitive)) {
        if (startsWord(text, at)) return PaletteMatch{MatchRank::WordStart, {{int(at), int(word.size())}}};
        if (first < 0) first = at;
    }
    if (first >= 0) return PaletteMatch{MatchRank::Contains, {{int(first), int(word.size())}}};
    // One or two letters occur in order nearly everywhere.
    if (word.size() < 3) return std::nullopt;
    PaletteMatch match{MatchRank::Fuzzy, {}};
    qsizetype from = 0;
    for (const QChar c : word) {
        const qsizetype at = text.indexOf(c, from, Qt::CaseInsensitive);
        if (at < 0) return std::nullopt;
        if (!match.ranges.empty() && match.ranges.back().first + match.ranges.back().second == at)
            ++match.ranges.back().second;
        else
            match.ranges.emplace_back(int(at), 1);
        from = at + 1;
    }
    // Letters far apart are chance, not what somebody meant.
    if (from - match.ranges.front().first > 2 * word.size() + 2) return std::nullopt;
    return match;
}

} // namespace

std::optional<PaletteMatch> matchPalette(const QString& pattern, const QString& text) {
    PaletteMatch all;
    for (const QString& word : pattern.split(u' ', Qt::SkipEmptyParts)) {
        auto one = matchWord(word, text);
        if (!one) return std::nullopt;
        all.rank = std::max(all.rank, one->rank);
        all.ranges.insert(all.ranges.end(), one->ranges.begin(), one->ranges.end());
    }
    std::sort(all.ranges.begin(), all.ranges.end());
    // Two words may hit the same letters; a letter is highlighted once.
    std::vector<std::pair<int, int>> merged;
    for (const auto& [begin, length] : all.ranges) {
        if (!merged.empty() && begin <= merged.back().first + merged.back().second)
            merged.back().second = std::max(merged.back().second, begin + length - merged.back().first);
        else
            merged.emplace_back(begin, length);
    }
    all.ranges = std::move(merged);
    return all;
}

} // namespace dynascope::views
