// SPDX-License-Identifier: BSD-3-Clause
//
// Functions whose graph ranks break in different places. One rank has a function whole that another has in parts: the
// function up to a graph break, then what is called there and inlined elsewhere, then the frames that resume it.
#include "core/ranks/parts.h"

#include <algorithm>

namespace dynascope::ranks::detail {

namespace {

class Parted {
public:
    Parted(const Reader& reader, std::vector<Row>& rows)
        : m_reader(reader)
        , m_rows(rows)
        , m_first(reader.ranks().size()) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            m_ranksOf[rows[i].frame].insert(rows[i].present.begin(), rows[i].present.end());
            for (const std::size_t rank : rows[i].present)
                if (number(i, rank) == 0) m_first[rank].emplace_back(rows[i].shown.compiles[rank], i);
        }
        for (auto& order : m_first)
            std::ranges::sort(order);
    }

    void find() {
        groupByFunction();
        for (std::size_t i = 0; i < m_rows.size(); ++i)
            if (isRoot(i) && kindsOf(m_rows[i]).second > 1)
                for (const std::size_t rank : m_rows[i].present)
                    takeInner(i, rank);
        groupByFunction();
        std::map<std::size_t, std::vector<std::size_t>> partsOf; // by function
        for (std::size_t i = 0; i < m_rows.size(); ++i)
            if (isRoot(i))
                if (auto [kinds, count] = kindsOf(m_rows[i]); count > 1)
                    partsOf.emplace(m_rows[i].function, std::move(kinds));
        for (Row& row : m_rows)
            if (const auto parts = partsOf.find(row.function); parts != partsOf.end())
                row.parts = parts->second;
    }

private:
    void groupByFunction() {
        m_rowsOf.clear();
        for (std::size_t i = 0; i < m_rows.size(); ++i)
            m_rowsOf[m_rows[i].function].push_back(i);
    }

    [[nodiscard]] int number(std::size_t row, std::size_t rank) const {
        return compileOf(m_reader, m_rows[row], rank).id.compile;
    }

    [[nodiscard]] bool isRoot(std::size_t row) const {
        return !m_rows[row].inner && !m_rows[row].shown.function.empty() &&
               number(row, m_rows[row].present.front()) == 0;
    }

    /// Whether Dynamo gave up a graph there, though nothing need have been compiled after it.
    [[nodiscard]] bool broke(const Row& row, std::size_t rank) const {
        const session::Status status = compileOf(m_reader, row, rank).status;
        return status == session::Status::GraphBreak || status == session::Status::Skipped;
    }

    /// By rank: equal for those whose function has the same frames; and how many kinds there are.
    [[nodiscard]] std::pair<std::vector<std::size_t>, std::size_t> kindsOf(const Row& root) const {
        std::map<std::size_t, std::set<std::size_t>> frames; // by rank
        for (const std::size_t row : m_rowsOf.at(root.function))
            for (const std::size_t rank : m_rows[row].present)
                frames[rank].insert(m_rows[row].frame);
        std::map<std::pair<std::set<std::size_t>, bool>, std::size_t> kinds;
        std::vector<std::size_t> out(m_reader.ranks().size(), none);
        for (const std::size_t rank : root.present)
            out[rank] = kinds.try_emplace({frames[rank], broke(root, rank)}, kinds.size()).first->second;
        return {std::move(out), kinds.size()};
    }

    /// Gives the function what this rank compiled between its parts, and other ranks did not: they inlined it.
    void takeInner(std::size_t root, std::size_t rank) {
        const Row& of = m_rows[root];
        const auto& order = m_first[rank];
        const auto isOfAll = [&](std::size_t row) {
            return std::ranges::includes(m_ranksOf.at(m_rows[row].frame), of.present);
        };
        std::size_t from = order.size(), last = 0;
        for (std::size_t k = 0; k < order.size(); ++k) {
            if (order[k].second == root) from = k;
            if (m_rows[order[k].second].function == of.function) last = k;
        }
        if (from == last && broke(of, rank)) // nothing resumes it
            while (last + 1 < order.size() && !isOfAll(order[last + 1].second))
                ++last;
        const std::size_t function = of.function;
        for (std::size_t k = from; k <= last && k < order.size(); ++k) {
            const std::size_t row = order[k].second;
            if (m_rows[row].function == function || isOfAll(row)) continue;
            for (Row& other : m_rows)
                if (other.frame == m_rows[row].frame) {
                    other.function = function;
                    other.inner = true;
                }
        }
    }

    const Reader& m_reader;
    std::vector<Row>& m_rows;
    std::map<std::size_t, std::set<std::size_t>> m_ranksOf;   ///< by frame
    std::map<std::size_t, std::vector<std::size_t>> m_rowsOf; ///< by function
    /// By rank: the first compile of each frame, as indices into Session::compiles and into the rows.
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> m_first;
};

} // namespace

void findParts(const Reader& reader, std::vector<Row>& rows) {
    Parted(reader, rows).find();
}

std::vector<std::size_t> partsOn(const Reader& reader, const std::vector<Row>& rows, std::size_t row,
                                 std::size_t rank) {
    const int number = compileOf(reader, rows[row], rank).id.compile;
    std::map<std::size_t, std::pair<std::size_t, std::size_t>> best; // by frame: its first compile, and a row
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t compile = rows[i].shown.compiles[rank];
        if (rows[i].function != rows[row].function || compile == none) continue;
        const auto [at, isNew] = best.try_emplace(rows[i].frame, compile, i);
        at->second.first = std::min(at->second.first, compile);
        if (compileOf(reader, rows[i], rank).id.compile <= number) at->second.second = i;
    }
    std::vector<std::pair<std::size_t, std::size_t>> order;
    for (const auto& [frame, of] : best)
        order.push_back(of);
    std::ranges::sort(order);
    std::vector<std::size_t> out;
    for (const auto& [first, part] : order)
        out.push_back(part);
    return out;
}

std::vector<std::vector<std::size_t>> comparable(const Row& row) {
    if (row.parts.empty()) return {row.present};
    std::map<std::size_t, std::vector<std::size_t>> by;
    for (const std::size_t rank : row.present)
        by[row.parts[rank]].push_back(rank);
    std::vector<std::vector<std::size_t>> out;
    for (auto& [parts, ranks] : by)
        out.push_back(std::move(ranks));
    std::ranges::sort(out, {}, [](const auto& ranks) { return ranks.front(); });
    std::ranges::stable_sort(out, std::ranges::greater(), &std::vector<std::size_t>::size);
    return out;
}

} // namespace dynascope::ranks::detail
