// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/sandbox/confine.h"

#include "core/base/own_program.h"
#include "core/base/sanitizers.h"
#include "core/engine/sandbox/environment_variables.h"
#include "core/engine/sandbox/landlock.h"
#include "core/engine/sandbox/system_calls.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dynascope::engine {

namespace {

namespace fs = std::filesystem;

/// The address sanitizer maps more memory than any limit allows, and its leak check starts a process that
/// looks into this one.
constexpr bool sanitized = addressSanitized;

std::size_t g_otherThreads = 0; // when it was sealed
int g_landlock = -1;            // asked before seccomp forbids to ask

/// Folders of the shared libraries that are mapped: what they load later lies beside them.
std::set<std::string> libraryFolders() {
    std::set<std::string> out;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        const std::size_t path = line.find('/');
        if (path == std::string::npos || line.find(".so", path) == std::string::npos) continue;
        const fs::path library = line.substr(path);
        out.insert(library.parent_path().string());
        // CUDA's libraries are Python packages of their own beside PyTorch's.
        for (fs::path folder = library.parent_path(); folder.has_relative_path();
             folder = folder.parent_path())
            if (folder.filename() == "site-packages") out.insert((folder / "nvidia").string());
    }
    return out;
}

/// Folders that the dynamic loader is told to look in. A driver's libraries lie in one of their own where a container's
/// host lends them: /usr/local/nvidia under Kubernetes.
std::set<std::string> loaderFolders() {
    std::set<std::string> out;
    const auto add = [&](std::string_view path) {
        const fs::path folder(path);
        // The whole of a root, or of a home, is no folder of libraries.
        if (folder.is_absolute() && std::distance(folder.begin(), folder.end()) > 3)
            out.insert(folder.lexically_normal().string());
    };
    const char* const listed = std::getenv("LD_LIBRARY_PATH");
    for (std::string_view rest = listed ? listed : ""; !rest.empty();) {
        const std::size_t colon = std::min(rest.find(':'), rest.size());
        add(rest.substr(0, colon));
        rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
    std::error_code failure;
    for (const fs::directory_entry& entry : fs::directory_iterator("/etc/ld.so.conf.d", failure)) {
        std::ifstream file(entry.path());
        for (std::string line; std::getline(file, line);)
            if (line.starts_with('/')) add(line.substr(0, line.find_first_of(" \t#")));
    }
    return out;
}

std::vector<std::string> readablePaths(const std::vector<std::string>& more) {
    std::vector<std::string> out = more;
    for (const std::string& folder : libraryFolders())
        out.push_back(folder);
    for (const std::string& folder : loaderFolders())
        out.push_back(folder);
    std::error_code failure;
    if (const fs::path own = ownFolder(); !own.empty()) {
        out.push_back(own);
        out.push_back(ownPrefix() / "lib");
    }
    for (const fs::directory_entry& entry : fs::directory_iterator("/usr/local", failure))
        if (const std::string name = entry.path().filename(); name.starts_with("cuda") || name == "nvidia")
            out.push_back(entry.path());
    for (const char* path : {"/lib",
                             "/lib64",
                             "/usr/lib",
                             "/usr/lib64",
                             "/usr/local/lib",
                             "/etc/ld.so.cache",
                             "/etc/localtime",
                             "/usr/share/zoneinfo",
                             "/usr/share/nvidia",
                             "/sys",
                             "/proc/cpuinfo",
                             "/proc/meminfo",
                             "/proc/stat",
                             "/proc/version",
                             "/proc/filesystems",
                             "/proc/devices",
                             "/proc/modules",
                             "/proc/driver",
                             "/proc/sys",
                             "/dev/null",
                             "/dev/zero",
                             "/dev/random",
                             "/dev/urandom"})
        out.emplace_back(path);
    return out;
}

bool opens(const char* path, int how) {
    const int file = ::open(path, how | O_CLOEXEC);
    if (file >= 0) ::close(file);
    return file >= 0;
}

bool makesProcess() {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    if (child < 0) return false;
    ::waitpid(child, nullptr, 0);
    return true;
}

/// Of a line of /proc/self/status; 0 where it cannot be read.
int statusNumber(std::string_view key) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(key)) return std::atoi(line.c_str() + key.size());
    return 0;
}

bool makesSocket() {
    const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made >= 0) ::close(made);
    return made >= 0;
}

} // namespace

Result<void> confine(std::uint64_t memoryMib, const GpuDriver& driver) {
    std::signal(SIGPIPE, SIG_IGN); // a client that is gone is the end of input, not a signal
    const rlim_t bytes =
        memoryMib > (RLIM_INFINITY >> 20) ? RLIM_INFINITY : static_cast<rlim_t>(memoryMib) << 20;
    const rlimit memory{bytes, bytes};
    if (!sanitized && ::setrlimit(RLIMIT_DATA, &memory) != 0)
        return failure(std::string("the memory limit cannot be set: ") + std::strerror(errno));
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    makeGpuDevices(driver); // what follows forbids the program that makes them to gain rights
    g_landlock = landlockAbi();
    (void)forbidWriting(); // confinement() tells
    return {};
}

void seal(const std::vector<std::string>& readable, bool filtersCalls) {
    std::error_code failure;
    const auto threads = std::distance(fs::directory_iterator("/proc/self/task", failure), {});
    g_otherThreads = static_cast<std::size_t>(std::max<std::ptrdiff_t>(threads, 1) - 1);
    scrubEnvironment();
    const bool hasGpu = hasGpuDevices();             // asked while /dev can be read
    (void)forbidReadingBut(readablePaths(readable)); // confinement() tells, here and below
    if (!sanitized && filtersCalls) (void)restrictSystemCalls(hasGpu ? CallList::Harmful : CallList::Needed);
}

Confinement confinement() {
    Confinement out;
    out.landlock = g_landlock >= 0 ? g_landlock : landlockAbi();
    out.otherThreads = g_otherThreads;
    out.writesFiles = opens("/dev/null", O_WRONLY); // everybody may, unless a ruleset says otherwise
    out.readsFiles = opens("/etc/passwd", O_RDONLY);
    out.opensSockets = makesSocket();
    out.startsPrograms = makesProcess();
    rlimit memory{};
    if (::getrlimit(RLIMIT_DATA, &memory) == 0 && memory.rlim_cur != RLIM_INFINITY)
        out.memoryBytes = memory.rlim_cur;
    const int privileges = ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
    out.noNewPrivileges = privileges == 1 || statusNumber("NoNewPrivs:") == 1;
    out.seccomp = statusNumber("Seccomp:");
    return out;
}

} // namespace dynascope::engine
