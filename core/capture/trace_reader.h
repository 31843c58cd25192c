// SPDX-License-Identifier: BSD-3-Clause
//
// Turns TORCH_TRACE logs into a Session: each record is read by a small handler, and finish() joins what they
// found.
#pragma once

#include "core/base/task.h"
#include "core/capture/open.h"
#include "core/capture/read_ahead.h"
#include "core/capture/record_types.h"
#include "core/capture/run_numbers.h"
#include "core/capture/timing.h"
#include "core/session/session.h"
#include "core/session/symbol_ranges.h"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <simdjson.h>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dynascope::capture {

/// Reads one or more logs (ranks) into one session. Not thread-safe; use once. A copy goes on by itself.
class TraceReader {
public:
    explicit TraceReader(const OpenOptions& options)
        : m_checkHashes(options.checkHashes)
        , m_chunkBytes(options.chunkBytes) {}

    /// Reads a log. `named` is the rank that its name says, or -1: it goes before what the records say,
    /// unless several ranks wrote into the log. A further log of a rank is a further run. False if cancelled.
    /// Where `keep` is given it becomes a copy that has read all but the last record, for readOn(); null where
    /// there is no record.
    [[nodiscard]] bool read(const session::ByteSourcePtr& source, const std::string& file, int named,
                            const TaskContext& task, std::unique_ptr<TraceReader>* keep = nullptr);
    enum class ReadOn : std::uint8_t {
        Done,
        Cancelled,
        Anew ///< what came in says something else of what was read: this one is spent, begin with a new one
    };
    /// For what read() kept: reads the rest of the same log, which has grown. `source` begins with the same
    /// bytes at the same address.
    [[nodiscard]] ReadOn readOn(const session::ByteSourcePtr& source, const TaskContext& task,
                                std::unique_ptr<TraceReader>* keep);
    /// Where readOn() goes on, in bytes.
    [[nodiscard]] std::uint64_t position() const { return m_from; }
    /// A record that is not of a TORCH_TRACE log.
    struct Addition {
        session::Record record;
        std::string name;        ///< what TORCH_TRACE calls such a record or artifact; empty: kept raw
        std::string body = "{}"; ///< the JSON object that its header would hold
        /// Of the payload's first line in its file; 0: the one after the record's
        std::size_t payloadLine = 0;
        std::optional<session::Phase> phase; ///< of the stage, where it is known
    };
    void add(Addition item);
    /// Whether a text holds a record of a TORCH_TRACE log.
    [[nodiscard]] static bool holdsRecord(std::string_view text);
    /// Whether read() leaves the payloads of such records for later, but for what stands in a graph's first line and its
    /// comments. What another machine keeps until somebody looks (log_index.h) goes by this.
    [[nodiscard]] static bool leavesPayload(const RecordSort& sort);
    /// Says which code object a compile is of, where no record has said it yet.
    void setCode(int rank, const session::CompileId& id, const ir::SourceLocation& code);
    /// Warnings of add() name this file.
    void setFile(const std::string& file) { m_file = file; }
    /// Where the caller of add() numbers the runs of its records.
    [[nodiscard]] RunNumbers& runs() { return m_runs; }
    [[nodiscard]] std::size_t recordCount() const { return m_session.records.size(); }
    /// Hands the session over.
    [[nodiscard]] session::Session finish();

private:
    struct Described {
        int attempt = 0;
        session::TensorInput input;
    };
    struct Open { ///< a compile while its records come in
        session::Compile compile;
        bool hasStart = false, hasMetrics = false, hasInference = false, hasBackward = false;
        bool isLogged = false; ///< by add()
        int lastAttempt = 0;
        std::vector<Described> inputs;
        std::vector<std::pair<int, session::StorageInfo>> storages;        // by attempt
        std::map<std::pair<int, int>, std::string> sources;                // (describer, id) -> "L['x']"
        std::vector<session::StagePtr> stages;                             // in file order
        std::map<std::pair<int, std::string>, int> stageCounts;            // (attempt, name) -> k
        std::map<std::string, std::size_t, std::less<>> symbols, bytecode; // by name, into the compile
        session::SymbolRanges ranges;
        std::string file; ///< of the code object
        std::uint32_t firstLine = 0;
    };
    /// What a handler sees of the record that it reads.
    struct Visit {
        const session::Record& record;
        std::size_t index;
        simdjson::dom::element body;
        Open* open; ///< null for records that belong to no compile; stages without one go to "-"
        std::size_t payloadLine = 0;
        std::optional<session::Phase> phase = std::nullopt; ///< where it is known beforehand
    };
    using Handler = void (TraceReader::*)(const Visit&);
    struct NamedHandler {
        std::string_view name;
        Handler handler;
    };
    static Handler typeHandler(std::string_view type);
    static Handler artifactHandler(std::string_view name);

    struct Belonging { ///< rank and run of a record
        int rank = 0, run = 1;
        friend bool operator==(const Belonging&, const Belonging&) = default;
    };
    /// What all records of a sort have in common.
    struct Sort {
        std::string type; ///< Record::type
        bool known = false, isStage = false;
        bool needsBody = false; ///< a handler reads the header's JSON
    };
    /// Which rank and run each record of the log is of, those that were read before included, and what there
    /// is to be said of it, with lines.
    struct Placement {
        std::vector<Belonging> of;
        std::vector<std::pair<std::string, std::size_t>> warnings;
    };
    /// Texts that mentions look into.
    struct MentionTexts {
        std::vector<std::string> processes;
        std::deque<std::pair<std::size_t, std::string>> inputs;
    };
    /// Takes from the chunks what it alone needs of them. `keep`: for readOn().
    [[nodiscard]] Placement placeRecords(std::vector<LogChunk>& chunks, bool keep);
    /// `next` is where in m_placement their records begin.
    [[nodiscard]] bool readChunks(std::vector<LogChunk>& chunks, std::size_t next, const TaskContext& task,
                                  std::unique_ptr<TraceReader>* keep);
    /// A copy as of before the record, which begins in line `line` and is the last one.
    [[nodiscard]] std::unique_ptr<TraceReader> copyBefore(const RecordAhead& record, std::size_t line) const;
    [[nodiscard]] static Sort sortOf(const RecordSort& sort);
    /// `last`: nothing follows in the file. `firstLine` is the chunk's, from 1.
    void readRecord(const RecordAhead& ahead, const LogChunk& chunk, const Sort& sort,
                    const Belonging& belonging, std::size_t firstLine, bool last, const TaskContext& task);
    void checkPayload(const RecordAhead& ahead, const LogChunk& chunk, std::size_t line, bool last);
    void readEvent(const TimingRecord& event, const NamePool& names, const Visit& visit);
    void dispatchArtifact(std::string_view name, const Visit& visit);
    void dispatchType(std::string_view type, const Visit& visit);
    Open& openCompile(int rank, const session::CompileId& id);
    void warn(std::string message, std::size_t line, std::size_t record = SIZE_MAX);

    void readString(const Visit&);
    void readStart(const Visit&);
    void readMetrics(const Visit&);
    void readBackwardMetrics(const Visit&);
    void readStorage(const Visit&);
    void readTensor(const Visit&);
    void readSource(const Visit&);
    void readSymbol(const Visit&);
    void readSpecialisation(const Visit&);
    void readSymbolGuard(const Visit&);
    void readGuards(const Visit&);
    void readGuardList(const Visit&);
    void readPastedEvent(const Visit&);
    void readBreak(const Visit&);
    void readError(const Visit&);
    void readVersion(const Visit&);
    void readRecompile(const Visit&);
    void readHooks(const Visit&);
    void readDigest(const Visit&);
    void readCache(const Visit&, std::string_view name);
    void readBytecode(const Visit&, std::string_view name);

    /// Empty, but never null, for a record without a payload: simdjson copies from it.
    [[nodiscard]] static std::string_view bytesOf(const session::Payload& payload);
    void addStage(const Visit&, std::string name, StagePlace place);
    void addStage(const Visit&, std::string name, session::Phase phase, session::Payload payload,
                  std::size_t line, std::string detail);
    [[nodiscard]] session::Phase phaseOf(const Visit&, std::string_view name, StagePlace place) const;

    [[nodiscard]] ir::SourceLocation location(const simdjson::dom::element& frame) const;
    [[nodiscard]] ir::StackTrace stack(const simdjson::dom::element& frames) const;
    void quote(const ir::SourceLocation& location);
    void quote(const ir::StackTrace& stack);
    void quoteComments(std::string_view payload);
    void closeCompile(Open& open);
    void joinTimings();

    bool m_checkHashes;
    std::size_t m_chunkBytes;
    session::Session m_session;
    std::map<std::pair<int, session::CompileId>, std::size_t> m_index;
    std::deque<Open> m_open; // which stay where they are
    TimingBuilder m_timing;
    RunNumbers m_runs;
    std::map<Md5::Digest, session::StagePtr> m_stageByHash;
    std::size_t m_droppedWarnings = 0;

    // Of the log being read.
    session::ByteSourcePtr m_source;
    std::string m_file;
    int m_named = -1;
    std::uint64_t m_from = 0; ///< up to there it was read, in bytes and, from 1, lines
    std::size_t m_fromLine = 1;
    RunNumbers m_runsBefore;
    Placement m_placement; ///< while the log is read, and kept to read on
    /// Of all records, where they are kept to read on.
    std::vector<RunNumbers::Mention> m_mentions; // as their records say
    std::vector<std::shared_ptr<const MentionTexts>> m_mentionTexts;
    int m_run = 1; ///< of the record at hand
    std::unordered_map<std::int64_t, std::string> m_strings;
    std::optional<Md5::Digest> m_hash; ///< of the payload at hand; nothing where it is not to be trusted
    bool m_payloadDamaged = false;     ///< a warning about the payload at hand was given
    /// What a copy has anew.
    struct Parsers {
        Parsers() = default;
        Parsers(const Parsers& /*other*/) {}
        Parsers& operator=(const Parsers&) = delete;
        ~Parsers() = default;
        HeaderParser headers;
        simdjson::dom::parser additions, payloads;
    };
    Parsers m_parsers;
};

} // namespace dynascope::capture
