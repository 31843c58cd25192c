// SPDX-License-Identifier: BSD-3-Clause
#include "core/layout/level.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace dynascope::layout::detail {

namespace {

constexpr std::uint32_t maxRow = 12; // sources or sinks side by side before they wrap

struct Arc {
    std::uint32_t from = 0, to = 0;
    double weight = 1;
};

/// Arcs between items, by tail and by head.
class ArcIndex {
public:
    ArcIndex(std::size_t items, const std::vector<Arc>& arcs)
        : m_outStart(items + 1, 0)
        , m_inStart(items + 1, 0)
        , m_out(arcs.size())
        , m_in(arcs.size()) {
        for (const Arc& a : arcs) {
            ++m_outStart[a.from + 1];
            ++m_inStart[a.to + 1];
        }
        std::partial_sum(m_outStart.begin(), m_outStart.end(), m_outStart.begin());
        std::partial_sum(m_inStart.begin(), m_inStart.end(), m_inStart.begin());
        std::vector<std::uint32_t> nextOut(m_outStart.begin(), m_outStart.end() - 1);
        std::vector<std::uint32_t> nextIn(m_inStart.begin(), m_inStart.end() - 1);
        for (std::uint32_t i = 0; i < arcs.size(); ++i) {
            m_out[nextOut[arcs[i].from]++] = i;
            m_in[nextIn[arcs[i].to]++] = i;
        }
    }
    [[nodiscard]] std::span<const std::uint32_t> out(std::uint32_t v) const {
        return {m_out.data() + m_outStart[v], m_out.data() + m_outStart[v + 1]};
    }
    [[nodiscard]] std::span<const std::uint32_t> in(std::uint32_t v) const {
        return {m_in.data() + m_inStart[v], m_in.data() + m_inStart[v + 1]};
    }

private:
    std::vector<std::uint32_t> m_outStart, m_inStart, m_out, m_in;
};

/// Turns round the arcs that close a cycle in a depth-first walk in item order.
std::vector<bool> turnBackArcs(std::size_t items, std::vector<Arc>& arcs) {
    const ArcIndex index(items, arcs);
    std::vector<bool> back(arcs.size(), false);
    enum class State : std::uint8_t { New, Open, Done };
    std::vector<State> state(items, State::New);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> stack; // item, next outgoing arc
    for (std::uint32_t start = 0; start < items; ++start) {
        if (state[start] != State::New) continue;
        state[start] = State::Open;
        stack.emplace_back(start, 0);
        while (!stack.empty()) {
            auto& [v, next] = stack.back();
            const auto out = index.out(v);
            if (next == out.size()) {
                state[v] = State::Done;
                stack.pop_back();
                continue;
            }
            const std::uint32_t arc = out[next++];
            const std::uint32_t to = arcs[arc].to;
            if (state[to] == State::Open) {
                back[arc] = true;
            } else if (state[to] == State::New) {
                state[to] = State::Open;
                stack.emplace_back(to, 0);
            }
        }
    }
    for (std::size_t i = 0; i < arcs.size(); ++i)
        if (back[i]) std::swap(arcs[i].from, arcs[i].to);
    return back;
}

class Ranker {
public:
    Ranker(const LevelInput& input, const std::vector<Arc>& arcs)
        : m_input(input)
        , m_arcs(arcs)
        , m_index(input.items.size(), arcs)
        , m_rank(input.items.size(), 0)
        , m_wrapped(input.items.size(), false) {}

    void run(Ranking& ranking) {
        sortTopologically();
        for (const std::uint32_t v : m_order)
            m_rank[v] = earliest(v);
        for (int round = 0; round < 3; ++round) {
            for (auto it = m_order.rbegin(); it != m_order.rend(); ++it)
                sink(*it);
            for (const std::uint32_t v : m_order)
                rise(v);
        }
        wrapWideRows();
        pinLanes();
        ranking.rank = std::move(m_rank);
        ranking.wrapped = std::move(m_wrapped);
    }

private:
    [[nodiscard]] bool isLane(std::uint32_t v) const { return m_input.items[v].kind != LevelItem::Kind::Box; }

    void sortTopologically() {
        std::vector<std::uint32_t> waiting(m_rank.size());
        for (std::uint32_t v = 0; v < m_rank.size(); ++v) {
            waiting[v] = static_cast<std::uint32_t>(m_index.in(v).size());
            if (waiting[v] == 0) m_order.push_back(v);
        }
        for (std::size_t i = 0; i < m_order.size(); ++i)
            for (const std::uint32_t arc : m_index.out(m_order[i]))
                if (--waiting[m_arcs[arc].to] == 0) m_order.push_back(m_arcs[arc].to);
    }

    [[nodiscard]] std::uint32_t earliest(std::uint32_t v) const {
        std::uint32_t rank = 0;
        for (const std::uint32_t arc : m_index.in(v))
            rank = std::max(rank, m_rank[m_arcs[arc].from] + 1);
        return rank;
    }
    [[nodiscard]] std::uint32_t latest(std::uint32_t v) const {
        std::uint32_t rank = none;
        for (const std::uint32_t arc : m_index.out(v))
            if (!isLane(m_arcs[arc].to)) rank = std::min(rank, m_rank[m_arcs[arc].to] - 1);
        return rank;
    }
    [[nodiscard]] double weight(std::span<const std::uint32_t> arcs, bool upper) const {
        double sum = 0;
        for (const std::uint32_t arc : arcs)
            if (!isLane(upper ? m_arcs[arc].from : m_arcs[arc].to)) sum += m_arcs[arc].weight;
        return sum;
    }

    /// Moves an item that pulls more on its users than on its inputs down to them, with the chain that hangs
    /// from it.
    void sink(std::uint32_t v) {
        if (isLane(v) || weight(m_index.out(v), false) <= weight(m_index.in(v), true)) return;
        std::vector<std::uint32_t> chain{v};
        while (m_index.out(chain.back()).size() == 1) {
            const std::uint32_t next = m_arcs[m_index.out(chain.back())[0]].to;
            if (isLane(next) || m_index.in(next).size() != 1 || m_index.out(next).size() != 1) break;
            chain.push_back(next);
        }
        std::uint32_t below = latest(chain.back());
        if (below == none) return;
        for (auto it = chain.rbegin(); it != chain.rend(); ++it)
            m_rank[*it] = below--;
    }

    void rise(std::uint32_t v) {
        if (isLane(v) || m_index.in(v).empty()) return;
        if (weight(m_index.in(v), true) > weight(m_index.out(v), false)) m_rank[v] = earliest(v);
    }

    /// A rank with many sources (parameters of one call) or many sinks is broken into rows of maxRow.
    void wrapWideRows() {
        std::uint32_t count = 0;
        for (const std::uint32_t r : m_rank)
            count = std::max(count, r + 1);
        std::vector<std::uint32_t> sources(count, 0);
        std::vector<std::uint32_t> sinks(count, 0);
        const auto isSource = [&](std::uint32_t v) {
            return !isLane(v) && m_index.in(v).empty() && !m_index.out(v).empty();
        };
        const auto isSink = [&](std::uint32_t v) {
            return !isLane(v) && m_index.out(v).empty() && !m_index.in(v).empty();
        };
        for (std::uint32_t v = 0; v < m_rank.size(); ++v) {
            if (isSource(v)) ++sources[m_rank[v]];
            if (isSink(v)) ++sinks[m_rank[v]];
        }
        const auto extraRows = [](std::uint32_t n) { return n == 0 ? 0 : (n - 1) / maxRow; };
        std::vector<std::uint32_t> moved(count, 0);
        std::uint32_t added = 0;
        for (std::uint32_t r = 0; r < count; ++r) {
            added += extraRows(sources[r]);
            moved[r] = r + added;
            added += extraRows(sinks[r]);
        }
        std::vector<std::uint32_t> sourceOf(count, 0);
        std::vector<std::uint32_t> sinkOf(count, 0);
        for (std::uint32_t v = 0; v < m_rank.size(); ++v) {
            const std::uint32_t r = m_rank[v];
            m_rank[v] = moved[r];
            if (isSource(v)) {
                const std::uint32_t raised = extraRows(sources[r]) - sourceOf[r]++ / maxRow;
                m_rank[v] -= raised;
                m_wrapped[v] = raised > 0;
            }
            if (isSink(v)) m_rank[v] += sinkOf[r]++ / maxRow;
        }
    }

    void pinLanes() {
        bool entries = false;
        for (std::uint32_t v = 0; v < m_rank.size(); ++v)
            entries = entries || m_input.items[v].kind == LevelItem::Kind::Entry;
        std::uint32_t first = none;
        for (std::uint32_t v = 0; v < m_rank.size(); ++v)
            if (!isLane(v)) first = std::min(first, m_rank[v]);
        std::uint32_t last = 0;
        for (std::uint32_t v = 0; v < m_rank.size(); ++v) {
            if (isLane(v)) continue;
            m_rank[v] = m_rank[v] - first + (entries ? 1 : 0);
            last = std::max(last, m_rank[v]);
        }
        for (std::uint32_t v = 0; v < m_rank.size(); ++v) {
            if (m_input.items[v].kind == LevelItem::Kind::Entry) m_rank[v] = 0;
            if (m_input.items[v].kind == LevelItem::Kind::Exit) m_rank[v] = last + 1;
        }
    }

    const LevelInput& m_input;
    const std::vector<Arc>& m_arcs;
    ArcIndex m_index;
    std::vector<std::uint32_t> m_order;
    std::vector<std::uint32_t> m_rank;
    std::vector<bool> m_wrapped;
};

} // namespace

Ranking rankItems(const LevelInput& input) {
    Ranking ranking;
    std::vector<Arc> arcs;
    for (const LevelNet& net : input.nets)
        for (const LevelNet::Head& head : net.heads)
            arcs.push_back({net.tail, head.item, head.weight});
    const std::vector<bool> back = turnBackArcs(input.items.size(), arcs);
    std::size_t arc = 0;
    for (const LevelNet& net : input.nets) {
        std::vector<bool>& flags = ranking.backEdge.emplace_back();
        for (std::size_t h = 0; h < net.heads.size(); ++h)
            flags.push_back(back[arc++]);
    }
    Ranker(input, arcs).run(ranking);
    for (const std::uint32_t r : ranking.rank)
        ranking.count = std::max(ranking.count, r + 1);
    return ranking;
}

} // namespace dynascope::layout::detail
