// SPDX-License-Identifier: BSD-3-Clause
//
// How a functionalized graph is called: which outer arguments it changes, which of its outputs the user sees
// and which only carry new values of inputs, and the steps that write those back. Data only.
#pragma once

#include "core/computed/functional_recording.h"
#include "core/session/breaks.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::computed {

/// The graph break before which a changed input has to hold its new value.
struct ForcingBreak {
    int group = -1;     ///< into BreakSummary::groups
    std::string place;  ///< "cap.py:6"
    std::string reason; ///< "Builtin print cannot be traced"
    /// "1/0 reads it as L['x']"; empty where no frame after the break takes the input in
    std::string resumed;
    /// "before the break at cap.py:6"
    [[nodiscard]] std::string text() const;
};
/// By the input's placeholder; inputs without one are not in it.
using ForcingBreaks = std::map<std::string, ForcingBreak>;
/// For a functionalization of a graph of compile `compile` (an index). `breaks` are the session's.
[[nodiscard]] ForcingBreaks forcingBreaks(const session::Session& session,
                                          const session::BreakSummary& breaks, std::size_t compile,
                                          const FunctionalRun& run);

struct OuterArgument {
    enum class Mutation : std::uint8_t { None, Data, Geometry, DataAndGeometry };
    std::string node; ///< the placeholder
    std::string name; ///< what it is called: "layers.0.weight" of a parameter, else as the node
    std::string type; ///< "f32[3, 3]", as much as is known
    Mutation mutation = Mutation::None;
    std::uint64_t bytes = 0; ///< written back
    bool shared = false;     ///< it is written through, and other inputs lie in its memory
    std::string writtenWith; ///< the input through which the memory is written that this one lies in too
    std::optional<ForcingBreak> forcedBy;
};

struct ConventionOutput {
    enum class Memory : std::uint8_t { Unknown, Own, AliasOfInput, IsInput, SameAsOutput };
    std::string node; ///< of the functional graph; "None" and other constants as they are written
    std::string type;
    int user = -1;         ///< which result the user gets; -1 for the new value of an input
    std::string writtenTo; ///< that input
    /// What the user's result is in eager's eyes, and with what.
    Memory memory = Memory::Unknown;
    std::string with;
};

/// One step of writing a changed input back, in the order in which they happen.
struct EpilogueStep {
    std::string input;
    std::string operation;               ///< "copy_", "as_strided_", "resize_", "set_"
    std::string node;                    ///< in the graph; empty where the caller writes
    std::string value;                   ///< the node with the new value, where one is read
    int output = -1;                     ///< where the caller writes: from which result
    std::uint64_t bytes = 0;             ///< of a copy_
    bool wholeStorage = false;           ///< a copy_ into the storage that the input lies in
    std::vector<std::string> sharedWith; ///< other inputs in that storage
    std::optional<ForcingBreak> forcedBy;
};

struct CallingConvention {
    bool callerWritesBack = false;
    std::vector<OuterArgument> arguments;
    std::vector<ConventionOutput> outputs;
    std::vector<EpilogueStep> epilogue;
};
[[nodiscard]] CallingConvention callingConvention(const FunctionalRecording& recording,
                                                  const ForcingBreaks& breaks);

/// One argument, output or step in words.
struct ConventionRow {
    std::string name; ///< "x", "x.copy_(output 0)"
    std::string type; ///< "f32[3, 3]"; of a step, the bytes that it copies
    std::string what; ///< "written", "new value of x", "new values"
    std::string why;  ///< why it is so, or what memory it is; may be empty
};
[[nodiscard]] ConventionRow rowOf(const OuterArgument& argument);
[[nodiscard]] ConventionRow rowOf(const ConventionOutput& output);
[[nodiscard]] ConventionRow rowOf(const EpilogueStep& step);
/// "3 outer arguments, 1 written".
[[nodiscard]] std::string argumentsHeading(const CallingConvention& convention);
/// "2 outputs of the graph: new values of inputs first, then 1 for the user".
[[nodiscard]] std::string outputsHeading(const CallingConvention& convention);
/// "1 epilogue step, in the graph before it returns".
[[nodiscard]] std::string epilogueHeading(const CallingConvention& convention);

} // namespace dynascope::computed
