// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/partition/cut_problem.h"
#include "core/passes/partition/flow.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace dynascope::passes::partition {

using ir::NodeIndex;

struct CutProblem::Bans {
    const CutProblem& problem;
    const std::unordered_set<NodeIndex>& exempt;
    std::vector<Ban> by; ///< by node
    std::vector<NodeIndex> order;

    [[nodiscard]] bool has(NodeIndex i) const { return by[i] != Ban::None; }
    void add(NodeIndex i, Ban why) {
        const NodeFacts& facts = problem.m_work.facts[i];
        if (has(i) || problem.opClassOf(i).view || exempt.contains(i) || facts.recomputed() ||
            facts.symbol == SymbolKind::Float)
            return;
        by[i] = why;
        order.push_back(i);
    }
};

/// In the order of forward: where a chain of fused readers of the node first breaks off; `last` if it does
/// not.
std::int64_t CutProblem::firstUnfusedUse(NodeIndex i, std::int64_t last) const {
    struct Use {
        std::int64_t order;
        bool fused;
        NodeIndex node;
        auto operator<=>(const Use&) const = default;
    };
    std::priority_queue<Use, std::vector<Use>, std::greater<>> open;
    for (const NodeIndex user : m_work.graph->users(i))
        if (m_forward[user]) open.push({m_order[user], true, user});
    std::int64_t done = -1; // uses come in order, and each comes as often as it was found
    while (!open.empty()) {
        const Use use = open.top();
        open.pop();
        if (!use.fused) return use.order;
        if (use.order == done) continue;
        done = use.order;
        for (const NodeIndex user : m_work.graph->users(use.node))
            if (m_forward[user] && m_order[user] <= last)
                open.push({m_order[user], fusible(use.node, user), user});
    }
    return last;
}

void CutProblem::banUsedFarApart(Bans& bans) const {
    for (NodeIndex i = 0; i < m_work.outputNode(); ++i) {
        if (!m_forward[i]) continue;
        std::int64_t last = -1;
        for (const NodeIndex user : m_work.graph->users(i))
            last = std::max(last, m_order[user]);
        if (last < 0) continue;
        const std::int64_t fusedUpTo = firstUnfusedUse(i, last);
        for (const NodeIndex user : m_work.graph->users(i))
            if (m_forward[user] && m_order[user] > fusedUpTo && fusible(i, user))
                bans.add(user, Ban::UsedFarApart);
    }
}

void CutProblem::banLongChains(Bans& bans) const {
    constexpr std::int64_t longest = 100;
    std::vector<bool> seen(m_work.facts.size(), false);
    for (NodeIndex start = 0; start < m_work.outputNode(); ++start) {
        if (!m_forward[start]) continue;
        std::priority_queue<NodeIndex, std::vector<NodeIndex>, std::greater<>> open; // positions are in order
        open.push(start);
        while (!open.empty()) {
            const NodeIndex node = open.top();
            open.pop();
            if (seen[node]) continue;
            seen[node] = true;
            if (m_order[node] > m_order[start] + longest && open.empty()) {
                bans.add(node, Ban::LongChain);
                break;
            }
            for (const NodeIndex user : m_work.graph->users(node))
                if (m_forward[user] && fusible(node, user) && !bans.has(user)) open.push(user);
        }
    }
}

Result<Cut> CutProblem::solve(const BanRules& rules, const std::unordered_set<NodeIndex>& exempt) const {
    const NodeIndex count = m_work.outputNode();
    const std::size_t source = 2 * std::size_t{count}, sink = source + 1;
    const auto in = [](NodeIndex i) { return 2 * std::size_t{i}; };
    const auto out = [](NodeIndex i) { return 2 * std::size_t{i} + 1; };
    FlowNetwork network(sink + 1);
    Bans bans{*this, exempt, std::vector<Ban>(m_work.facts.size(), Ban::None), {}};
    std::vector<bool> through(count, false); // nodes that an edge leads through
    for (NodeIndex i = 0; i < count; ++i) {
        if (m_fromTangents[i] || m_work.facts[i].recomputed()) {
            network.add(in(i), sink, FlowNetwork::infinite);
            continue;
        }
        if (m_gradient[i]) network.add(out(i), sink, FlowNetwork::infinite);
        if (m_work.roles[i] == Role::Primal || m_work.roles[i] == Role::ForwardSeed) bans.add(i, Ban::Input);
        if (m_forward[i])
            if (const Ban ban = banOf(i, rules); ban != Ban::None) bans.add(i, ban);
        through[i] = true;
        network.add(in(i), out(i), weight(i));
        for (const NodeIndex user : m_work.graph->users(i))
            if (user < count) network.add(out(i), in(user), FlowNetwork::infinite);
    }
    if (rules.farApart) banUsedFarApart(bans);
    if (rules.longChains) banLongChains(bans);
    for (const NodeIndex i : bans.order)
        network.add(source, in(i), FlowNetwork::infinite);
    const auto sinkSide = network.sinkSide(source, sink);
    if (!sinkSide)
        return failure("AOT Autograd failed to partition the joint forward-backward graph: " +
                       sinkSide.error().message);
    Cut cut;
    for (NodeIndex i = 0; i < count; ++i)
        if (through[i] && !(*sinkSide)[in(i)] && (*sinkSide)[out(i)]) cut.saved.push_back(i);
    cut.banned = std::move(bans.order);
    cut.bans = std::move(bans.by);
    return cut;
}

} // namespace dynascope::passes::partition
