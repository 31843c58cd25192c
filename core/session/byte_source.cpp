// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/byte_source.h"

#include "core/session/mapping_guard.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <utility>

namespace dynascope::session {

namespace {

/// Most that is read rather than mapped: quick to copy, and nothing beside what a window takes anyway.
constexpr off_t copiedBytes = off_t{16} << 20;

std::atomic<std::uint64_t> g_most{std::uint64_t{16} << 30U}; // of all spools together,
std::atomic<std::uint64_t> g_spooled{0};                     // which take this now

class MappedSource final : public ByteSource {
public:
    MappedSource(void* data, std::size_t size, const std::string& path)
        : m_data(data)
        , m_size(size)
        , m_guard(std::make_unique<MappingGuard>(data, size, path)) {}
    ~MappedSource() override {
        m_guard.reset();
        ::munmap(m_data, m_size);
    }
    MappedSource(const MappedSource&) = delete;
    MappedSource& operator=(const MappedSource&) = delete;
    [[nodiscard]] std::string_view bytes() const override {
        return {static_cast<const char*>(m_data), m_size};
    }

private:
    void* m_data;
    std::size_t m_size;
    std::unique_ptr<MappingGuard> m_guard;
};

/// Counts as spooled as long as it lives.
class SpooledSource final : public ByteSource {
public:
    SpooledSource(ByteSourcePtr mapped, std::uint64_t size)
        : m_mapped(std::move(mapped))
        , m_size(size) {}
    ~SpooledSource() override { g_spooled -= m_size; }
    SpooledSource(const SpooledSource&) = delete;
    SpooledSource& operator=(const SpooledSource&) = delete;
    [[nodiscard]] std::string_view bytes() const override { return m_mapped->bytes(); }

private:
    ByteSourcePtr m_mapped;
    std::uint64_t m_size;
};

class TextSource final : public ByteSource {
public:
    explicit TextSource(std::string text)
        : m_text(std::move(text)) {}
    [[nodiscard]] std::string_view bytes() const override { return m_text; }

private:
    std::string m_text;
};

class Descriptor {
public:
    explicit Descriptor(int fd)
        : m_fd(fd) {}
    ~Descriptor() {
        if (m_fd >= 0) ::close(m_fd);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int get() const { return m_fd; }

private:
    int m_fd;
};

constexpr std::uint64_t askEvery = std::uint64_t{64} << 20U;

std::string temporaryFolder() {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    return error ? "/tmp" : folder.string();
}

tl::unexpected<Error> systemError(const std::string& path, int code) {
    return failure(std::string("cannot be read: ") + std::strerror(code), path);
}

/// The file as it is now: less where it is cut short meanwhile.
Result<ByteSourcePtr> copy(int fd, std::size_t size, const std::string& path) {
    std::string text(size, '\0');
    std::size_t got = 0;
    while (got < size) {
        const ssize_t count = ::read(fd, text.data() + got, size - got);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return systemError(path, errno);
        if (count == 0) break;
        got += static_cast<std::size_t>(count);
    }
    text.resize(got);
    return makeByteSource(std::move(text));
}

/// Of no file that has an end, /dev/null alone ends at once.
bool isNull(const struct stat& info) {
    struct stat null {};
    return ::stat("/dev/null", &null) == 0 && null.st_rdev == info.st_rdev;
}

Result<ByteSourcePtr> spool(int fd, const std::string& path) {
    Result<Spool> out = Spool::create();
    if (!out) return tl::unexpected(out.error());
    std::string chunk(std::size_t{1} << 20U, '\0');
    std::string head; // what is short needs no file
    for (;;) {
        const ssize_t got = ::read(fd, chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return systemError(path, errno);
        if (got == 0) break;
        head.append(chunk, 0, static_cast<std::size_t>(got));
        if (head.size() < chunk.size() && out->size() == 0) continue;
        if (Result<void> kept = out->append(head); !kept) {
            kept.error().file = path;
            return tl::unexpected(kept.error());
        }
        head.clear();
    }
    if (out->size() == 0) return makeByteSource(std::move(head));
    if (Result<void> kept = out->append(head); !kept) return tl::unexpected(kept.error());
    return std::move(*out).finish();
}

Result<ByteSourcePtr> map(int fd, std::size_t size, const std::string& path) {
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) return systemError(path, errno);
    return std::make_shared<MappedSource>(data, size, path);
}

} // namespace

ByteSourcePtr makeByteSource(std::string text) {
    return std::make_shared<TextSource>(std::move(text));
}

Result<ByteSourcePtr> openByteSource(const std::string& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) return systemError(path, errno);
    return readByteSource(file.get(), path);
}

Result<ByteSourcePtr> readByteSource(int file, const std::string& path) {
    struct stat info {};
    if (::fstat(file, &info) != 0) return systemError(path, errno);
    if (S_ISDIR(info.st_mode)) return systemError(path, EISDIR);
    if (S_ISBLK(info.st_mode) || (S_ISCHR(info.st_mode) && ::isatty(file) == 0 && !isNull(info)))
        return failure("cannot be read: it is a device, which has no end", path);
    // A file of /proc says that it is empty.
    if (!S_ISREG(info.st_mode) || info.st_size == 0) return spool(file, path);
    // What others write while it is open then changes nothing.
    if (info.st_size <= copiedBytes) return copy(file, static_cast<std::size_t>(info.st_size), path);
    return map(file, static_cast<std::size_t>(info.st_size), path);
}

void Spool::setMost(std::uint64_t bytes) {
    g_most = bytes;
}

Result<Spool> Spool::create() {
    const std::string folder = temporaryFolder();
    std::string path = folder + "/dynascope-XXXXXX";
    const int fd = ::mkostemp(path.data(), O_CLOEXEC);
    if (fd < 0) return failure(std::string("no temporary file can be made: ") + std::strerror(errno), folder);
    ::unlink(path.c_str());
    return Spool(fd);
}

Spool::Spool(Spool&& other) noexcept
    : m_fd(std::exchange(other.m_fd, -1))
    , m_size(std::exchange(other.m_size, 0))
    , m_asked(other.m_asked) {}

Spool::~Spool() {
    if (m_fd >= 0) ::close(m_fd);
    g_spooled -= m_size;
}

Result<void> Spool::append(std::string_view bytes) {
    if (Result<void> room = makeRoom(bytes.size()); !room) return room;
    while (!bytes.empty()) {
        const ssize_t put = ::write(m_fd, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0)
            return failure(std::string("the temporary file cannot be written: ") + std::strerror(errno));
        m_size += static_cast<std::uint64_t>(put);
        g_spooled += static_cast<std::uint64_t>(put);
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return {};
}

Result<void> Spool::makeRoom(std::uint64_t bytes) {
    const std::string folder = temporaryFolder();
    if (g_spooled + bytes > g_most)
        return failure("unpacked it takes more than the " + std::to_string(g_most) +
                       " bytes that temporary files may have (--max-unpacked)");
    // Asked now and then: a disk fills by more than this program.
    if (m_size + bytes < m_asked) return {};
    m_asked = m_size + bytes + askEvery;
    struct statvfs disk {};
    if (::fstatvfs(m_fd, &disk) != 0) return {};
    const std::uint64_t block = disk.f_frsize;
    const std::uint64_t reserve = disk.f_blocks / 20 * block;
    if (disk.f_bavail * block >= reserve + bytes) return {};
    return failure("temporary files would fill the disk of " + folder + ", which has " +
                   std::to_string(disk.f_bavail * block) + " bytes left; TMPDIR names another folder");
}

Result<ByteSourcePtr> Spool::finish() && {
    if (m_size == 0) return makeByteSource({});
    Result<ByteSourcePtr> mapped = map(m_fd, static_cast<std::size_t>(m_size), "temporary file");
    if (!mapped) return mapped;
    return std::make_shared<SpooledSource>(std::move(*mapped), std::exchange(m_size, 0));
}

Result<void> SpooledText::append(std::string_view bytes) {
    m_pending += bytes;
    return m_pending.size() < std::size_t{copiedBytes} ? Result<void>() : flush();
}

Result<ByteSourcePtr> SpooledText::finish() && {
    if (!m_spool) return makeByteSource(std::move(m_pending));
    if (Result<void> done = flush(); !done) return tl::unexpected(done.error());
    return std::move(*m_spool).finish();
}

Result<void> SpooledText::flush() {
    if (!m_spool) {
        Result<Spool> made = Spool::create();
        if (!made) return tl::unexpected(made.error());
        m_spool.emplace(std::move(*made));
    }
    Result<void> done = m_spool->append(m_pending);
    m_pending.clear();
    return done;
}

} // namespace dynascope::session
