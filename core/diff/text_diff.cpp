// SPDX-License-Identifier: BSD-3-Clause
#include "core/diff/text_diff.h"

#include "core/base/text.h"
#include "core/diff/sequence.h"

#include <algorithm>
#include <unordered_map>

namespace dynascope::diff {

namespace {

// Above this many candidate pairs, lines of a gap are paired in order instead of by likeness.
constexpr std::size_t maxPairs = 4096;
constexpr double alike = 0.5;
constexpr std::size_t maxWords = 4096;

/// Without line ends of either kind.
std::vector<std::string_view> linesOf(std::string_view text) {
    std::vector<std::string_view> lines = splitLines(text);
    for (std::string_view& line : lines)
        if (line.ends_with('\r')) line.remove_suffix(1);
    return lines;
}

bool isWordByte(char c) {
    return isNameByte(c) || static_cast<unsigned char>(c) >= 0x80; // UTF-8 sequences stay whole
}

/// Words, runs of blanks, and single marks.
std::vector<WordRange> splitWords(std::string_view line) {
    std::vector<WordRange> words;
    for (std::size_t i = 0; i < line.size();) {
        std::size_t end = i + 1;
        if (isWordByte(line[i])) {
            while (end < line.size() && isWordByte(line[end]))
                ++end;
        } else if (line[i] == ' ') {
            while (end < line.size() && line[end] == ' ')
                ++end;
        }
        words.push_back({i, end});
        i = end;
    }
    return words;
}

class Interner {
public:
    std::uint32_t id(std::string_view text) {
        return m_ids.emplace(text, static_cast<std::uint32_t>(m_ids.size())).first->second;
    }
    std::vector<std::uint32_t> ids(std::string_view line, const std::vector<WordRange>& words) {
        std::vector<std::uint32_t> result;
        result.reserve(words.size());
        for (const WordRange& w : words)
            result.push_back(id(line.substr(w.begin, w.end - w.begin)));
        return result;
    }

private:
    std::unordered_map<std::string_view, std::uint32_t> m_ids;
};

/// Word numbers of one line without blanks, sorted to compare as a multiset.
struct LineWords {
    std::vector<std::uint32_t> sorted;
};

double likeness(const LineWords& a, const LineWords& b) {
    std::size_t common = 0;
    for (std::size_t i = 0, j = 0; i < a.sorted.size() && j < b.sorted.size();) {
        if (a.sorted[i] == b.sorted[j]) {
            ++common;
            ++i;
            ++j;
        } else if (a.sorted[i] < b.sorted[j]) {
            ++i;
        } else {
            ++j;
        }
    }
    const std::size_t total = a.sorted.size() + b.sorted.size();
    return total == 0 ? 1.0 : 2.0 * static_cast<double>(common) / static_cast<double>(total);
}

std::vector<WordRange> differing(const std::vector<WordRange>& words, const std::vector<bool>& matched) {
    std::vector<WordRange> ranges;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (matched[i]) continue;
        if (!ranges.empty() && ranges.back().end == words[i].begin)
            ranges.back().end = words[i].end;
        else
            ranges.push_back(words[i]);
    }
    return ranges;
}

void markWords(std::string_view a, std::string_view b, LineRow& row) {
    const std::vector<WordRange> wordsA = splitWords(a);
    const std::vector<WordRange> wordsB = splitWords(b);
    if (wordsA.size() > maxWords || wordsB.size() > maxWords) {
        row.wordsA = {{0, a.size()}};
        row.wordsB = {{0, b.size()}};
        return;
    }
    Interner interner;
    const auto idsA = interner.ids(a, wordsA);
    const auto idsB = interner.ids(b, wordsB);
    std::vector<bool> matchedA(wordsA.size());
    std::vector<bool> matchedB(wordsB.size());
    for (const auto& [i, j] : detail::alignSequences(idsA, idsB, 256))
        matchedA[i] = matchedB[j] = true;
    row.wordsA = differing(wordsA, matchedA);
    row.wordsB = differing(wordsB, matchedB);
}

/// Lines between two common ones: which removed line became which added line.
class Gap {
public:
    Gap(const TextDiff& diff, std::size_t a0, std::size_t a1, std::size_t b0, std::size_t b1)
        : m_diff(diff)
        , m_a0(a0)
        , m_a1(a1)
        , m_b0(b0)
        , m_b1(b1) {}

    std::vector<std::pair<std::size_t, std::size_t>> pairs() {
        const std::size_t n = m_a1 - m_a0;
        const std::size_t m = m_b1 - m_b0;
        std::vector<std::pair<std::size_t, std::size_t>> result;
        if (n == 0 || m == 0) return result;
        std::vector<LineWords> a = words(m_diff.linesA, m_a0, m_a1);
        std::vector<LineWords> b = words(m_diff.linesB, m_b0, m_b1);
        if (n * m > maxPairs) {
            for (std::size_t i = 0; i < std::min(n, m); ++i)
                if (likeness(a[i], b[i]) >= alike) result.emplace_back(m_a0 + i, m_b0 + i);
            return result;
        }
        // best[i][j]: greatest summed likeness of pairs among the first i and j lines, in order.
        std::vector<double> score((n + 1) * (m + 1), 0);
        std::vector<double> pair(n * m, 0);
        const auto at = [m](std::size_t i, std::size_t j) { return i * (m + 1) + j; };
        for (std::size_t i = 1; i <= n; ++i) {
            for (std::size_t j = 1; j <= m; ++j) {
                const double like = likeness(a[i - 1], b[j - 1]);
                pair[(i - 1) * m + j - 1] = like;
                score[at(i, j)] = std::max(score[at(i - 1, j)], score[at(i, j - 1)]);
                if (like >= alike)
                    score[at(i, j)] = std::max(score[at(i, j)], score[at(i - 1, j - 1)] + like);
            }
        }
        for (std::size_t i = n, j = m; i > 0 && j > 0;) {
            const double like = pair[(i - 1) * m + j - 1];
            if (like >= alike && score[at(i, j)] == score[at(i - 1, j - 1)] + like) {
                result.emplace_back(m_a0 + i - 1, m_b0 + j - 1);
                --i;
                --j;
            } else if (score[at(i, j)] == score[at(i - 1, j)]) {
                --i;
            } else {
                --j;
            }
        }
        std::reverse(result.begin(), result.end());
        return result;
    }

private:
    std::vector<LineWords> words(const std::vector<std::string_view>& lines, std::size_t from,
                                 std::size_t to) {
        std::vector<LineWords> result;
        result.reserve(to - from);
        for (std::size_t i = from; i < to; ++i) {
            LineWords& w = result.emplace_back();
            std::vector<WordRange> ranges = splitWords(lines[i]);
            if (ranges.size() > maxWords) ranges.resize(maxWords);
            std::erase_if(ranges, [&](const WordRange& r) { return lines[i][r.begin] == ' '; });
            w.sorted = m_interner.ids(lines[i], ranges);
            std::sort(w.sorted.begin(), w.sorted.end());
        }
        return result;
    }

    const TextDiff& m_diff;
    std::size_t m_a0, m_a1, m_b0, m_b1;
    Interner m_interner;
};

void addGap(TextDiff& diff, std::size_t a0, std::size_t a1, std::size_t b0, std::size_t b1) {
    auto pairs = Gap(diff, a0, a1, b0, b1).pairs();
    pairs.emplace_back(a1, b1);
    std::size_t a = a0;
    std::size_t b = b0;
    for (const auto& [pairA, pairB] : pairs) {
        for (; a < pairA; ++a, ++diff.removed)
            diff.rows.push_back({LineRow::Kind::Removed, a, SIZE_MAX, {}, {}});
        for (; b < pairB; ++b, ++diff.added)
            diff.rows.push_back({LineRow::Kind::Added, SIZE_MAX, b, {}, {}});
        if (pairA == a1) break;
        LineRow row{LineRow::Kind::Changed, a, b, {}, {}};
        markWords(diff.linesA[a], diff.linesB[b], row);
        diff.rows.push_back(std::move(row));
        ++diff.changed;
        ++a;
        ++b;
    }
}

} // namespace

TextDiff diffTexts(std::string_view a, std::string_view b) {
    TextDiff diff;
    diff.linesA = linesOf(a);
    diff.linesB = linesOf(b);

    Interner interner;
    std::vector<std::uint32_t> idsA;
    std::vector<std::uint32_t> idsB;
    idsA.reserve(diff.linesA.size());
    idsB.reserve(diff.linesB.size());
    for (const std::string_view line : diff.linesA)
        idsA.push_back(interner.id(line));
    for (const std::string_view line : diff.linesB)
        idsB.push_back(interner.id(line));

    std::size_t nextA = 0;
    std::size_t nextB = 0;
    for (const auto& [i, j] : detail::alignSequences(idsA, idsB)) {
        addGap(diff, nextA, i, nextB, j);
        diff.rows.push_back({LineRow::Kind::Same, i, j, {}, {}});
        nextA = i + 1;
        nextB = j + 1;
    }
    addGap(diff, nextA, diff.linesA.size(), nextB, diff.linesB.size());
    return diff;
}

} // namespace dynascope::diff
