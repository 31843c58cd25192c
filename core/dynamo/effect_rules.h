// SPDX-License-Identifier: BSD-3-Clause
//
// What one changed object asks generated code for, by the rules of PyTorch's side effects. Pure functions.
#pragma once

#include "core/dynamo/side_effects.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::dynamo {

struct EffectPlan {
    enum class Need : std::uint8_t {
        Must,
        May,    ///< right with it and without
        Unsaid, ///< the recording does not say whether it is needed
    };
    struct Part {
        std::string text;
        std::vector<std::string> instructions; ///< in this order, others between them; "A|B" is either
        Need need = Need::Must;
        std::string loaded; ///< an instruction without which this was not generated; empty for none
        std::string lost;   ///< what is lost without it: "what its SetVariable holds"
    };
    bool known = true;        ///< a kind of object that the rules are written for
    bool doneByLoads = false; ///< nothing is left for the second phase
    Part load;                ///< loaded beforehand
    std::vector<Part> stores; ///< in the order in which they are collected, the reverse of carrying them out
    std::string nothing;      ///< why it may be that nothing is stored: a sentence
};

/// "L['x']", "cell n", "new Own".
[[nodiscard]] std::string effectName(const TrackedObject& object);
/// `loads` is what was generated to load its contents.
[[nodiscard]] EffectPlan effectPlan(const TrackedObject& object, std::span<const std::string> loads);
/// Of an object that the frame made: the instructions that build it; none where it is built as it is used.
[[nodiscard]] std::vector<std::string> buildInstructions(const TrackedObject& object, bool loadedLater);
/// Whether the instructions are among the others, in that order. "A|B" is either; a name alone is any
/// argument.
[[nodiscard]] bool follows(std::span<const std::string> generated, std::span<const std::string> expected);

} // namespace dynascope::dynamo
