// SPDX-License-Identifier: BSD-3-Clause
//
// What one opened capture holds: the result of every reader in core/capture, and all that views and the
// command line need to know. A Session is an immutable value once open() has returned it; share it by
// SessionPtr. Large texts (graphs, guards, code) stay in the file as Payloads until somebody looks.
#pragma once

#include "core/base/result.h"
#include "core/ir/graph.h"
#include "core/session/attachment.h"
#include "core/session/guard_list.h"
#include "core/session/memory_snapshot.h"
#include "core/session/record_list.h"
#include "core/session/shared_text.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynascope::session {

/// A piece of a file that lies on another machine until somebody asks for it: whole lines of one record's payload, whose
/// hash was seen to match there.
struct AwayPiece {
    std::uint64_t offset = 0, length = 0; ///< in bytes
};

/// The bytes of one input file, read once (memory-mapped where the file is plain). Thread-safe.
class ByteSource {
public:
    virtual ~ByteSource() = default;
    /// All of it, but for pieces that are away: those have their line ends, and the tabs before lines, and nothing else.
    [[nodiscard]] virtual std::string_view bytes() const = 0;
    /// Gets what is away between the two; whoever reads a payload asks first (Payload::bytes() does). Blocks as long as
    /// the other machine takes. An Error where it does not answer: then the next call tries again.
    [[nodiscard]] virtual Result<void> need(std::uint64_t offset, std::uint64_t length) const;
    /// Whether need() answers at once. Cheap.
    [[nodiscard]] virtual bool isHere(std::uint64_t offset, std::uint64_t length) const;
    /// Pieces that were away when it was opened, in their order; none of a file of this machine.
    [[nodiscard]] virtual std::span<const AwayPiece> away() const { return {}; }
};

/// One counting of compile ids: what a process compiled until torch._dynamo.reset(), or until its end.
struct Run {
    enum class Cause : std::uint8_t {
        First,
        IdsAgain, ///< compile ids begin again in the same process, as after torch._dynamo.reset()
        Process,  ///< another process wrote into the same log
        File      ///< another log, or folder of a process
    };
    int rank = 0;
    int number = 1; ///< CompileId::run
    Cause cause = Cause::First;
    std::string file;     ///< the log that it begins in
    std::size_t line = 0; ///< of its first record there, from 1; 0 where it is the whole file
};

/// Part of a compile that a stage belongs to; stages sort by (phase, order of appearance).
enum class Phase : std::uint8_t {
    Dynamo,
    Export, ///< an ExportedProgram, as torch.export made or was given it
    PreGrad,
    Joint,
    Inference,
    Hooks, ///< saved-tensors hooks are inlined before forward and backward are printed
    Forward,
    Backward,
    PostGradForward,
    PostGradBackward,
    Code,
    Text,    ///< a graph that somebody printed, which does not say who traced it
    Computed ///< made by the engine; never in Compile::stages
};
[[nodiscard]] std::string_view phaseName(Phase phase);

/// Names a stage for as long as the process runs: what is known of a stage is kept by this. No two stages get
/// the same one, and none gets it again; a stage that was read anew with the same bytes in the same place
/// keeps its own. Zero names none.
enum class StageId : std::uint64_t { None = 0 };

/// One captured stage: a graph or generated code that PyTorch printed on its way. Reading the graph is lazy,
/// done once, and thread-safe.
class Stage {
public:
    enum class Content : std::uint8_t { Graph, Code };

    std::string name; ///< the trace's own: "dynamo_output_graph", "before_post_grad_graph", ...
    int k = 0;        ///< n-th stage of that name in its compile attempt
    Phase phase = Phase::Dynamo;
    Content content = Content::Graph;
    int attempt = 0;
    std::string detail; ///< what the trace adds to the name: the tensor of a saved-tensor hook; mostly empty
    /// Index into Session::records; SIZE_MAX where the file is the graph itself
    std::size_t record = SIZE_MAX;
    /// Of the payload's first line in its file, from 1; graph() counts from the payload
    std::size_t line = 0;
    Payload payload;

    /// "aot_joint_graph", "before_post_grad_graph#1".
    [[nodiscard]] std::string label() const;
    /// A short name for narrow places: "dynamo_output", "aot_joint", "post_grad#1".
    [[nodiscard]] std::string shortLabel() const;
    /// The graph, or why it cannot be read. Content::Code has no graph.
    [[nodiscard]] Result<ir::GraphPtr> graph() const;
    /// Whether graph() answers at once, because somebody asked before. False while somebody is reading it.
    [[nodiscard]] bool isRead() const;
    /// FX nodes without subgraphs' nodes; 0 for code or unreadable graphs.
    [[nodiscard]] std::size_t nodeCount() const;
    /// Kernels in generated code: definitions of async_compile.* or "def call" bodies; 0 for graphs.
    [[nodiscard]] std::size_t kernelCount() const;

    [[nodiscard]] StageId id() const { return m_id; }
    /// For readers, before the stage is shared: it is `earlier`, read anew from a file that grew.
    void takePlaceOf(const Stage& earlier) {
        shareReadingWith(earlier);
        m_id = earlier.m_id;
    }

    /// For readers, before the stage is shared: the payloads are equal, so read one of them only.
    void shareReadingWith(const Stage& other) { m_cache = other.m_cache; }
    /// Whether it was found to be the same as another one, so that both have one graph.
    [[nodiscard]] bool sharesReadingWith(const Stage& other) const { return m_cache == other.m_cache; }
    /// For readers, before the stage is shared: the graph is already known.
    void setGraph(ir::GraphPtr graph);

private:
    struct Cache;
    mutable std::shared_ptr<Cache> m_cache = makeCache();
    static std::shared_ptr<Cache> makeCache();
    StageId m_id = newId();
    static StageId newId();
};
using StagePtr = std::shared_ptr<const Stage>;

[[nodiscard]] inline StageId idOf(const Stage* stage) {
    return stage ? stage->id() : StageId::None;
}

/// A graph break as dynamo_graph_break_reason tells it.
struct GraphBreak {
    /// "Failed to trace builtin operator": the gb_type line, or the first line of the reason
    std::string title;
    std::string explanation; ///< text after "Explanation:"
    std::vector<std::string> hints;
    std::string context;      ///< "Developer debug context"
    std::string url;          ///< the page about this kind of break, where the text names one
    std::string instruction;  ///< "CALL: a function call, e.g. f(x, y)", where named
    ir::StackTrace userStack; ///< innermost last
    /// Dynamo runs the whole function eagerly; nothing is compiled after the break
    bool skipsFunction = false;
    /// Dynamo compiles up to the last place from which it could go on, before the break; from there on the
    /// function runs eagerly
    bool skipsRest = false;
    int attempt = 0;
    std::size_t record = SIZE_MAX;

    /// Innermost user frame, or null.
    [[nodiscard]] const ir::SourceLocation* location() const {
        return userStack.empty() ? nullptr : &userStack.back();
    }
};

/// describe_storage, describe_tensor and describe_source of one compile, joined by describer and id.
struct StorageInfo {
    int describer = 0, id = 0;
    std::uint64_t bytes = 0;
};
struct TensorInput {
    int describer = 0, id = 0;
    std::string source; ///< "L['x']"; empty for helpers such as a view's base
    ir::TensorMeta meta;
    std::string storageOffset = "0"; ///< in elements
    int storage = -1;                ///< StorageInfo::id of the same describer
    bool isLeaf = false, requiresGrad = false, isParameter = false, isView = false;
    bool isConj = false, isNeg = false; ///< conjugated or negated lazily: what is in memory is not
    int base = -1;                      ///< TensorInput::id that this is a view of
    std::string raw;                    ///< its JSON; empty where that is the record's
    std::size_t record = SIZE_MAX;
};

struct SymbolInfo {
    std::string symbol, value, range, source;
    ir::StackTrace userStack;
    /// What symbolic_shape_specialization says it became ("12", or another symbol), where, and PyTorch's
    /// reason; empty where it stayed symbolic.
    std::string became, becameReason;
    ir::StackTrace becameAt;
    /// The guard that bounds it from above where its range does not, as PyTorch adds it for torch._check or a
    /// branch before AOTAutograd traces: "s77 <= 64"; empty for none.
    std::string upperBound;
};

struct Bytecode {
    std::string name; ///< code object: "f", "torch_dynamo_resume_in_f_at_30"
    Payload original, modified;
};

struct CacheEvent {
    enum class Outcome : std::uint8_t { Hit, Miss, Bypass } outcome = Outcome::Miss;
    std::string cache; ///< "fx_graph_cache", "aotautograd_cache"
    std::string key, reason;
    std::size_t record = SIZE_MAX;
};

[[nodiscard]] std::string_view outcomeName(CacheEvent::Outcome outcome); ///< "hit", "miss", "bypass"

/// A complete chromium_event (B and E joined, or X). Times in microseconds since the first event of the
/// session.
struct TimingEvent {
    SharedText name, category;
    double startUs = 0, durationUs = 0;
    std::int64_t pid = 0, tid = 0;
    int depth = 0; ///< nesting within its thread
    int rank = 0;
    int compile = -1;  ///< index into Session::compiles, -1 if none
    bool open = false; ///< the log ends before its end
    /// Indices into Session::records: its begin and its end, or one record twice; SIZE_MAX where there is
    /// none.
    std::size_t record = SIZE_MAX, endRecord = SIZE_MAX;
};

enum class Status : std::uint8_t { Compiled, GraphBreak, Skipped, Failed, Incomplete, Exported };
/// "compiled", "break", "skipped", "failed", "incomplete", "exported"
[[nodiscard]] std::string_view statusName(Status status);

/// One compile id of one run: all its attempts.
struct Compile {
    int rank = 0;
    CompileId id;
    Status status = Status::Incomplete;
    int attempts = 1; ///< restarts + 1
    std::vector<std::string> restartReasons;
    bool isRecompile = false; ///< compiled again because guards of earlier entries failed
    /// "0/0: tensor 'x' size mismatch at index 0. expected 8, actual 4"
    std::vector<std::string> recompileReasons;
    ir::StackTrace userStack;       ///< of dynamo_start, innermost last: the frame being compiled
    std::string function;           ///< co_name
    std::vector<StagePtr> stages;   ///< in pipeline order
    std::vector<GraphBreak> breaks; ///< of the final attempt last
    GuardList guards;
    Payload guardText;
    std::vector<StorageInfo> storages;
    std::vector<TensorInput> inputs;
    std::vector<SymbolInfo> symbols;
    std::vector<Bytecode> bytecode;
    std::vector<CacheEvent> caches;
    std::string failType, failReason; ///< of compilation_metrics or dynamo_error
    ir::SourceLocation failAt;
    double compileSeconds = 0;        ///< entire_frame_compile_time_s; 0 where unknown
    double backwardSeconds = 0;       ///< of bwd_compilation_metrics
    Payload metrics;                  ///< header of compilation_metrics; see bodyJson()
    std::vector<std::size_t> records; ///< indices into Session::records, in file order
    /// JSON objects of an oracle case: what to run its graph on, and the graph's constants; else empty.
    std::string runInputs, runAttributes;

    /// Rank and run: what was compiled in one process between two resets.
    [[nodiscard]] std::pair<int, int> origin() const { return {rank, id.run}; }
    [[nodiscard]] const ir::SourceLocation* location() const {
        return userStack.empty() ? nullptr : &userStack.back();
    }
    [[nodiscard]] StagePtr findStage(std::string_view name, int k = 0) const;
    /// Whether Dynamo refused to compile once more, as the code object has as many cache entries as
    /// recompile_limit or accumulated_recompile_limit allows: calls that no entry serves run eagerly then.
    [[nodiscard]] bool hitRecompileLimit() const;
    /// Graph breaks that ended a graph or the frame (the last attempt's; a restart repeats the earlier ones).
    [[nodiscard]] std::vector<const GraphBreak*> finalBreaks() const;
};

/// A function of the user's program: the compiles whose innermost user frame is the same code object, and,
/// below, the frames that continue it after a graph break (torch_dynamo_resume_in_f_at_30 continues f).
struct Frame {
    std::string function;        ///< "f"
    ir::SourceLocation location; ///< first line known
    int rank = 0, run = 1;
    std::vector<std::size_t> compiles; ///< indices into Session::compiles, in order of compilation
};

enum class Kind : std::uint8_t {
    TorchTrace,
    FxText,
    ReadableText,
    ExportedProgram,
    OracleCase,
    TorchLogs,
    DebugFolder,
    MemorySnapshot,
    TreeCase,
    DynamoRecording, ///< Dynamo's steps without a trace
    Profile,         ///< of torch.profiler, or a Chrome trace, without a trace of the compiler
    Unknown
};
/// "TORCH_TRACE", "FX text", "print_readable text", "torch.export archive", "oracle case", "TORCH_LOGS",
/// "TORCH_COMPILE_DEBUG", "memory snapshot", "CUDA-graph tree case", "recording", "profile", "unknown".
[[nodiscard]] std::string_view kindName(Kind kind);

/// A piece of the input that could not be used as meant. Everything else still opens.
struct Warning {
    Error error;
    std::size_t record = SIZE_MAX; ///< where a record was kept raw
};

/// Source text known from the capture itself (the code lines of stacks and File comments); a real file is
/// never required.
struct SourceFile {
    std::string path;
    std::map<std::uint32_t, std::string> lines; ///< line number -> code, as far as the capture quotes it
};

/// A file that was read, byte for byte as it lies on disk (packed where it is packed).
struct InputFile {
    std::string name; ///< within the folder that was opened; empty where the input is one file
    ByteSourcePtr source;
};

/// All that a session was read from: capture::openInputs makes the same session of it again.
struct Inputs {
    std::string path; ///< of the file or folder when it was first opened, or "pasted text"
    bool isFolder = false;
    std::vector<InputFile> files; ///< of a folder, those that can hold a capture
};

/// A memory snapshot among the files of a folder.
struct FoundMemory {
    int rank = -1;    ///< by its name; -1 where that names none
    std::string file; ///< within the folder
    std::shared_ptr<const MemorySnapshot> snapshot;
};

struct Session {
    Kind kind = Kind::Unknown;
    std::string path; ///< as opened, or "pasted text"
    Inputs inputs;
    std::string title; ///< file name without dedicated_log_torch_trace_ and .log
    std::string torchVersion;
    std::vector<int> ranks;
    std::vector<Run> runs;         ///< by rank, then number; may be empty where no rank has a second one
    RecordList records;            ///< in file order
    std::vector<Compile> compiles; ///< by rank and run, then order of first appearance
    std::vector<Frame> frames;
    std::vector<TimingEvent> timings;
    std::vector<Warning> warnings;
    std::map<std::string, SourceFile> sources;
    std::map<std::string, std::size_t> recordCounts; ///< by Record::type
    /// Null where the input is none and none lies beside the trace; else the first of them.
    std::shared_ptr<const MemorySnapshot> memory;
    std::vector<FoundMemory> memories; ///< of a folder, by rank
    AttachmentPtr tree; ///< calls of CUDA graphs, a replay::TreeProgram; null where the input is none

    /// Dynamo's steps, a dynamo::Recording a process. Each is for one thread at a time.
    std::vector<AttachmentPtr> recordings;
    /// What Inductor's passes did, an inductor::PassRecording a process.
    std::vector<AttachmentPtr> passRecordings;
    /// What torch.profiler wrote of runs, a profile::Profile a process.
    std::vector<AttachmentPtr> profiles;

    /// `compileId` is as CompileId::toString spells it.
    [[nodiscard]] const Compile* find(int rank, std::string_view compileId) const;
    /// The compile of `of`'s process and run that PyTorch calls `compileId` ("0/0") in its own texts.
    [[nodiscard]] const Compile* findBeside(const Compile& of, std::string_view compileId) const;
    /// How many runs of that rank the session holds.
    [[nodiscard]] std::size_t runCount(int rank) const;
    /// The run of a compile; null where its rank has only one.
    [[nodiscard]] const Run* runOf(const Compile& compile) const;
};
using SessionPtr = std::shared_ptr<const Session>;

/// "0/0", with the rank in front where the session has several, and the run behind from the second on:
/// "1:0/0@2".
[[nodiscard]] std::string compileName(const Session& session, const Compile& compile);

/// What sets a run apart: "x.log", "compile ids begin again in line 57, as after torch._dynamo.reset()".
[[nodiscard]] std::string runWords(const Run& run);

/// Gets all of it that lies on another machine: for what holds texts of a whole capture against each other, where one
/// that is missing would be taken for another one. Blocks; an Error where that does not answer.
[[nodiscard]] Result<void> needAll(const Session& session);

} // namespace dynascope::session
