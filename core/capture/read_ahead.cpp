// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/read_ahead.h"

#include "core/base/json.h"
#include "core/base/threads.h"
#include "core/capture/abridge.h"
#include "core/capture/payload_lines.h"
#include "core/capture/trace_lines.h"
#include "core/session/utf8.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstring>
#include <thread>
#include <unordered_map>

namespace dynascope::capture {

namespace {

using Backward = RunNumbers::Mention::Backward;

/// Payloads of up to this length are copied without their tabs; longer ones are hashed line by line.
constexpr std::size_t longestCopy = std::size_t{1} << 20U;

/// Keys of a header that say where a record belongs, not what it is.
bool isContextKey(std::string_view key) {
    static constexpr std::array<std::string_view, 6> keys = {"frame_id",    "frame_compile_id",     "attempt",
                                                             "has_payload", "compiled_autograd_id", "rank"};
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// Whether a chromium_event begins an interval.
bool beginsEvent(std::string_view payload) {
    constexpr std::string_view key = "\"ph\"";
    const std::size_t at = payload.find(key);
    if (at == std::string_view::npos) return false;
    const std::string_view rest = payload.substr(at + key.size(), 16);
    const std::size_t value = rest.find_first_not_of(": \t\r\n");
    return value != std::string_view::npos && rest.substr(value).starts_with("\"B\"");
}

/// Inputs alone: no comments, no layout.
std::string bareInputs(std::string_view inputs) {
    std::string out;
    bool quoted = false, comment = false;
    for (const char c : inputs) {
        if (c == '\n') comment = false;
        quoted ^= c == '"' && !comment;
        if (c == '#' && !quoted) comment = true;
        if (!comment && (quoted || (c != ' ' && c != '\n' && c != '\t'))) out += c;
    }
    while (out.ends_with(','))
        out.pop_back();
    return out;
}

/// What two digits a byte spell; nothing where they do not.
std::optional<Md5::Digest> digestOf(std::string_view hex) {
    Md5::Digest out{};
    if (hex.size() != 2 * out.size()) return std::nullopt;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::string_view byte = hex.substr(2 * i, 2);
        const auto [end, error] = std::from_chars(byte.data(), byte.data() + 2, out[i], 16);
        if (error != std::errc() || end != byte.data() + 2) return std::nullopt;
    }
    return out;
}

void setCompileId(RecordAhead& record, const simdjson::dom::element& header) {
    record.frame = json::smallInteger(header, "frame_id");
    record.compile = record.frame >= 0 ? json::smallInteger(header, "frame_compile_id", 0) : -1;
    record.autograd = json::smallInteger(header, "compiled_autograd_id");
}

/// Reads chunks, one after the other; one for each thread.
class ChunkReader {
public:
    ChunkReader(std::string_view log, bool checkHashes, std::span<const session::AwayPiece> away,
                const TaskContext& task)
        : m_log(log)
        , m_checkHashes(checkHashes)
        , m_away(away)
        , m_task(task) {}

    void read(LogChunk& chunk) {
        m_chunk = &chunk;
        m_sorts.clear();
        m_processes.clear();
        TraceLines lines(m_log.substr(chunk.begin, chunk.end - chunk.begin));
        std::size_t seen = 0;
        while (const std::optional<TraceItem> item = lines.next()) {
            if (++seen % 64 == 0 && m_task.cancelled()) return;
            RecordAhead& record = chunk.records.emplace_back();
            record.line = static_cast<std::uint32_t>(item->line - 1);
            if (item->kind == TraceItem::Kind::Stray) {
                record.sort = RecordAhead::none;
                record.payloadLength = item->lines;
                continue;
            }
            record.jsonOffset = chunk.begin + item->jsonOffset;
            record.jsonLength = item->jsonLength;
            record.gap = static_cast<std::uint8_t>(item->payloadOffset - item->jsonOffset - item->jsonLength);
            record.payloadLength = item->payloadLength;
            readRecord(record, *item);
        }
        chunk.lines = lines.line() - 1;
        chunk.records.shrink_to_fit();
        chunk.events.shrink_to_fit();
    }

private:
    void readRecord(RecordAhead& record, const TraceItem& item) {
        record.seconds = item.prefix.seconds;
        record.process = processOf(item.prefix.process);
        record.rank = item.prefix.rank;
        const std::string_view header = m_log.substr(record.jsonOffset, record.jsonLength);
        simdjson::dom::element root;
        const simdjson::error_code error =
            m_headers.parse(header, m_task, &record.headerIsUtf8, &record.abridged).get(root);
        simdjson::dom::object object;
        if (error != simdjson::SUCCESS || root.get(object) != simdjson::SUCCESS) {
            record.header =
                error != simdjson::SUCCESS ? RecordAhead::Header::Unreadable : RecordAhead::Header::NoObject;
            record.error = static_cast<std::uint8_t>(error);
            record.sort = sortOf({}, {}, item.prefix.origin);
            if (item.hasPayload) record.payload = RecordAhead::PayloadState::Unchecked;
            return;
        }
        const auto [type, body] = typeOfHeader(object);
        const bool named = type == "artifact" || type == "graph_dump";
        const std::string_view name = named ? json::text(body, "name") : std::string_view();
        record.sort = sortOf(type, name, item.prefix.origin);
        setCompileId(record, root);
        record.attempt = json::smallInteger(root, "attempt");
        const std::string_view payload = m_log.substr(record.payloadOffset(), record.payloadLength);
        checkPayload(record, item.hasPayload, payload, json::text(root, "has_payload"));
        if (record.headerIsUtf8) { // else it is not to be trusted where runs are told apart
            record.rank = json::smallInteger(root, "rank", record.rank);
            mention(record, root, item.hasPayload ? payload : std::string_view());
        }
        if (type == "chromium_event")
            readEvent(record, payload);
        else if (record.payload == RecordAhead::PayloadState::Matches)
            keepDigest(record);
    }

    /// What tells runs apart, see RunNumbers::Mention.
    void mention(RecordAhead& record, const simdjson::dom::element& root, std::string_view payload) {
        const std::size_t index = m_chunk->records.size() - 1;
        simdjson::dom::element body;
        if (root["dynamo_start"].get(body) == simdjson::SUCCESS) {
            record.once = true;
        } else if (root["compilation_metrics"].get(body) == simdjson::SUCCESS) {
            record.ends = true;
        } else if (root["artifact"].get(body) == simdjson::SUCCESS) {
            const auto name = json::text(body, "name");
            record.leads = name == "recompile_reasons";
            if (name == "before_post_grad_graph") keepInputs(index, payload);
        } else if (root["aot_backward_graph"].get(body) == simdjson::SUCCESS) {
            record.backward = Backward::Made;
            keepInputs(index, payload);
        } else if (root["bwd_compilation_metrics"].get(body) == simdjson::SUCCESS) {
            record.backward = Backward::Ends;
        } else if (root["chromium_event"].get(body) == simdjson::SUCCESS && !payload.empty()) {
            record.leads = beginsEvent(payload);
            if (record.leads && payload.find("\"entire_backward_compile\"") != std::string_view::npos)
                record.backward = Backward::Begins;
        }
    }

    void keepInputs(std::size_t index, std::string_view payload) {
        std::string inputs = bareInputs(signatureOf(payload));
        if (!inputs.empty()) m_chunk->inputs.emplace_back(index, std::move(inputs));
    }

    void checkPayload(RecordAhead& record, bool hasPayload, std::string_view payload, std::string_view hash) {
        using State = RecordAhead::PayloadState;
        m_text.clear();
        if (!hasPayload) {
            record.payload = hash.empty() ? State::None : State::Missing;
            return;
        }
        record.payload = State::Unchecked;
        if (isAway(record)) {
            const std::optional<Md5::Digest> digest = m_checkHashes ? digestOf(hash) : std::nullopt;
            if (digest) m_digest = *digest;
            if (digest) record.payload = State::Matches;
            return;
        }
        if (!session::isUtf8(payload)) {
            record.payload = State::BadUtf8;
            return;
        }
        if (hash.empty() || !m_checkHashes) return;
        Md5::Digest digest = hashOf(payload, true);
        bool matches = toHex(digest) == hash;
        if (!matches && payload.find('\r') != std::string_view::npos) {
            digest = hashOf(payload, false);
            matches = toHex(digest) == hash;
        }
        record.payload = matches ? State::Matches : State::Differs;
        m_digest = digest;
    }

    [[nodiscard]] bool isAway(const RecordAhead& record) const {
        const auto first =
            std::ranges::lower_bound(m_away, record.payloadOffset(), {}, &session::AwayPiece::offset);
        return first != m_away.end() && first->offset < record.payloadOffset() + record.payloadLength;
    }

    void keepDigest(RecordAhead& record) {
        record.extra = static_cast<std::uint32_t>(m_chunk->digests.size());
        m_chunk->digests.push_back(m_digest);
    }

    /// MD5 of the text that was logged; any value where it is cancelled.
    Md5::Digest hashOf(std::string_view payload, bool keepCarriageReturns) {
        if (payload.size() <= longestCopy) {
            std::string& text = m_text;
            text.clear();
            text.reserve(payload.size() + simdjson::SIMDJSON_PADDING);
            eachPayloadLine(payload, keepCarriageReturns, [&text](std::string_view line) {
                text.append(line);
                return true;
            });
            m_md5.add(text);
            return m_md5.finish();
        }
        eachPayloadLine(payload, keepCarriageReturns, [this](std::string_view line) {
            for (; line.size() > longestCopy; line.remove_prefix(longestCopy)) {
                if (m_task.cancelled()) return false;
                m_md5.add(line.substr(0, longestCopy));
            }
            m_md5.add(line);
            return !m_task.cancelled();
        });
        return m_md5.finish();
    }

    void readEvent(RecordAhead& record, std::string_view payload) {
        // Tabs between tokens are white space to JSON, so that they need not be taken off first.
        TimingRecord out;
        simdjson::dom::element event;
        simdjson::error_code error = simdjson::SUCCESS;
        if (payload.size() > longestJson) {
            const std::optional<std::string> part = abridged(payload, m_task);
            error = m_events.parse(part ? std::string_view(*part) : payload.substr(0, 1)).get(event);
        } else {
            if (record.payload != RecordAhead::PayloadState::Matches || m_text.empty()) m_text = payload;
            m_text.reserve(m_text.size() + simdjson::SIMDJSON_PADDING);
            error = m_events.parse(m_text.data(), m_text.size(), false).get(event);
        }
        if (error == simdjson::SUCCESS) out = readTiming(event, m_chunk->names);
        out.error = static_cast<std::uint8_t>(error);
        record.extra = static_cast<std::uint32_t>(m_chunk->events.size());
        m_chunk->events.push_back(out);
    }

    std::uint32_t sortOf(std::string_view type, std::string_view name, std::string_view origin) {
        m_key.assign(type).append(1, '\0').append(name).append(1, '\0').append(origin);
        const auto found = m_sorts.find(m_key);
        if (found != m_sorts.end()) return found->second;
        const auto number = static_cast<std::uint32_t>(m_chunk->sorts.size());
        m_chunk->sorts.push_back({std::string(type), std::string(name), session::toValidUtf8(origin)});
        m_sorts.emplace(m_key, number);
        return number;
    }

    std::uint32_t processOf(std::string_view process) {
        std::vector<std::string>& all = m_chunk->processes;
        if (m_process < all.size() && all[m_process] == process) return m_process;
        const auto [found, isNew] =
            m_processes.try_emplace(std::string(process), static_cast<std::uint32_t>(all.size()));
        if (isNew) all.emplace_back(process);
        m_process = found->second;
        return m_process;
    }

    std::string_view m_log;
    bool m_checkHashes;
    std::span<const session::AwayPiece> m_away;
    const TaskContext& m_task;
    LogChunk* m_chunk = nullptr;
    HeaderParser m_headers;
    simdjson::dom::parser m_events;
    Md5 m_md5;
    std::string m_text;     ///< the payload at hand without its tabs, where it was hashed
    Md5::Digest m_digest{}; ///< of the payload at hand
    std::string m_key;
    std::unordered_map<std::string, std::uint32_t> m_sorts, m_processes; ///< of the chunk
    std::uint32_t m_process = 0;                                         ///< the latest
};

/// Cuts the log before lines that do not begin with a tab: there a record or a stray line begins.
std::vector<LogChunk> cut(std::string_view log, std::size_t chunkBytes, std::uint64_t from) {
    std::vector<LogChunk> out;
    for (std::uint64_t begin = from; begin < log.size();) {
        std::uint64_t end = log.size();
        if (chunkBytes < log.size() - begin) {
            std::size_t newline = log.find('\n', begin + chunkBytes - 1);
            while (newline < log.size() - 1 && log[newline + 1] == '\t')
                newline = log.find('\n', newline + 1);
            if (newline < log.size()) end = newline + 1;
        }
        out.emplace_back();
        out.back().begin = begin;
        out.back().end = end;
        begin = end;
    }
    return out;
}

} // namespace

std::string_view signatureOf(std::string_view graph) {
    constexpr std::string_view key = "def forward(";
    const std::size_t at = graph.find(key);
    if (at == std::string_view::npos) return {};
    graph.remove_prefix(at + key.size());
    // Annotations have brackets of their own, within quotes.
    bool quoted = false;
    for (std::size_t i = 0; i < graph.size(); ++i) {
        quoted ^= graph[i] == '"';
        if (!quoted && graph[i] == ':' && i > 0 && graph[i - 1] == ')') return graph.substr(0, i - 1);
    }
    return {};
}

HeaderType typeOfHeader(const simdjson::dom::object& header) {
    HeaderType out;
    for (const auto [key, value] : header) {
        if (isContextKey(key)) continue;
        if (!out.type.empty() && out.type != "stack") break;
        out.type = key; // "stack" may accompany another type
        out.body = value;
    }
    return out;
}

simdjson::simdjson_result<simdjson::dom::element>
HeaderParser::parse(std::string_view header, const TaskContext& task, bool* isUtf8, bool* isAbridged) {
    const bool valid = session::isUtf8(header);
    if (isUtf8 != nullptr) *isUtf8 = valid;
    std::optional<std::string> part;
    if (header.size() > longestJson) {
        part = abridged(header, task);
        if (isAbridged != nullptr) *isAbridged = part.has_value();
        if (!part) return simdjson::error_code::TAPE_ERROR;
        header = *part;
    }
    if (valid)
        m_text = header;
    else
        m_text = session::toValidUtf8(header);
    m_text.reserve(m_text.size() + simdjson::SIMDJSON_PADDING);
    return m_parser.parse(m_text.data(), m_text.size(), false);
}

std::optional<std::vector<LogChunk>> readAhead(std::string_view log, bool checkHashes,
                                               const TaskContext& task, std::size_t chunkBytes,
                                               std::uint64_t from, std::span<const session::AwayPiece> away) {
    std::vector<LogChunk> chunks = cut(log, std::max<std::size_t>(chunkBytes, 1), from);
    std::atomic<std::size_t> next{0};
    std::atomic<std::uint64_t> done{0};
    const std::size_t cores = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8);
    const std::size_t helpers = std::min(cores, chunks.size()) - (chunks.empty() ? 0 : 1);
    shareWork(helpers, [&](const Sharer& sharer) {
        ChunkReader reader(log, checkHashes, away, task);
        for (std::size_t i = next++; i < chunks.size() && !task.cancelled() && !sharer.failed; i = next++) {
            reader.read(chunks[i]);
            done += chunks[i].end - chunks[i].begin;
            // Going through the records in order is the smaller part of the work.
            if (sharer.isCallers) task.report("Reading", done / 4 * 3, log.size());
        }
    });
    if (task.cancelled()) return std::nullopt;
    // Other threads may have been faster than this one.
    task.report("Reading", log.size() / 4 * 3, log.size());
    return chunks;
}

} // namespace dynascope::capture
