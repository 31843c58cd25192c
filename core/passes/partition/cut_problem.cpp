// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/partition/cut_problem.h"

#include "core/ir/operators.h"
#include "core/passes/partition/flow.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace dynascope::passes::partition {

using ir::NodeIndex;
using ir::Op;

std::string_view banWords(Ban ban) {
    switch (ban) {
    case Ban::None:
        return {};
    case Ban::Input:
        return "an input of the graph";
    case Ban::MustSave:
        return "has to be saved";
    case Ban::NotRecomputable:
        return "its op is not on the list of those that may run twice";
    case Ban::ComputeIntensive:
        return "its op is random or costs much to run twice";
    case Ban::Materialized:
        return "backward would have to write it to memory";
    case Ban::TooFar:
        return "too far from backward";
    case Ban::Reduction:
        return "far smaller than what it is made from";
    case Ban::UsedFarApart:
        return "forward uses what it comes from far apart";
    case Ban::LongChain:
        return "it ends a long chain of fusible ops";
    }
    return {};
}

BanRules banRules(const Config& config) {
    BanRules out{config.banUsedFarApart, config.banLongChains, config.banMaterializedBackward,
                 config.banNotInAllowlist, config.banReductions};
    if (config.aggressive) out.farApart = out.longChains = out.materialized = out.allowlist = false;
    return out;
}

Result<CutProblem> CutProblem::make(const Work& work, const Config& config) {
    CutProblem out(work, config);
    std::unordered_map<std::string_view, std::uint32_t> known; // by target
    for (const ir::NodePtr& node : work.graph->nodes()) {
        const std::string_view target = node->op == Op::CallFunction ? node->target : std::string_view();
        const auto [found, isNew] = known.try_emplace(target, static_cast<std::uint32_t>(out.m_kinds.size()));
        if (isNew) {
            Kind& kind = out.m_kinds.emplace_back();
            kind.packet = packetOf(target);
            kind.opClass = opClass(kind.packet);
        }
        out.m_kindOf.push_back(found->second);
    }
    out.classifyBackward();
    if (auto done = out.classifyForward(); !done) return tl::unexpected(done.error());
    out.measureDistances();
    const std::vector<NodeIndex> primals = work.withRole(Role::Primal);
    out.m_static.assign(work.facts.size(), false);
    for (const std::size_t position : work.staticPrimals)
        if (position < primals.size()) out.m_static[primals[position]] = true;
    out.m_unsavable.assign(work.facts.size(), false);
    if (!config.faithful) out.m_unsavable = overwrittenInputs(work);
    return out;
}

void CutProblem::classifyBackward() {
    m_fromTangents.assign(m_work.facts.size(), false);
    for (NodeIndex i = 0; i < m_work.outputNode(); ++i) {
        const auto inputs = m_work.graph->inputs(i);
        m_fromTangents[i] =
            m_work.roles[i] == Role::Tangent || m_work.mustBeBackward(i) ||
            std::any_of(inputs.begin(), inputs.end(), [&](NodeIndex input) { return m_fromTangents[input]; });
    }
    m_gradient = m_fromTangents;
    for (const ir::Argument& gradient : m_work.gradients())
        if (gradient.isNode()) m_gradient[m_work.graph->find(gradient.text)] = true;
    m_hasBackward = std::find(m_gradient.begin(), m_gradient.end(), true) != m_gradient.end();
}

Result<void> CutProblem::classifyForward() {
    auto forward = extentOf(m_work, m_work.forwardInputs(), m_work.forward(), Side::Forward);
    if (!forward) return tl::unexpected(forward.error());
    m_forward = std::move(forward->kept);
    m_order.assign(m_work.facts.size(), -1);
    std::int64_t next = 0;
    for (NodeIndex i = 0; i < m_work.outputNode(); ++i) {
        if (m_forward[i]) m_order[i] = next++;
    }
    return {};
}

void CutProblem::measureDistances() {
    m_distance.assign(m_work.facts.size(), farthest);
    for (NodeIndex i = m_work.outputNode(); i-- > 0;) {
        if (!m_forward[i]) m_distance[i] = 0;
        for (const NodeIndex user : m_work.graph->users(i))
            m_distance[i] = std::min(m_distance[i], m_distance[user] + 1);
    }
}

bool CutProblem::fusible(NodeIndex node, NodeIndex user) const {
    return packet(user) == "aten.cat" || (opClassOf(node).fusible() && opClassOf(user).fusible());
}

std::int64_t CutProblem::weight(NodeIndex i) const {
    const NodeFacts& facts = m_work.facts[i];
    if (facts.isSymbol()) return facts.symbol == SymbolKind::Float ? 4 : 1;
    if (facts.isObject) return 0;
    if (!facts.tensor || m_unsavable[i]) return FlowNetwork::infinite;
    if (m_config.parametersAreFree && m_static[i]) return 0;
    if (m_config.recomputeViews && opClassOf(i).view) return FlowNetwork::infinite;
    const double steps = static_cast<double>(std::clamp<std::int64_t>(m_distance[i], 1, 100));
    const double weighted = std::min(static_cast<double>(facts.tensor->bytes) * std::pow(1.1, steps), 0x1p60);
    const auto users = m_work.graph->users(i);
    const bool materialized =
        m_work.node(i).op == Op::Placeholder ||
        !std::all_of(users.begin(), users.end(), [&](NodeIndex user) { return fusible(i, user); });
    return static_cast<std::int64_t>(weighted) * (materialized ? 1 : 2);
}

bool CutProblem::materializedInBackward(NodeIndex i) const {
    if (opClassOf(i).view) return false;
    std::unordered_set<NodeIndex> seen{i};
    std::vector<NodeIndex> open{i};
    while (!open.empty()) {
        const NodeIndex node = open.back();
        open.pop_back();
        for (const NodeIndex user : m_work.graph->users(node)) {
            if (!m_forward[user] && !fusible(node, user)) return true;
            if (opClassOf(user).view && seen.insert(user).second) open.push_back(user);
        }
    }
    return false;
}

bool CutProblem::shrinks(NodeIndex i) const {
    double read = 0;
    for (const ir::Argument& argument : m_work.node(i).args)
        if (argument.isNode())
            read += static_cast<double>(m_work.facts[m_work.graph->find(argument.text)].bytes());
    return 4 * static_cast<double>(m_work.facts[i].bytes()) < read;
}

Ban CutProblem::banOf(NodeIndex i, const BanRules& rules) const {
    if (m_work.node(i).op != Op::CallFunction || m_work.node(i).target == ir::getitemTarget) return Ban::None;
    if (m_work.facts[i].recompute == Recompute::MustSave) return Ban::MustSave;
    const OpClass& kind = opClassOf(i);
    if (m_config.recomputeViews && kind.view) return Ban::None;
    if (packet(i) == "aten.lift_fresh_copy" || packet(i) == "aten.lift_fresh") return Ban::None;
    if (rules.allowlist && !kind.recomputable) return Ban::NotRecomputable;
    if (!rules.allowlist && (kind.random || kind.computeIntensive)) return Ban::ComputeIntensive;
    if (rules.materialized && materializedInBackward(i)) return Ban::Materialized;
    if (m_distance[i] < 1000 && m_distance[i] > m_config.maxDistance) return Ban::TooFar;
    return rules.reductions && shrinks(i) ? Ban::Reduction : Ban::None;
}

} // namespace dynascope::passes::partition
