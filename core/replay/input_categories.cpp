// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/input_categories.h"

#include <algorithm>

namespace dynascope::replay {

InputCategories inputCategories(const ReplayGraphFacts& facts, std::span<const std::size_t> fixed,
                                std::span<const std::size_t> recorded) {
    const ir::Graph& graph = *facts.graph;
    InputCategories out;
    for (ir::NodeIndex i = 0; i < graph.size(); ++i) {
        if (graph.node(i).op != ir::Op::Placeholder) continue;
        InputCategory& input = out.inputs.emplace_back();
        input.input = out.inputs.size() - 1;
        input.placeholder = i;
        input.fixed = std::binary_search(fixed.begin(), fixed.end(), input.input);
        input.recorded = std::binary_search(recorded.begin(), recorded.end(), input.input);
    }
    InputMutations mutations = findInputMutations(facts);
    for (const InputWrite& write : mutations.writes)
        if (write.input < out.inputs.size()) out.inputs[write.input].writes.push_back(write);
    std::vector<std::string> uses;
    for (PlaceholderInfo& info : placeholdersOf(graph))
        uses.push_back(std::move(info.mutatingUse));
    const std::vector<std::size_t> written(mutations.inputs.begin(), mutations.inputs.end());
    MutationQuestion question;
    question.staticInputs = fixed;
    question.mutatedInputs = written;
    question.mutatingUses = uses;
    out.check = checkForMutation(question, [&](std::size_t input) {
        return std::binary_search(recorded.begin(), recorded.end(), input);
    });
    for (const CategorizedInput& input : out.check.inputs)
        if (input.input < out.inputs.size()) out.inputs[input.input].category = input.category;
    out.error = std::move(mutations.error);
    return out;
}

} // namespace dynascope::replay
