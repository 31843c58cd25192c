// SPDX-License-Identifier: BSD-3-Clause
//
// A file that is replaced as a whole or not at all.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace dynascope::store {

/// A new, empty file beside the one that it shall become: ".NAME.XXXXXXXX.saving". It is locked while it
/// lives and removed unless it was committed; those that a killed process left behind are removed by the next
/// one. A link at `path` stays and its target is replaced. Blocks.
class AtomicFile {
public:
    [[nodiscard]] static Result<AtomicFile> create(const std::string& path);
    AtomicFile(AtomicFile&& other) noexcept;
    AtomicFile& operator=(AtomicFile&&) = delete;
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile();

    /// Where to write.
    [[nodiscard]] const std::string& path() const { return m_path; }
    /// What it shall become.
    [[nodiscard]] const std::string& target() const { return m_target; }
    /// Fills it with what the target holds now, without reading it into memory.
    [[nodiscard]] Result<void> copyTarget();
    /// Empties it again.
    [[nodiscard]] Result<void> clear();
    /// Has the disk keep what was written and puts the file in the target's place, with its permissions.
    [[nodiscard]] Result<void> commit() &&;

private:
    AtomicFile(int fd, std::string path, std::string target)
        : m_fd(fd)
        , m_path(std::move(path))
        , m_target(std::move(target)) {}

    int m_fd;
    std::string m_path, m_target;
};

/// Writes a file as a whole or not at all.
[[nodiscard]] Result<void> writeWhole(const std::string& path, std::string_view bytes);

} // namespace dynascope::store
