// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/open.h"

#include "core/capture/graph_file.h"
#include "core/capture/trace_lines.h"
#include "core/capture/trace_reader.h"
#include "core/ir/text.h"
#include "core/session/byte_source.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
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
    if (name.ends_with(".log")) name.erase(name.size() - 4);
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

Result<session::SessionPtr> openSource(const session::ByteSourcePtr& source, const std::string& label,
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
    Result<session::Session> session = readGraphFile(source, label, task);
    if (task.cancelled()) return tl::unexpected(cancelledError());
    if (!session) return tl::unexpected(session.error());
    return finish(std::move(*session), label, std::move(title));
}

/// All logs of a folder, ordered by rank and name.
std::vector<std::string> logsOf(const std::string& folder) {
    std::vector<std::string> out;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        std::error_code ignored;
        if (at->path().extension() == ".log" && at->is_regular_file(ignored))
            out.push_back(at->path().string());
    }
    std::sort(out.begin(), out.end(), [](const std::string& a, const std::string& b) {
        return std::pair(rankOfName(a), a) < std::pair(rankOfName(b), b);
    });
    return out;
}

Result<session::SessionPtr> openFolder(const std::string& folder, const TaskContext& task,
                                       const OpenOptions& options) {
    const std::vector<std::string> files = logsOf(folder);
    TraceReader reader(options);
    std::vector<session::Warning> unusable;
    int nextRank = 0;
    for (const std::string& file : files) {
        const Result<session::ByteSourcePtr> source = session::openByteSource(file);
        if (!source) {
            unusable.push_back({source.error(), SIZE_MAX});
            continue;
        }
        if (!hasRecord((*source)->bytes())) {
            unusable.push_back({Error{"no TORCH_TRACE record", file, 0, 0}, SIZE_MAX});
            continue;
        }
        const int named = rankOfName(file);
        const int rank = named >= 0 ? named : nextRank;
        nextRank = std::max(nextRank, rank + 1);
        if (!reader.read(*source, file, rank, task)) return tl::unexpected(cancelledError());
    }
    if (reader.recordCount() == 0)
        return tl::unexpected(Error{"folder holds no TORCH_TRACE log (*.log)", folder, 0, 0});
    session::Session session = reader.finish();
    session.kind = Kind::TorchTrace;
    session.warnings.insert(session.warnings.end(), unusable.begin(), unusable.end());
    return finish(std::move(session), folder, titleOf(folder));
}

} // namespace

Kind sniff(std::string_view head) {
    head = head.substr(0, 65536);
    if (hasRecord(head)) return Kind::TorchTrace;
    if (looksBinary(head) || !ir::looksLikeGraph(head)) return Kind::Unknown;
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
    return openSource(*source, path, titleOf(path), task, options);
}

Result<session::SessionPtr> openText(std::string text, std::string label, const TaskContext& task) {
    if (text.find_first_not_of(" \t\r\n") == std::string::npos)
        return tl::unexpected(Error{"text is empty", std::move(label), 0, 0});
    const session::ByteSourcePtr source = session::makeByteSource(std::move(text));
    return openSource(source, label, label, task, {});
}

} // namespace dynascope::capture
