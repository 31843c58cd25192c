// SPDX-License-Identifier: BSD-3-Clause
#include "core/store/atomic_file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <random>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace dynascope::store {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".saving";

tl::unexpected<Error> writeError(const std::string& path) {
    return failure(std::string("cannot be written: ") + std::strerror(errno), path);
}

std::string prefixOf(const fs::path& target) {
    return "." + target.filename().string() + ".";
}

/// Removes what processes that are gone left of saving `target`: nobody holds its lock.
void removeRemains(const fs::path& target) {
    const std::string prefix = prefixOf(target);
    std::error_code error;
    for (fs::directory_iterator at(target.parent_path(), error), end; !error && at != end;
         at.increment(error)) {
        const std::string name = at->path().filename().string();
        if (!name.starts_with(prefix) || !name.ends_with(suffix)) continue;
        const int fd = ::open(at->path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        if (fd < 0) continue;
        if (::flock(fd, LOCK_EX | LOCK_NB) == 0) ::unlink(at->path().c_str());
        ::close(fd);
    }
}

std::string randomLetters() {
    std::random_device device;
    std::uniform_int_distribution<int> letter('a', 'z');
    std::string out(8, ' ');
    for (char& c : out)
        c = static_cast<char>(letter(device));
    return out;
}

} // namespace

Result<AtomicFile> AtomicFile::create(const std::string& path) {
    std::error_code error;
    fs::path target = fs::absolute(path, error);
    if (const fs::path real = fs::canonical(target, error); !error) target = real;
    if (!target.has_filename() || fs::is_directory(target, error)) {
        errno = EISDIR;
        return writeError(path);
    }
    removeRemains(target);
    const std::string beside =
        (target.parent_path() / (prefixOf(target) + randomLetters() + std::string(suffix))).string();
    const int fd = ::open(beside.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) return writeError(path);
    AtomicFile file(fd, beside, target.string());
    ::flock(fd, LOCK_EX);
    if (struct stat old{}; ::stat(file.m_target.c_str(), &old) == 0) ::fchmod(fd, old.st_mode & 0777);
    return file;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : m_fd(std::exchange(other.m_fd, -1))
    , m_path(std::move(other.m_path))
    , m_target(std::move(other.m_target)) {}

AtomicFile::~AtomicFile() {
    if (m_fd < 0) return;
    ::unlink(m_path.c_str());
    ::close(m_fd);
}

Result<void> AtomicFile::copyTarget() {
    const int from = ::open(m_target.c_str(), O_RDONLY | O_CLOEXEC);
    if (from < 0) return writeError(m_target);
    ssize_t put = 1;
    while (put > 0) {
        put = ::copy_file_range(from, nullptr, m_fd, nullptr, std::size_t{1} << 30U, 0);
        if (put < 0 && errno == EINTR) put = 1;
    }
    // Not every file system can do it.
    std::array<char, 1U << 16U> block{};
    if (put < 0 && ::lseek(from, 0, SEEK_SET) == 0 && clear())
        while ((put = ::read(from, block.data(), block.size())) > 0)
            if (::write(m_fd, block.data(), static_cast<std::size_t>(put)) != put) {
                put = -1;
                break;
            }
    const int code = errno;
    ::close(from);
    errno = code;
    if (put < 0) return writeError(m_target);
    return {};
}

Result<void> AtomicFile::clear() {
    if (::ftruncate(m_fd, 0) != 0 || ::lseek(m_fd, 0, SEEK_SET) != 0) return writeError(m_target);
    return {};
}

Result<void> AtomicFile::commit() && {
    if (::fsync(m_fd) != 0 || ::rename(m_path.c_str(), m_target.c_str()) != 0) return writeError(m_target);
    ::close(std::exchange(m_fd, -1));
    // So that the new name, too, outlives a power cut.
    const int folder = ::open(fs::path(m_target).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        ::fsync(folder);
        ::close(folder);
    }
    return {};
}

Result<void> writeWhole(const std::string& path, std::string_view bytes) {
    Result<AtomicFile> file = AtomicFile::create(path);
    if (!file) return tl::unexpected(file.error());
    std::ofstream out(file->path(), std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) return writeError(file->target());
    return std::move(*file).commit();
}

} // namespace dynascope::store
