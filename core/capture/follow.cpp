// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/follow.h"

#include "core/base/digest.h"
#include "core/base/log.h"
#include "core/base/words.h"
#include "core/capture/log_folder.h"
#include "core/capture/packed.h"
#include "core/capture/payload_lines.h"
#include "core/capture/profiles.h"
#include "core/capture/trace_lines.h"
#include "core/session/byte_source.h"
#include "core/session/growing_source.h"

#include <algorithm>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <utility>
#include <vector>

namespace dynascope::capture {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t mostFiles = 5000; ///< of a folder
constexpr int deepestFolder = 6;

void stamp(DiskStamp& out, const std::string& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) return;
    out[path] = {info.st_dev, info.st_ino, static_cast<std::uint64_t>(info.st_size),
                 std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec};
}

/// The MD5 that PyTorch writes of a payload.
std::string loggedHash(std::string_view payload) {
    Md5 md5;
    eachPayloadLine(payload, true, [&md5](std::string_view line) {
        md5.add(line);
        return true;
    });
    return toHex(md5.finish());
}

/// Where the last record of a text begins; npos where there is none.
std::size_t lastRecord(std::string_view log) {
    for (std::size_t end = log.size(); end > 0;) {
        const std::size_t newline = log.rfind('\n', end - 1);
        const std::size_t at = newline == std::string_view::npos ? 0 : newline + 1;
        if (at < log.size() && log[at] != '\t' && log[at] != '\n') {
            const std::string_view line = log.substr(at, log.find('\n', at) - at);
            if (parseLogPrefix(line)) return at;
        }
        if (newline == std::string_view::npos) break;
        end = newline;
    }
    return std::string_view::npos;
}

using CompileKey = std::pair<int, session::CompileId>;

bool isSame(const session::Stage& a, const session::Stage& b) {
    if (a.name != b.name || a.k != b.k || a.phase != b.phase || a.content != b.content ||
        a.attempt != b.attempt || a.detail != b.detail || a.payload.length != b.payload.length)
        return false;
    if (!a.payload.source || !b.payload.source) return a.payload.source == b.payload.source;
    // To tell would take getting all of it from another machine, twice.
    if (!a.payload.source->away().empty() || !b.payload.source->away().empty()) return false;
    const Result<std::string_view> of = a.payload.bytes(), with = b.payload.bytes();
    return of && with && (of->data() == with->data() || *of == *with);
}

/// What is as it was stays the object that it was: views go by it.
void keepStages(session::Session& now, const session::Session& before) {
    std::map<CompileKey, const session::Compile*> known;
    for (const session::Compile& compile : before.compiles)
        known.emplace(CompileKey(compile.rank, compile.id), &compile);
    for (session::Compile& compile : now.compiles) {
        const auto found = known.find(CompileKey(compile.rank, compile.id));
        if (found == known.end()) continue;
        const std::vector<session::StagePtr>& old = found->second->stages;
        std::size_t next = 0;
        for (session::StagePtr& stage : compile.stages) {
            // In order, but for a stage that came between them.
            std::size_t at = next;
            while (at < old.size() && !isSame(*old[at], *stage))
                ++at;
            if (at == old.size()) continue;
            next = at + 1;
            if (old[at]->record == stage->record && old[at]->line == stage->line) {
                stage = old[at];
                continue;
            }
            auto moved = std::make_shared<session::Stage>(*stage);
            moved->takePlaceOf(*old[at]);
            stage = std::move(moved);
        }
    }
}

/// Profiles that were attached stay what they were.
void addAttached(session::Inputs& now, const session::Inputs& before) {
    std::ranges::copy_if(before.files, std::back_inserter(now.files), isAttached);
}

/// The files of an input as they are now, with the memory of those of `before`.
Result<session::Inputs> inputsAgain(const session::Inputs& before, Again again,
                                    std::vector<session::Warning>& unusable) {
    session::Inputs now{before.path, before.isFolder, {}};
    const auto source = [&](const std::string& path, const std::string& name) {
        const auto old = std::find_if(before.files.begin(), before.files.end(),
                                      [&](const session::InputFile& file) { return file.name == name; });
        return session::openGrowing(path, old == before.files.end() ? nullptr : old->source);
    };
    const auto soFar = [again](const session::ByteSourcePtr& file) {
        if (again == Again::Whole || looksPacked(file->bytes())) return file;
        return session::firstBytes(file, completeLength(file->bytes()));
    };
    if (!before.isFolder) {
        Result<session::ByteSourcePtr> file = source(before.path, {});
        if (!file) return tl::unexpected(file.error());
        now.files.push_back({{}, soFar(*file)});
        addAttached(now, before);
        return now;
    }
    now = readFolder(before.path, unusable);
    for (session::InputFile& file : now.files) {
        Result<session::ByteSourcePtr> grown =
            source((fs::path(before.path) / file.name).string(), file.name);
        if (grown) file.source = liesBeside(file) ? *grown : soFar(*grown); // each is written as a whole
    }
    // A rank that has only begun to write is no log without a record.
    if (again == Again::SoFar)
        std::erase_if(now.files, [](const session::InputFile& file) { return file.source->bytes().empty(); });
    addAttached(now, before);
    return now;
}

Result<session::SessionPtr> openAgain(const session::Session& before, session::Inputs now,
                                      const std::vector<session::Warning>& unusable, const TaskContext& task,
                                      OpenOptions options) {
    options.finish = [&](session::Session& session) {
        session.warnings.insert(session.warnings.end(), unusable.begin(), unusable.end());
        keepStages(session, before);
    };
    return openInputs(std::move(now), task, options);
}

} // namespace

DiskStamp stampOf(const std::string& path) {
    DiskStamp out;
    std::error_code error;
    if (!fs::is_directory(path, error)) {
        stamp(out, path);
        return out;
    }
    constexpr auto options = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator at(path, options, error), end; !error && at != end;
         at.increment(error)) {
        if (at.depth() >= deepestFolder) at.disable_recursion_pending();
        if (out.size() == mostFiles) break;
        std::error_code ignored;
        if (at->is_regular_file(ignored)) stamp(out, at->path().string());
    }
    return out;
}

DiskStamp stampOf(const session::Inputs& inputs) {
    DiskStamp out;
    for (const session::InputFile& file : inputs.files)
        if (!isAttached(file))
            stamp(out, inputs.isFolder ? (fs::path(inputs.path) / file.name).string() : inputs.path);
    return out;
}

Changed changedSince(const DiskStamp& before, const DiskStamp& now) {
    Changed out;
    const auto take = [&out](DiskChange change, const std::string& file) {
        if (change > out.change) out = {change, file};
    };
    for (const auto& [path, was] : before) {
        const auto found = now.find(path);
        if (found == now.end()) {
            take(DiskChange::Gone, path);
            continue;
        }
        const FileStamp& is = found->second;
        if (is.inode != was.inode || is.device != was.device)
            take(DiskChange::Replaced, path);
        else if (is.size < was.size)
            take(DiskChange::Truncated, path);
        else if (is.size > was.size)
            take(DiskChange::Grew, path);
        else if (is.changedNs != was.changedNs)
            take(DiskChange::Rewritten, path);
    }
    for (const auto& [path, is] : now)
        if (!before.contains(path)) take(DiskChange::Grew, path);
    return out;
}

std::string changeWords(const Changed& changed) {
    const std::string name(baseName(changed.file));
    switch (changed.change) {
    case DiskChange::None:
        return {};
    case DiskChange::Grew:
        return name + " grew";
    case DiskChange::Rewritten:
        return name + " was written to in place";
    case DiskChange::Truncated:
        return name + " was truncated";
    case DiskChange::Replaced:
        return name + " was replaced by another file";
    case DiskChange::Gone:
        return name + " is gone";
    }
    return {};
}

std::uint64_t completeLength(std::string_view log) {
    log = log.substr(0, log.rfind('\n') + 1); // npos + 1: no line is complete
    const std::size_t at = lastRecord(log);
    if (at == std::string_view::npos) return log.size();
    const std::string_view last = log.substr(at);
    const std::size_t header = last.find('\n');
    constexpr std::string_view key = "\"has_payload\": \"";
    const std::size_t named = last.substr(0, header).rfind(key);
    if (named == std::string_view::npos) return log.size();
    const std::string_view hash = last.substr(named + key.size(), 32);
    std::size_t end = header + 1;
    while (end < last.size() && last[end] == '\t')
        end = last.find('\n', end) + 1; // there is one: the text ends with it
    if (end == header + 1) return at;
    return loggedHash(last.substr(header + 1, end - header - 2)) == hash ? log.size() : at;
}

bool goesOn(const session::Inputs& before, const session::Inputs& now) {
    return std::all_of(before.files.begin(), before.files.end(), [&now](const session::InputFile& was) {
        const auto is =
            std::find_if(now.files.begin(), now.files.end(),
                         [&was](const session::InputFile& file) { return file.name == was.name; });
        if (is == now.files.end()) return false;
        // What is away cannot be compared without getting it.
        if (!was.source->away().empty() || !is->source->away().empty()) return true;
        const std::string_view old = was.source->bytes(), fresh = is->source->bytes();
        return fresh.size() >= old.size() &&
               (fresh.data() == old.data() || fresh.substr(0, old.size()) == old);
    });
}

Result<session::SessionPtr> readAgain(const session::Session& before, session::Inputs now,
                                      const std::vector<session::Warning>& unusable,
                                      const TaskContext& task) {
    addAttached(now, before.inputs);
    return openAgain(before, std::move(now), unusable, task, {});
}

Result<session::SessionPtr> readAgain(const session::Session& before, Again again, const TaskContext& task,
                                      std::shared_ptr<LogMemory> memory) {
    std::vector<session::Warning> unusable;
    Result<session::Inputs> inputs = inputsAgain(before.inputs, again, unusable);
    if (!inputs) return tl::unexpected(inputs.error());
    const bool nothing =
        std::all_of(inputs->files.begin(), inputs->files.end(),
                    [](const session::InputFile& file) { return file.source->bytes().empty(); });
    if (again == Again::SoFar && nothing)
        return tl::unexpected(Error{"no record yet", before.inputs.path, 0, 0, Error::Code::NothingToRead});
    log::write(log::Topic::Capture, "reading ", before.inputs.path, " again, ",
               again == Again::SoFar ? "as far as it is whole" : "all of it");
    OpenOptions options;
    options.memory = std::move(memory);
    return openAgain(before, std::move(*inputs), unusable, task, std::move(options));
}

} // namespace dynascope::capture
