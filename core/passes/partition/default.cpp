// SPDX-License-Identifier: BSD-3-Clause
//
// default_partition of torch/_functorch/partitioners.py.
#include "core/ir/operators.h"
#include "core/passes/partition/work.h"

#include <algorithm>
#include <array>

namespace dynascope::passes::partition {

using ir::NodeIndex;
using ir::Op;

namespace {

/// Not saved though they are impure: their effect is all there is.
constexpr std::array<std::string_view, 5> unsaved{
    "torch.ops.aten._assert_async.default", "torch.ops.aten._assert_async.msg",
    "torch.ops.aten._assert_scalar.default", "torch.ops.profiler._record_function_enter_new.default",
    "torch.ops.profiler._record_function_exit._RecordFunction"};

/// By position: everything up to the last node of forward, tangents apart.
std::vector<bool> forwardNodes(const Work& work) {
    NodeIndex end = 0;
    for (NodeIndex i = 0; i < work.roles.size(); ++i) {
        if (work.facts[i].region == Region::Forward || work.roles[i] == Role::Primal ||
            work.roles[i] == Role::ForwardSeed)
            end = i + 1;
    }
    std::vector<bool> out(work.roles.size(), false);
    for (NodeIndex i = 0; i < end; ++i)
        out[i] = work.roles[i] != Role::Tangent;
    return out;
}

class Choice {
public:
    explicit Choice(const Work& work)
        : m_work(work)
        , m_forward(forwardNodes(work))
        , m_listed(work.facts.size(), false)
        , m_recomputes(work.anyRecomputed()) {}

    Result<void> run() {
        for (NodeIndex i = 0; i < m_forward.size(); ++i) {
            if (!m_forward[i]) continue;
            if (auto done = decide(i); !done) return done;
        }
        std::erase_if(symbols, [&](NodeIndex i) { return onlyAsserted(m_work, i); });
        return {};
    }

    std::vector<NodeIndex> tensors, symbols;

private:
    Result<void> decide(NodeIndex i) {
        const ir::Node& node = m_work.node(i);
        const NodeFacts& facts = m_work.facts[i];
        if (node.op == Op::GetAttr && facts.isModule) return {};
        if (std::find(unsaved.begin(), unsaved.end(), node.target) != unsaved.end()) return {};
        if (facts.isSymbol()) {
            list(symbols, i);
            return {};
        }
        if (onlyUnpacked(i)) return {};
        const bool impure = m_work.impureCall(i);
        if (impure && m_recomputes && facts.recompute != Recompute::MustSave)
            return failure("impure node '" + node.name + "' in a graph with recomputation");
        if (impure || facts.recompute == Recompute::MustSave) {
            list(tensors, i);
            return {};
        }
        if (node.op == Op::CallFunction && !facts.tensor)
            return failure("Expected " + node.name + " to be a tensor");
        readers(i);
        return {};
    }

    bool onlyUnpacked(NodeIndex i) const {
        const auto users = m_work.graph->users(i);
        return !users.empty() && std::all_of(users.begin(), users.end(), [&](NodeIndex user) {
            return m_work.node(user).target == ir::getitemTarget;
        });
    }

    /// What backward only asks the size of is not saved, its size is.
    void readers(NodeIndex i) {
        std::vector<NodeIndex> later;
        for (const NodeIndex user : m_work.graph->users(i))
            if (!m_forward[user]) later.push_back(user);
        if (std::all_of(later.begin(), later.end(),
                        [&](NodeIndex user) { return m_work.facts[user].isSymbol(); })) {
            for (const NodeIndex user : later)
                list(symbols, user);
        } else if (!m_work.facts[i].recomputed()) {
            list(tensors, i);
        }
    }

    void list(std::vector<NodeIndex>& into, NodeIndex i) {
        if (m_listed[i]) return;
        m_listed[i] = true;
        into.push_back(i);
    }

    const Work& m_work;
    std::vector<bool> m_forward;
    std::vector<bool> m_listed;
    bool m_recomputes;
};

} // namespace

Result<Partition> partitionByPosition(Work work) {
    const bool recomputes = work.anyRecomputed();
    if (recomputes) saveAtCheckpointBorders(work, true);
    forceSaves(work);
    Choice choice(work);
    if (auto done = choice.run(); !done) return tl::unexpected(done.error());
    auto parts = split(work, std::move(choice.tensors), std::move(choice.symbols));
    if (!parts) return tl::unexpected(parts.error());
    return finish(work, std::move(*parts), recomputes, [&](NodeIndex i) -> std::string {
        if (work.facts[i].recompute == Recompute::MustSave) return "has to be saved";
        return work.roles[i] == Role::Primal ? "an input that backward reads" : "backward reads it";
    });
}

Result<Partition> defaultPartition(const Joint& joint) {
    auto work = makeWork(joint);
    if (!work) return tl::unexpected(work.error());
    const bool writes = std::any_of(work->facts.begin(), work->facts.end(),
                                    [](const NodeFacts& facts) { return facts.writes; });
    if (!writes || !work->anyRecomputed()) return partitionByPosition(std::move(*work));
    auto out = minCutPartition(joint);
    if (out)
        out->warnings.emplace_back(
            "the graph recomputes and writes in place, so the min-cut partitioner took it");
    return out;
}

} // namespace dynascope::passes::partition
