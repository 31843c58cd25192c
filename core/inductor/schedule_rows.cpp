// SPDX-License-Identifier: BSD-3-Clause
#include "core/inductor/schedule_rows.h"

#include <algorithm>
#include <map>
#include <set>

namespace dynascope::inductor {

namespace {

constexpr std::size_t noRow = SIZE_MAX;

/// Operations in chains that are joined end to end: what is joined later stands together.
class Chains {
public:
    explicit Chains(std::size_t count)
        : m_parent(count)
        , m_last(count)
        , m_next(count, noRow) {
        for (std::size_t i = 0; i < count; ++i)
            m_parent[i] = m_last[i] = i;
    }

    /// The first of the chain.
    std::size_t head(std::size_t at) {
        while (m_parent[at] != at)
            at = m_parent[at] = m_parent[m_parent[at]];
        return at;
    }
    void join(std::size_t a, std::size_t b) {
        a = head(a);
        b = head(b);
        if (a == b) return;
        m_next[m_last[a]] = b;
        m_last[a] = m_last[b];
        m_parent[b] = a;
    }
    [[nodiscard]] std::size_t next(std::size_t at) const { return m_next[at]; }
    [[nodiscard]] std::size_t last(std::size_t head) const { return m_last[head]; }

private:
    std::vector<std::size_t> m_parent; ///< towards the first of the chain
    std::vector<std::size_t> m_last;   ///< by first: the last
    std::vector<std::size_t> m_next;
};

class RowsInOrder {
public:
    explicit RowsInOrder(const Schedule& schedule)
        : m_schedule(schedule)
        , m_nodes(operations(schedule))
        , m_chains(m_nodes.size()) {
        for (std::size_t i = 0; i < m_nodes.size(); ++i)
            m_indexOf.emplace(m_nodes[i]->name, i);
    }

    ScheduleRows run() {
        const std::vector<std::pair<std::size_t, std::size_t>> ends = joinAll();
        ScheduleRows out;
        std::vector<std::size_t> rowOf(m_nodes.size(), noRow);
        for (const std::size_t head : headsInOrder())
            for (std::size_t at = head; at != noRow; at = m_chains.next(at)) {
                rowOf[at] = out.operations.size();
                out.rowOf.emplace(m_nodes[at]->name, out.operations.size());
                out.operations.push_back(m_nodes[at]);
            }
        for (const auto& [first, last] : ends)
            out.fusions.push_back(first == noRow ? RowRange{} : RowRange{rowOf[first], rowOf[last]});
        addEdges(out);
        return out;
    }

private:
    static std::vector<const SchedulerNode*> operations(const Schedule& schedule) {
        std::map<std::uint32_t, const SchedulerNode*> byId;
        for (const auto& [id, node] : schedule.nodes)
            if (node.members.empty()) byId.emplace(id, &node);
        std::vector<const SchedulerNode*> out;
        for (const auto& [id, node] : byId)
            out.push_back(node);
        return out;
    }

    /// The first and last operation of what each fusion made.
    std::vector<std::pair<std::size_t, std::size_t>> joinAll() {
        std::vector<std::pair<std::size_t, std::size_t>> out;
        for (const Fusion& fusion : m_schedule.fusions) {
            std::size_t first = noRow;
            for (const std::uint32_t part : {fusion.a, fusion.b})
                for (const std::string& name : m_schedule.operationsOf(part)) {
                    const auto at = m_indexOf.find(name);
                    if (at == m_indexOf.end()) continue;
                    if (first == noRow)
                        first = at->second;
                    else
                        m_chains.join(first, at->second);
                }
            if (first != noRow) first = m_chains.head(first);
            out.emplace_back(first, first == noRow ? noRow : m_chains.last(first));
        }
        return out;
    }

    std::vector<std::size_t> headsInOrder() {
        std::vector<std::size_t> out;
        std::vector<bool> taken(m_nodes.size());
        const auto take = [&](std::size_t operation) {
            const std::size_t head = m_chains.head(operation);
            if (!taken[head]) out.push_back(head);
            taken[head] = true;
        };
        for (const std::uint32_t id : m_schedule.order)
            for (const std::string& name : m_schedule.operationsOf(id))
                if (const auto at = m_indexOf.find(name); at != m_indexOf.end()) take(at->second);
        for (std::size_t i = 0; i < m_nodes.size(); ++i)
            take(i);
        return out;
    }

    static void addEdges(ScheduleRows& out) {
        // What is written into a buffer that there is has a name of its own.
        for (std::size_t row = 0; row < out.operations.size(); ++row)
            for (const Access& write : out.operations[row]->writes)
                out.writerOf.try_emplace(write.buffer, row);
        for (std::size_t row = 0; row < out.operations.size(); ++row) {
            std::set<std::size_t> from;
            for (const Access& read : out.operations[row]->reads)
                if (const auto at = out.writerOf.find(read.buffer); at != out.writerOf.end())
                    from.insert(at->second);
            from.erase(row);
            for (const std::size_t before : from)
                out.edges.push_back({before, row});
        }
    }

    const Schedule& m_schedule;
    std::vector<const SchedulerNode*> m_nodes; ///< by number
    std::unordered_map<std::string, std::size_t> m_indexOf;
    Chains m_chains;
};

} // namespace

std::vector<std::size_t> ScheduleRows::boxesAfter(std::size_t count) const {
    // A fusion holds those before it that it joined: from the last one back, what lies in one that was taken is not the last.
    std::vector<std::size_t> out;
    std::map<std::size_t, std::size_t> taken; // last row by first
    for (std::size_t i = std::min(count, fusions.size()); i-- > 0;) {
        const RowRange& range = fusions[i];
        if (range.first == range.last) continue;
        const auto after = taken.upper_bound(range.first);
        if (after != taken.begin() && std::prev(after)->second >= range.last) continue;
        taken.emplace(range.first, range.last);
        out.push_back(i + 1);
    }
    std::ranges::sort(out);
    return out;
}

ScheduleRows rowsOf(const Schedule& schedule) {
    return RowsInOrder(schedule).run();
}

} // namespace dynascope::inductor
