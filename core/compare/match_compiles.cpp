// SPDX-License-Identifier: BSD-3-Clause
//
// Compile ids count what Dynamo met, so one more graph break in a run shifts all that follow. What was
// compiled is the better key: a function of a file; among several compiles of it, the graph itself decides.
#include "core/compare/parts.h"
#include "core/diff/canonical.h"
#include "core/session/ranked_compiles.h"
#include "core/session/resume.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <tuple>

namespace dynascope::compare::detail {

namespace {

using session::Compile;
using session::Session;
using session::StagePtr;

/// Rank, function and file name: the folder may be another on another machine, and a line moves with every
/// edit above it.
using SourceKey = std::tuple<int, std::string, std::string>;

StagePtr firstGraph(const Compile& compile) {
    const auto found = std::find_if(compile.stages.begin(), compile.stages.end(), [](const StagePtr& stage) {
        return stage->content == session::Stage::Content::Graph;
    });
    return found == compile.stages.end() ? nullptr : *found;
}

class Matcher {
public:
    Matcher(const Session& a, const Session& b, const CompareOptions& options)
        : m_a(a, options.rankA)
        , m_b(b, options.rankB)
        , m_oneRank(options.rankA >= 0 || options.rankB >= 0 ||
                    (a.ranks.size() == 1 && b.ranks.size() == 1)) {}

    /// Of one session, with rankA and rankB.
    std::vector<Pair> ofRanks(int rankA, int rankB) {
        std::vector<int> ranks{std::min(rankA, rankB), std::max(rankA, rankB)};
        const std::size_t a = rankA <= rankB ? 0 : 1;
        for (const session::RankedCompile& row : session::rankedCompiles(m_a.session(), ranks))
            if (row.compiles[0] != none && row.compiles[1] != none)
                join(row.compiles[a], row.compiles[1 - a], Match::CompileId);
        return result();
    }

    std::vector<Pair> byCompileId() {
        std::map<std::tuple<int, session::CompileId>, std::size_t> ofB;
        for (const std::size_t j : m_b.all())
            ofB.emplace(std::tuple(rankOf(m_b, j), m_b[j].id), j);
        for (const std::size_t i : m_a.all())
            if (const auto found = ofB.find({rankOf(m_a, i), m_a[i].id}); found != ofB.end())
                join(i, found->second, Match::CompileId);
        return result();
    }

    std::vector<Pair> bySourceAndStructure() {
        std::map<SourceKey, std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> groups;
        for (const std::size_t i : m_a.all())
            groups[keyOf(m_a, i)].first.push_back(i);
        for (const std::size_t j : m_b.all())
            groups[keyOf(m_b, j)].second.push_back(j);
        for (const auto& [key, group] : groups)
            matchGroup(group.first, group.second);
        // What has no partner there may have moved to another file or function.
        joinEqual(m_a.all(), m_b.all(), Match::Structure, [](const Side& side, std::size_t i) {
            const std::uint64_t operators = side.operators(i);
            return operators == 0 ? std::nullopt : std::optional(std::tuple(operators));
        });
        return result();
    }

private:
    class Side {
    public:
        Side(const Session& session, int rank)
            : m_session(session)
            , m_partner(session.compiles.size(), none)
            , m_operators(session.compiles.size()) {
            for (std::size_t i = 0; i < session.compiles.size(); ++i)
                if (rank < 0 || session.compiles[i].rank == rank) m_all.push_back(i);
        }
        const Compile& operator[](std::size_t i) const { return m_session.compiles[i]; }
        [[nodiscard]] const Session& session() const { return m_session; }
        [[nodiscard]] const std::vector<std::size_t>& all() const { return m_all; }
        [[nodiscard]] std::size_t partner(std::size_t i) const { return m_partner[i]; }
        void setPartner(std::size_t i, std::size_t partner) { m_partner[i] = partner; }
        [[nodiscard]] int line(std::size_t i) const {
            const ir::SourceLocation* at = (*this)[i].location();
            return at != nullptr ? static_cast<int>(at->line) : 0;
        }
        /// A hash of the first graph's text; 0 without one.
        [[nodiscard]] std::uint64_t text(std::size_t i) const {
            const StagePtr stage = firstGraph((*this)[i]);
            return stage ? std::hash<std::string>()(stage->payload.text()) | 1U : 0;
        }
        /// A hash of the first graph's operators in order; 0 without any.
        [[nodiscard]] std::uint64_t operators(std::size_t i) const {
            std::optional<std::uint64_t>& known = m_operators[i];
            if (known) return *known;
            known = 0;
            const StagePtr stage = firstGraph((*this)[i]);
            const Result<ir::GraphPtr> graph = stage ? stage->graph() : failure({});
            if (!graph) return 0;
            for (const ir::NodePtr& node : (*graph)->nodes())
                if (node->op != ir::Op::Placeholder && node->op != ir::Op::Output)
                    known = diff::detail::mix(*known,
                                              diff::detail::hashText(diff::detail::canonicalTarget(*node)));
            return *known;
        }

    private:
        const Session& m_session;
        std::vector<std::size_t> m_all, m_partner;
        mutable std::vector<std::optional<std::uint64_t>> m_operators;
    };

    [[nodiscard]] int rankOf(const Side& side, std::size_t i) const { return m_oneRank ? 0 : side[i].rank; }

    [[nodiscard]] SourceKey keyOf(const Side& side, std::size_t i) const {
        const Compile& compile = side[i];
        std::string function = compile.function;
        if (const auto resumed = session::parseResumedFunction(function))
            function = "resume in " + std::string(resumed->function);
        std::string file;
        if (const ir::SourceLocation* at = compile.location()) file = at->file;
        if (const std::size_t slash = file.rfind('/'); slash != std::string::npos) file.erase(0, slash + 1);
        return {rankOf(side, i), std::move(function), std::move(file)};
    }

    void join(std::size_t i, std::size_t j, Match match) {
        m_a.setPartner(i, j);
        m_b.setPartner(j, i);
        m_match[i] = match;
    }

    [[nodiscard]] static std::vector<std::size_t> unmatched(const Side& side,
                                                            const std::vector<std::size_t>& of) {
        std::vector<std::size_t> out;
        for (const std::size_t i : of)
            if (side.partner(i) == none) out.push_back(i);
        return out;
    }

    /// Joins what has equal keys, in order. A key that is nullopt equals none.
    template <typename KeyOf>
    void joinEqual(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b, Match match,
                   KeyOf keyOf) {
        const std::vector<std::size_t> leftA = unmatched(m_a, a), leftB = unmatched(m_b, b);
        if (leftA.empty() || leftB.empty()) return;
        using Key = typename decltype(keyOf(m_a, 0))::value_type;
        std::map<Key, std::vector<std::size_t>> ofB; // last first
        for (auto j = leftB.rbegin(); j != leftB.rend(); ++j)
            if (const auto key = keyOf(m_b, *j)) ofB[*key].push_back(*j);
        for (const std::size_t i : leftA) {
            const auto key = keyOf(m_a, i);
            const auto found = key ? ofB.find(*key) : ofB.end();
            if (found == ofB.end() || found->second.empty()) continue;
            join(i, found->second.back(), match);
            found->second.pop_back();
        }
    }

    void matchGroup(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
        if (a.size() == 1 && b.size() == 1) return join(a.front(), b.front(), Match::Source);
        joinEqual(a, b, Match::Source, [](const Side& side, std::size_t i) {
            const std::uint64_t text = side.text(i);
            return text == 0 ? std::nullopt : std::optional(std::tuple(side.line(i), text));
        });
        joinEqual(a, b, Match::Source, [](const Side& side, std::size_t i) {
            return std::optional(std::tuple(side.line(i), side.operators(i)));
        });
        joinEqual(a, b, Match::Source, [](const Side& side, std::size_t i) {
            const std::uint64_t operators = side.operators(i);
            return operators == 0 ? std::nullopt : std::optional(std::tuple(operators));
        });
        joinEqual(a, b, Match::Source,
                  [](const Side& side, std::size_t i) { return std::optional(std::tuple(side.line(i))); });
        // After an edit, what is left of a function is most likely the same, if it is as much.
        if (unmatched(m_a, a).size() == unmatched(m_b, b).size())
            joinEqual(a, b, Match::Source,
                      [](const Side&, std::size_t) { return std::optional(std::tuple(0)); });
    }

    [[nodiscard]] std::vector<Pair> result() const {
        std::vector<Pair> out;
        for (const std::size_t i : m_a.all()) {
            const auto match = m_match.find(i);
            out.push_back({i, m_a.partner(i), match == m_match.end() ? Match::Source : match->second});
        }
        for (const std::size_t j : m_b.all())
            if (m_b.partner(j) == none) out.push_back({none, j, Match::Source});
        return out;
    }

    Side m_a, m_b;
    bool m_oneRank;
    std::map<std::size_t, Match> m_match;
};

} // namespace

std::vector<Pair> matchCompiles(const Session& a, const Session& b, const CompareOptions& options) {
    Matcher matcher(a, b, options);
    if (options.byCompileId && &a == &b && options.rankA >= 0 && options.rankB >= 0 &&
        options.rankA != options.rankB)
        return matcher.ofRanks(options.rankA, options.rankB);
    return options.byCompileId ? matcher.byCompileId() : matcher.bySourceAndStructure();
}

} // namespace dynascope::compare::detail
