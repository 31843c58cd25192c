// SPDX-License-Identifier: BSD-3-Clause
//
// TraceReader's way through the records of a log, and on from there once the log has grown.
#include "core/capture/trace_reader.h"

#include <algorithm>
#include <utility>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace dynascope::capture {

namespace {

constexpr std::size_t giveBackEvery = 32; ///< chunks

/// What other threads allocated lies scattered; the system gets it back when it is asked to take it.
void giveBackFreedMemory() {
#ifdef __GLIBC__
    ::malloc_trim(0);
#endif
}

/// The last record of a log, not counting lines that are none; null where there is none.
const RecordAhead* lastRecordOf(const std::vector<LogChunk>& chunks) {
    for (auto chunk = chunks.rbegin(); chunk != chunks.rend(); ++chunk)
        for (auto record = chunk->records.rbegin(); record != chunk->records.rend(); ++record)
            if (!record->isStray()) return &*record;
    return nullptr;
}

} // namespace

bool TraceReader::read(const session::ByteSourcePtr& source, const std::string& file, int named,
                       const TaskContext& task, std::unique_ptr<TraceReader>* keep) {
    m_source = source;
    m_file = file;
    m_named = named;
    m_from = 0;
    m_fromLine = 1;
    m_runsBefore = m_runs;
    m_mentions.clear();
    m_mentionTexts.clear();
    m_strings.clear();
    m_timing.beginLog();
    std::optional<std::vector<LogChunk>> ahead =
        readAhead(source->bytes(), m_checkHashes, task, m_chunkBytes, 0, source->away());
    if (!ahead) return false;
    m_placement = placeRecords(*ahead, keep != nullptr);
    for (const auto& [words, line] : m_placement.warnings)
        warn(words, line);
    // Exactly so for one log; of many logs, each is not to move all that came before it.
    if (m_session.records.empty()) m_session.records.reserve(m_placement.of.size());
    const bool done = readChunks(*ahead, 0, task, keep);
    m_placement = {};
    return done;
}

TraceReader::ReadOn TraceReader::readOn(const session::ByteSourcePtr& source, const TaskContext& task,
                                        std::unique_ptr<TraceReader>* keep) {
    m_session.records.moveTo(m_source, source);
    m_source = source;
    std::optional<std::vector<LogChunk>> ahead =
        readAhead(source->bytes(), m_checkHashes, task, m_chunkBytes, m_from);
    if (!ahead) return ReadOn::Cancelled;
    // A record may say where those before it belong: that a log is of two ranks, or ids began again.
    const Placement before = std::move(m_placement);
    m_placement = placeRecords(*ahead, keep != nullptr);
    if (m_placement.warnings != before.warnings || m_placement.of.size() < before.of.size() ||
        !std::equal(before.of.begin(), before.of.end(), m_placement.of.begin()))
        return ReadOn::Anew;
    const bool done = readChunks(*ahead, before.of.size(), task, keep);
    m_placement = {};
    return done ? ReadOn::Done : ReadOn::Cancelled;
}

std::unique_ptr<TraceReader> TraceReader::copyBefore(const RecordAhead& record, std::size_t line) const {
    auto out = std::make_unique<TraceReader>(*this);
    out->m_from = m_source->bytes().rfind('\n', record.jsonOffset) + 1; // npos + 1: the first line
    out->m_fromLine = line;
    out->m_mentions.pop_back();
    out->m_placement.of.pop_back();
    return out;
}

bool TraceReader::readChunks(std::vector<LogChunk>& chunks, std::size_t next, const TaskContext& task,
                             std::unique_ptr<TraceReader>* keep) {
    const std::size_t bytes = m_source->bytes().size();
    std::size_t events = 0;
    for (const LogChunk& chunk : chunks)
        events +=
            static_cast<std::size_t>(std::count_if(chunk.events.begin(), chunk.events.end(),
                                                   [](const TimingRecord& one) { return one.phase != 'E'; }));
    m_timing.reserve(events);
    const RecordAhead* const lastOne = keep ? lastRecordOf(chunks) : nullptr;

    std::size_t line = m_fromLine, done = 0;
    // Lines that are no records: of how many, which may go on in the next chunk.
    std::size_t strayLine = 0, strays = 0;
    const auto warnOfStrays = [&] {
        if (strays > 0)
            warn(strays == 1 ? "line is no record of a trace"
                             : std::to_string(strays) + " lines are no records of a trace",
                 strayLine);
        strays = 0;
    };
    for (LogChunk& chunk : chunks) {
        std::vector<Sort> sorts;
        for (const RecordSort& sort : chunk.sorts)
            sorts.push_back(sortOf(sort));
        for (std::size_t i = 0; i < chunk.records.size(); ++i) {
            const RecordAhead& record = chunk.records[i];
            if (i % 64 == 0 && task.cancelled()) return false;
            if (record.isStray()) {
                if (strays == 0) strayLine = line + record.line;
                strays += record.payloadLength;
                continue;
            }
            warnOfStrays();
            // What the last record says depends on whether anything follows, and it may still be in the making.
            if (&record == lastOne) *keep = copyBefore(record, line + record.line);
            const bool last = &chunk == &chunks.back() && i + 1 == chunk.records.size();
            readRecord(record, chunk, sorts[record.sort], m_placement.of[next++], line, last, task);
        }
        line += chunk.lines;
        task.report("Reading", bytes / 4 * 3 + chunk.end / 4, bytes);
        chunk = {}; // what is known of it is in the session now
        if (++done % giveBackEvery == 0) giveBackFreedMemory();
    }
    warnOfStrays();
    if (done >= giveBackEvery) giveBackFreedMemory();
    return true;
}

} // namespace dynascope::capture
