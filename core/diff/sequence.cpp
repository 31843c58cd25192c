// SPDX-License-Identifier: BSD-3-Clause
#include "core/diff/sequence.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace dynascope::diff::detail {

namespace {

struct Piece {
    std::uint32_t a0, a1, b0, b1;
};

/// One row of Myers' search: the furthest x on each diagonal k = x - y reached at one cost; -1 where there is
/// none.
class Frontier {
public:
    explicit Frontier(std::int64_t cost)
        : m_cost(cost)
        , m_x(static_cast<std::size_t>(2 * cost + 1), -1) {}
    [[nodiscard]] std::int64_t at(std::int64_t k) const {
        return k < -m_cost || k > m_cost ? -1 : m_x[static_cast<std::size_t>(k + m_cost)];
    }
    void set(std::int64_t k, std::int64_t x) { m_x[static_cast<std::size_t>(k + m_cost)] = x; }

private:
    std::int64_t m_cost;
    std::vector<std::int64_t> m_x;
};

/// One edit: the diagonal it comes from and the x it arrives at, -1 where diagonal k cannot be reached.
struct Step {
    std::int64_t fromDiagonal = 0;
    std::int64_t x = -1;
};

Step bestStep(const Frontier& before, std::int64_t k, std::int64_t n, std::int64_t m) {
    const std::int64_t left = before.at(k - 1);
    const std::int64_t above = before.at(k + 1);
    Step step;
    if (left >= 0 && left < n) step = {k - 1, left + 1};
    if (above >= 0 && above - k <= m && above >= step.x) step = {k + 1, above};
    return step;
}

/// Myers' greedy algorithm on one piece. Nothing when more than `maxCost` elements differ.
std::optional<std::vector<Match>> myers(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                                        std::uint32_t maxCost) {
    const auto n = static_cast<std::int64_t>(a.size());
    const auto m = static_cast<std::int64_t>(b.size());
    const std::int64_t limit = std::min<std::int64_t>(n + m, maxCost);

    std::vector<Frontier> frontiers;
    bool reached = false;
    for (std::int64_t d = 0; d <= limit && !reached; ++d) {
        Frontier row(d);
        for (std::int64_t k = -d; k <= d && !reached; k += 2) {
            std::int64_t x = d == 0 ? 0 : bestStep(frontiers.back(), k, n, m).x;
            if (x < 0) continue;
            while (x < n && x - k < m && a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(x - k)])
                ++x;
            row.set(k, x);
            reached = x == n && x - k == m;
        }
        frontiers.push_back(std::move(row));
    }
    if (!reached) return std::nullopt;

    std::vector<Match> matches;
    std::int64_t k = n - m;
    for (std::size_t cost = frontiers.size() - 1;; --cost) {
        const Step step = cost == 0 ? Step{0, 0} : bestStep(frontiers[cost - 1], k, n, m);
        for (std::int64_t x = frontiers[cost].at(k); x > step.x; --x)
            matches.emplace_back(static_cast<std::uint32_t>(x - 1), static_cast<std::uint32_t>(x - 1 - k));
        if (cost == 0) break;
        k = step.fromDiagonal;
    }
    std::reverse(matches.begin(), matches.end());
    return matches;
}

/// Pairs of elements that occur exactly once in each piece, thinned to a rising sequence.
std::vector<Match> uniqueAnchors(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                                 const Piece& p) {
    struct Seen {
        std::uint32_t countA = 0, countB = 0, indexB = 0;
    };
    std::unordered_map<std::uint32_t, Seen> seen;
    seen.reserve(p.a1 - p.a0);
    for (std::uint32_t i = p.a0; i < p.a1; ++i)
        ++seen[a[i]].countA;
    for (std::uint32_t j = p.b0; j < p.b1; ++j) {
        const auto it = seen.find(b[j]);
        if (it == seen.end()) continue;
        ++it->second.countB;
        it->second.indexB = j;
    }
    std::vector<Match> pairs;
    std::vector<std::uint32_t> positions;
    for (std::uint32_t i = p.a0; i < p.a1; ++i) {
        const Seen& s = seen[a[i]];
        if (s.countA != 1 || s.countB != 1) continue;
        pairs.emplace_back(i, s.indexB);
        positions.push_back(s.indexB);
    }
    std::vector<Match> anchors;
    for (const std::uint32_t k : longestRising(positions))
        anchors.push_back(pairs[k]);
    return anchors;
}

} // namespace

std::vector<std::uint32_t> longestRising(std::span<const std::uint32_t> values) {
    std::vector<std::uint32_t>
        tails; // tails[l]: position that ends a rising run of length l + 1 with the least value
    std::vector<std::uint32_t> previous(values.size(), UINT32_MAX);
    for (std::uint32_t i = 0; i < values.size(); ++i) {
        const auto it = std::lower_bound(tails.begin(), tails.end(), values[i],
                                         [&](std::uint32_t t, std::uint32_t v) { return values[t] < v; });
        if (it != tails.begin()) previous[i] = *(it - 1);
        if (it == tails.end())
            tails.push_back(i);
        else
            *it = i;
    }
    std::vector<std::uint32_t> result;
    for (std::uint32_t i = tails.empty() ? UINT32_MAX : tails.back(); i != UINT32_MAX; i = previous[i])
        result.push_back(i);
    std::reverse(result.begin(), result.end());
    return result;
}

std::vector<Match> alignSequences(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                                  std::uint32_t maxCost) {
    std::vector<Match> matches;
    std::vector<Piece> open{
        {0, static_cast<std::uint32_t>(a.size()), 0, static_cast<std::uint32_t>(b.size())}};
    while (!open.empty()) {
        Piece p = open.back();
        open.pop_back();
        while (p.a0 < p.a1 && p.b0 < p.b1 && a[p.a0] == b[p.b0])
            matches.emplace_back(p.a0++, p.b0++);
        while (p.a0 < p.a1 && p.b0 < p.b1 && a[p.a1 - 1] == b[p.b1 - 1])
            matches.emplace_back(--p.a1, --p.b1);
        if (p.a0 == p.a1 || p.b0 == p.b1) continue;

        if (const auto found = myers(a.subspan(p.a0, p.a1 - p.a0), b.subspan(p.b0, p.b1 - p.b0), maxCost)) {
            for (const auto& [i, j] : *found)
                matches.emplace_back(p.a0 + i, p.b0 + j);
            continue;
        }
        std::uint32_t a0 = p.a0;
        std::uint32_t b0 = p.b0;
        const std::vector<Match> anchors = uniqueAnchors(a, b, p);
        if (anchors.empty()) continue;
        for (const auto& [i, j] : anchors) {
            matches.emplace_back(i, j);
            open.push_back({a0, i, b0, j});
            a0 = i + 1;
            b0 = j + 1;
        }
        open.push_back({a0, p.a1, b0, p.b1});
    }
    std::sort(matches.begin(), matches.end());
    return matches;
}

} // namespace dynascope::diff::detail
