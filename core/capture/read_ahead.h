// SPDX-License-Identifier: BSD-3-Clause
//
// What each record of a TORCH_TRACE log says by itself, without what came before it: the log is cut at lines
// that begin a record, and its pieces are read on all cores. TraceReader then goes through the records in
// order.
#pragma once

#include "core/base/digest.h"
#include "core/base/task.h"
#include "core/capture/run_numbers.h"
#include "core/capture/timing.h"
#include "core/session/session.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <simdjson.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::capture {

/// The type of a record by its header, and what the header says under that key; empty and null where it says nothing.
struct HeaderType {
    std::string_view type;
    simdjson::dom::element body;
};
[[nodiscard]] HeaderType typeOfHeader(const simdjson::dom::object& header);

/// A record, or a run of lines that are none. Offsets count bytes from the start of the log.
struct RecordAhead {
    enum class Header : std::uint8_t { Read, Unreadable, NoObject };
    enum class PayloadState : std::uint8_t {
        None,      ///< there is no payload, and the header announces none
        Missing,   ///< the header announces one
        BadUtf8,   ///< then the hash is not looked at
        Unchecked, ///< the header has no hash, or hashes are not wanted
        Matches,
        Differs ///< from the hash in the header
    };
    static constexpr std::uint32_t none = UINT32_MAX;

    std::uint64_t jsonOffset = 0, jsonLength = 0, payloadLength = 0;
    double seconds = 0;
    std::uint32_t line = 0; ///< from 0, in its chunk
    int frame = -1, compile = -1, autograd = -1, attempt = -1;
    int rank = -1;           ///< that the record says; -1 where it does not
    std::uint32_t sort = 0;  ///< into LogChunk::sorts; none for a run of stray lines
    std::uint32_t extra = 0; ///< of a timing event: into events; else of a payload that Matches: into digests
    std::uint32_t process = 0; ///< into LogChunk::processes
    std::uint8_t gap = 0;      ///< bytes between JSON and payload
    std::uint8_t error = 0;    ///< simdjson::error_code of a header that is Unreadable
    Header header = Header::Read;
    PayloadState payload = PayloadState::None;
    RunNumbers::Mention::Backward backward = RunNumbers::Mention::Backward::None;
    bool headerIsUtf8 = true, abridged = false, once = false, leads = false, ends = false;

    [[nodiscard]] std::uint64_t payloadOffset() const { return jsonOffset + jsonLength + gap; }
    /// Its run says nothing.
    [[nodiscard]] session::CompileId compileId() const { return {frame, compile, autograd, 1}; }
    [[nodiscard]] bool isStray() const { return sort == none; } ///< then payloadLength is how many lines
    [[nodiscard]] bool hasPayload() const {
        return payload != PayloadState::None && payload != PayloadState::Missing;
    }
};

/// Type and place in PyTorch, which many records share.
struct RecordSort {
    std::string type;   ///< the header's key; empty where it has none
    std::string name;   ///< of an artifact or graph_dump
    std::string origin; ///< valid UTF-8
};

/// A piece of a log that begins where a record can begin.
struct LogChunk {
    std::uint64_t begin = 0, end = 0;
    std::size_t lines = 0;
    std::vector<RecordAhead> records; ///< in their order
    std::vector<RecordSort> sorts;
    std::vector<std::string> processes;
    std::vector<TimingRecord> events;
    NamePool names; ///< of events
    std::vector<Md5::Digest> digests;
    /// Signatures of backward graphs, by index into `records`.
    std::deque<std::pair<std::size_t, std::string>> inputs;
};

/// Reads a log ahead, on as many threads as there are cores. `chunkBytes` is about how long a piece is.
/// Nothing where it is cancelled. Reports progress on the calling thread. What comes before `from`, where a
/// record begins, is left out. Payloads that are `away` were seen to match their hash where they lie.
[[nodiscard]] std::optional<std::vector<LogChunk>> readAhead(std::string_view log, bool checkHashes,
                                                             const TaskContext& task, std::size_t chunkBytes,
                                                             std::uint64_t from = 0,
                                                             std::span<const session::AwayPiece> away = {});

/// The signature of the first forward in print_readable text: what stands between its brackets, which names
/// each input with its shape. Empty for other text.
[[nodiscard]] std::string_view signatureOf(std::string_view graph);

/// Parses the headers of records. Not thread-safe.
class HeaderParser {
public:
    /// The header's JSON, with U+FFFD for what is not UTF-8, and without its long members where it is too
    /// long. Valid until the next call. Says in `isUtf8` and `isAbridged` what was done.
    simdjson::simdjson_result<simdjson::dom::element> parse(std::string_view header, const TaskContext& task,
                                                            bool* isUtf8 = nullptr,
                                                            bool* isAbridged = nullptr);

private:
    simdjson::dom::parser m_parser;
    std::string m_text;
};

} // namespace dynascope::capture
