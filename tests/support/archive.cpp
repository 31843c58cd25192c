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

std::map<std::string, std::string> oracleCases() {
    constexpr std::string_view folder = "cases/", suffix = ".json";
    std::map<std::string, std::string> cases;
    for (ArchiveFile& file : readArchive(DYNASCOPE_SOURCE_DIR "/tests/oracle/oracle.tar.xz")) {
        if (!file.path.starts_with(folder) || !file.path.ends_with(suffix)) continue;
        const std::size_t length = file.path.size() - folder.size() - suffix.size();
        cases[file.path.substr(folder.size(), length)] = std::move(file.content);
    }
    return cases;
}

bool writeArchive(const std::string& path, const std::vector<ArchiveFile>& files, const std::string& format,
                  const std::string& filter) {
    const std::unique_ptr<archive, decltype(&archive_write_free)> out(archive_write_new(),
                                                                      &archive_write_free);
    const int chosen = format == "raw"   ? archive_write_set_format_raw(out.get())
                       : format == "zip" ? archive_write_set_format_zip(out.get())
                                         : archive_write_set_format_pax_restricted(out.get());
    if (chosen != ARCHIVE_OK ||
        (filter != "none" && archive_write_add_filter_by_name(out.get(), filter.c_str()) != ARCHIVE_OK) ||
        archive_write_open_filename(out.get(), path.c_str()) != ARCHIVE_OK)
        return false;
    for (const ArchiveFile& file : files) {
        const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(),
                                                                                  &archive_entry_free);
        archive_entry_set_pathname(entry.get(), file.path.c_str());
        archive_entry_set_filetype(entry.get(), AE_IFREG);
        archive_entry_set_perm(entry.get(), 0644);
        archive_entry_set_size(entry.get(), static_cast<la_int64_t>(file.content.size()));
        if (archive_write_header(out.get(), entry.get()) != ARCHIVE_OK) return false;
        if (archive_write_data(out.get(), file.content.data(), file.content.size()) !=
            static_cast<la_ssize_t>(file.content.size()))
            return false;
    }
    return archive_write_close(out.get()) == ARCHIVE_OK;
}

} // namespace dynascope::test
