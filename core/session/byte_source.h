// SPDX-License-Identifier: BSD-3-Clause
//
// Where the bytes of a session live: a mapped file or a text in memory.
#pragma once

#include "core/base/result.h"
#include "core/session/session.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dynascope::session {

/// Reads a file of up to 16 MiB; maps a larger one, guarded (mapping_guard.h) as long as the source lives; a
/// pipe or terminal is spooled to its end. A device or folder is an error. Errors name the file and the
/// system's reason.
[[nodiscard]] Result<ByteSourcePtr> openByteSource(const std::string& path);

/// The same of a file that is open already, which stays open; `path` is for errors.
[[nodiscard]] Result<ByteSourcePtr> readByteSource(int file, const std::string& path);

/// Takes a text that is already in memory.
[[nodiscard]] ByteSourcePtr makeByteSource(std::string text);

/// Collects bytes in an unnamed file in the folder for temporary files ($TMPDIR, else /tmp), which the system
/// takes back when the last user of the source is gone, after a crash too.
///
/// All spools of the process together take at most setMost() bytes, 16 GiB unless it was called, and leave
/// the disk 5 % of its space; then append() fails and names the folder. Spools are used by one thread each.
class Spool {
public:
    [[nodiscard]] static Result<Spool> create();
    static void setMost(std::uint64_t bytes);
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

    [[nodiscard]] Result<void> makeRoom(std::uint64_t bytes);

    int m_fd;
    std::uint64_t m_size = 0;
    std::uint64_t m_asked = 0; ///< size from which on the disk is asked again
};

/// Bytes that come in parts: in memory while they are few, then in a Spool. Used by one thread.
class SpooledText {
public:
    [[nodiscard]] std::uint64_t size() const { return (m_spool ? m_spool->size() : 0) + m_pending.size(); }
    [[nodiscard]] Result<void> append(std::string_view bytes);
    /// What was appended. The object is spent afterwards.
    [[nodiscard]] Result<ByteSourcePtr> finish() &&;

private:
    [[nodiscard]] Result<void> flush();

    std::string m_pending;
    std::optional<Spool> m_spool;
};

} // namespace dynascope::session
