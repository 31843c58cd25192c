// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/sandbox/landlock.h"

#include <array>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace dynascope::engine {

namespace {

// Later ABIs than the kernel's headers may have; the values are the kernel's interface.
constexpr std::uint64_t fsRefer = 1U << 13U;    // ABI 2
constexpr std::uint64_t fsTruncate = 1U << 14U; // ABI 3
constexpr std::uint64_t fsIoctlDev = 1U << 15U; // ABI 5
constexpr std::uint64_t netTcp = 3;             // ABI 4: bind and connect
constexpr std::uint64_t scopes = 3;             // ABI 6: abstract unix sockets and signals

struct RulesetAttributes {
    std::uint64_t fs = 0;
    std::uint64_t net = 0;
    std::uint64_t scoped = 0;
};

/// The kernel takes no more members than it knows.
std::size_t sizeFor(int abi) {
    return abi >= 6   ? 3 * sizeof(std::uint64_t)
           : abi >= 4 ? 2 * sizeof(std::uint64_t)
                      : sizeof(std::uint64_t);
}

constexpr std::uint64_t writing = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                  LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                                  LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                  LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                                  LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

class Ruleset {
public:
    Ruleset(const RulesetAttributes& attributes, int abi)
        : m_handled(attributes.fs)
        , m_file(abi > 0
                     ? static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeFor(abi), 0))
                     : -1) {}
    Ruleset(const Ruleset&) = delete;
    Ruleset& operator=(const Ruleset&) = delete;
    ~Ruleset() {
        if (m_file >= 0) ::close(m_file);
    }

    /// `access` below a path, if that is there. `keep`: folders of /proc are forgotten when nobody holds
    /// them, and the rule with them.
    bool allow(const std::string& path, std::uint64_t access, bool keep = false) {
        const int file = m_file < 0 ? -1 : ::open(path.c_str(), O_PATH | O_CLOEXEC);
        if (file < 0) return false;
        struct stat status {};
        if (::fstat(file, &status) == 0 && !S_ISDIR(status.st_mode))
            access &= ~std::uint64_t{LANDLOCK_ACCESS_FS_READ_DIR}; // a rule about a file has no such right
        landlock_path_beneath_attr rule{};
        rule.allowed_access = access & m_handled;
        rule.parent_fd = file;
        const bool added =
            ::syscall(SYS_landlock_add_rule, m_file, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
        if (!keep) ::close(file);
        return added;
    }

    [[nodiscard]] bool restrictSelf() const {
        return m_file >= 0 && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
               ::syscall(SYS_landlock_restrict_self, m_file, 0) == 0;
    }

private:
    std::uint64_t m_handled;
    int m_file;
};

/// nvidia0, nvidiactl, nvidia-uvm, and the folder nvidia-caps of parts of a GPU.
std::vector<std::string> gpuDevices() {
    std::vector<std::string> out;
    std::error_code failure;
    for (const auto& entry : std::filesystem::directory_iterator("/dev", failure)) {
        if (entry.path().filename().string().starts_with("nvidia") &&
            (entry.is_character_file(failure) || entry.is_directory(failure)))
            out.push_back(entry.path().string());
    }
    return out;
}

} // namespace

int landlockAbi() {
    const auto abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return abi > 0 ? static_cast<int>(abi) : 0;
}

bool hasGpuDevices() {
    return !gpuDevices().empty();
}

bool forbidWriting() {
    const int abi = landlockAbi();
    RulesetAttributes attributes;
    attributes.fs = writing | (abi >= 2 ? fsRefer : 0) | (abi >= 3 ? fsTruncate : 0);
    Ruleset rules(attributes, abi);
    const std::vector<std::string> gpus = gpuDevices();
    for (const std::string& device : gpus)
        rules.allow(device, LANDLOCK_ACCESS_FS_WRITE_FILE | fsTruncate);
    // The driver names its threads through /proc, and does not start where it cannot (seen with driver 580,
    // CUDA 13.0).
    if (!gpus.empty()) rules.allow("/proc/self/task", LANDLOCK_ACCESS_FS_WRITE_FILE | fsTruncate, true);
    return rules.restrictSelf();
}

bool forbidReadingBut(const std::vector<std::string>& readable) {
    const int abi = landlockAbi();
    RulesetAttributes attributes;
    attributes.fs = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_EXECUTE |
                    (abi >= 5 ? fsIoctlDev : 0);
    if (abi >= 4) attributes.net = netTcp;
    if (abi >= 6) attributes.scoped = scopes;
    Ruleset rules(attributes, abi);
    constexpr std::uint64_t reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
    for (const std::string& path : readable)
        rules.allow(path, reading);
    rules.allow("/proc/self", reading, true);
    for (const std::string& device : gpuDevices())
        rules.allow(device, reading | fsIoctlDev);
    return rules.restrictSelf();
}

} // namespace dynascope::engine
