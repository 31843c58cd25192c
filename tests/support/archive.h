// SPDX-License-Identifier: BSD-3-Clause
//
// Test data from a compressed archive (.tar.xz, .tar.gz, ...).
#pragma once

#include <string>
#include <vector>

namespace dynascope::test {

struct ArchiveFile {
    std::string path;
    std::string content;
};

/// All regular files of an archive in its order; empty if it cannot be read.
[[nodiscard]] std::vector<ArchiveFile> readArchive(const std::string& path);

} // namespace dynascope::test
