// SPDX-License-Identifier: BSD-3-Clause
//
// Where the bytes of a session live: a mapped file or a text in memory.
#pragma once

#include "core/base/result.h"
#include "core/session/session.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace dynascope::session {

/// Maps a regular file for reading; other kinds (a pipe) are read to their end. The mapping lives as long as
/// the source. Errors name the file and the system's reason.
[[nodiscard]] Result<ByteSourcePtr> openByteSource(const std::string& path);

/// Takes a text that is already in memory.
[[nodiscard]] ByteSourcePtr makeByteSource(std::string text);

/// Collects bytes in an unnamed file in the folder for temporary files ($TMPDIR, else /tmp), which the system
/// takes back when the last user of the source is gone, after a crash too.
class Spool {
public:
    [[nodiscard]] static Result<Spool> create();
    Spool(Spool&& other) noexcept;
    Spool& operator=(Spool&&) = delete;
    Spool(const Spool&) = delete;
    Spool& operator=(const Spool&) = delete;
    ~Spool();

    [[nodiscard]] Result<void> append(std::string_view bytes);
    [[nodiscard]] std::uint64_t size() const { return m_size; }
    /// Maps what was written. The spool is spent afterwards.
    [[nodiscard]] Result<ByteSourcePtr> finish() &&;

private:
    explicit Spool(int fd)
        : m_fd(fd) {}

    int m_fd;
    std::uint64_t m_size = 0;
};

} // namespace dynascope::session
