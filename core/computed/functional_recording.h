// SPDX-License-Identifier: BSD-3-Clause
//
// One functionalization as the engine recorded it, op by op, and what is known at each phase of each op: the
// scoreboard of storages and of the values that look at them. Data only: made on any thread, then read.
#pragma once

#include "core/computed/program_text.h"
#include "core/computed/tensor_value.h"
#include "core/engine/wire/pass.h"
#include "core/ir/graph.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dynascope::computed {

using wire::Emission;
using wire::QueuedUpdate;
using wire::ScoreRow;
using wire::StorageRow;

struct EmittedNode {
    std::string node;
    Emission why = Emission::Operator;
};

/// What one source node did.
struct OpStep {
    std::string source;
    std::vector<EmittedNode> emitted;
    std::vector<ScoreRow> rows;
    std::vector<StorageRow> storages;
    std::vector<QueuedUpdate> updates;
    std::string why; ///< a sentence, where the engine has one
};

/// How a changed input gets its new value.
struct InputWriteBack {
    std::string input;
    std::uint64_t bytes = 0;
    std::vector<std::string> how, nodes;
    int output = -1;                          ///< which result holds it, where the caller writes
    bool wholeStorage = false;                ///< all of the storage that the input lies in is written
    std::vector<std::string> sharedWith = {}; ///< other inputs in that storage
};

/// What functionalize is asked for.
struct FunctionalMode {
    bool removesViews = false;     ///< the mode "mutations and views"
    bool callerWritesBack = false; ///< new values of inputs are outputs; else the graph ends with copy_
    friend bool operator==(const FunctionalMode&, const FunctionalMode&) = default;
};

struct FunctionalRun {
    ir::GraphPtr source, graph;
    FunctionalMode mode;
    /// One for each node of `source`, in its order; placeholders have none emitted.
    std::vector<OpStep> steps;
    NodeValues eager; ///< of the source graph, each as it was right after it ran; may be empty
    std::vector<InputWriteBack> writeBacks;
    std::vector<std::string> warnings;
    bool overCells = false;  ///< not made by PyTorch's functionalization; the warnings say why
    ProgramText program;     ///< the case's, where there is one
    double microseconds = 0; ///< the pass alone
};
using FunctionalRunPtr = std::shared_ptr<const FunctionalRun>;

/// From the engine's reply to "pass" with steps and scorecard. Null graph where the reply has none that can
/// be read.
[[nodiscard]] FunctionalRun functionalRun(const wire::PassReply& reply, ir::GraphPtr source);

/// One part of an op.
struct OpPhase {
    enum class Kind : std::uint8_t { Wrap, Read, Emit, Commit, Apply, WriteBack };
    Kind kind = Kind::Emit;
    std::vector<std::size_t> emitted; ///< into OpStep::emitted
};
/// "wrap", "regenerate", "emit", "commit", "sync", "write back": PyTorch's regenerate_from_base, commit_update
/// and sync_.
[[nodiscard]] std::string_view phaseName(OpPhase::Kind kind);

/// A cell of a storage or of a view.
struct Cell {
    enum class State : std::uint8_t { Current, Stale, Written, Regenerated };
    std::int64_t index = 0; ///< in the storage
    double value = 0;
    double before = 0; ///< Written and changed: the value that was there
    bool changed = false;
    State state = State::Current;
};

struct StorageState {
    int group = 0;
    std::string base;   ///< the functional node that holds it now
    std::string origin; ///< the source node that it began with
    bool isInput = false;
    int generation = 0, lastGeneration = 0;
    bool pending = false;
    std::string pendingText; ///< "mul_1 through select(1, 0)"
    std::vector<Cell> cells;
    std::int64_t count = 0; ///< cells in all; more than cells.size() where they are not told
};

struct TensorViewState {
    std::string value;   ///< source node
    std::string current; ///< functional node
    std::string chain;   ///< "select(1, 0)", empty for a base
    int group = 0;
    int generation = 0, behind = 0;
    bool active = false;   ///< read or written by this op
    bool syncing = false;  ///< its update is queued
    bool readNow = false;  ///< stale until this op reads it
    std::string changedBy; ///< the op whose write made it stale
    std::string nextRead;  ///< the next op that reads it; empty where none does
    std::vector<Cell> cells;
    std::int64_t count = 0;
    std::int64_t firstCell = 0, lastCell = 0; ///< of the memory, where the cells are not told
};

/// What is known after one phase of an op: storages that this op touches, that are written at some time or
/// that several values look at, and the values that this op or a later one reads.
struct Scoreboard {
    std::vector<StorageState> storages;
    std::vector<TensorViewState> views; ///< by storage, in order of appearance
    int hiddenStorages = 0;             ///< left out
};

/// The scoreboard in lines: a line a storage with its cells and what waits for it, a line a value.
[[nodiscard]] std::string scoreboardText(const Scoreboard& board);

/// "mul(x_1, 1)": a source op as a call.
[[nodiscard]] std::string callText(const ir::Node& node);
/// What nodes are called, by the names of those that are called otherwise.
using NodeNames = std::map<std::string, std::string>;
/// The same with the nodes that it reads called so.
[[nodiscard]] std::string callText(ir::Node node, const NodeNames& names);

/// A recording with what a stepper asks for worked out once. Immutable; share it.
class FunctionalRecording {
public:
    explicit FunctionalRecording(FunctionalRun run);

    [[nodiscard]] const FunctionalRun& run() const { return m_run; }
    [[nodiscard]] int opCount() const { return int(m_run.steps.size()); }
    [[nodiscard]] const OpStep& step(int op) const { return m_run.steps[std::size_t(op)]; }
    [[nodiscard]] const ir::Node& source(int op) const;
    [[nodiscard]] const std::vector<OpPhase>& phases(int op) const { return m_phases[std::size_t(op)]; }
    [[nodiscard]] bool writes(int op) const { return m_written[std::size_t(op)] >= 0; }
    /// What is known after a phase of an op; a phase past the last one is the last one. Empty where there is
    /// no such op.
    [[nodiscard]] Scoreboard scoreboard(int op, int phase) const;
    /// Node index in the functional graph, ir::npos where it is not there.
    [[nodiscard]] ir::NodeIndex find(const std::string& node) const;
    /// Emitted, read by nobody.
    [[nodiscard]] bool isDead(const std::string& node) const;
    [[nodiscard]] int deadCount(int op) const;
    /// Op that emitted the functional node, and the phase of that op; {-1, -1} for others.
    [[nodiscard]] std::pair<int, int> emittedAt(const std::string& node) const;
    /// "select(dim 1, index 0) → view(...)"; empty for none.
    [[nodiscard]] static std::string chainText(const std::vector<std::string>& views);
    /// The program's own name of a source node, "r" for select; the qualified name of a parameter or buffer,
    /// "layers.0.weight" for the placeholder that holds it; the node's where there is neither.
    [[nodiscard]] std::string nameOf(const std::string& sourceNode) const;
    [[nodiscard]] bool
    isState(const std::string& sourceNode) const; ///< nameOf() is a parameter's or buffer's
    /// The statement that made an op, else the op as a call.
    [[nodiscard]] std::string statementText(int op) const;
    [[nodiscard]] int opOf(const std::string& sourceNode) const; ///< or -1
    /// The value that an in-place op gives back: its argument; other values are themselves.
    [[nodiscard]] const std::string& canonical(const std::string& sourceNode) const;
    /// Nodes that emitted something or that dce would keep.
    [[nodiscard]] int keptCount() const;

private:
    class Board; ///< makes one scoreboard
    struct Held {
        ScoreRow row;
        std::string changedBy; ///< the op that left it behind
    };
    /// The rows after some op: the first ones of m_position, by index. Tables share rows that did not change,
    /// so that one can be kept every so many ops.
    struct Table {
        std::vector<std::shared_ptr<const Held>> rows;
        std::map<int, std::shared_ptr<const StorageRow>> storages; ///< by group
    };
    void workOut();
    void findPhases(std::size_t op);
    /// Takes in what the engine said after `op`. Returns the group whose generation rose, or -1.
    int advance(Table& table, std::size_t op) const;
    /// As it stands before `op`.
    [[nodiscard]] Table tableBefore(std::size_t op) const;
    [[nodiscard]] const Held* find(const Table& table, const std::string& value) const;
    /// Rows of a group that the table has, as indices.
    [[nodiscard]] std::span<const std::size_t> members(const Table& table, int group) const;

    FunctionalRun m_run;
    NodeNames m_state; ///< placeholders that hold parameters and buffers
    std::vector<std::vector<OpPhase>> m_phases;
    std::vector<int> m_written;                              ///< the group that each op writes, or -1
    std::map<std::string, std::vector<int>> m_reads;         ///< ops that read a source value
    std::map<std::string, std::string> m_canonical;          ///< in-place result -> the value that it is
    std::map<std::string, std::pair<int, int>> m_where;      ///< functional node -> op, phase
    std::unordered_map<std::string, std::size_t> m_position; ///< of each value's row, in order of appearance
    std::map<int, std::vector<std::size_t>> m_members;       ///< rows of each group, ascending
    std::vector<int> m_groups;                               ///< in order of appearance
    static constexpr std::size_t tableInterval = 256;        ///< ops to replay at most
    std::vector<Table> m_tables;         ///< before ops 0, tableInterval, 2 * tableInterval...
    std::map<int, std::string> m_origin; ///< of each group: its first source value
    std::map<int, int> m_lastGeneration;
};
using FunctionalRecordingPtr = std::shared_ptr<const FunctionalRecording>;

} // namespace dynascope::computed
