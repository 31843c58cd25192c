// SPDX-License-Identifier: BSD-3-Clause
//
// Where the bytes of a session live: a mapped file or a text in memory.
#pragma once

#include "core/base/result.h"
#include "core/session/session.h"

#include <string>

namespace dynascope::session {

/// Maps a regular file for reading; other kinds (a pipe) are read to their end. The mapping lives as long as
/// the source. Errors name the file and the system's reason.
[[nodiscard]] Result<ByteSourcePtr> openByteSource(const std::string& path);

/// Takes a text that is already in memory.
[[nodiscard]] ByteSourcePtr makeByteSource(std::string text);

} // namespace dynascope::session
