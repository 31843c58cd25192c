// SPDX-License-Identifier: BSD-3-Clause
//
// A child process with both ends of its standard streams in hand. For the client and core/remote, but for Fd.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace dynascope::engine {

/// A file descriptor that closes itself.
class Fd {
public:
    Fd() = default;
    explicit Fd(int fd)
        : m_fd(fd) {}
    Fd(Fd&& other) noexcept
        : m_fd(other.release()) {}
    Fd& operator=(Fd&& other) noexcept {
        if (this != &other) reset(other.release());
        return *this;
    }
    ~Fd() { reset(); }

    [[nodiscard]] int get() const { return m_fd; }
    [[nodiscard]] int release() {
        const int fd = m_fd;
        m_fd = -1;
        return fd;
    }
    void reset(int fd = -1);

private:
    int m_fd = -1;
};

struct Process {
    pid_t pid = -1;
    Fd in;  ///< a socket; what is written here the child reads
    Fd out; ///< what the child writes to descriptor 1
    Fd err; ///< what it writes to descriptor 2
};

/// Starts `command` (an argument list; the first is found through PATH). Fails if it cannot be started at
/// all. `name` stands for it in messages.
[[nodiscard]] Result<Process> spawn(const std::vector<std::string>& command,
                                    const std::string& name = "the engine");

/// "signal 9 (Killed)" or "exit status 3", from waitpid's status.
[[nodiscard]] std::string describeEnd(int status);

} // namespace dynascope::engine
