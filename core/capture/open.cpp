// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/open.h"

#include "core/base/log.h"
#include "core/base/text.h"
#include "core/capture/debug_folder.h"
#include "core/capture/export_archive.h"
#include "core/capture/flight_reader.h"
#include "core/capture/formats.h"
#include "core/capture/log_folder.h"
#include "core/capture/log_lines.h"
#include "core/capture/log_memory.h"
#include "core/capture/log_reader.h"
#include "core/capture/packed.h"
#include "core/capture/profiles.h"
#include "core/capture/snapshots.h"
#include "core/capture/step_recordings.h"
#include "core/capture/trace_lines.h"
#include "core/capture/trace_reader.h"
#include "core/session/byte_source.h"
#include "core/store/session_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>
#include <tuple>

namespace dynascope::capture {

namespace {

namespace fs = std::filesystem;
using session::Kind;

/// The first ones are no part of a capture's title.
constexpr std::array<std::string_view, 19> endings{
    ".gz",  ".zst", ".xz",   ".bz2",    ".lz4",     ".tar",       ".tgz", ".zip", ".pt2", ".pickle",
    ".pkl", ".log", ".json", ".dsteps", ".dpasses", ".dynascope", ".txt", ".py",  ".dot"};
constexpr std::size_t titleless = 15;

/// "view_mutation" for "dedicated_log_torch_trace_view_mutation.log".
std::string titleOf(const std::string& path) {
    fs::path file(path);
    if (!file.has_filename()) file = file.parent_path();
    std::string name = file.filename().string();
    constexpr std::string_view prefix = "dedicated_log_torch_trace_";
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
    for (const std::string_view end : fileEndings().first(titleless))
        if (name.ends_with(end)) name.erase(name.size() - end.size());
    while (!name.empty() && (name.back() == '_' || name.back() == '.'))
        name.pop_back();
    return name.empty() ? path : name;
}

session::Session titled(session::Session session, std::string path, std::string title) {
    session.path = std::move(path);
    session.title = std::move(title);
    return session;
}

Result<session::Session> openPlain(const session::ByteSourcePtr& source, const std::string& label,
                                   std::string title, const TaskContext& task, const OpenOptions& options) {
    Result<session::Session> session = readFormat(source, label, task, options);
    if (!session) return session;
    return titled(std::move(*session), label, std::move(title));
}

/// "1122 09:55:11.212000" of a log's first record; empty where it does not begin with one.
std::string_view beginning(std::string_view log) {
    constexpr std::size_t length = std::string_view("1122 09:55:11.212000").size();
    log = firstLine(log);
    if (!parseLogPrefix(log)) return {};
    const std::size_t rank = log.find("]:");
    const std::size_t level =
        log.starts_with('[') && rank != std::string_view::npos ? log.find_first_not_of(' ', rank + 2) : 0;
    return level < log.size() ? log.substr(level + 1, length) : std::string_view();
}

/// By rank; logs of one rank, which are runs of it, in the order in which they began. Beside logs that are named by
/// rank one that is not is of another program, and comes after them: so rank 0's first run is the one of all ranks.
void sortByRank(std::vector<RankLog>& logs) {
    const auto key = [](const RankLog& log) {
        return std::tuple(std::max(log.rank, 0), log.rank < 0, beginning(log.source->bytes()),
                          std::string_view(log.label));
    };
    std::stable_sort(logs.begin(), logs.end(),
                     [&](const RankLog& a, const RankLog& b) { return key(a) < key(b); });
}

/// What TORCH_LOGS printed on several ranks. `warnings` are as of openRanks().
Result<session::Session> openTorchLogs(const std::vector<RankLog>& all,
                                       std::vector<session::Warning> warnings, const std::string& path,
                                       const TaskContext& task) {
    std::vector<RankLog> logs;
    for (const RankLog& log : all) {
        if (looksLikeTorchLog(log.source->bytes()))
            logs.push_back(log);
        else if (!isBlank(log.source->bytes())) // the other stream of a rank is often empty
            warnings.push_back({Error{"no TORCH_LOGS message", log.label}, SIZE_MAX});
    }
    if (logs.empty()) return failure("holds neither TORCH_TRACE nor TORCH_LOGS logs (*.log)", path);
    Result<session::Session> session = readTorchLogs(logs, task);
    if (!session) return tl::unexpected(session.error());
    session->warnings.insert(session->warnings.end(), std::make_move_iterator(warnings.begin()),
                             std::make_move_iterator(warnings.end()));
    return titled(std::move(*session), path, titleOf(path));
}

/// Logs of several ranks as one session. `warnings` holds what is known of the inputs already; an Error where
/// none of them has a record or message.
Result<session::Session> openRanks(std::vector<RankLog> logs, std::vector<session::Warning> warnings,
                                   const std::string& path, const TaskContext& task,
                                   const OpenOptions& options) {
    sortByRank(logs);
    if (std::none_of(logs.begin(), logs.end(),
                     [](const RankLog& log) { return TraceReader::holdsRecord(log.source->bytes()); }))
        return openTorchLogs(logs, std::move(warnings), path, task);
    std::erase_if(logs, [&](const RankLog& log) {
        const bool holds = TraceReader::holdsRecord(log.source->bytes());
        if (!holds) warnings.push_back({Error{"no TORCH_TRACE record", log.label}, SIZE_MAX});
        return !holds;
    });
    Result<session::Session> session = readTraces(logs, options, task);
    if (!session) return session;
    session->warnings.insert(session->warnings.end(), std::make_move_iterator(warnings.begin()),
                             std::make_move_iterator(warnings.end()));
    return titled(std::move(*session), path, titleOf(path));
}

Result<session::Session> openDebugFiles(std::vector<DebugFile> files, std::vector<session::Warning> warnings,
                                        const std::string& path, const TaskContext& task) {
    Result<session::Session> session = readDebugFolder(std::move(files), path, task);
    if (!session) return tl::unexpected(session.error());
    session->warnings.insert(session->warnings.end(), std::make_move_iterator(warnings.begin()),
                             std::make_move_iterator(warnings.end()));
    return titled(std::move(*session), path, titleOf(path));
}

Result<session::Session> openPacked(const session::ByteSourcePtr& packed, const std::string& path,
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
        return titled(std::move(*program), path, titleOf(path));
    }
    if (files.size() == 1 && files.front().source) {
        Result<session::Session> only =
            openPlain(files.front().source, path, titleOf(files.front().name), task, options);
        if (only)
            only->warnings.insert(only->warnings.begin(), unpacked->damages.begin(), unpacked->damages.end());
        return only;
    }
    std::vector<RankLog> logs;
    std::vector<DebugFile> debug;
    for (const PackedFile& file : files)
        if (file.source && isDebugFile(file.name)) debug.push_back({file.name, file.source});
    if (!debug.empty()) return openDebugFiles(std::move(debug), std::move(unpacked->damages), path, task);
    for (PackedFile& file : files)
        if (file.source && isLogName(file.name))
            logs.push_back({std::move(file.source), path + "/" + file.name, rankOfName(file.name)});
    return openRanks(std::move(logs), std::move(unpacked->damages), path, task, options);
}

Result<session::Session> openFile(const session::ByteSourcePtr& source, const std::string& path,
                                  const TaskContext& task, const OpenOptions& options) {
    if (looksPacked(source->bytes())) return openPacked(source, path, task, options);
    return openPlain(source, path, titleOf(path), task, options);
}

/// False if the task was cancelled.
bool addBeside(session::Session& session, const session::Inputs& inputs, const TaskContext& task) {
    return addProfiles(session, inputs, task) && addSnapshots(session, inputs, task);
}

Result<session::Session> openRecordings(const session::Inputs& inputs, const TaskContext& task) {
    const bool recorded =
        std::ranges::any_of(inputs.files, [](const auto& file) { return isRecordingName(file.name); });
    Result<session::Session> session = session::Session();
    if (recorded) session = readRecordings(inputs, task);
    if (!session) return session;
    if (!addBeside(*session, inputs, task)) return cancellation();
    if (!recorded) {
        session->kind = session->profiles.empty() ? Kind::MemorySnapshot : Kind::Profile;
        if (session->profiles.empty() && !session->memory && !session->warnings.empty())
            return tl::unexpected(session->warnings.front().error);
    }
    return titled(std::move(*session), inputs.path, titleOf(inputs.path));
}

Result<session::Session> openFolder(const session::Inputs& inputs, std::vector<session::Warning> unusable,
                                    const TaskContext& task, const OpenOptions& options) {
    const bool isDebug =
        std::any_of(inputs.files.begin(), inputs.files.end(), [](const session::InputFile& file) {
            return !isLogName(file.name) && !isDump(file) && isDebugFile(file.name);
        });
    if (isDebug) {
        std::vector<DebugFile> files;
        for (const session::InputFile& file : inputs.files)
            if (!liesBeside(file)) files.push_back({file.name, file.source});
        Result<session::Session> session =
            openDebugFiles(std::move(files), std::move(unusable), inputs.path, task);
        if (session && !addBeside(*session, inputs, task)) return cancellation();
        return session;
    }
    std::vector<RankLog> logs;
    for (const session::InputFile& file : inputs.files) {
        if (isRecordingName(file.name) || liesBeside(file)) continue;
        const std::string label = (fs::path(inputs.path) / file.name).string();
        const int rank = rankOfName(file.name);
        if (isLogName(file.name) || !looksPacked(file.source->bytes())) {
            logs.push_back({file.source, label, rank});
            continue;
        }
        Result<Unpacked> unpacked = unpack(file.source->bytes(), label, task);
        if (task.cancelled()) return cancellation();
        if (unpacked) {
            unusable.insert(unusable.end(), unpacked->damages.begin(), unpacked->damages.end());
            logs.push_back({std::move(unpacked->files.front().source), label, rank});
        } else {
            unusable.push_back({unpacked.error(), SIZE_MAX});
        }
    }
    if (logs.empty() && !inputs.files.empty()) return openRecordings(inputs, task);
    Result<session::Session> session =
        openRanks(std::move(logs), std::move(unusable), inputs.path, task, options);
    if (session && (!addRecordings(*session, inputs, task) || !addBeside(*session, inputs, task)))
        return cancellation();
    return session;
}

void logOpened(const session::Inputs& inputs, const Result<session::Session>& session,
               const log::Stopwatch& watch) {
    if (!log::on(log::Topic::Capture)) return;
    if (!session) {
        log::write(log::Topic::Capture, "not opened after ", watch.ms(), " ms: ", session.error().toString());
        return;
    }
    std::size_t bytes = 0;
    for (const session::InputFile& file : inputs.files)
        bytes += file.source->bytes().size();
    log::write(log::Topic::Capture, "opened ", inputs.path, " as ", session::kindName(session->kind), " in ",
               watch.ms(), " ms: ", inputs.files.size(), " files, ", bytes, " bytes, ",
               session->compiles.size(), " compiles, ", session->records.size(), " records, ",
               session->warnings.size(), " warnings");
    for (const session::Warning& warning : session->warnings)
        log::write(log::Topic::Capture, "warning: ", warning.error.toString());
}

/// `unusable` holds what is known already of files that could not be read.
Result<session::Session> readInputs(session::Inputs inputs, std::vector<session::Warning> unusable,
                                    const TaskContext& task, const OpenOptions& options) {
    const auto own = static_cast<std::size_t>(
        std::ranges::count_if(inputs.files, [](const auto& file) { return !isAttached(file); }));
    if (!inputs.isFolder && (own != 1 || isAttached(inputs.files.front())))
        return failure("holds no capture", inputs.path);
    const log::Stopwatch watch;
    Result<session::Session> session =
        inputs.isFolder ? openFolder(inputs, std::move(unusable), task, options)
                        : openFile(inputs.files.front().source, inputs.path, task, options);
    if (session && !inputs.isFolder && !addProfiles(*session, inputs, task)) return cancellation();
    logOpened(inputs, session, watch);
    if (session) session->inputs = std::move(inputs);
    if (session && options.finish) options.finish(*session);
    return session;
}

Result<Opened> opened(Result<session::Session> session,
                      std::shared_ptr<const store::SessionContents> saved = nullptr) {
    if (!session) return tl::unexpected(session.error());
    return Opened{std::make_shared<const session::Session>(std::move(*session)), std::move(saved)};
}

Result<Opened> openSession(const session::ByteSource& file, const std::string& path, const TaskContext& task,
                           const OpenOptions& options) {
    Result<store::SessionContents> contents = store::readSession(file, path, task);
    if (!contents) return tl::unexpected(contents.error());
    Result<session::Session> session = readInputs(contents->inputs, {}, task, options);
    // The capture's own place is one of another day or machine.
    if (session)
        session->path = path;
    else if (!task.cancelled())
        session.error().file = path;
    return opened(std::move(session), std::make_shared<const store::SessionContents>(std::move(*contents)));
}

Result<session::SessionPtr> onlySession(Result<Opened> opened) {
    return std::move(opened).map([](Opened&& both) { return std::move(both.session); });
}

} // namespace

std::span<const std::string_view> fileEndings() {
    return endings;
}

Result<session::Inputs> inputsOf(const std::string& path, std::vector<session::Warning>& unusable) {
    std::error_code error;
    if (fs::is_directory(path, error)) return readFolder(path, unusable);
    if (isRecordingName(path)) return recordingInputs(path);
    return session::openByteSource(path).map([&path](session::ByteSourcePtr source) {
        return session::Inputs{path, false, {{{}, std::move(source)}}};
    });
}

Result<Opened> openSavedInputs(session::Inputs inputs, std::vector<session::Warning> unusable,
                               const TaskContext& task, const OpenOptions& options) {
    if (!inputs.isFolder && inputs.files.size() == 1 &&
        store::looksLikeSession(inputs.files.front().source->bytes()))
        return openSession(*inputs.files.front().source, inputs.path, task, options);
    return opened(readInputs(std::move(inputs), std::move(unusable), task, options));
}

Result<Opened> openSaved(const std::string& path, const TaskContext& task, const OpenOptions& options) {
    std::vector<session::Warning> unusable;
    Result<session::Inputs> inputs = inputsOf(path, unusable);
    if (!inputs) return tl::unexpected(inputs.error());
    return openSavedInputs(std::move(*inputs), std::move(unusable), task, options);
}

Result<session::SessionPtr> open(const std::string& path, const TaskContext& task,
                                 const OpenOptions& options) {
    return onlySession(openSaved(path, task, options));
}

Result<session::SessionPtr> openInputs(session::Inputs inputs, const TaskContext& task,
                                       const OpenOptions& options) {
    return onlySession(opened(readInputs(std::move(inputs), {}, task, options)));
}

Result<session::SessionPtr> openText(std::string text, std::string label, const TaskContext& task) {
    if (isBlank(text)) return failure("text is empty", std::move(label));
    return onlySession(
        openSavedInputs({label, false, {{{}, session::makeByteSource(std::move(text))}}}, {}, task, {}));
}

} // namespace dynascope::capture
