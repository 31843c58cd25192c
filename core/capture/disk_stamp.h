// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace dynascope::capture {

/// What the file system says of a file.
struct FileStamp {
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t changedNs = 0; ///< since 1970
    friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// Of all files that a capture is, or could be, read from, by path. Empty where nothing is there.
using DiskStamp = std::map<std::string, FileStamp>;

} // namespace dynascope::capture
