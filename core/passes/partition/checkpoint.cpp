// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/operators.h"
#include "core/passes/partition/work.h"

#include <algorithm>
#include <unordered_set>

namespace dynascope::passes::partition {

using ir::NodeIndex;

namespace {

bool isGetitem(const Work& work, NodeIndex i) {
    return work.node(i).target == ir::getitemTarget && !work.graph->inputs(i).empty();
}

/// Whether another, later region recomputes a reader of the node.
bool readByLaterRegion(const Work& work, NodeIndex i) {
    const auto users = work.graph->users(i);
    const auto& own = work.facts[i].checkpointRegion;
    return own && std::any_of(users.begin(), users.end(), [&](NodeIndex user) {
               const NodeFacts& facts = work.facts[user];
               return facts.recomputed() && facts.checkpointRegion && *facts.checkpointRegion > *own;
           });
}

/// The results of an effect, which must not run again.
void saveResults(Work& work, NodeIndex effect) {
    std::vector<NodeIndex> open{effect};
    while (!open.empty()) {
        const NodeIndex i = open.back();
        open.pop_back();
        for (const NodeIndex user : work.graph->users(i)) {
            if (!isGetitem(work, user)) continue;
            open.push_back(user);
            if (!work.facts[user].tuple) work.facts[user].recompute = Recompute::MustSave;
        }
    }
}

} // namespace

void saveAtCheckpointBorders(Work& work, bool defaultPartitioner) {
    for (NodeIndex i = 0; i < work.facts.size(); ++i) {
        NodeFacts& facts = work.facts[i];
        const auto users = work.graph->users(i);
        const bool recomputedReader = std::any_of(
            users.begin(), users.end(), [&](NodeIndex user) { return work.facts[user].recomputed(); });
        if (facts.recomputed()) {
            if (readByLaterRegion(work, i) || (facts.hasBackwardHook && !recomputedReader))
                facts.recompute = Recompute::MustSave;
        } else if (defaultPartitioner && !facts.checkpointRegion && recomputedReader) {
            const bool ofRegion =
                isGetitem(work, i) && work.facts[work.graph->inputs(i).front()].checkpointRegion.has_value();
            if (!ofRegion) facts.recompute = Recompute::MustSave;
        }
    }
}

void forceSaves(Work& work) {
    for (NodeIndex i = 0; i < work.facts.size(); ++i) {
        const NodeFacts& facts = work.facts[i];
        if (work.node(i).target.ends_with("with_effects") && !facts.recomputed() &&
            facts.region != Region::Backward)
            saveResults(work, i);
    }
    // An input that both halves write: backward must find what forward wrote.
    std::unordered_set<NodeIndex> writtenByBackward;
    for (NodeIndex i = work.outputNode(); i-- > 0 && work.node(i).target == copyTarget;) {
        const auto reads = work.graph->inputs(i);
        if (reads.size() < 2) continue;
        if (work.facts[i].region == Region::MustBeInBackward) writtenByBackward.insert(reads[0]);
        if (work.facts[i].region == Region::MustBeInForward && writtenByBackward.contains(reads[0]))
            work.facts[reads[1]].recompute = Recompute::MustSave;
    }
}

bool onlyAsserted(const Work& work, NodeIndex i) {
    const auto users = work.graph->users(i);
    return work.facts[i].symbol == SymbolKind::Bool && !users.empty() &&
           std::all_of(users.begin(), users.end(), [&](NodeIndex user) {
               return work.node(user).target == "torch.ops.aten._assert_scalar.default";
           });
}

} // namespace dynascope::passes::partition
