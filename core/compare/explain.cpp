// SPDX-License-Identifier: BSD-3-Clause
#include "core/compare/explain.h"

#include "core/base/words.h"
#include "core/compare/parts.h"
#include "core/session/breaks.h"
#include "core/session/module_names.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

namespace dynascope::compare {

namespace {

using session::Compile;
using session::Session;

constexpr std::size_t mostNames = 4;  // of a list in a sentence
constexpr double leastSeconds = 0.05; // of a difference in time that is worth a line
constexpr double leastShare = 0.1;    // of the longer time

/// "a, b, c and 3 more".
std::string listed(const std::vector<std::string>& names) {
    std::string out;
    const std::size_t shown = names.size() > mostNames ? mostNames - 1 : names.size();
    for (std::size_t i = 0; i < shown; ++i)
        out += (i == 0 ? "" : ", ") + names[i];
    if (shown < names.size()) out += " and " + std::to_string(names.size() - shown) + " more";
    return out;
}

std::string orNone(const std::string& value) {
    return value.empty() ? "nothing" : detail::shortened(value, 60);
}

class Explainer {
public:
    Explainer(const Session& a, const Session& b, const Comparison& comparison)
        : m_a(a)
        , m_b(b)
        , m_comparison(comparison) {}

    Explanation run() {
        summarize();
        settings();
        others();
        onlyIn(CompareVerdict::OnlyInA);
        onlyIn(CompareVerdict::OnlyInB);
        caches();
        times();
        return std::move(m_out);
    }

private:
    /// "0/0 (f cap.py:28)"; both ids where they are not the same.
    [[nodiscard]] std::string nameOf(const CompileComparison& pair) const {
        if (pair.a == none) return nameOf(m_b, pair.b);
        if (pair.b == none) return nameOf(m_a, pair.a);
        const std::string idA = compileName(m_a, m_a.compiles[pair.a]),
                          idB = compileName(m_b, m_b.compiles[pair.b]);
        const std::string ids = idA == idB ? idA : idA + " in A, " + idB + " in B";
        return ids + " (" + placeOf(m_a.compiles[pair.a]) + ')';
    }
    [[nodiscard]] static std::string nameOf(const Session& session, std::size_t compile) {
        return compileName(session, session.compiles[compile]) + " (" + placeOf(session.compiles[compile]) +
               ')';
    }
    [[nodiscard]] std::string shortName(const CompileComparison& pair) const {
        return pair.a != none ? compileName(m_a, m_a.compiles[pair.a])
                              : compileName(m_b, m_b.compiles[pair.b]);
    }

    /// The difference that came first in time: what follows it may only follow from it.
    [[nodiscard]] const CompileComparison* first() const {
        const CompileComparison *differing = nullptr, *onlyB = nullptr;
        for (const CompileComparison& pair : m_comparison.compiles) {
            if (pair.verdict == CompareVerdict::Same) continue;
            const CompileComparison*& found = pair.a == none ? onlyB : differing;
            if (found == nullptr) found = &pair;
        }
        const bool onlyBIsFirst =
            onlyB != nullptr && (differing == nullptr || (differing->b != none && onlyB->b < differing->b));
        return onlyBIsFirst ? onlyB : differing;
    }

    void summarize() {
        const std::size_t total = m_comparison.compiles.size();
        if (total == 0) {
            m_out.summary = "Neither has a compile, so there is nothing to compare.";
            return;
        }
        m_first = first();
        const bool chosen = total == 1 && m_comparison.compiles.front().match == Match::Chosen;
        if (m_first == nullptr) {
            m_out.summary = chosen ? "The two compiles are the same: "
                                   : "A and B compiled the same: " + count(total, "compile") + ", ";
            m_out.summary += "the same graphs, guards and symbols.";
            return;
        }
        if (total > 1)
            m_out.summary = std::to_string(m_comparison.same) + " of " + count(total, "compile") +
                            (m_comparison.same == 1 ? " is the same. " : " are the same. ");
        m_out.summary += causeOf(*m_first, total == 1);
    }

    [[nodiscard]] std::string causeOf(const CompileComparison& pair, bool only) const {
        if (pair.a == none || pair.b == none) {
            const bool inA = pair.b == none;
            const Compile& compile = inA ? m_a.compiles[pair.a] : m_b.compiles[pair.b];
            return "The first difference is " + nameOf(pair) + ", which only " + (inA ? "A" : "B") +
                   " compiled" + becauseOf(compile) + '.';
        }
        std::string out =
            only ? nameOf(pair) + " differ: " : "The first that differs is " + nameOf(pair) + ": ";
        if (only && m_a.compiles[pair.a].id == m_b.compiles[pair.b].id) out = nameOf(pair) + " differs: ";
        // A status or a recompile is told by itself; graphs and guards follow from what came in.
        const bool ownCause = pair.difference.starts_with("status") || pair.difference.starts_with("A is");
        if (pair.inputs.empty() || ownCause) return out + pair.difference + '.';
        const ValueComparison& input = pair.inputs.front();
        out += "input " + session::withModuleNames(input.name) + " is " + orNone(input.a) + " in A and " +
               orNone(input.b) + " in B";
        if (pair.inputs.size() > 1) out += ", and so with " + count(pair.inputs.size() - 1, "more input");
        return out + ". What differs first after that is " + session::withModuleNames(pair.difference) + '.';
    }

    static std::string becauseOf(const Compile& compile) {
        if (!compile.isRecompile) return {};
        std::string out = ", a recompile";
        if (!compile.recompileReasons.empty())
            out += " (" + detail::shortened(compile.recompileReasons.front(), 100) + ')';
        return out;
    }

    void settings() {
        std::vector<std::string> versions, configured, half;
        std::size_t onlyA = 0, onlyB = 0; // another version of PyTorch records other settings
        for (const ValueComparison& setting : m_comparison.settings) {
            if (setting.a.empty() || setting.b.empty()) {
                if (setting.name.ends_with("_version"))
                    half.push_back(setting.name + ' ' + (setting.a.empty() ? setting.b : setting.a) + " in " +
                                   (setting.a.empty() ? 'B' : 'A'));
                ++(setting.b.empty() ? onlyA : onlyB);
                continue;
            }
            // Folders of two machines, or of two runs in two folders: the table has them.
            if (setting.a.starts_with('/') && setting.b.starts_with('/')) continue;
            std::string text = setting.name + ' ' + orNone(setting.a) + " / " + orNone(setting.b);
            (setting.name.ends_with("_version") ? versions : configured).push_back(std::move(text));
        }
        if (!versions.empty()) m_out.points.push_back("Other versions: " + listed(versions) + '.');
        if (!half.empty())
            m_out.points.push_back("Versions that only one side records: " + listed(half) + '.');
        if (!configured.empty()) m_out.points.push_back("Set differently: " + listed(configured) + '.');
        for (const auto& [n, side, other] : {std::tuple(onlyA, 'A', 'B'), std::tuple(onlyB, 'B', 'A')})
            if (n > 0)
                m_out.points.push_back(count(n, "setting") + (n == 1 ? " is" : " are") + " recorded in " +
                                       side + " and not in " + other + ": whether they differ is not known.");
    }

    /// Compiles that differ besides the first one, those with the same words in one line.
    void others() {
        std::map<std::string, std::vector<std::string>> byWords;
        std::vector<std::string> order;
        for (const CompileComparison& pair : m_comparison.compiles) {
            if (pair.verdict != CompareVerdict::Differs || &pair == m_first) continue;
            std::vector<std::string>& names = byWords[pair.difference];
            if (names.empty()) order.push_back(pair.difference);
            names.push_back(shortName(pair));
        }
        for (std::size_t i = 0; i < std::min(order.size(), mostNames); ++i) {
            const std::vector<std::string>& names = byWords[order[i]];
            m_out.points.push_back((names.size() == 1 ? "Differs as well: " : "Differ as well: ") +
                                   listed(names) + ". " + order[i] + '.');
        }
        if (order.size() > mostNames)
            m_out.points.push_back(count(order.size() - mostNames, "more difference") + " in the table.");
    }

    void onlyIn(CompareVerdict verdict) {
        std::vector<std::string> names;
        for (const CompileComparison& pair : m_comparison.compiles)
            if (pair.verdict == verdict && &pair != m_first) names.push_back(nameOf(pair));
        if (!names.empty())
            m_out.points.push_back((verdict == CompareVerdict::OnlyInA ? "Only in A: " : "Only in B: ") +
                                   listed(names) + '.');
    }

    /// A lookup that has no partner is one more where both asked.
    static std::string cacheWords(const CompileComparison& pair, const CacheComparison& cache) {
        const auto said = [](const auto& outcome) {
            return outcome ? std::string(outcomeName(*outcome)) : std::string("not asked");
        };
        const bool bothAsked = std::ranges::any_of(pair.caches, [&cache](const CacheComparison& other) {
            return other.cache == cache.cache && other.a && other.b;
        });
        if (bothAsked && !(cache.a && cache.b))
            return cache.cache + ": asked more often in " + (cache.a ? "A, " : "B, ") +
                   said(cache.a ? cache.a : cache.b);
        return cache.cache + ": " + said(cache.a) + " in A, " + said(cache.b) + " in B";
    }

    void caches() {
        struct Group {
            std::vector<std::string> names;
            std::string because;
        };
        std::map<std::string, Group> groups;
        for (const CompileComparison& pair : m_comparison.compiles)
            for (const CacheComparison& cache : pair.caches) {
                if (cache.a == cache.b) continue; // other keys follow from other graphs
                Group& group = groups[cacheWords(pair, cache)];
                if (std::string name = shortName(pair); group.names.empty() || group.names.back() != name)
                    group.names.push_back(std::move(name));
                if (group.because.empty() && !cache.differences.empty())
                    group.because = ". The key differs in " + cache.differences.front();
            }
        for (const auto& [words, group] : groups)
            m_out.points.push_back("Cache " + words + " for " + listed(group.names) + group.because + '.');
    }

    void times() {
        // By the clock: events of workers that ran at once would add up to more than anybody waited for.
        const auto &partsA = m_comparison.partsA, &partsB = m_comparison.partsB;
        const double a = std::accumulate(partsA.begin(), partsA.end(), 0.0);
        const double b = std::accumulate(partsB.begin(), partsB.end(), 0.0);
        const double longer = std::abs(a - b);
        if (longer < leastSeconds || longer < leastShare * std::max(a, b)) return;
        std::size_t most = 0;
        for (std::size_t i = 1; i < partsA.size(); ++i)
            if (std::abs(partsA[i] - partsB[i]) > std::abs(partsA[most] - partsB[most])) most = i;
        std::string text = std::string(a > b ? "A" : "B") + " took " + formatSeconds(longer) + " longer (" +
                           orZero(a) + " / " + orZero(b) + ")";
        text += 2 * (partsA[most] - partsB[most]) * (a > b ? 1 : -1) >= longer ? ", most of it in "
                                                                               : ", and differs most in ";
        text += std::string(compilerPartName(static_cast<session::CompilerPart>(most))) + " (" +
                orZero(partsA[most]) + " / " + orZero(partsB[most]) + ").";
        m_out.points.push_back(std::move(text));
    }
    static std::string orZero(double seconds) { return seconds > 0 ? formatSeconds(seconds) : "0 s"; }

    const Session &m_a, &m_b;
    const Comparison& m_comparison;
    const CompileComparison* m_first = nullptr;
    Explanation m_out;
};

} // namespace

std::string placeOf(const Compile& compile) {
    const ir::SourceLocation* at = compile.location();
    std::string text = compile.function;
    if (at != nullptr)
        text += (text.empty() ? "" : " ") + std::string(baseName(at->file)) + ':' + std::to_string(at->line);
    return text.empty() ? "unknown function" : text;
}

namespace {

/// "graph breaks 3 → 1, recompiles 0": one number where both have it.
std::string totalsOf(const Session& a, const Session& b) {
    const session::BreakSummary ofA = session::summarizeBreaks(a), ofB = session::summarizeBreaks(b);
    const auto pair = [](std::string name, const std::string& x, const std::string& y) {
        return std::move(name) + ' ' + (x == y ? x : x + " → " + y);
    };
    const auto number = [](std::size_t n) { return std::to_string(n); };
    const bool timed = ofA.compileSeconds > 0 && ofB.compileSeconds > 0; // not every log says
    return "In all, A → B: " + pair("graph breaks", number(ofA.breaks), number(ofB.breaks)) + ", " +
           pair("compiles", number(ofA.compiles), number(ofB.compiles)) + ", " +
           pair("recompiles", number(ofA.recompiles), number(ofB.recompiles)) +
           (timed ? ", " + pair("compile time", formatSeconds(ofA.compileSeconds),
                                formatSeconds(ofB.compileSeconds))
                  : std::string()) +
           '.';
}

bool isOfCompiles(const Session& session) {
    return std::ranges::any_of(session.compiles, [](const Compile& c) { return !c.id.empty(); });
}

} // namespace

Explanation explain(const Session& a, const Session& b, const Comparison& comparison) {
    Explanation out = Explainer(a, b, comparison).run();
    if (&a != &b && isOfCompiles(a) && isOfCompiles(b)) out.totals = totalsOf(a, b);
    return out;
}

Explanation explainRanks(const RankComparison& comparison) {
    const std::string ranks = count(comparison.ranks.size(), "rank");
    const std::string compiles = count(comparison.rows.size(), "compile id");
    if (comparison.firstDiffering == none)
        return {(comparison.ranks.size() == 2 ? "Both ranks" : "All " + ranks) +
                    " compiled the same: " + compiles + '.',
                {},
                {}};
    const RankRow& row = comparison.rows[comparison.firstDiffering];
    const auto at = static_cast<std::size_t>(row.differing);
    const auto alike = static_cast<std::size_t>(std::count_if(comparison.rows.begin(), comparison.rows.end(),
                                                              [](const RankRow& r) { return r.alike(); }));
    Explanation out;
    out.summary = std::to_string(alike) + " of " + compiles + " are the same on " + ranks +
                  ". The first that differs is " + row.compileId + ", between rank " +
                  std::to_string(comparison.ranks.front()) + " (A) and rank " +
                  std::to_string(comparison.ranks[at]) + " (B): ";
    // The comparison of the two ranks tells more than the row: what came in.
    const Comparison& pair = comparison.comparisons[at];
    const auto entry =
        std::find_if(pair.compiles.begin(), pair.compiles.end(), [&](const CompileComparison& c) {
            return std::ranges::find(row.compiles, c.a != none ? c.a : c.b) != row.compiles.end();
        });
    if (entry != pair.compiles.end() && !entry->inputs.empty()) {
        const ValueComparison& input = entry->inputs.front();
        out.summary += "input " + session::withModuleNames(input.name) + " is " + orNone(input.a) +
                       " in A and " + orNone(input.b) + " in B. What differs first after that is ";
    }
    out.summary += row.difference + '.';
    std::vector<std::string> others;
    for (std::size_t r = 1; r < comparison.ranks.size(); ++r) {
        std::vector<std::string> ids;
        for (const RankRow& other : comparison.rows)
            if (other.group[r] != other.group[0]) ids.push_back(other.compileId);
        if (!ids.empty())
            out.points.push_back("Rank " + std::to_string(comparison.ranks[r]) + " differs from rank " +
                                 std::to_string(comparison.ranks.front()) + " in " + listed(ids) + '.');
    }
    return out;
}

} // namespace dynascope::compare
