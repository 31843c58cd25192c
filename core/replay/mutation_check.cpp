// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/mutation_check.h"

#include <algorithm>

namespace dynascope::replay {

std::string_view mutationCategoryName(MutationCategory category) {
    switch (category) {
    case MutationCategory::None:
        return "none";
    case MutationCategory::Static:
        return "parameters and buffers";
    case MutationCategory::Recorded:
        return "recorded tensors";
    case MutationCategory::Other:
        break;
    }
    return "other tensors";
}

MutationCheck checkForMutation(const MutationQuestion& question,
                               const std::function<bool(std::size_t)>& isRecorded) {
    MutationCheck out;
    std::vector<std::size_t> forbidding;
    const auto isStatic = [&](std::size_t input) {
        return std::find(question.staticInputs.begin(), question.staticInputs.end(), input) !=
               question.staticInputs.end();
    };
    for (const std::size_t input : question.mutatedInputs) {
        const MutationCategory category = isStatic(input)     ? MutationCategory::Static
                                          : isRecorded(input) ? MutationCategory::Recorded
                                                              : MutationCategory::Other;
        out.inputs.push_back({input, category});
        out.category = std::max(out.category, category);
        if (!question.trees || category == MutationCategory::Other) forbidding.push_back(input);
    }
    if (!forbidding.empty()) out.message = mutationMessage(question.mutatingUses, forbidding);
    return out;
}

std::string skipMessage(std::string_view reason) {
    return "skipping cudagraphs due to " + std::string(reason);
}

std::string skipMessage(std::string_view reason, std::string_view foundFrom) {
    std::string out = skipMessage(reason);
    if (!foundFrom.empty()) out.append(". Found from : \n ").append(foundFrom);
    return out;
}

std::string mutationMessage(std::span<const std::string> mutatingUses, std::span<const std::size_t> inputs) {
    std::string_view place;
    for (const std::size_t input : inputs) {
        if (input >= mutatingUses.size() || mutatingUses[input].empty()) continue;
        place = mutatingUses[input];
        break;
    }
    return skipMessage("mutated inputs (" + std::to_string(inputs.size()) + " instances)", place);
}

} // namespace dynascope::replay
