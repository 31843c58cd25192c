// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/confine.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <linux/landlock.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace dynascope::engine {

namespace {

/// The address sanitizer maps more memory than any limit allows.
#ifdef __SANITIZE_ADDRESS__
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// Whoever uses a GPU opens its device files for writing.
void allowGpus(int ruleset) {
    std::error_code failure;
    for (const auto& entry : std::filesystem::directory_iterator("/dev", failure)) {
        // nvidia0, nvidiactl, nvidia-uvm, and the folder nvidia-caps of parts of a GPU
        if (!entry.path().filename().string().starts_with("nvidia") ||
            !(entry.is_character_file(failure) || entry.is_directory(failure)))
            continue;
        landlock_path_beneath_attr rule{};
        rule.allowed_access = LANDLOCK_ACCESS_FS_WRITE_FILE;
        rule.parent_fd = ::open(entry.path().c_str(), O_PATH | O_CLOEXEC);
        if (rule.parent_fd < 0) continue;
        ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
        ::close(rule.parent_fd);
    }
}

/// A kernel without Landlock leaves the allow list of operators as the only guard.
void forbidWriting() {
    landlock_ruleset_attr rules{};
    rules.handled_access_fs = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                              LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                              LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                              LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                              LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
    const auto ruleset = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0));
    if (ruleset < 0) return;
    allowGpus(ruleset);
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) ::syscall(SYS_landlock_restrict_self, ruleset, 0);
    ::close(ruleset);
}

} // namespace

Result<void> confine(std::uint64_t memoryMib) {
    std::signal(SIGPIPE, SIG_IGN); // a client that is gone is the end of input, not a signal
    const rlim_t bytes =
        memoryMib > (RLIM_INFINITY >> 20) ? RLIM_INFINITY : static_cast<rlim_t>(memoryMib) << 20;
    const rlimit memory{bytes, bytes};
    if (!sanitized && ::setrlimit(RLIMIT_DATA, &memory) != 0)
        return tl::unexpected(
            Error{std::string("the memory limit cannot be set: ") + std::strerror(errno), {}, 0, 0});
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    forbidWriting();
    return {};
}

} // namespace dynascope::engine
