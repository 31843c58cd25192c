// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/ranked_compiles.h"

#include "core/base/words.h"
#include "core/session/resume.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace dynascope::session {

namespace {

constexpr std::size_t none = SIZE_MAX;

/// Gives each new key the next number.
class Numbers {
public:
    std::size_t of(std::string key) {
        return m_numbers.try_emplace(std::move(key), m_numbers.size()).first->second;
    }

private:
    std::map<std::string, std::size_t> m_numbers;
};

class Ranked {
public:
    Ranked(const Session& session, std::span<const int> ranks,
           const std::function<bool(const Compile&)>& leaveOut)
        : m_session(session)
        , m_ranks(ranks)
        , m_frameOf(session.compiles.size(), none) {
        for (std::size_t i = 0; i < session.frames.size(); ++i)
            for (const std::size_t compile : session.frames[i].compiles)
                m_frameOf[compile] = i;
        std::map<int, std::size_t> indexOf;
        for (std::size_t i = 0; i < ranks.size(); ++i)
            indexOf.emplace(ranks[i], i);
        for (std::size_t i = 0; i < session.compiles.size(); ++i)
            if (const auto rank = indexOf.find(session.compiles[i].rank);
                rank != indexOf.end() && !(leaveOut && leaveOut(session.compiles[i])))
                add(i, rank->second);
        joinById();
        name();
    }

    std::vector<RankedCompile> take() { return std::move(m_rows); }

private:
    /// A file's folder may be another on another machine.
    [[nodiscard]] std::string functionKey(const Compile& compile, std::size_t index) const {
        const std::string run = std::to_string(compile.id.run) + ' ';
        const std::size_t frame = m_frameOf[index];
        if (compile.id.frame < 0 || frame == none || m_session.frames[frame].function.empty())
            return run + "id " + compile.id.toString();
        const Frame& of = m_session.frames[frame];
        return run + of.function + ' ' + std::string(baseName(of.location.file)) + ':' +
               std::to_string(of.location.line);
    }

    /// Several code objects may stand in one line: the n-th of one rank is the n-th of another.
    static std::size_t place(std::vector<int>& frames, int frame) {
        const auto at = static_cast<std::size_t>(std::ranges::find(frames, frame) - frames.begin());
        if (at == frames.size()) frames.push_back(frame);
        return at;
    }

    void add(std::size_t index, std::size_t rank) {
        const Compile& compile = m_session.compiles[index];
        const bool resumed = parseResumedFunction(compile.function).has_value();
        const std::string line = functionKey(compile, index);
        // What resumes a function resumes the one that was met last.
        std::vector<int>& functions = m_frameIds[{rank, line}];
        const std::size_t number = !resumed            ? place(functions, compile.id.frame)
                                   : functions.empty() ? 0
                                                       : functions.size() - 1;
        const std::string function = line + " #" + std::to_string(number);
        const std::string code =
            function + ' ' + compile.function + ' ' + std::to_string(compile.id.autograd);
        const std::string frame =
            code + " #" + std::to_string(place(m_frameIds[{rank, code}], compile.id.frame));
        const auto [at, isNew] =
            m_rowOf.try_emplace(frame + ' ' + std::to_string(compile.id.compile), m_rows.size());
        if (isNew) {
            RankedCompile& row = m_rows.emplace_back();
            row.compiles.assign(m_ranks.size(), none);
            row.frame = m_frames.of(frame);
            row.function = m_functions.of(function);
            row.resumed = resumed;
        }
        std::size_t& cell = m_rows[at->second].compiles[rank];
        if (cell == none) cell = index;
    }

    [[nodiscard]] std::string idOf(const RankedCompile& row, std::size_t rank) const {
        return m_session.compiles[row.compiles[rank]].id.toString();
    }

    /// The ids of a row with how many ranks call it so, in the order of ranks.
    [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> idsOf(const RankedCompile& row) const {
        std::vector<std::pair<std::string, std::size_t>> out;
        for (std::size_t rank = 0; rank < m_ranks.size(); ++rank) {
            if (row.compiles[rank] == none) continue;
            const std::string id = idOf(row, rank);
            const auto at = std::ranges::find(out, id, &std::pair<std::string, std::size_t>::first);
            if (at == out.end())
                out.emplace_back(id, 1);
            else
                ++at->second;
        }
        return out;
    }

    /// What ranks compiled in place of each other: f on rank 0, g on rank 1.
    void joinById() {
        std::map<std::string, std::vector<std::size_t>> rowsOf;
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            if (m_rows[i].resumed || std::ranges::find(m_rows[i].compiles, none) == m_rows[i].compiles.end())
                continue;
            const auto ids = idsOf(m_rows[i]);
            if (ids.size() == 1) rowsOf[ids.front().first].push_back(i);
        }
        std::set<std::size_t> gone;
        for (const auto& [id, rows] : rowsOf)
            for (std::size_t k = 1; k < rows.size(); ++k) {
                RankedCompile &into = m_rows[rows.front()], &from = m_rows[rows[k]];
                const bool apart =
                    std::ranges::equal(into.compiles, from.compiles,
                                       [](std::size_t a, std::size_t b) { return a == none || b == none; });
                if (!apart) continue;
                for (std::size_t rank = 0; rank < m_ranks.size(); ++rank)
                    if (from.compiles[rank] != none) into.compiles[rank] = from.compiles[rank];
                gone.insert(rows[k]);
            }
        std::size_t at = 0;
        std::erase_if(m_rows, [&](const RankedCompile&) { return gone.contains(at++); });
    }

    void name() {
        std::vector<std::vector<std::pair<std::string, std::size_t>>> ids;
        for (const RankedCompile& row : m_rows)
            ids.push_back(idsOf(row));
        const auto most = [&](std::size_t row) {
            return std::ranges::max_element(ids[row], {}, &std::pair<std::string, std::size_t>::second);
        };
        std::vector<std::size_t> order(m_rows.size());
        std::iota(order.begin(), order.end(), std::size_t(0));
        std::ranges::stable_sort(order, std::ranges::greater(),
                                 [&](std::size_t row) { return most(row)->second; });
        std::set<std::string> taken;
        for (const std::size_t row : order) {
            RankedCompile& of = m_rows[row];
            of.id = most(row)->first;
            if (!taken.insert(of.id).second) {
                const auto rank =
                    std::ranges::find_if(of.compiles, [](std::size_t at) { return at != none; });
                of.id = idOf(of, std::size_t(rank - of.compiles.begin())) + " on rank " +
                        std::to_string(m_ranks[std::size_t(rank - of.compiles.begin())]);
                taken.insert(of.id);
            }
        }
    }

    const Session& m_session;
    std::span<const int> m_ranks;
    std::vector<std::size_t> m_frameOf; ///< by compile: into Session::frames
    std::map<std::pair<std::size_t, std::string>, std::vector<int>> m_frameIds; ///< by rank, and line or code
    std::map<std::string, std::size_t> m_rowOf;
    Numbers m_frames, m_functions;
    std::vector<RankedCompile> m_rows;
};

} // namespace

std::vector<std::pair<std::string, std::vector<std::size_t>>>
RankedCompile::otherIds(const Session& session) const {
    std::vector<std::pair<std::string, std::vector<std::size_t>>> out;
    for (std::size_t rank = 0; rank < compiles.size(); ++rank) {
        if (compiles[rank] == none) continue;
        std::string own = session.compiles[compiles[rank]].id.toString();
        if (id == own || id.starts_with(own + ' ')) continue;
        const auto at = std::ranges::find(out, own, &std::pair<std::string, std::vector<std::size_t>>::first);
        if (at == out.end())
            out.push_back({std::move(own), {rank}});
        else
            at->second.push_back(rank);
    }
    return out;
}

std::vector<RankedCompile> rankedCompiles(const Session& session, std::span<const int> ranks,
                                          const std::function<bool(const Compile&)>& leaveOut) {
    return Ranked(session, ranks, leaveOut).take();
}

} // namespace dynascope::session
