// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/sandbox/system_calls.h"

#ifdef DYNASCOPE_SECCOMP
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <memory>
#include <sched.h>
#include <seccomp.h>
#include <span>
#include <sys/socket.h>
#include <unistd.h>
#endif

namespace dynascope::engine {

#ifdef DYNASCOPE_SECCOMP

namespace {

/// By name: one that an architecture lacks, or a library too old to know, is passed over.
constexpr std::array needed{
    // memory
    "brk", "madvise", "mbind", "membarrier", "mincore", "mlock", "mlock2", "mmap", "mprotect", "mremap",
    "msync", "munlock", "munmap", "get_mempolicy", "set_mempolicy", "memfd_create", "ftruncate",
    // threads and signals of this process; kill and kin have a rule of their own
    "arch_prctl", "exit", "exit_group", "futex", "futex_waitv", "get_robust_list", "get_thread_area",
    "getcpu", "getpid", "getppid", "getpgrp", "getsid", "gettid", "prctl", "restart_syscall", "rseq",
    "rt_sigaction", "rt_sigpending", "rt_sigprocmask", "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait",
    "sched_getaffinity", "sched_getattr", "sched_getparam", "sched_get_priority_max",
    "sched_get_priority_min", "sched_getscheduler", "sched_setaffinity", "sched_yield", "set_robust_list",
    "set_tid_address", "sigaltstack", "getpriority", "wait4", "waitid",
    // files, as far as Landlock lets them be opened
    "access", "close", "close_range", "dup", "dup2", "dup3", "faccessat", "faccessat2", "fadvise64", "fcntl",
    "flock", "fstat", "fstatfs", "getcwd", "getdents", "getdents64", "ioctl", "lseek", "lstat", "newfstatat",
    "open", "openat", "openat2", "pread64", "preadv", "preadv2", "read", "readahead", "readlink",
    "readlinkat", "readv", "stat", "statfs", "statx", "pwrite64", "pwritev", "write", "writev", "fsync",
    "fdatasync",
    // pipes and waiting
    "epoll_create", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait", "eventfd",
    "eventfd2", "pipe", "pipe2", "poll", "ppoll", "pselect6", "select", "timerfd_create", "timerfd_gettime",
    "timerfd_settime", "splice", "tee", "vmsplice",
    // time, limits, what the machine is
    "clock_getres", "clock_gettime", "clock_nanosleep", "getitimer", "getrandom", "getrlimit", "getrusage",
    "gettimeofday", "getuid", "geteuid", "getgid", "getegid", "getgroups", "getresuid", "getresgid",
    "nanosleep", "sysinfo", "time", "times", "umask", "uname", "alarm", "setitimer", "timer_create",
    "timer_delete", "timer_gettime", "timer_settime", "capget"};

/// What reaches out of the process, and interfaces that go around what is forbidden here.
constexpr std::array harmful{"execve",
                             "execveat",
                             "fork",
                             "vfork",
                             "ptrace",
                             "process_vm_readv",
                             "process_vm_writev",
                             "kcmp",
                             "pidfd_open",
                             "pidfd_getfd",
                             "pidfd_send_signal",
                             "process_madvise",
                             "process_mrelease",
                             "rt_tgsigqueueinfo",
                             "rt_sigqueueinfo",
                             "socketpair",
                             "connect",
                             "accept",
                             "accept4",
                             "sendto",
                             "sendmsg",
                             "sendmmsg",
                             "recvfrom",
                             "recvmsg",
                             "recvmmsg",
                             "chmod",
                             "fchmod",
                             "fchmodat",
                             "fchmodat2",
                             "chown",
                             "fchown",
                             "lchown",
                             "fchownat",
                             "setxattr",
                             "lsetxattr",
                             "fsetxattr",
                             "removexattr",
                             "lremovexattr",
                             "fremovexattr",
                             "setxattrat",
                             "removexattrat",
                             "utime",
                             "utimes",
                             "utimensat",
                             "futimesat",
                             "truncate",
                             "rename",
                             "renameat",
                             "renameat2",
                             "link",
                             "linkat",
                             "symlink",
                             "symlinkat",
                             "unlinkat",
                             "mkdir",
                             "mkdirat",
                             "rmdir",
                             "mknod",
                             "mknodat",
                             "mount",
                             "umount",
                             "umount2",
                             "mount_setattr",
                             "move_mount",
                             "open_tree",
                             "fsopen",
                             "fsconfig",
                             "fsmount",
                             "fspick",
                             "pivot_root",
                             "chroot",
                             "chdir",
                             "fchdir",
                             "unshare",
                             "setns",
                             "setuid",
                             "setgid",
                             "setreuid",
                             "setregid",
                             "setresuid",
                             "setresgid",
                             "setgroups",
                             "setfsuid",
                             "setfsgid",
                             "setsid",
                             "setpgid",
                             "capset",
                             "personality",
                             "keyctl",
                             "add_key",
                             "request_key",
                             "bpf",
                             "perf_event_open",
                             "userfaultfd",
                             "io_uring_setup",
                             "io_uring_enter",
                             "io_uring_register",
                             "init_module",
                             "finit_module",
                             "delete_module",
                             "kexec_load",
                             "kexec_file_load",
                             "reboot",
                             "swapon",
                             "swapoff",
                             "sethostname",
                             "setdomainname",
                             "settimeofday",
                             "clock_settime",
                             "clock_adjtime",
                             "adjtimex",
                             "acct",
                             "quotactl",
                             "quotactl_fd",
                             "syslog",
                             "vhangup",
                             "iopl",
                             "ioperm",
                             "modify_ldt",
                             "name_to_handle_at",
                             "open_by_handle_at",
                             "fanotify_init",
                             "fanotify_mark",
                             "inotify_init",
                             "inotify_init1",
                             "lookup_dcookie",
                             "nfsservctl",
                             "uselib",
                             "ustat",
                             "sysfs",
                             "_sysctl",
                             "vm86",
                             "vm86old",
                             "shmget",
                             "shmat",
                             "shmctl",
                             "msgget",
                             "msgsnd",
                             "msgrcv",
                             "semget",
                             "semop",
                             "semctl",
                             "mq_open",
                             "mq_unlink",
                             "landlock_create_ruleset",
                             "seccomp"};

class Filter {
public:
    explicit Filter(std::uint32_t byDefault)
        : m_filter(seccomp_init(byDefault), &seccomp_release) {}

    [[nodiscard]] explicit operator bool() const { return m_filter != nullptr; }

    void add(std::uint32_t action, std::span<const char* const> names) {
        for (const char* name : names)
            add(action, name, {});
    }
    void add(std::uint32_t action, const char* name, std::span<const scmp_arg_cmp> arguments) {
        const int number = seccomp_syscall_resolve_name(name);
        if (number == __NR_SCMP_ERROR) return;
        m_failed |= seccomp_rule_add_array(m_filter.get(), action, number,
                                           static_cast<unsigned>(arguments.size()), arguments.data()) < 0;
    }

    [[nodiscard]] bool load() {
        scmp_filter_ctx filter = m_filter.get();
        return !m_failed && seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0 &&
               seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2) == 0 && seccomp_load(filter) == 0;
    }

private:
    std::unique_ptr<void, decltype(&seccomp_release)> m_filter;
    bool m_failed = false;
};

scmp_arg_cmp argument(unsigned position, scmp_compare how, scmp_datum_t a, scmp_datum_t b = 0) {
    return {position, how, a, b};
}

} // namespace

bool restrictSystemCalls(CallList list) {
    const std::uint32_t refused = SCMP_ACT_ERRNO(EPERM);
    const bool allows = list == CallList::Harmful; // what neither list names
    const std::uint32_t other = allows ? SCMP_ACT_ALLOW : refused;
    Filter filter(other);
    if (!filter) return false;
    if (allows)
        filter.add(refused, harmful);
    else
        filter.add(SCMP_ACT_ALLOW, needed);

    // A thread is made with the memory of its process; the flags of clone3 lie where a filter cannot look,
    // and the C library falls back to clone.
    filter.add(SCMP_ACT_ERRNO(ENOSYS), "clone3", {});
    const std::array isThread{
        argument(0, SCMP_CMP_MASKED_EQ, CLONE_THREAD | CLONE_VM, CLONE_THREAD | CLONE_VM)};
    const std::array noThread{argument(0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)};
    if (allows)
        filter.add(refused, "clone", noThread);
    else
        filter.add(SCMP_ACT_ALLOW, "clone", isThread);

    // abort() sends itself a signal. A process's number is its own as long as it lives.
    const auto self = static_cast<scmp_datum_t>(::getpid());
    for (const char* name : {"kill", "tgkill"}) {
        const std::array toSelf{argument(0, SCMP_CMP_EQ, self)}, toOthers{argument(0, SCMP_CMP_NE, self)};
        if (allows)
            filter.add(refused, name, toOthers);
        else
            filter.add(SCMP_ACT_ALLOW, name, toSelf);
    }
    if (allows) filter.add(refused, "tkill", {});

    // The CUDA driver binds a local socket of an abstract name, by which its own processes could pass memory; it fails
    // where it cannot. Nobody gets anything through one: connecting, accepting, sending and receiving are refused.
    const std::array notLocal{argument(0, SCMP_CMP_NE, AF_UNIX)};
    if (allows) filter.add(refused, "socket", notLocal);

    // Before that it removes a file without a name, which nobody can, and takes any answer but this one for a fault of
    // the system (cuInit() gives 304; driver 580.159, CUDA 13.0).
    if (allows) filter.add(SCMP_ACT_ERRNO(ENOENT), "unlink", {});

    // Limits of this process alone.
    for (const scmp_datum_t process : {scmp_datum_t{0}, self}) {
        const std::array own{argument(0, SCMP_CMP_EQ, process)};
        if (!allows) filter.add(SCMP_ACT_ALLOW, "prlimit64", own);
    }
    return filter.load();
}

#else

bool restrictSystemCalls(CallList) {
    return false;
}

#endif

} // namespace dynascope::engine
