// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/log_memory.h"

#include "core/base/log.h"
#include "core/capture/trace_reader.h"

#include <utility>

namespace dynascope::capture {

struct LogMemory::Kept {
    std::vector<RankLog> logs;           ///< whose bytes stay where they are as long as these live
    std::unique_ptr<TraceReader> reader; ///< before the last record of the last of them
};

namespace {

session::Session finished(TraceReader& reader) {
    session::Session session = reader.finish();
    session.kind = session::Kind::TorchTrace;
    return session;
}

/// Whether the logs are those that were read, but for what was added to the last one.
bool goOn(const std::vector<RankLog>& before, const std::vector<RankLog>& now, std::uint64_t position) {
    if (before.empty() || before.size() != now.size()) return false;
    for (std::size_t i = 0; i < now.size(); ++i) {
        if (before[i].label != now[i].label || before[i].rank != now[i].rank) return false;
        const std::string_view was = before[i].source->bytes(), is = now[i].source->bytes();
        const bool last = i + 1 == now.size();
        if (was.data() != is.data() || (last ? is.size() < position : is.size() != was.size())) return false;
    }
    return true;
}

} // namespace

LogMemory::LogMemory() = default;
LogMemory::~LogMemory() = default;

std::uint64_t LogMemory::known() const {
    const std::scoped_lock lock(m_mutex);
    return m_known;
}

void LogMemory::keep(const std::vector<RankLog>& logs, std::unique_ptr<TraceReader> reader,
                     std::uint64_t known) {
    const std::scoped_lock lock(m_mutex);
    m_known = known;
    m_kept = reader ? std::make_unique<Kept>(Kept{logs, std::move(reader)}) : nullptr;
}

std::optional<session::Session> LogMemory::readOn(const std::vector<RankLog>& logs, const TaskContext& task) {
    std::unique_ptr<Kept> kept;
    {
        const std::scoped_lock lock(m_mutex);
        kept = std::move(m_kept);
    }
    if (!kept || !goOn(kept->logs, logs, kept->reader->position())) return std::nullopt;
    std::uint64_t known = kept->reader->position();
    for (std::size_t i = 0; i + 1 < logs.size(); ++i)
        known += logs[i].source->bytes().size();
    std::unique_ptr<TraceReader> next;
    const TraceReader::ReadOn how = kept->reader->readOn(logs.back().source, task, &next);
    if (how != TraceReader::ReadOn::Done) return std::nullopt;
    log::write(log::Topic::Capture, "read on after ", known, " bytes");
    keep(logs, std::move(next), known);
    return finished(*kept->reader);
}

Result<session::Session> LogMemory::read(const std::vector<RankLog>& logs, const OpenOptions& options,
                                         const TaskContext& task) {
    if (std::optional<session::Session> session = readOn(logs, task)) return std::move(*session);
    if (task.cancelled()) return cancellation();
    TraceReader reader(options);
    std::unique_ptr<TraceReader> next;
    for (const RankLog& log : logs)
        if (!reader.read(log.source, log.label, log.rank, task, &log == &logs.back() ? &next : nullptr))
            return cancellation();
    keep(logs, std::move(next), 0);
    return finished(reader);
}

Result<session::Session> readTraces(const std::vector<RankLog>& logs, const OpenOptions& options,
                                    const TaskContext& task) {
    if (options.memory) return options.memory->read(logs, options, task);
    TraceReader reader(options);
    for (const RankLog& log : logs)
        if (!reader.read(log.source, log.label, log.rank, task)) return cancellation();
    return finished(reader);
}

} // namespace dynascope::capture
