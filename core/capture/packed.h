// SPDX-License-Identifier: BSD-3-Clause
//
// Compressed files and archives: what is packed in them is spooled to unnamed files on disk, which are then
// mapped as any capture is. Names and links of an archive are never used as paths.
#pragma once

#include "core/base/result.h"
#include "core/base/task.h"
#include "core/session/session.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::capture {

struct PackedFile {
    /// As the archive spells it; for a lone compressed file, its name without ".gz" and the like
    std::string name;
    session::ByteSourcePtr source; ///< null where the file was not wanted
    std::uint64_t bytes = 0;
};

struct Unpacked {
    std::vector<PackedFile> files; ///< regular files that hold something, in the archive's order
    /// Where the input ends early or is broken; what came before is in `files`
    std::vector<session::Warning> damages;
};

/// Which files are wanted, by name and size as the archive says it (0 where it does not); all of them if
/// empty.
using WantedFile = std::function<bool(std::string_view, std::uint64_t)>;

struct UnpackLimits {
    /// Of all files together, against decompression bombs; besides what temporary files may take
    /// (session::Spool).
    std::uint64_t bytes = UINT64_MAX;
    std::size_t files = 10'000;
};

/// True for gzip, zstd, xz, bzip2, lz4, tar and zip, told by their first bytes.
[[nodiscard]] bool looksPacked(std::string_view head);

/// Unpacks `packed` (the bytes of a file called `label`) by way of libarchive: a lone compressed file, or a
/// tar or zip, compressed or not. Progress counts the packed bytes. The spooled bytes live as long as their
/// sources, in the folder for temporary files ($TMPDIR). An Error where nothing could be unpacked, a limit is
/// reached or the disk is full.
[[nodiscard]] Result<Unpacked> unpack(std::string_view packed, const std::string& label,
                                      const TaskContext& task = {}, const UnpackLimits& limits = {},
                                      const WantedFile& wanted = {});

} // namespace dynascope::capture
