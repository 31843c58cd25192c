// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/growing_source.h"

#include "core/session/byte_source.h"
#include "core/session/mapping_guard.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dynascope::session {

namespace {

constexpr std::size_t mostCopied = std::size_t{16} << 20U;
constexpr std::size_t leastRoom = std::size_t{64} << 10U;
constexpr std::size_t mappedRoom = std::size_t{1} << 30U; ///< addresses alone, until the file takes them
constexpr std::size_t comparedBytes = 4096;

/// Memory that holds a file from its beginning. It only grows, so that who reads what was there before needs
/// no lock.
class Room {
public:
    Room(void* data, std::size_t room, bool mapped, const struct stat& file, const std::string& path)
        : m_data(static_cast<char*>(data))
        , m_room(room)
        , m_device(file.st_dev)
        , m_inode(file.st_ino) {
        if (mapped) m_guard = std::make_unique<MappingGuard>(data, room, path);
    }
    ~Room() {
        m_guard.reset();
        ::munmap(m_data, m_room);
    }
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;

    [[nodiscard]] static std::shared_ptr<Room> create(int fd, const struct stat& file,
                                                      const std::string& path) {
        const auto size = static_cast<std::size_t>(file.st_size);
        const bool mapped = size > mostCopied;
        const std::size_t room = mapped ? size * 2 + mappedRoom : std::clamp(size * 2, leastRoom, mostCopied);
        void* const data = mapped ? ::mmap(nullptr, room, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, fd, 0)
                                  : ::mmap(nullptr, room, PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        return data == MAP_FAILED ? nullptr : std::make_shared<Room>(data, room, mapped, file, path);
    }

    /// Takes what lies behind what is there; false where the file cannot be read.
    [[nodiscard]] bool fill(int fd, std::size_t size) {
        while (!m_guard && m_size < size) {
            const ssize_t got = ::pread(fd, m_data + m_size, size - m_size, static_cast<off_t>(m_size));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return false;
            if (got == 0) break;
            m_size += static_cast<std::size_t>(got);
        }
        if (m_guard) m_size = size;
        // Of what is mapped a change shows here as well: what it was is told by a copy.
        m_head.assign(m_data, std::min(m_size, comparedBytes));
        m_tail.assign(m_data + m_size - std::min(m_size, comparedBytes), std::min(m_size, comparedBytes));
        return true;
    }

    /// Whether the file can be what was read, and more.
    [[nodiscard]] bool goesOn(int fd, const struct stat& file) const {
        if (file.st_dev != m_device || file.st_ino != m_inode || (m_guard && m_guard->isLost())) return false;
        const auto size = static_cast<std::size_t>(file.st_size);
        if (size < m_size || size > m_room || (!m_guard && size > mostCopied)) return false;
        return holds(fd, m_head, 0) && holds(fd, m_tail, m_size - m_tail.size());
    }
    [[nodiscard]] std::string_view bytes(std::size_t size) const { return {m_data, size}; }
    [[nodiscard]] std::size_t size() const { return m_size; }

private:
    static bool holds(int fd, const std::string& text, std::size_t at) {
        std::string now(text.size(), '\0');
        return ::pread(fd, now.data(), now.size(), static_cast<off_t>(at)) ==
                   static_cast<ssize_t>(text.size()) &&
               now == text;
    }

    char* m_data;
    std::size_t m_room, m_size = 0;
    dev_t m_device;
    ino_t m_inode;
    std::string m_head, m_tail;
    std::unique_ptr<MappingGuard> m_guard;
};

class GrowingSource final : public ByteSource {
public:
    GrowingSource(std::shared_ptr<Room> room, std::size_t size)
        : m_room(std::move(room))
        , m_size(size) {}
    [[nodiscard]] std::string_view bytes() const override { return m_room->bytes(m_size); }
    [[nodiscard]] const std::shared_ptr<Room>& room() const { return m_room; }

private:
    std::shared_ptr<Room> m_room;
    std::size_t m_size;
};

class OpenFile {
public:
    explicit OpenFile(const std::string& path)
        : m_fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
    ~OpenFile() {
        if (m_fd >= 0) ::close(m_fd);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    [[nodiscard]] int get() const { return m_fd; }

private:
    int m_fd;
};

tl::unexpected<Error> unreadable(const std::string& path) {
    return failure(std::string("cannot be read: ") + std::strerror(errno), path);
}

} // namespace

Result<ByteSourcePtr> openGrowing(const std::string& path, const ByteSourcePtr& before) {
    const OpenFile file(path);
    struct stat info {};
    if (file.get() < 0 || ::fstat(file.get(), &info) != 0) return unreadable(path);
    if (!S_ISREG(info.st_mode) || info.st_size == 0) return readByteSource(file.get(), path);
    const auto* known = dynamic_cast<const GrowingSource*>(before.get());
    std::shared_ptr<Room> room = known && known->room()->goesOn(file.get(), info)
                                     ? known->room()
                                     : Room::create(file.get(), info, path);
    if (!room) return unreadable(path);
    if (!room->fill(file.get(), static_cast<std::size_t>(info.st_size))) return unreadable(path);
    return std::make_shared<GrowingSource>(room, room->size());
}

ByteSourcePtr firstBytes(const ByteSourcePtr& source, std::uint64_t length) {
    const auto* known = dynamic_cast<const GrowingSource*>(source.get());
    if (!known || length >= source->bytes().size()) return source;
    return std::make_shared<GrowingSource>(known->room(), static_cast<std::size_t>(length));
}

} // namespace dynascope::session
