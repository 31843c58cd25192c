// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/client/process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dynascope::engine {

namespace {

class SpawnActions {
public:
    SpawnActions() { posix_spawn_file_actions_init(&m_actions); }
    SpawnActions(const SpawnActions&) = delete;
    SpawnActions& operator=(const SpawnActions&) = delete;
    ~SpawnActions() { posix_spawn_file_actions_destroy(&m_actions); }
    void dup(int from, int to) { posix_spawn_file_actions_adddup2(&m_actions, from, to); }
    [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &m_actions; }

private:
    posix_spawn_file_actions_t m_actions{};
};

Error systemError(const std::string& what, int code) {
    return Error{what + ": " + std::strerror(code)};
}

} // namespace

void Fd::reset(int fd) {
    if (m_fd >= 0) ::close(m_fd);
    m_fd = fd;
}

Result<Process> spawn(const std::vector<std::string>& command, const std::string& name) {
    if (command.empty()) return failure("the command of " + name + " is empty");
    std::array<int, 2> in{}, out{}, err{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in.data()) != 0)
        return tl::unexpected(systemError("no socket for " + name, errno));
    Process process;
    process.in = Fd(in[0]);
    const Fd childIn(in[1]);
    if (::pipe2(out.data(), O_CLOEXEC) != 0) return tl::unexpected(systemError("no pipe for " + name, errno));
    process.out = Fd(out[0]);
    const Fd childOut(out[1]);
    if (::pipe2(err.data(), O_CLOEXEC) != 0) return tl::unexpected(systemError("no pipe for " + name, errno));
    process.err = Fd(err[0]);
    const Fd childErr(err[1]);

    SpawnActions actions;
    actions.dup(childIn.get(), STDIN_FILENO);
    actions.dup(childOut.get(), STDOUT_FILENO);
    actions.dup(childErr.get(), STDERR_FILENO);
    std::vector<std::string> words = command;
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    const int code = ::posix_spawnp(&process.pid, argv[0], actions.get(), nullptr, argv.data(), environ);
    if (code != 0)
        return tl::unexpected(systemError("cannot start " + name + " '" + command.front() + "'", code));
    return process;
}

std::string describeEnd(int status) {
    if (WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        return "signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
    }
    return "exit status " + std::to_string(WEXITSTATUS(status));
}

} // namespace dynascope::engine
