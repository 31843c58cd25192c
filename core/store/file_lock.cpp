// SPDX-License-Identifier: BSD-3-Clause
#include "core/store/file_lock.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace dynascope::store {

namespace {

/// Whoever had it may have removed the file between opening and locking it.
bool isStillThere(int fd, const std::string& path) {
    struct stat locked {
    }, there{};
    return ::fstat(fd, &locked) == 0 && ::stat(path.c_str(), &there) == 0 && locked.st_ino == there.st_ino &&
           locked.st_dev == there.st_dev;
}

} // namespace

Result<std::unique_ptr<FileLock>> FileLock::take(const std::string& path) {
    constexpr int tries = 16;
    for (int i = 0; i < tries; ++i) {
        const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0) return failure(std::string("cannot be locked: ") + std::strerror(errno), path);
        if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
            const int why = errno;
            ::close(fd);
            if (why == EWOULDBLOCK) return std::unique_ptr<FileLock>();
            return failure(std::string("cannot be locked: ") + std::strerror(why), path);
        }
        if (isStillThere(fd, path)) return std::unique_ptr<FileLock>(new FileLock(fd, path));
        ::close(fd);
    }
    return std::unique_ptr<FileLock>(); // others take and leave it all the time
}

FileLock::~FileLock() {
    ::unlink(m_path.c_str());
    ::close(m_fd);
}

} // namespace dynascope::store
