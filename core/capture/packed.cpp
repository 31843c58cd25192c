// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/packed.h"

#include "core/session/byte_source.h"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <array>
#include <filesystem>
#include <memory>
#include <utility>

namespace dynascope::capture {

namespace {

using namespace std::string_view_literals;

using ArchivePtr = std::unique_ptr<archive, decltype(&archive_read_free)>;

constexpr std::size_t tarMagicAt = 257;

bool looksLikeTar(std::string_view head) {
    return head.size() > tarMagicAt && head.substr(tarMagicAt).starts_with("ustar");
}

bool looksLikeZip(std::string_view head) {
    return head.starts_with("PK\x03\x04"sv) || head.starts_with("PK\x05\x06"sv);
}

std::string reasonOf(archive* in) {
    const char* text = archive_error_string(in);
    return text != nullptr ? text : "unknown format";
}

Error brokenError(archive* in, const std::string& label) {
    return {"cannot be unpacked to its end: " + reasonOf(in), label, 0, 0};
}

/// "train.log" for "traces/train.log.gz".
std::string innerName(const std::string& label) {
    const std::filesystem::path path(label);
    return path.has_extension() ? path.stem().string() : path.filename().string();
}

/// Room for one block of libarchive's output.
constexpr std::size_t blockSize = 1U << 16U;

class Unpacker {
public:
    Unpacker(std::string_view packed, const std::string& label, const TaskContext& task,
             const UnpackLimits& limits, const WantedFile& wanted)
        : m_packed(packed)
        , m_label(label)
        , m_task(task)
        , m_limits(limits)
        , m_wanted(wanted) {}

    Result<Unpacked> run() {
        // Only what is promised: other filters would run programs, and other formats take text for archives.
        archive_read_support_filter_gzip(m_in.get());
        archive_read_support_filter_zstd(m_in.get());
        archive_read_support_filter_xz(m_in.get());
        archive_read_support_filter_bzip2(m_in.get());
        archive_read_support_filter_lz4(m_in.get());
        archive_read_support_format_tar(m_in.get());
        archive_read_support_format_zip_seekable(m_in.get());
        archive_read_support_format_raw(m_in.get());
        if (archive_read_open_memory(m_in.get(), m_packed.data(), m_packed.size()) != ARCHIVE_OK)
            return tl::unexpected(brokenError(m_in.get(), m_label));
        archive_entry* entry = nullptr;
        for (;;) {
            const int status = archive_read_next_header(m_in.get(), &entry);
            if (status == ARCHIVE_EOF) break;
            if (status != ARCHIVE_OK && status != ARCHIVE_WARN) {
                damaged();
                break;
            }
            if (archive_entry_filetype(entry) != AE_IFREG) continue;
            const bool raw = archive_format(m_in.get()) == ARCHIVE_FORMAT_RAW;
            const char* name = archive_entry_pathname(entry);
            const auto size = static_cast<std::uint64_t>(std::max<la_int64_t>(0, archive_entry_size(entry)));
            if (!raw && name != nullptr && m_wanted && !m_wanted(name, size)) {
                m_out.files.push_back({name, nullptr, size});
                continue;
            }
            Result<bool> more = spool(raw || name == nullptr ? innerName(m_label) : name);
            if (!more) return tl::unexpected(more.error());
            if (!*more) break;
        }
        if (m_out.files.empty()) {
            if (!m_out.damages.empty()) return tl::unexpected(m_out.damages.front().error);
            return failure("archive holds no file", m_label);
        }
        return std::move(m_out);
    }

private:
    void damaged() { m_out.damages.push_back({brokenError(m_in.get(), m_label), SIZE_MAX}); }

    /// False where the archive is broken from here on.
    Result<bool> spool(std::string name) {
        if (m_out.files.size() == m_limits.files)
            return failure("archive holds more than " + std::to_string(m_limits.files) + " files", m_label);
        Result<session::Spool> spool = session::Spool::create();
        if (!spool) return tl::unexpected(spool.error());
        bool whole = true;
        for (;;) {
            if (m_task.cancelled()) return cancellation();
            const la_ssize_t got = archive_read_data(m_in.get(), m_block.data(), m_block.size());
            if (got == 0) break;
            if (got < 0) {
                damaged();
                whole = false;
                break;
            }
            m_written += static_cast<std::uint64_t>(got);
            if (m_written > m_limits.bytes)
                return failure("holds more than " + std::to_string(m_limits.bytes) + " bytes unpacked",
                               m_label);
            if (const Result<void> done = spool->append({m_block.data(), static_cast<std::size_t>(got)});
                !done)
                return tl::unexpected(done.error());
            m_task.report("Unpacking", static_cast<std::uint64_t>(archive_filter_bytes(m_in.get(), -1)),
                          m_packed.size());
        }
        if (const std::uint64_t bytes = spool->size(); bytes > 0) {
            Result<session::ByteSourcePtr> source = std::move(*spool).finish();
            if (!source) return tl::unexpected(source.error());
            m_out.files.push_back({std::move(name), std::move(*source), bytes});
        }
        return whole;
    }

    std::string_view m_packed;
    const std::string& m_label;
    const TaskContext& m_task;
    const UnpackLimits& m_limits;
    const WantedFile& m_wanted;
    ArchivePtr m_in{archive_read_new(), &archive_read_free};
    std::array<char, blockSize> m_block{};
    std::uint64_t m_written = 0;
    Unpacked m_out;
};

} // namespace

bool looksPacked(std::string_view head) {
    static constexpr std::array magics = {"\x1f\x8b"sv, "\x28\xb5\x2f\xfd"sv,
                                          "\xfd"
                                          "7zXZ"sv,
                                          "BZh"sv, "\x04\x22\x4d\x18"sv};
    for (const std::string_view magic : magics)
        if (head.starts_with(magic)) return true;
    return looksLikeZip(head) || looksLikeTar(head);
}

Result<Unpacked> unpack(std::string_view packed, const std::string& label, const TaskContext& task,
                        const UnpackLimits& limits, const WantedFile& wanted) {
    return Unpacker(packed, label, task, limits, wanted).run();
}

} // namespace dynascope::capture
