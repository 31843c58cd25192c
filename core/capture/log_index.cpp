// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/log_index.h"

#include "core/capture/formats.h"
#include "core/capture/packed.h"
#include "core/capture/read_ahead.h"
#include "core/capture/record_types.h"
#include "core/capture/trace_reader.h"

#include <algorithm>
#include <unordered_set>

namespace dynascope::capture {

namespace {

constexpr std::size_t chunkBytes = std::size_t{4} << 20U;
/// A shorter piece between two lines that are kept costs more to name than to send.
constexpr std::uint64_t shortestPiece = 128;
/// As far as beginsLikeGraph() looks.
constexpr std::uint64_t seenByLooks = 400;

class Sorter {
public:
    explicit Sorter(std::string_view log)
        : m_log(log) {}

    void add(const RecordAhead& record, const RecordSort& sort) {
        if (record.payload != RecordAhead::PayloadState::Matches || record.payloadLength < shortestStaying ||
            !TraceReader::leavesPayload(sort))
            return;
        const std::string_view payload = m_log.substr(record.payloadOffset(), record.payloadLength);
        const std::string& name = sort.name.empty() ? sort.type : sort.name;
        const std::optional<StagePlace> place = stagePlace(name);
        // Of no other record is a graph read that is not known to be one.
        const bool mayBeGraph =
            !sort.name.empty() && !sort.name.ends_with("_BYTECODE") && !record.compileId().empty();
        const bool isGraph = place ? *place != StagePlace::Code : mayBeGraph && beginsLikeGraph(payload);
        if (!isGraph) {
            stay(record.payloadOffset(), payload.size());
            return;
        }
        // Runs are told apart by what these two are given.
        std::uint64_t head = place ? 0 : seenByLooks;
        if (name == "aot_backward_graph" || name == "before_post_grad_graph")
            if (const std::string_view signature = signatureOf(payload); !signature.empty())
                head = static_cast<std::uint64_t>(signature.data() + signature.size() - payload.data()) + 2;
        addGraph(record.payloadOffset(), payload, head);
    }

    [[nodiscard]] std::vector<StayingPiece> take() && { return std::move(m_pieces); }

private:
    /// Keeps lines that begin before `head`, and comments that quote a line which none before them did.
    void addGraph(std::uint64_t offset, std::string_view payload, std::uint64_t head) {
        std::size_t from = 0;
        for (std::size_t at = 0; at < payload.size();) {
            const std::size_t end = std::min(payload.find('\n', at), payload.size() - 1) + 1;
            const std::string_view line = payload.substr(at, end - at);
            if (at < head || isNewQuote(line)) {
                stay(offset + from, at - from);
                from = end;
            }
            at = end;
        }
        stay(offset + from, payload.size() - from);
    }

    [[nodiscard]] bool isNewQuote(std::string_view line) {
        const std::size_t comment = line.find("# File: ");
        return comment != std::string_view::npos && m_quoted.insert(line.substr(comment)).second;
    }

    void stay(std::uint64_t offset, std::uint64_t length) {
        if (length < shortestPiece) return;
        const std::string_view text = m_log.substr(offset, length);
        m_pieces.push_back({{offset, length},
                            static_cast<std::uint64_t>(std::ranges::count(text, '\n')),
                            text.ends_with('\n')});
    }

    std::string_view m_log;
    std::vector<StayingPiece> m_pieces;
    std::unordered_set<std::string_view> m_quoted;
};

} // namespace

std::optional<std::vector<StayingPiece>> stayingPieces(std::string_view log, const TaskContext& task) {
    // As it would be opened.
    if (looksPacked(log) || sniff(log) != session::Kind::TorchTrace) return std::vector<StayingPiece>();
    const std::optional<std::vector<LogChunk>> chunks = readAhead(log, true, task, chunkBytes);
    if (!chunks) return std::nullopt;
    Sorter sorter(log);
    for (const LogChunk& chunk : *chunks)
        for (const RecordAhead& record : chunk.records) {
            if (task.cancelled()) return std::nullopt;
            if (!record.isStray()) sorter.add(record, chunk.sorts[record.sort]);
        }
    return std::move(sorter).take();
}

bool writeStandIn(char* room, const StayingPiece& piece) {
    const std::uint64_t length = piece.piece.length, ends = piece.lineEnds;
    if (length == 0 || ends > (length - (piece.isClosed ? 0 : 1)) / 2 || (piece.isClosed && ends == 0))
        return false;
    // Short lines at first; one at the end has what is left, so that pages between are never touched.
    char* at = room;
    for (std::uint64_t i = piece.isClosed ? 1 : 0; i < ends; ++i) {
        *at++ = '\t';
        *at++ = '\n';
    }
    *at = '\t';
    if (piece.isClosed) room[length - 1] = '\n';
    return true;
}

} // namespace dynascope::capture
