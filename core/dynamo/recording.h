// SPDX-License-Identifier: BSD-3-Clause
//
// A recording of Dynamo: what happened at every instruction it traced, and the state at any of them.
//
// Reading scans the records once. It keeps strings, code and sources, 12 bytes a step, and keyframes; what a
// step held is read from the file again, from the keyframe before it on, when somebody asks.
#pragma once

#include "core/base/task.h"
#include "core/dynamo/state.h"
#include "core/session/attachment.h"

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dynascope::dynamo {

/// One bytecode instruction of a code object.
struct Instruction {
    std::string_view op;   ///< "LOAD_FAST"; owned by the code
    std::string_view text; ///< its argument as `dis` prints it
    std::int32_t offset = -1;
    std::uint32_t line = 0; ///< 0 if not known, as the other places
    std::uint32_t endLine = 0;
    std::int32_t column = -1;
    std::int32_t endColumn = -1;
    std::int32_t target = -1; ///< index of the instruction that it jumps to
};

/// A run of instructions and where an exception in one of them goes to; all are indices of instructions.
struct ExceptionRange {
    std::uint32_t first = 0, last = 0;
    std::uint32_t target = 0;
    std::uint32_t depth = 0; ///< height of the value stack that it unwinds to
};

struct Code {
    std::string name, qualname, file;
    std::uint32_t firstLine = 0;
    std::vector<std::string> locals, cells, free, constants;
    std::vector<Instruction> instructions;
    std::vector<ExceptionRange> handlers; ///< by instruction; none before Python 3.11
    std::deque<std::string> texts;        ///< what instructions point into

    /// Where an exception in that instruction goes to; null if it leaves the function.
    [[nodiscard]] const ExceptionRange* handlerAt(std::uint32_t instruction) const;
};

/// Lines of one file, or of one function of it.
struct Source {
    std::string file;
    std::uint32_t firstLine = 1;
    std::string text;
};

/// What happened in the course of a step.
enum class Happening : std::uint16_t {
    Node = 1,
    Guard = 2,
    SideEffect = 4,
    GraphBreak = 8,
    Exception = 16,
    GraphEnd = 32,
    Comptime = 64,
    Symbol = 128,
};

struct StepInfo {
    std::uint32_t frame = 0;       ///< index into Recording::frames()
    std::uint32_t instruction = 0; ///< index into the code's instructions
    std::uint16_t happenings = 0;  ///< Happening bits

    [[nodiscard]] bool has(Happening what) const {
        return (happenings & static_cast<std::uint16_t>(what)) != 0;
    }
};

struct FrameInfo {
    std::uint32_t attempt = 0; ///< index into attempts()
    std::uint32_t id = 0;      ///< its number in the attempt
    std::uint32_t parent = UINT32_MAX;
    std::uint32_t code = 0;  ///< code's id
    std::uint32_t depth = 0; ///< 0 for the frame that is compiled
    StepIndex first = noStep, last = noStep;
};

struct AttemptInfo {
    std::string compileId;
    /// Index into compiles(); UINT32_MAX where the recording lacks it. Ids begin anew after
    /// torch._dynamo.reset(), so that several compiles may have one.
    std::uint32_t compile = UINT32_MAX;
    std::uint32_t run = 1;    ///< which counting of ids, from 1
    std::uint32_t number = 0; ///< counts from 0 in a compile
    std::uint32_t code = 0;
    StepIndex first = noStep, last = noStep;
    std::uint32_t frames = 0; ///< index of its first frame
    bool ended = false;
    bool damaged = false; ///< records of it are missing
};

struct StackEntry {
    std::string file;
    std::uint32_t line = 0;
    std::string name;
};

/// What is told of an exception or the end of a graph.
struct EventInfo {
    Tag tag = Tag::Fault;    ///< Raised, Break, GraphEnd, Comptime or Fault
    StepIndex step = noStep; ///< in the course of which it happened
    std::uint32_t attempt = UINT32_MAX;
    StepIndex latest = noStep; ///< the attempt's last step so far: `step` or one in a call that it inlined
    std::string type;          ///< of the exception; the call of comptime
    std::string text;          ///< reason or message; what comptime printed
    std::string gbType;        ///< PyTorch's name for the kind of graph break
    std::vector<StackEntry> stack;
    bool graphBreak = false; ///< of GraphEnd
    bool handled = false;    ///< of Raised: by the program's own handlers
};

/// One conversion of a frame, as Dynamo's entry point saw it.
struct CompileInfo {
    std::string id, function, file;
    std::uint32_t run = 1; ///< which counting of ids, from 1; torch._dynamo.reset() begins another
    std::uint32_t firstLine = 0;
    std::string status; ///< "compiled", "skipped", "raised"; empty if it was cut off
    std::string error;  ///< "TYPE: message" where it raised
    std::vector<std::string> guards;
    std::vector<std::string> recompileReasons;
};

/// A compile id as everywhere in the program: "0/0", "0/0@2" where ids were counted again by then.
[[nodiscard]] std::string idText(const CompileInfo& compile);
[[nodiscard]] std::string idText(const AttemptInfo& attempt);

/// A record of JSON that is read when somebody asks for it: what the end of a graph, a compile or a call
/// left.
struct DocumentInfo {
    Tag tag = Tag::Fault;
    std::uint32_t attempt = UINT32_MAX; ///< index into attempts(); none outside of attempts
    std::uint32_t compile = UINT32_MAX; ///< index into compiles(), likewise
    StepIndex step = noStep;            ///< in the course of which it was written
    PayloadPlace place;
};

/// A call that asked Dynamo's cache; one for which there was no entry yet does not ask.
struct LookupInfo {
    bool hit = false;
    TextId place = 0;    ///< "f FILE:LINE", the function that was called, or "from f FILE:LINE", its caller
    StepIndex after = 0; ///< how many steps had been recorded by then
};

/// What the manager of CUDA graph trees decided at a call of a compiled function.
struct TreeDecision {
    TextId what = 0; ///< "warm up", "warm again", "record", "replay", "mismatch", "skip", "path ends"
    std::uint32_t function = 0;      ///< its number in the manager
    std::uint32_t node = UINT32_MAX; ///< its number among what was recorded; UINT32_MAX is none
    TextId compile = 0;              ///< "0/0"; 0 if not known
    TextId reason = 0;               ///< of a mismatch or skip
    StepIndex after = 0;             ///< how many steps had been recorded by then
};

/// When a node or guard came to be.
struct Birth {
    std::uint32_t attempt = 0;
    std::uint32_t id = 0;
    StepIndex step = noStep;
};

/// A value as text: kind and fields of its record.
struct ValueInfo {
    struct Field {
        std::string_view name;
        std::string_view text; ///< of a text
        std::optional<std::uint64_t> number;
        std::vector<ValueId> values; ///< of one or several values
    };
    ValueId id = 0;
    std::string_view kind;
    std::vector<Field> fields;

    [[nodiscard]] const Field* field(std::string_view name) const;
    [[nodiscard]] std::string_view text(std::string_view name) const;
    [[nodiscard]] std::uint64_t number(std::string_view name) const;
    /// The value that a field refers to; 0 without one.
    [[nodiscard]] ValueId value(std::string_view name) const;
};

struct NodeInfo {
    std::string_view op, name, target, type, value;
    std::string arguments; ///< with the nodes' names at that step
};

class Recording;
using RecordingPtr = std::shared_ptr<const Recording>;

/// Immutable but for caches: for one thread at a time.
class Recording : public session::Attachment {
public:
    /// Opens a recording, with the tail beside it if there is one.
    [[nodiscard]] static Result<RecordingPtr> open(const std::string& path, const TaskContext& task = {});
    /// `tail` may be null.
    [[nodiscard]] static Result<RecordingPtr> read(session::ByteSourcePtr file, session::ByteSourcePtr tail,
                                                   const TaskContext& task = {});

    [[nodiscard]] const std::vector<StepInfo>& steps() const { return m_steps; }
    [[nodiscard]] const std::vector<FrameInfo>& frames() const { return m_frames; }
    [[nodiscard]] const std::vector<AttemptInfo>& attempts() const { return m_attempts; }
    [[nodiscard]] const std::vector<CompileInfo>& compiles() const { return m_compiles; }
    /// The last attempt of a compile; UINT32_MAX if it has none.
    [[nodiscard]] std::uint32_t lastAttempt(std::size_t compile) const;
    [[nodiscard]] const std::vector<EventInfo>& events() const { return m_events; }
    /// Indices into events() of what happened in the course of a step, in order.
    [[nodiscard]] std::span<const std::uint32_t> eventsAt(StepIndex step) const;
    /// Likewise of that step and all later ones.
    [[nodiscard]] std::span<const std::uint32_t> eventsFrom(StepIndex step) const;
    [[nodiscard]] const std::vector<DocumentInfo>& documents() const { return m_documents; }
    /// Its JSON; empty if the file changed under us.
    [[nodiscard]] std::string text(const DocumentInfo& document) const {
        return std::string(payload(document.place));
    }
    [[nodiscard]] const std::vector<LookupInfo>& lookups() const { return m_lookups; }
    [[nodiscard]] const std::vector<TreeDecision>& treeDecisions() const { return m_treeDecisions; }
    [[nodiscard]] const std::vector<Birth>& nodeBirths() const { return m_nodes; }
    [[nodiscard]] const std::vector<Birth>& guardBirths() const { return m_guards; }
    [[nodiscard]] const std::vector<std::string>& warnings() const { return m_warnings; }
    /// The header's JSON: torch, python, pid, rank, arguments.
    [[nodiscard]] const std::string& header() const { return m_header; }
    [[nodiscard]] std::uint64_t bytes() const { return m_blocks.packedBytes(); }
    /// Records by tag, those that are not known among them.
    [[nodiscard]] const std::map<char, std::size_t>& recordCounts() const { return m_counts; }

    /// A string record; empty if there is none.
    [[nodiscard]] std::string_view text(TextId id) const;
    /// The id of a string; 0 if the recording has none such.
    [[nodiscard]] TextId idOf(std::string_view text) const;
    /// Null if there is none.
    [[nodiscard]] const Code* code(std::uint32_t id) const;
    [[nodiscard]] const Code& codeOf(const FrameInfo& frame) const;
    /// Null if the step's code is missing or shorter.
    [[nodiscard]] const Instruction* instructionAt(StepIndex step) const;
    /// The line of source, without its end; empty if it was not recorded.
    [[nodiscard]] std::string_view sourceLine(std::string_view file, std::uint32_t line) const;
    [[nodiscard]] const std::vector<Source>& sources() const { return m_sources; }

    /// The state before a step's instruction; step < steps().size(). Null if the file changed under us.
    [[nodiscard]] const State* stateAt(StepIndex step) const;
    /// The state at the end of an attempt, with what its last step did. Null as above.
    [[nodiscard]] const State* stateAfter(std::uint32_t attempt) const;

    [[nodiscard]] ValueInfo value(const State& state, ValueId id) const;
    [[nodiscard]] NodeInfo node(const State& state, std::uint32_t id) const;
    /// The nodes that a node's arguments name, as often as they do.
    [[nodiscard]] std::vector<std::uint32_t> nodeInputs(const State& state, std::uint32_t id) const;
    /// Bytes of what is held in memory, roughly; blocks apart.
    [[nodiscard]] std::uint64_t memoryBytes() const;

private:
    friend class Scanner;

    struct Spot {
        std::uint32_t block = 0;
        std::uint32_t offset = 0;
    };
    /// The state of the innermost attempt when `step` was about to be applied.
    struct Keyframe {
        StepIndex step = 0;
        std::uint32_t attempt = 0;
        Spot spot; ///< of the record that follows
        State state;
    };
    /// A replay that can be carried on.
    struct Replay {
        std::uint32_t attempt = UINT32_MAX;
        StepIndex step = noStep; ///< whose record was applied last
        bool whole = false;      ///< to the end of the attempt
        Spot spot;
        State state;
    };

    /// Replays up to the record of `step`, or to the attempt's end where it is noStep.
    [[nodiscard]] const State* replayTo(std::uint32_t attempt, StepIndex step) const;
    /// A node's record: its texts go to `out`, its arguments are returned as they were written.
    std::string_view readNode(const State& state, std::uint32_t id, NodeInfo& out) const;
    bool carryOn(Replay& replay, StepIndex step) const;
    [[nodiscard]] std::string_view payload(PayloadPlace place) const;

    BlockFile m_blocks;
    std::deque<std::string> m_texts;
    std::vector<std::string_view> m_textOf;
    std::unordered_map<std::string_view, TextId> m_idOf;
    std::vector<std::unique_ptr<Code>> m_codes;
    Code m_noCode;
    std::vector<Source> m_sources;
    std::map<std::string, std::vector<std::uint32_t>, std::less<>> m_sourcesOf; ///< by file
    std::vector<StepInfo> m_steps;
    std::vector<FrameInfo> m_frames;
    std::vector<AttemptInfo> m_attempts;
    std::vector<CompileInfo> m_compiles;
    std::vector<EventInfo> m_events;
    std::vector<std::uint32_t> m_eventsByStep; ///< indices into m_events
    std::vector<DocumentInfo> m_documents;
    std::vector<LookupInfo> m_lookups;
    std::vector<TreeDecision> m_treeDecisions;
    std::vector<Birth> m_nodes, m_guards;
    std::vector<std::string> m_warnings;
    std::string m_header;
    std::map<char, std::size_t> m_counts;
    std::vector<Keyframe> m_keyframes;
    mutable Replay m_replay;
};

} // namespace dynascope::dynamo
