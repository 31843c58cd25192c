// SPDX-License-Identifier: BSD-3-Clause
//
// A plugin that tries what a graph that took over the engine would try. Each of its passes fails with
// "worked", or with the cause that the kernel gave. The node called "target" has the file to go for.
#include "plugins/dynascope_plugin.h"

#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

std::string g_file; // of the user's

void say(DynascopeGraph* graph, const DynascopeHost* host, bool worked) {
    host->fail(graph, worked ? "worked" : std::strerror(errno));
}

bool opens(const std::string& path, int how) {
    const int file = ::open(path.c_str(), how | O_CLOEXEC, 0600);
    if (file >= 0) ::close(file);
    return file >= 0;
}

bool connects() {
    const int made = ::socket(AF_INET, SOCK_STREAM, 0);
    if (made < 0) return false;
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(9);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool done =
        ::connect(made, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0 || errno == ECONNREFUSED;
    ::close(made);
    return done;
}

bool makesUnixSocket() {
    const int made = ::socket(AF_UNIX, SOCK_STREAM, 0);
    if (made >= 0) ::close(made);
    return made >= 0;
}

bool runsProgram() {
    const pid_t child = ::fork();
    if (child == 0) {
        ::execl("/bin/true", "true", nullptr);
        ::_exit(1);
    }
    if (child < 0) return false;
    int status = 0;
    ::waitpid(child, &status, 0);
    return true;
}

bool looksIntoParent() {
    char byte = 0;
    iovec mine{&byte, 1}, theirs{reinterpret_cast<void*>(&runsProgram), 1};
    return ::process_vm_readv(::getppid(), &mine, 1, &theirs, 1, 0) == 1;
}

/// In a thread of its own, which is confined as the one that makes it.
bool fromAThread() {
    bool worked = false;
    int cause = 0;
    std::thread([&] {
        worked = opens(g_file, O_RDONLY);
        cause = errno;
    }).join();
    errno = cause;
    return worked;
}

template <auto Attempt>
void attempt(DynascopeGraph* graph, const DynascopeHost* host) {
    for (std::uint32_t i = 0; i < host->node_count(graph); ++i) {
        if (std::string(host->node_name(graph, i)) == "target") {
            const std::string quoted = host->node_args(graph, i); // ('/path',)
            const std::size_t first = quoted.find('\'') + 1;
            g_file = quoted.substr(first, quoted.rfind('\'') - first);
        }
    }
    say(graph, host, Attempt());
}

constexpr DynascopePass passes[] = {
    {"reads_a_file", "", &attempt<[] { return opens(g_file, O_RDONLY); }>},
    {"reads_in_a_thread", "", &attempt<&fromAThread>},
    {"lists_a_folder", "", &attempt<[] { return opens("/", O_RDONLY | O_DIRECTORY); }>},
    {"writes_a_file", "", &attempt<[] { return opens(g_file, O_WRONLY); }>},
    {"truncates_a_file", "", &attempt<[] { return ::truncate(g_file.c_str(), 0) == 0; }>},
    {"truncates_while_reading", "", &attempt<[] { return opens(g_file, O_RDONLY | O_TRUNC); }>},
    {"makes_a_file", "", &attempt<[] { return opens(g_file + ".new", O_WRONLY | O_CREAT); }>},
    {"removes_a_file", "", &attempt<[] { return ::unlink(g_file.c_str()) == 0; }>},
    {"renames_a_file", "", &attempt<[] { return ::rename(g_file.c_str(), (g_file + ".old").c_str()) == 0; }>},
    {"changes_a_mode", "", &attempt<[] { return ::chmod(g_file.c_str(), 0777) == 0; }>},
    {"makes_a_link", "", &attempt<[] { return ::symlink("/etc/passwd", (g_file + ".link").c_str()) == 0; }>},
    {"makes_a_socket", "", &attempt<&makesUnixSocket>},
    {"connects", "", &attempt<&connects>},
    {"runs_a_program", "", &attempt<&runsProgram>},
    {"becomes_a_program", "", &attempt<[] { return ::execl("/bin/true", "true", nullptr) == 0; }>},
    {"kills_its_parent", "", &attempt<[] { return ::kill(::getppid(), SIGTERM) == 0; }>},
    {"signals_everybody", "", &attempt<[] { return ::kill(-1, 0) == 0; }>},
    {"reads_its_parents_environment", "",
     &attempt<[] { return opens("/proc/" + std::to_string(::getppid()) + "/environ", O_RDONLY); }>},
    {"reads_its_parents_memory", "", &attempt<&looksIntoParent>},
    {"traces_its_parent", "",
     &attempt<[] { return ::ptrace(PTRACE_ATTACH, ::getppid(), nullptr, nullptr) == 0; }>},
    {"uses_io_uring", "", &attempt<[] {
         char parameters[128]{};
         const long ring = ::syscall(425 /* io_uring_setup */, 1, parameters);
         if (ring >= 0) ::close(static_cast<int>(ring));
         return ring >= 0;
     }>},
    {"makes_a_namespace", "",
     &attempt<[] { return ::syscall(SYS_unshare, 0x10000000 /* CLONE_NEWUSER */) == 0; }>},
};

void environmentOf(DynascopeGraph* graph, const DynascopeHost* host) {
    std::string all;
    const int file = ::open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
    char part[4096];
    for (ssize_t count = 1; file >= 0 && (count = ::read(file, part, sizeof part)) > 0;)
        all.append(part, static_cast<std::size_t>(count));
    if (file >= 0) ::close(file);
    for (char** entry = environ; *entry; ++entry)
        (all += *entry) += '\n';
    host->fail(graph, all.find("a-secret-token") == std::string::npos ? "not there" : "there");
}

constexpr DynascopePass last{"finds_a_token", "", &environmentOf};

const DynascopePlugin* everything() {
    static DynascopePass all[std::size(passes) + 1];
    std::copy(std::begin(passes), std::end(passes), all);
    all[std::size(passes)] = last;
    static const DynascopePlugin plugin{DYNASCOPE_PLUGIN_ABI, nullptr,
                                        static_cast<std::uint32_t>(std::size(all)), all};
    return &plugin;
}

} // namespace

const DynascopePlugin* dynascope_plugin() {
    return everything();
}
