// SPDX-License-Identifier: BSD-3-Clause
//
// One step of a run through a tree of CUDA graphs, with everything that decided it.
#pragma once

#include "core/replay/mutation_check.h"
#include "core/replay/tree_node.h"

#include <optional>
#include <string>
#include <vector>

namespace dynascope::replay {

/// Why an output of an earlier step may not be read any more.
struct Overwritten {
    std::string message;
    std::size_t madeAt = 0, overwrittenAt = 0; ///< steps
    std::string madeStack, overwrittenStack;   ///< of the output, and of the call that overwrote it
    /// PyTorch raises the message; otherwise the program silently reads the later run's values.
    bool raises = true;
};

struct TreeStep {
    enum class Event : std::uint8_t {
        Call,
        UserMark,      ///< torch.compiler.cudagraph_mark_step_begin()
        Invocation,    ///< compiled code is entered from outside
        EagerBackward, ///< a backward that is no CUDA graph is about to run
        Observe,       ///< the program gave up tensors
    };
    enum class Action : std::uint8_t { None, Warmup, WarmupAgain, Record, Replay, Eager, Failed };
    /// Why a call runs eagerly.
    enum class EagerCause : std::uint8_t { None, Mutation, RerecordLimit };
    /// How the question about writes was answered.
    enum class MutationPath : std::uint8_t {
        None,
        Fast, ///< by what is kept for the current node and the function
        Slow, ///< by looking at the inputs
    };
    /// How the path that was current ended.
    enum class PathEnd : std::uint8_t { None, NewGeneration, AllOutputsDead };

    Event event = Event::Call;
    Action action = Action::None;
    FunctionId function = 0;
    std::string stack; ///< of the caller; empty where not known
    std::vector<TreeValue> inputs, outputs;
    NodeId node = noNode;   ///< that ran
    NodeId parent = noNode; ///< of a node that was made

    /// Inputs that no longer hold what their step put there. PyTorch refuses those that raise.
    std::vector<Overwritten> overwrittenInputs;
    PathEnd pathEnd = PathEnd::None;
    bool invalidated = false; ///< the outputs of that path were killed
    MutationPath mutationPath = MutationPath::None;
    std::optional<MutationCheck> mutations; ///< of the slow path, the last one
    std::vector<InvariantCheck> checks;     ///< recordings that were asked, in order
    /// PyTorch counted the call against its limit of re-records: a recording did not fit for another reason
    /// than a static input that stood elsewhere.
    bool countedRerecord = false;
    EagerCause eagerCause = EagerCause::None;
    std::size_t checkpoints = 0; ///< how often the allocator was set back
    std::vector<Address> freed;  ///< given back when it was
    std::string message;         ///< what PyTorch logs: why it skips; empty for nothing
    std::string error;           ///< of action Failed
};

/// "warmup", "warmup_again", "record", ..
[[nodiscard]] std::string_view actionName(TreeStep::Action action);

} // namespace dynascope::replay
