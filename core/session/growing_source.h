// SPDX-License-Identifier: BSD-3-Clause
//
// The bytes of a file that somebody still writes to its end. Sources of one file that was read again and
// again share their bytes: what was read once is neither read nor kept twice.
#pragma once

#include "core/base/result.h"
#include "core/session/session.h"

#include <cstdint>
#include <string>

namespace dynascope::session {

/// The file as it is now. Where `before` was made by this function, of the same file, and begins and ends as
/// the file still does there, only what was appended since is read, and the new source has the same bytes at
/// the same addresses. Any other file is read as openByteSource() does, but mapped from 16 MiB on with room
/// to grow. `before` may be null. Any thread, one at a time for sources of one file.
[[nodiscard]] Result<ByteSourcePtr> openGrowing(const std::string& path, const ByteSourcePtr& before);

/// The first `length` bytes of a source that openGrowing() made, sharing its memory; any other source as it
/// is.
[[nodiscard]] ByteSourcePtr firstBytes(const ByteSourcePtr& source, std::uint64_t length);

} // namespace dynascope::session
