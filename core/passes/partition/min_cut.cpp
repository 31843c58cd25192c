// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/partition/cut_problem.h"

#include <algorithm>

namespace dynascope::passes::partition {

using ir::NodeIndex;

namespace {

Result<Cut> chosen(const Work& work, const CutProblem& problem, const Config& config) {
    if (config.memoryBudget <= 0) {
        Cut inputs;
        inputs.saved = work.forwardInputs();
        inputs.bans.assign(work.facts.size(), Ban::None);
        for (const NodeIndex i : inputs.saved)
            inputs.bans[i] = Ban::Input;
        return inputs;
    }
    auto whole = problem.solve(banRules(config));
    if (!whole || config.memoryBudget >= 1) return whole;
    return withinBudget(work, problem, config, std::move(*whole));
}

} // namespace

Result<Partition> minCutPartition(const Joint& joint, const Config& config) {
    if (!(config.memoryBudget >= 0 && config.memoryBudget <= 1))
        return failure("a memory budget lies between 0 and 1");
    auto made = makeWork(joint);
    if (!made) return tl::unexpected(made.error());
    Work work = withoutDeadCode(std::move(*made));
    if (config.cse) work = withEqualsMerged(std::move(work), config.cseApart);
    const bool recomputes = work.anyRecomputed();
    if (recomputes) saveAtCheckpointBorders(work, false);
    forceSaves(work);
    const auto problem = CutProblem::make(work, config);
    if (!problem) return tl::unexpected(problem.error());
    if (!problem->hasBackward()) return partitionByPosition(std::move(work));
    const auto cut = chosen(work, *problem, config);
    if (!cut) return tl::unexpected(cut.error());
    std::vector<NodeIndex> tensors, symbols;
    for (const NodeIndex i : cut->saved) {
        if (!work.facts[i].isSymbol())
            tensors.push_back(i);
        else if (!onlyAsserted(work, i))
            symbols.push_back(i);
    }
    auto parts = split(work, std::move(tensors), std::move(symbols));
    if (!parts) return tl::unexpected(parts.error());
    std::vector<std::string> warnings;
    const std::vector<bool> overwritten = overwrittenInputs(work);
    for (const NodeIndex i : parts->tensors)
        if (overwritten[i])
            warnings.push_back("'" + work.node(i).name +
                               "' is saved for backward and overwritten by forward: where backward computes "
                               "from it, gradients are wrong");
    Partition out = finish(work, std::move(*parts), true, [&](NodeIndex i) -> std::string {
        const std::string_view words = banWords(cut->bans[i]);
        return words.empty() ? "the cheapest place to cut" : std::string(words);
    });
    out.warnings.insert(out.warnings.end(), warnings.begin(), warnings.end());
    return out;
}

} // namespace dynascope::passes::partition
