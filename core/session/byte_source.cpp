// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/byte_source.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace dynascope::session {

namespace {

class MappedSource final : public ByteSource {
public:
    MappedSource(void* data, std::size_t size)
        : m_data(data)
        , m_size(size) {}
    ~MappedSource() override { ::munmap(m_data, m_size); }
    MappedSource(const MappedSource&) = delete;
    MappedSource& operator=(const MappedSource&) = delete;
    [[nodiscard]] std::string_view bytes() const override {
        return {static_cast<const char*>(m_data), m_size};
    }

private:
    void* m_data;
    std::size_t m_size;
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

tl::unexpected<Error> systemError(const std::string& path, int code) {
    return tl::unexpected(Error{std::string("cannot be read: ") + std::strerror(code), path, 0, 0});
}

Result<std::string> readToEnd(int fd, const std::string& path) {
    constexpr std::size_t chunk = 1 << 16;
    std::string text;
    for (;;) {
        const std::size_t before = text.size();
        text.resize(before + chunk);
        const ssize_t got = ::read(fd, text.data() + before, chunk);
        if (got < 0 && errno == EINTR) {
            text.resize(before);
            continue;
        }
        if (got < 0) return systemError(path, errno);
        text.resize(before + static_cast<std::size_t>(got));
        if (got == 0) return text;
    }
}

Result<ByteSourcePtr> map(int fd, std::size_t size, const std::string& path) {
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) return systemError(path, errno);
    return std::make_shared<MappedSource>(data, size);
}

} // namespace

ByteSourcePtr makeByteSource(std::string text) {
    return std::make_shared<TextSource>(std::move(text));
}

Result<ByteSourcePtr> openByteSource(const std::string& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) return systemError(path, errno);
    struct stat info {};
    if (::fstat(file.get(), &info) != 0) return systemError(path, errno);
    if (S_ISDIR(info.st_mode)) return systemError(path, EISDIR);
    if (!S_ISREG(info.st_mode) || info.st_size == 0)
        return readToEnd(file.get(), path).map([](std::string text) {
            return makeByteSource(std::move(text));
        });

    return map(file.get(), static_cast<std::size_t>(info.st_size), path);
}

Result<Spool> Spool::create() {
    std::error_code error;
    std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    if (error) folder = "/tmp";
    std::string path = (folder / "dynascope-XXXXXX").string();
    const int fd = ::mkostemp(path.data(), O_CLOEXEC);
    if (fd < 0)
        return tl::unexpected(Error{std::string("no temporary file can be made: ") + std::strerror(errno),
                                    folder.string(), 0, 0});
    ::unlink(path.c_str());
    return Spool(fd);
}

Spool::Spool(Spool&& other) noexcept
    : m_fd(std::exchange(other.m_fd, -1))
    , m_size(std::exchange(other.m_size, 0)) {}

Spool::~Spool() {
    if (m_fd >= 0) ::close(m_fd);
}

Result<void> Spool::append(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(m_fd, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0)
            return tl::unexpected(Error{
                std::string("the temporary file cannot be written: ") + std::strerror(errno), {}, 0, 0});
        m_size += static_cast<std::uint64_t>(put);
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return {};
}

Result<ByteSourcePtr> Spool::finish() && {
    if (m_size == 0) return makeByteSource({});
    return map(m_fd, static_cast<std::size_t>(m_size), "temporary file");
}

} // namespace dynascope::session
