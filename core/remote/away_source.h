// SPDX-License-Identifier: BSD-3-Clause
//
// A file of another machine of which only the index is here: the rest is written into its place when it is needed.
#pragma once

#include "core/capture/log_index.h"
#include "core/remote/protocol.h"
#include "core/session/session.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace dynascope::remote {

/// The index of a file whose pieces stay, before it is packed: what does not stay, and the table of what does
/// (protocol.h). The pieces are in their order, and within the text.
[[nodiscard]] std::string indexText(std::string_view text, std::span<const capture::StayingPiece> staying);

/// Gets pieces, one after the other in one text. Called on the thread that needs them, one call at a time.
using GetPieces = std::function<Result<std::string>(std::span<const session::AwayPiece>)>;

/// The file of `bytes` bytes whose index `came` (protocol.h). With a piece that is needed come those behind it, up to
/// 256 KiB: stages are looked at one after the other. What cannot be got is noted (core/session/unreached.h). An Error
/// where the index is not of such a file.
[[nodiscard]] Result<session::ByteSourcePtr> awaySource(std::string_view came, const IndexReply& index,
                                                        std::uint64_t bytes, GetPieces get);

} // namespace dynascope::remote
