// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/byte_source.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
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

    const auto size = static_cast<std::size_t>(info.st_size);
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (data == MAP_FAILED) return systemError(path, errno);
    return std::make_shared<MappedSource>(data, size);
}

} // namespace dynascope::session
