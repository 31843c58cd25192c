// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli capture [-o DIR] [--set NAME=VALUE ...] [--passes] [--profile[=STEPS]]
//   [--break WHERE ... | --live SOCKET] -- python script.py ARGS
//
// The program runs as it is: what is asked of PyTorch and of the recorder stands in the environment, and so
// holds for every Python below it, the ranks of torchrun among them. With --break the compilation stops where
// it is asked to, and standard input has the commands; the program gets none.
#include "app/cli/capture_setup.h"
#include "app/cli/command.h"
#include "app/cli/live_console.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <memory>
#include <poll.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dynascope::cli {

namespace {

namespace fs = std::filesystem;

struct CaptureOptions {
    std::string folder = "dynascope-capture";
    std::vector<std::string> breakpoints;
    CaptureRequest request;
    std::vector<std::string> program;
};

/// Signals that end or tell a program something; those that the terminal sends it gets itself.
constexpr std::array passedOn{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
constexpr int signalBase = 128; ///< what shells add to the number of a signal that ended a program

/// Our environment with what the capture needs.
std::vector<std::string> environment(const std::string& folder, const std::string& recorder,
                                     const CaptureRequest& request) {
    std::map<std::string, std::string> values;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const std::size_t sign = std::min(text.find('='), text.size());
        values.emplace(text.substr(0, sign), text.substr(std::min(sign + 1, text.size())));
    }
    for (auto& [name, value] : captureVariables(folder, recorder, values["PYTHONPATH"], request))
        values[name] = std::move(value);
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

/// Waits for the program and passes on what others tell us; the status as waitpid gives it.
int wait(pid_t program, int signals, const std::string& folder, LiveConsole* console) {
    const bool shown = console == nullptr && isatty(STDERR_FILENO) == 1;
    constexpr int nowAndThen = 500; // ms
    std::vector<pollfd> waitedFor;
    for (;;) {
        waitedFor.assign(1, {signals, POLLIN, 0});
        if (console != nullptr) console->addDescriptors(waitedFor);
        ::poll(waitedFor.data(), waitedFor.size(), nowAndThen);
        signalfd_siginfo info{};
        while (::read(signals, &info, sizeof info) == sizeof info) {
            // The terminal sends to the program as well, a process only to us.
            if (info.ssi_signo != SIGCHLD && info.ssi_code <= 0)
                kill(program, static_cast<int>(info.ssi_signo));
        }
        if (console != nullptr) console->serve();
        int status = 0;
        if (waitpid(program, &status, WNOHANG) == program) {
            if (shown) std::fputs("\r\x1b[K", stderr);
            return status;
        }
        if (shown) std::fprintf(stderr, "\r\x1b[K%s", withoutControlCodes(captureSummary(folder)).c_str());
    }
}

int run(CaptureOptions& options) {
    const Result<std::string> recorder = recorderFolder();
    if (!recorder) return fail(recorder.error());
    std::error_code problem;
    fs::create_directories(options.folder, problem);
    const std::string folder = problem ? std::string() : fs::canonical(options.folder, problem).string();
    if (problem) return fail(problem.message(), options.folder);

    std::unique_ptr<LiveConsole> console;
    if (!options.breakpoints.empty()) {
        if (!options.request.live.empty()) return fail("--break and --live exclude each other");
        Result<std::unique_ptr<LiveConsole>> opened = LiveConsole::open(options.breakpoints);
        if (!opened) return fail(opened.error());
        console = std::move(*opened);
        options.request.live = console->socketPath();
    }

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
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    if (console) posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    std::vector<std::string> values = environment(folder, *recorder, options.request);
    pid_t program = 0;
    const int started = posix_spawnp(&program, options.program.front().c_str(), &files, &attributes,
                                     pointers(options.program).data(), pointers(values).data());
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (started != 0) {
        sigprocmask(SIG_SETMASK, &before, nullptr);
        return fail(std::strerror(started), options.program.front());
    }
    const int told = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    const int status = wait(program, told, folder, console.get());
    close(told);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    std::fprintf(stderr, "%s\n", withoutControlCodes(captureSummary(folder)).c_str());
    return WIFSIGNALED(status) ? signalBase + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

void addCapture(Parser& parser) {
    auto options = std::make_shared<CaptureOptions>();
    Command command = parser.command(
        "capture", "Run a program with TORCH_TRACE and the recorder of Dynamo on; ends as the program does");
    command.add("-o,--output", options->folder, "Folder for the trace and the recordings").showDefault();
    command.add(
        "--break", options->breakpoints,
        "Stop where Dynamo traces this, and take commands from the terminal: FILE:LINE, \"FILE:LINE if "
        "CONDITION\", CONDITION, \"graph break\", exception, or start");
    command.add("--live", options->request.live, "Unix socket of a client that is to pause the compilation");
    command.add("--set", options->request.settings,
                "A setting of torch._dynamo.config for this run, which the program need not make: "
                "capture_scalar_outputs=True, reorderable_logging_functions+=print");
    command.flag(
        "--passes", options->request.passes,
        "Also record every pass of AOTAutograd and Inductor: what it changed, and the graphs between");
    command
        .addAlone(
            "--profile", options->request.profileSteps, 5,
            "Also profile so many steps (5) once compiling has settled: calls of the compiled function that "
            "comes "
            "again and again, with what lies between them")
        .between(1, 1000);
    command
        .add("program", options->program, "After --: the program and its arguments, such as python train.py")
        .required();
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
