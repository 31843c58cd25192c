// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/verify/verification.h"

#include "core/passes/same_values.h"

#include <map>
#include <set>

namespace dynascope::engine {

namespace {

/// Nodes after by the node before. Several may hold the same value: an in-place operator's functional form,
/// and the view of the new base that replaces its tensor.
using Names = std::map<std::string, std::set<std::string>>;

/// What one step says about the value of its source node.
void addStep(const wire::PassStep& step, Names& names) {
    if (step.source.empty()) return;
    std::set<std::string> found;
    std::string last; // of the nodes that stand for the operator itself
    for (const wire::EmittedNode& node : step.emitted) {
        // The parts of several results come after the operator, under FX's name for such a node.
        const bool part = node.node.starts_with("getitem") && !step.source.starts_with("getitem");
        const auto why = wire::emissionOf(node.why);
        if (!part && (!why || *why == wire::Emission::Operator)) last = node.node;
    }
    if (!last.empty()) found.insert(last);
    bool isStale = false; // a view of a tensor that was written holds an old value on purpose
    for (const wire::ScoreRow& row :
         step.scorecard ? step.scorecard->scorecard : std::vector<wire::ScoreRow>()) {
        if (row.value != step.source) continue;
        isStale = isStale || row.stale;
        if (!row.current.empty()) found.insert(row.current);
    }
    for (const wire::ChangedNode& changed : step.changed)
        if (changed.before == step.source) found.insert(changed.after);
    if (isStale) found.clear();
    if (!found.empty() || isStale) names[step.source] = std::move(found);
    for (const wire::RemovedNode& removed : step.removed)
        if (!removed.replacement.empty()) names[removed.node] = {removed.replacement};
}

} // namespace

std::vector<MatchedPair> matchedPairs(const ir::Graph& source, const ir::Graph& computed,
                                      const std::vector<wire::PassStep>& steps) {
    std::vector<MatchedPair> out;
    // No pass made it of the source: a name that both have says nothing.
    if (steps.empty()) {
        for (const auto& [a, b] : passes::sameValues(source, computed))
            if (source.node(a).op != ir::Op::Output) out.push_back({a, b});
        return out;
    }
    // One table a pass, in order; a node that a pass says nothing about keeps its name.
    std::vector<std::pair<std::string, Names>> passes;
    for (const wire::PassStep& step : steps) {
        if (passes.empty() || passes.back().first != step.pass) passes.emplace_back(step.pass, Names());
        addStep(step, passes.back().second);
    }
    std::set<ir::NodeIndex> taken;
    for (ir::NodeIndex i = 0; i < source.size(); ++i) {
        if (source.node(i).op == ir::Op::Output) continue;
        std::set<std::string> now{source.node(i).name};
        for (const auto& [pass, names] : passes) {
            std::set<std::string> next;
            for (const std::string& name : now) {
                const auto found = names.find(name);
                if (found == names.end()) {
                    next.insert(name);
                } else {
                    next.insert(found->second.begin(), found->second.end());
                }
            }
            now = std::move(next);
        }
        for (const std::string& name : now) {
            const ir::NodeIndex node = computed.find(name);
            if (node == ir::npos || computed.node(node).op == ir::Op::Output) continue;
            if (taken.insert(node).second) out.push_back({i, node});
        }
    }
    return out;
}

} // namespace dynascope::engine
