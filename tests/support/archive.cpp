// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/archive.h"

#include <archive.h>
#include <archive_entry.h>

#include <memory>

namespace dynascope::test {

std::vector<ArchiveFile> readArchive(const std::string& path) {
    constexpr std::size_t blockSize = 1U << 16U;
    std::vector<ArchiveFile> files;
    const std::unique_ptr<archive, decltype(&archive_read_free)> in(archive_read_new(), &archive_read_free);
    archive_read_support_filter_all(in.get());
    archive_read_support_format_all(in.get());
    if (archive_read_open_filename(in.get(), path.c_str(), blockSize) != ARCHIVE_OK) return files;
    archive_entry* entry = nullptr;
    while (archive_read_next_header(in.get(), &entry) == ARCHIVE_OK) {
        if (archive_entry_filetype(entry) != AE_IFREG) continue;
        ArchiveFile& file = files.emplace_back();
        file.path = archive_entry_pathname(entry);
        file.content.resize(static_cast<std::size_t>(archive_entry_size(entry)));
        if (archive_read_data(in.get(), file.content.data(), file.content.size()) < 0) return {};
    }
    return files;
}

} // namespace dynascope::test
