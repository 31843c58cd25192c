// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli digest PATH -o OUT
#include "app/cli/command.h"
#include "core/capture/digest_log.h"
#include "core/capture/log_folder.h"
#include "core/capture/packed.h"
#include "core/session/byte_source.h"
#include "core/store/atomic_file.h"

#include <array>
#include <filesystem>
#include <memory>
#include <unistd.h>

namespace dynascope::cli {

namespace {

namespace fs = std::filesystem;

struct DigestOptions {
    std::string path, output;
};

/// "x_rank_3_y.log.zst" for "x_rank_3_y.log" and "x_rank_3_y.log.gz": ranks are told by names.
std::string digestName(const std::string& log) {
    fs::path name = fs::path(log).filename();
    if (!capture::isLogName(name.string()) && capture::isLogName(name.stem().string())) name = name.stem();
    if (!capture::isLogName(name.string())) name += ".log";
    return name.string() + ".zst";
}

Result<session::ByteSourcePtr> unpacked(const session::ByteSourcePtr& source, const std::string& path) {
    if (!capture::looksPacked(source->bytes())) return source;
    Result<capture::Unpacked> files = capture::unpack(source->bytes(), path);
    if (!files) return tl::unexpected(files.error());
    if (files->files.size() != 1) return failure("is an archive: digest one log, or a folder of logs", path);
    return files->files.front().source;
}

/// The machine that this runs on; empty where it has no name.
std::string hostName() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}

Result<void> digestOne(const session::ByteSourcePtr& source, const std::string& log,
                       const std::string& target) {
    const Result<session::ByteSourcePtr> text = unpacked(source, log);
    if (!text) return tl::unexpected(text.error());
    const Result<capture::Digest> digest = capture::makeDigest((*text)->bytes(), log, {}, hostName());
    if (!digest) return tl::unexpected(digest.error());
    if (Result<void> done = store::writeWhole(target, digest->packed); !done) return done;
    print(target + ": " + formatBytes(digest->packed.size()) + " of " + formatBytes(digest->bytes) + ", " +
          count(digest->records, "record") + " kept\n");
    return {};
}

int digestFolder(const DigestOptions& options) {
    std::error_code ignored;
    fs::create_directories(options.output, ignored);
    if (!fs::is_directory(options.output, ignored))
        return fail("is no folder, where digests of a folder go", options.output);
    if (fs::equivalent(options.path, options.output, ignored))
        return fail("holds the logs: digests go elsewhere, else each rank has two", options.output);
    std::vector<session::Warning> unusable;
    const session::Inputs inputs = capture::readFolder(options.path, unusable);
    for (const session::Warning& warning : unusable)
        fail(warning.error);
    int status = unusable.empty() ? exitOk : exitUsage;
    std::size_t made = 0;
    for (const session::InputFile& file : inputs.files) {
        const fs::path name(file.name);
        if (!capture::isLogFile(file.name)) continue;
        const std::string log = (fs::path(options.path) / name).string();
        const fs::path target = fs::path(options.output) / name.parent_path();
        fs::create_directories(target, ignored);
        if (const Result<void> done = digestOne(file.source, log, (target / digestName(file.name)).string());
            done)
            ++made;
        else
            status = fail(done.error());
    }
    return made == 0 && status == exitOk ? fail("holds no TORCH_TRACE log (*.log)", options.path) : status;
}

int run(const DigestOptions& options) {
    std::error_code ignored;
    if (fs::is_directory(options.path, ignored)) return digestFolder(options);
    const Result<session::ByteSourcePtr> source = session::openByteSource(options.path);
    if (!source) return fail(source.error());
    std::string target = options.output;
    if (fs::is_directory(target, ignored)) target = (fs::path(target) / digestName(options.path)).string();
    if (fs::equivalent(options.path, target, ignored)) return fail("is the log itself", target);
    const Result<void> done = digestOne(*source, options.path, target);
    return done ? exitOk : fail(done.error());
}

} // namespace

void addDigest(Parser& parser) {
    auto options = std::make_shared<DigestOptions>();
    Command command = parser.command(
        "digest", "Make a small file of a rank's log where it lies, for ranks to be compared elsewhere");
    command.add("path", options->path, "TORCH_TRACE log, packed or not, or a folder of logs").required();
    command
        .add("-o,--output", options->output,
             "File to write (NAME_rank_3.log.zst: ranks are told by names), or a folder")
        .required();
    command.note("A digest is a TORCH_TRACE log without what says nothing of ranks; everything opens it, and "
                 "says what was\n"
                 "left out. Exit status: 0 written, 2 unreadable.");
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
