// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/partition/work.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace dynascope::passes::partition {

using ir::NodeIndex;

namespace {

template <typename... Lists>
std::vector<NodeIndex> joined(const Lists&... lists) {
    std::vector<NodeIndex> out;
    (out.insert(out.end(), lists.begin(), lists.end()), ...);
    return out;
}

std::vector<NodeIndex> backwardInputs(const Work& work, const std::vector<NodeIndex>& tensors,
                                      const std::vector<NodeIndex>& symbols) {
    return joined(symbols, tensors, work.withRole(Role::Tangent), work.withRole(Role::BackwardSeed));
}

/// Saved symbols come first as they are bound; then those that only the shapes of other saved values and of
/// tangents mention; then the ones that are computed from others.
std::vector<NodeIndex> withSymbolsOfShapes(const Work& work, const std::vector<NodeIndex>& symbols,
                                           const std::vector<NodeIndex>& tensors) {
    std::vector<NodeIndex> bound, derived;
    std::unordered_set<std::string> have;
    for (const NodeIndex i : symbols) {
        if (work.facts[i].binds.empty()) {
            derived.push_back(i);
        } else {
            have.insert(work.facts[i].binds);
            bound.push_back(i);
        }
    }
    std::unordered_map<std::string_view, NodeIndex> binder;
    for (NodeIndex i = 0; i < work.facts.size(); ++i)
        if (!work.facts[i].binds.empty()) binder.try_emplace(work.facts[i].binds, i);
    for (const NodeIndex i : joined(derived, tensors, work.withRole(Role::Tangent))) {
        std::set<std::string> added;
        for (const std::string& symbol : work.facts[i].freeSymbols)
            if (!have.contains(symbol)) added.insert(symbol);
        for (const std::string& symbol : added) {
            if (const auto found = binder.find(symbol); found != binder.end()) bound.push_back(found->second);
            have.insert(symbol);
        }
    }
    return joined(bound, derived);
}

} // namespace

Result<Split> split(const Work& work, std::vector<NodeIndex> tensors, std::vector<NodeIndex> symbols) {
    const auto trial =
        extentOf(work, backwardInputs(work, tensors, symbols), work.gradients(), Side::Backward);
    if (!trial) return tl::unexpected(trial.error());
    for (std::vector<NodeIndex>* saved : {&tensors, &symbols})
        std::erase_if(*saved, [&](NodeIndex i) { return !trial->read[i]; });

    Split out;
    out.symbols = withSymbolsOfShapes(work, symbols, tensors);
    std::stable_partition(tensors.begin(), tensors.end(),
                          [&](NodeIndex i) { return !work.facts[i].savedUnversioned; });
    std::stable_partition(tensors.begin(), tensors.end(),
                          [&](NodeIndex i) { return !work.facts[i].isObject; });
    out.tensors = std::move(tensors);

    std::vector<ir::Argument> results(work.forward().begin(), work.forward().end());
    for (const NodeIndex i : joined(out.tensors, out.symbols))
        results.push_back(ir::Argument::node(work.node(i).name));
    auto forward = extract(work, work.forwardInputs(), results, Side::Forward);
    if (!forward) return tl::unexpected(forward.error());
    auto backward =
        extract(work, backwardInputs(work, out.tensors, out.symbols), work.gradients(), Side::Backward);
    if (!backward) return tl::unexpected(backward.error());
    out.forward = std::move(*forward);
    out.backward = std::move(*backward);
    return out;
}

} // namespace dynascope::passes::partition
