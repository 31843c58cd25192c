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

/// Lets files below a path be written. The path's descriptor, which keeps the kernel from forgetting the
/// folder that the rule is about; negative where there is no such path.
int allowWriting(int ruleset, const char* path) {
    landlock_path_beneath_attr rule{};
    rule.allowed_access = LANDLOCK_ACCESS_FS_WRITE_FILE;
    rule.parent_fd = ::open(path, O_PATH | O_CLOEXEC);
    if (rule.parent_fd >= 0) ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    return rule.parent_fd;
}

/// Whoever uses a GPU opens its device files for writing, and the driver names its threads through /proc: it
/// does not start where it cannot (seen with driver 580, CUDA 13.0).
void allowGpus(int ruleset) {
    std::error_code failure;
    bool any = false;
    for (const auto& entry : std::filesystem::directory_iterator("/dev", failure)) {
        // nvidia0, nvidiactl, nvidia-uvm, and the folder nvidia-caps of parts of a GPU
        if (!entry.path().filename().string().starts_with("nvidia") ||
            !(entry.is_character_file(failure) || entry.is_directory(failure)))
            continue;
        if (const int file = allowWriting(ruleset, entry.path().c_str()); file >= 0) {
            ::close(file);
            any = true;
        }
    }
    // Stays open: folders of /proc are forgotten when nobody holds them, and the rule with them.
    if (any) (void)allowWriting(ruleset, "/proc/self/task");
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

Confinement confinement() {
    Confinement out;
    const auto abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    out.landlock = abi > 0 ? static_cast<int>(abi) : 0;
    // Everybody may write there unless a ruleset says otherwise, and it changes nothing.
    const int file = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    out.writesFiles = file >= 0;
    if (file >= 0) ::close(file);
    rlimit memory{};
    if (::getrlimit(RLIMIT_DATA, &memory) == 0 && memory.rlim_cur != RLIM_INFINITY)
        out.memoryBytes = memory.rlim_cur;
    return out;
}

} // namespace dynascope::engine
