// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/child.h"

#include "core/engine/client/process.h"

#include <array>
#include <csignal>
#include <poll.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace dynascope::cli {

namespace {

constexpr std::size_t mostBytes = std::size_t{16} << 20;

/// False at the stream's end.
bool drain(engine::Fd& from, std::string& into) {
    std::array<char, 65536> buffer{};
    const ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
    if (got <= 0) return false;
    if (into.size() < mostBytes) into.append(buffer.data(), static_cast<std::size_t>(got));
    return true;
}

} // namespace

std::string ChildOutput::lastWords() const {
    std::string_view text = err;
    while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
        text.remove_suffix(1);
    return std::string(text.substr(text.rfind('\n') + 1));
}

Result<ChildOutput> runChild(const std::vector<std::string>& command, std::chrono::seconds most) {
    Result<engine::Process> child = engine::spawn(command);
    if (!child) return tl::unexpected(child.error());
    child->in.reset();
    ChildOutput out;
    const auto deadline = std::chrono::steady_clock::now() + most;
    bool late = false;
    while (child->out.get() >= 0 || child->err.get() >= 0) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now());
        std::array<pollfd, 2> streams{pollfd{child->out.get(), POLLIN, 0},
                                      pollfd{child->err.get(), POLLIN, 0}};
        late =
            left.count() <= 0 || ::poll(streams.data(), streams.size(), static_cast<int>(left.count())) == 0;
        if (late) break;
        if (streams[0].revents != 0 && !drain(child->out, out.out)) child->out.reset();
        if (streams[1].revents != 0 && !drain(child->err, out.err)) child->err.reset();
    }
    if (late) ::kill(child->pid, SIGKILL);
    int status = 0;
    while (::waitpid(child->pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (late)
        return failure(command.front() + " does not answer within " + std::to_string(most.count()) + " s");
    out.succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    out.end = engine::describeEnd(status);
    return out;
}

} // namespace dynascope::cli
