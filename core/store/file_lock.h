// SPDX-License-Identifier: BSD-3-Clause
//
// Who of several programs, or of several windows of one, has a file.
#pragma once

#include "core/base/result.h"

#include <memory>
#include <string>

namespace dynascope::store {

/// An empty file that is locked while this lives, and gone afterwards. The system lets go of it where its
/// program ends in any way. Not copied; any thread.
class FileLock {
public:
    /// Null where somebody has it. An error where there can be no such file. Does not wait.
    [[nodiscard]] static Result<std::unique_ptr<FileLock>> take(const std::string& path);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;
    FileLock(FileLock&&) = delete;
    FileLock& operator=(FileLock&&) = delete;

private:
    FileLock(int fd, std::string path)
        : m_fd(fd)
        , m_path(std::move(path)) {}

    int m_fd;
    std::string m_path;
};

} // namespace dynascope::store
