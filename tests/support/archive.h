// SPDX-License-Identifier: BSD-3-Clause
//
// Test data from a compressed archive (.tar.xz, .tar.gz, ...).
#pragma once

#include <map>
#include <string>
#include <vector>

namespace dynascope::test {

struct ArchiveFile {
    std::string path;
    std::string content;
};

/// All regular files of an archive in its order; empty if it cannot be read.
[[nodiscard]] std::vector<ArchiveFile> readArchive(const std::string& path);

/// The oracle's cases of tests/oracle: JSON by name, "hand_view_then_inplace_add"; empty if they cannot be
/// read.
[[nodiscard]] std::map<std::string, std::string> oracleCases();

/// Writes an archive: `format` is "tar", "zip" or, for one file alone, "raw"; `filter` "none", "gzip",
/// "zstd", "xz", "bzip2" or "lz4". False if that fails.
[[nodiscard]] bool writeArchive(const std::string& path, const std::vector<ArchiveFile>& files,
                                const std::string& format, const std::string& filter);

} // namespace dynascope::test
