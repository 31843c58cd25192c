// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/open.h"

#include "core/capture/case_file.h"
#include "core/capture/export_archive.h"
#include "core/capture/graph_file.h"
#include "core/capture/packed.h"
#include "core/capture/trace_lines.h"
#include "core/capture/trace_reader.h"
#include "core/ir/text.h"
#include "core/session/byte_source.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>

namespace dynascope::capture {

namespace {

namespace fs = std::filesystem;
using session::Kind;

bool isRecordLine(std::string_view line) {
    if (line.empty() || line.front() == '\t') return false;
    const std::optional<LogPrefix> prefix = parseLogPrefix(line);
    return prefix && prefix->length < line.size() && line[prefix->length] == '{';
}

bool hasRecord(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (isRecordLine(text.substr(at, end - at))) return true;
        at = end + 1;
    }
    return false;
}

/// "view_mutation" for "dedicated_log_torch_trace_view_mutation.log".
std::string titleOf(const std::string& path) {
    fs::path file(path);
    if (!file.has_filename()) file = file.parent_path();
    std::string name = file.filename().string();
    constexpr std::string_view prefix = "dedicated_log_torch_trace_";
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
    for (const std::string_view end :
         {".gz", ".zst", ".xz", ".bz2", ".lz4", ".tar", ".tgz", ".zip", ".pt2", ".log", ".json"})
        if (name.ends_with(end)) name.erase(name.size() - end.size());
    while (!name.empty() && (name.back() == '_' || name.back() == '.'))
        name.pop_back();
    return name.empty() ? path : name;
}

/// The N of "..._rank_N_..." in a file name, or -1.
int rankOfName(const std::string& path) {
    const std::string name = fs::path(path).filename().string();
    constexpr std::string_view key = "rank_";
    const std::size_t at = name.find(key);
    if (at == std::string::npos) return -1;
    int rank = -1;
    std::from_chars(name.data() + at + key.size(), name.data() + name.size(), rank);
    return rank;
}

Error cancelledError() {
    return {"cancelled", {}, 0, 0};
}

bool looksBinary(std::string_view text) {
    return text.substr(0, 65536).find('\0') != std::string_view::npos;
}

Result<session::SessionPtr> finish(session::Session session, std::string path, std::string title) {
    session.path = std::move(path);
    session.title = std::move(title);
    return std::make_shared<const session::Session>(std::move(session));
}

Result<session::SessionPtr> openPlain(const session::ByteSourcePtr& source, const std::string& label,
                                      std::string title, const TaskContext& task,
                                      const OpenOptions& options) {
    const std::string_view text = source->bytes();
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        return tl::unexpected(Error{"file is empty", label, 0, 0});
    Kind kind = sniff(text.substr(0, 65536));
    // A log that begins in the middle of a long payload.
    if (kind == Kind::Unknown && hasRecord(text)) kind = Kind::TorchTrace;
    if (kind == Kind::TorchTrace) {
        TraceReader reader(options);
        if (!reader.read(source, label, std::max(0, rankOfName(label)), task))
            return tl::unexpected(cancelledError());
        session::Session session = reader.finish();
        session.kind = Kind::TorchTrace;
        return finish(std::move(session), label, std::move(title));
    }
    if (looksBinary(text))
        return tl::unexpected(Error{"neither a TORCH_TRACE log nor graph text", label, 0, 0});
    Result<session::Session> session =
        looksLikeCase(text) ? readCaseFile(source, label, task) : readGraphFile(source, label, task);
    if (task.cancelled()) return tl::unexpected(cancelledError());
    if (!session) return tl::unexpected(session.error());
    return finish(std::move(*session), label, std::move(title));
}

/// One input of several that make up a session.
struct Part {
    std::string label;
    session::ByteSourcePtr source;
};

void sortByRank(std::vector<Part>& parts) {
    std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
        return std::pair(rankOfName(a.label), std::string_view(a.label)) <
               std::pair(rankOfName(b.label), std::string_view(b.label));
    });
}

/// Logs of several ranks as one session. `warnings` holds what is known of the inputs already; an Error where
/// none of them has a record.
Result<session::SessionPtr> openRanks(const std::vector<Part>& logs, std::vector<session::Warning> warnings,
                                      const std::string& path, const TaskContext& task,
                                      const OpenOptions& options) {
    TraceReader reader(options);
    int nextRank = 0;
    for (const Part& log : logs) {
        if (!hasRecord(log.source->bytes())) {
            warnings.push_back({Error{"no TORCH_TRACE record", log.label, 0, 0}, SIZE_MAX});
            continue;
        }
        const int named = rankOfName(log.label);
        const int rank = named >= 0 ? named : nextRank;
        nextRank = std::max(nextRank, rank + 1);
        if (!reader.read(log.source, log.label, rank, task)) return tl::unexpected(cancelledError());
    }
    if (reader.recordCount() == 0)
        return tl::unexpected(Error{"holds no TORCH_TRACE log (*.log)", path, 0, 0});
    session::Session session = reader.finish();
    session.kind = Kind::TorchTrace;
    session.warnings.insert(session.warnings.end(), std::make_move_iterator(warnings.begin()),
                            std::make_move_iterator(warnings.end()));
    return finish(std::move(session), path, titleOf(path));
}

bool isLogName(const std::string& name) {
    return fs::path(name).extension() == ".log";
}

Result<session::SessionPtr> openPacked(const session::ByteSourcePtr& packed, const std::string& path,
                                       const TaskContext& task, const OpenOptions& options) {
    Result<Unpacked> unpacked =
        unpack(packed->bytes(), path, task, {},
               [](std::string_view name, std::uint64_t bytes) { return !isLargeWeight(name, bytes); });
    if (!unpacked) return tl::unexpected(unpacked.error());
    std::vector<PackedFile>& files = unpacked->files;
    if (isExportArchive(files)) {
        Result<session::Session> program = readExportArchive(files, path, task);
        if (!program) return tl::unexpected(program.error());
        program->warnings.insert(program->warnings.end(), unpacked->damages.begin(), unpacked->damages.end());
        return finish(std::move(*program), path, titleOf(path));
    }
    if (files.size() == 1 && files.front().source) {
        Result<session::SessionPtr> only =
            openPlain(files.front().source, path, titleOf(files.front().name), task, options);
        if (!only || unpacked->damages.empty()) return only;
        session::Session session = **only;
        session.warnings.insert(session.warnings.begin(), unpacked->damages.begin(), unpacked->damages.end());
        return std::make_shared<const session::Session>(std::move(session));
    }
    std::vector<Part> logs;
    for (PackedFile& file : files)
        if (file.source && isLogName(file.name))
            logs.push_back({path + "/" + file.name, std::move(file.source)});
    sortByRank(logs);
    return openRanks(logs, std::move(unpacked->damages), path, task, options);
}

Result<session::SessionPtr> openFolder(const std::string& folder, const TaskContext& task,
                                       const OpenOptions& options) {
    std::vector<Part> logs;
    std::vector<session::Warning> unusable;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        std::error_code ignored;
        const std::string file = at->path().string();
        const bool packed = isLogName(at->path().stem().string());
        if ((!packed && !isLogName(file)) || !at->is_regular_file(ignored)) continue;
        Result<session::ByteSourcePtr> source = session::openByteSource(file);
        if (source && packed && looksPacked((*source)->bytes())) {
            Result<Unpacked> unpacked = unpack((*source)->bytes(), file, task);
            if (task.cancelled()) return tl::unexpected(cancelledError());
            if (unpacked) {
                unusable.insert(unusable.end(), unpacked->damages.begin(), unpacked->damages.end());
                source = std::move(unpacked->files.front().source);
            } else {
                source = tl::unexpected(unpacked.error());
            }
        }
        if (source)
            logs.push_back({file, std::move(*source)});
        else
            unusable.push_back({source.error(), SIZE_MAX});
    }
    sortByRank(logs);
    return openRanks(logs, std::move(unusable), folder, task, options);
}

} // namespace

Kind sniff(std::string_view head) {
    head = head.substr(0, 65536);
    if (hasRecord(head)) return Kind::TorchTrace;
    if (looksBinary(head)) return Kind::Unknown;
    if (looksLikeCase(head)) return Kind::OracleCase;
    if (!ir::looksLikeGraph(head)) return Kind::Unknown;
    const std::size_t fx = head.find("graph(");
    const std::size_t readable = head.find("def forward(");
    return fx < readable ? Kind::FxText : Kind::ReadableText;
}

Result<session::SessionPtr> open(const std::string& path, const TaskContext& task,
                                 const OpenOptions& options) {
    std::error_code error;
    if (fs::is_directory(path, error)) return openFolder(path, task, options);
    const Result<session::ByteSourcePtr> source = session::openByteSource(path);
    if (!source) return tl::unexpected(source.error());
    if (looksPacked((*source)->bytes())) return openPacked(*source, path, task, options);
    return openPlain(*source, path, titleOf(path), task, options);
}

Result<session::SessionPtr> openText(std::string text, std::string label, const TaskContext& task) {
    if (text.find_first_not_of(" \t\r\n") == std::string::npos)
        return tl::unexpected(Error{"text is empty", std::move(label), 0, 0});
    const session::ByteSourcePtr source = session::makeByteSource(std::move(text));
    return openPlain(source, label, label, task, {});
}

} // namespace dynascope::capture
