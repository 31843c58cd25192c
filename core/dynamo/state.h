// SPDX-License-Identifier: BSD-3-Clause
//
// What Dynamo held at one step of one attempt, as the records say. A State is cheap to copy.
#pragma once

#include "core/dynamo/shared_vector.h"
#include "core/journal/block_file.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace dynascope::dynamo {

using journal::BlockFile;
using journal::BlockPtr;
using journal::Numbers;
using journal::PayloadPlace;
using journal::readRecord;
using journal::RecordView;

/// What plugins/capture writes of Dynamo; docs/recording-format.md.
inline constexpr journal::Format stepFormat{"\x89"
                                            "DYNSTEP",
                                            "recording of Dynamo"};

/// Tags of records; docs/recording-format.md.
enum class Tag : char {
    Header = 'H',
    String = 's',
    Source = 't',
    Code = 'c',
    Compile = 'C',
    CompileEnd = 'E',
    Attempt = 'A',
    AttemptEnd = 'Z',
    Frame = 'f',
    Step = 'i',
    Leave = 'l',
    Value = 'v',
    Graph = 'g',
    Node = 'n',
    NodeGone = 'd',
    NodeName = 'r',
    Guard = 'q',
    GuardGone = 'x',
    Attribute = 'a',
    Mutation = 'm',
    EffectsReset = 'e',
    Symbol = 'y',
    Fact = 'F',
    Raised = 'X',
    Break = 'B',
    GraphEnd = 'G',
    Recompile = 'R',
    Comptime = 'P',
    Effects = 'T',
    Replay = 'U',
    Output = 'O',
    Inputs = 'J',
    Operators = 'D',
    CacheKey = 'K',
    Lookup = 'L',
    Tree = 'w',
    Fault = '!',
};

using TextId = std::uint32_t;  ///< a string record; 0 is none
using ValueId = std::uint32_t; ///< counts from 1 in an attempt; 0 is none
using StepIndex = std::uint32_t;

inline constexpr StepIndex noStep = UINT32_MAX;

struct Local {
    TextId name = 0;
    ValueId value = 0;
};

/// An entry of Dynamo's own block stack. Instructions are indices into the code's, UINT32_MAX is none.
struct BlockState {
    std::uint32_t pushedBy = UINT32_MAX;
    std::uint32_t target = UINT32_MAX; ///< the handler
    std::uint32_t height = 0;          ///< of the value stack when it was entered
    ValueId context = 0;               ///< the context manager of a with block that can be entered again
};

struct FrameState {
    std::uint32_t parent = 0; ///< 0 for the root
    std::uint32_t code = 0;
    std::uint32_t depth = 0;
    TextId kind = 0;
    std::uint32_t instruction = UINT32_MAX;
    StepIndex step = noStep; ///< the last one
    std::vector<ValueId> stack;
    std::vector<Local> locals;      ///< cells and free variables as well, in the order in which they came
    std::vector<BlockState> blocks; ///< the innermost is last; core/dynamo/blocks.h has all
};

struct NodeState {
    PayloadPlace place; ///< of its record
    std::uint32_t graph = 0;
    std::uint32_t before = 0, after = 0; ///< its neighbours in the graph, 0 at the ends
    TextId name = 0;
    StepIndex step = noStep; ///< that made it
    bool gone = false;
};

struct GraphState {
    std::uint32_t first = 0, last = 0; ///< nodes
    std::uint32_t nodes = 0;
    std::uint32_t depth = 0;
};

struct GuardState {
    TextId source = 0, name = 0, create = 0, who = 0;
    StepIndex step = noStep; ///< that added it
    bool gone = false;
};

struct Store {
    ValueId object = 0;
    TextId name = 0;
    ValueId value = 0;
    StepIndex step = noStep;
};

struct SymbolState {
    TextId name = 0, hint = 0, range = 0, sources = 0;
};

struct Fact {
    TextId kind = 0, text = 0;
    StepIndex step = noStep;
};

/// Values, nodes and guards are numbered from 1: element i has number i + 1.
class State {
public:
    /// What a record did, for those who index.
    struct Change {
        std::uint32_t id = 0; ///< of the frame, node or guard; 0 if the record makes no sense
    };

    /// Takes in a record of this attempt; `at` is where its payload lies, `step` the number of a step that
    /// begins. Records that make no sense are left out.
    Change apply(Tag tag, std::string_view payload, PayloadPlace at, StepIndex step);

    SharedVector<FrameState, 16> frames;
    SharedVector<PayloadPlace> values;
    SharedVector<NodeState> nodes;
    std::vector<GraphState> graphs;
    std::uint32_t graph = 0; ///< that nodes go to
    SharedVector<GuardState> guards;
    std::uint32_t guardCount = 0; ///< without those that are gone
    SharedVector<Store> stores;   ///< pending; of two to one place the later one holds
    SharedVector<ValueId> mutations;
    std::vector<SymbolState> symbols;
    SharedVector<Fact> facts;
    std::uint32_t frame = 0; ///< of the last step
    /// That is being carried out: the last one, or the caller's once a frame was left
    StepIndex active = noStep;

    [[nodiscard]] const FrameState* frameState(std::uint32_t id) const {
        return id > 0 && id <= frames.size() ? &frames[id - 1] : nullptr;
    }
    [[nodiscard]] const GraphState* currentGraph() const {
        return graph < graphs.size() ? &graphs[graph] : nullptr;
    }

private:
    std::uint32_t addFrame(Numbers numbers);
    std::uint32_t takeStep(std::string_view payload, StepIndex step);
    std::uint32_t addNode(Numbers numbers, PayloadPlace at);
    std::uint32_t leave(std::uint32_t id);
    std::uint32_t addGuard(Numbers numbers);
    void removeNode(std::uint32_t id);
    void switchGraph(Numbers numbers);
    void setSymbol(Numbers numbers);
};

} // namespace dynascope::dynamo
