// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/recorded_program.h"

#include "app/cli/child_program.h"
#include "app/cli/command.h"
#include "app/cli/live_console.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dynascope::cli {

namespace {

/// Signals that end or tell a program something; those that the terminal sends it gets itself.
constexpr std::array passedOn{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

/// Waits for the program and passes on what others tell us; the status as waitpid gives it.
int wait(pid_t child, int signals, const RecordedProgram& program, bool shown, LiveConsole* console) {
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
                kill(child, static_cast<int>(info.ssi_signo));
        }
        if (console != nullptr) console->serve();
        int status = 0;
        if (waitpid(child, &status, WNOHANG) == child) {
            if (shown) std::fputs("\r\x1b[K", stderr);
            return status;
        }
        if (shown)
            std::fprintf(stderr, "\r\x1b[K%s", withoutControlCodes(captureSummary(program.folder)).c_str());
        if (program.meanwhile) program.meanwhile();
    }
}

} // namespace

Result<int> runRecorded(const RecordedProgram& program, LiveConsole* console) {
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
    if (console != nullptr) posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    std::vector<std::string> values = environmentWith(captureVariables(
        program.folder, program.recorder, environmentVariable("PYTHONPATH"), program.request));
    std::vector<std::string> words = program.command;
    pid_t child = 0;
    const int started = posix_spawnp(&child, words.front().c_str(), &files, &attributes,
                                     pointers(words).data(), pointers(values).data());
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (started != 0) {
        sigprocmask(SIG_SETMASK, &before, nullptr);
        return failure(std::strerror(started), program.command.front());
    }
    const int told = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    const bool shown = program.showsProgress && console == nullptr && isatty(STDERR_FILENO) == 1;
    const int status = wait(child, told, program, shown, console);
    close(told);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return shellStatus(status);
}

} // namespace dynascope::cli
