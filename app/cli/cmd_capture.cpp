// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli capture [-o DIR] -- python script.py ARGS
//
// The program runs as it is: what is asked of PyTorch and of the recorder stands in the environment, and so
// holds for every Python below it, the ranks of torchrun among them.
#include "app/cli/command.h"
#include "core/dynamo/recording.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <memory>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dynascope::cli {

namespace {

namespace fs = std::filesystem;

struct Options {
    std::string folder = "dynascope-capture";
    std::vector<std::string> program;
};

/// Signals that end or tell a program something; those that the terminal sends it gets itself.
constexpr std::array passedOn{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
constexpr int signalBase = 128; ///< what shells add to the number of a signal that ended a program

/// Beside the programs: share/dynascope/capture.
Result<std::string> recorderFolder() {
    std::error_code failure;
    const fs::path program = fs::read_symlink("/proc/self/exe", failure);
    const fs::path folder = program.parent_path().parent_path() / "share" / "dynascope" / "capture";
    if (!fs::exists(folder / "startup" / "sitecustomize.py", failure))
        return tl::unexpected(Error{"the recorder is missing", folder.string(), 0, 0});
    return fs::canonical(folder, failure).string();
}

/// Our environment with what the capture needs.
std::vector<std::string> environment(const std::string& folder, const std::string& recorder) {
    std::map<std::string, std::string> values;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const std::size_t sign = std::min(text.find('='), text.size());
        values.emplace(text.substr(0, sign), text.substr(std::min(sign + 1, text.size())));
    }
    std::string& path = values["PYTHONPATH"];
    path = recorder + "/startup:" + recorder + (path.empty() ? "" : ":" + path);
    values["DYNASCOPE_CAPTURE"] = folder;
    values["TORCH_TRACE"] = folder;
    std::vector<std::string> out;
    for (const auto& [name, value] : values)
        out.push_back(name + '=' + value);
    return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (std::string& text : texts)
        out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

struct Found {
    std::size_t recordings = 0;
    std::uint64_t bytes = 0;
};

Found look(const std::string& folder) {
    Found out;
    std::error_code failure;
    for (auto entry = fs::directory_iterator(folder, failure); !failure && entry != fs::directory_iterator();
         entry.increment(failure)) {
        std::error_code gone;
        const std::uint64_t size = entry->file_size(gone);
        if (gone || entry->path().extension() == ".tail") continue;
        out.bytes += size;
        if (entry->path().extension() == ".dsteps") ++out.recordings;
    }
    return out;
}

std::string summary(const std::string& folder, const Found& found) {
    return folder + ": " + count(found.recordings, "recording") + ", " +
           std::to_string((found.bytes + 1023) / 1024) + " KiB";
}

/// Waits for the program and passes on what others tell us; the status as waitpid gives it.
int wait(pid_t program, const sigset_t& signals, const std::string& folder) {
    const bool shown = isatty(STDERR_FILENO) == 1;
    const timespec now_and_then{0, 500'000'000};
    for (;;) {
        siginfo_t info{};
        const int signal = sigtimedwait(&signals, &info, &now_and_then);
        int status = 0;
        if (waitpid(program, &status, WNOHANG) == program) {
            if (shown) std::fputs("\r\x1b[K", stderr);
            return status;
        }
        // The terminal sends to the program as well, a process only to us.
        if (signal > 0 && signal != SIGCHLD && info.si_code <= 0) kill(program, signal);
        if (shown)
            std::fprintf(stderr, "\r\x1b[K%s", withoutControlCodes(summary(folder, look(folder))).c_str());
    }
}

int run(Options& options) {
    const Result<std::string> recorder = recorderFolder();
    if (!recorder) return fail(recorder.error());
    std::error_code failure;
    fs::create_directories(options.folder, failure);
    const std::string folder = failure ? std::string() : fs::canonical(options.folder, failure).string();
    if (failure) return fail(Error{failure.message(), options.folder, 0, 0});

    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    for (const int signal : passedOn)
        sigaddset(&signals, signal);
    sigprocmask(SIG_BLOCK, &signals, &before);

    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &before);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    std::vector<std::string> values = environment(folder, *recorder);
    pid_t program = 0;
    const int started = posix_spawnp(&program, options.program.front().c_str(), nullptr, &attributes,
                                     pointers(options.program).data(), pointers(values).data());
    posix_spawnattr_destroy(&attributes);
    if (started != 0) {
        sigprocmask(SIG_SETMASK, &before, nullptr);
        return fail(Error{std::strerror(started), options.program.front(), 0, 0});
    }
    const int status = wait(program, signals, folder);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    std::fprintf(stderr, "%s\n", withoutControlCodes(summary(folder, look(folder))).c_str());
    return WIFSIGNALED(status) ? signalBase + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

void addCapture(Parser& parser) {
    auto options = std::make_shared<Options>();
    Command command = parser.command(
        "capture", "Run a program with TORCH_TRACE and the recorder of Dynamo on; ends as the program does");
    command.add("-o,--output", options->folder, "Folder for the trace and the recordings").showDefault();
    command
        .add("program", options->program, "After --: the program and its arguments, such as python train.py")
        .required();
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
