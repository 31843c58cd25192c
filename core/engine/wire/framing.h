// SPDX-License-Identifier: BSD-3-Clause
//
// Content-Length framing, as the Language Server Protocol's base protocol has it: header lines ended by CR
// LF, an empty line, then that many bytes of JSON. A header line "Stream: ID" makes it a piece of the bulk
// data that belongs to request ID (protocol.h): bytes, not JSON.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dynascope::engine {

/// Larger messages are refused by both ends.
inline constexpr std::size_t maxMessageBytes = std::size_t{256} << 20;

/// Larger pieces of bulk data are refused by both ends.
inline constexpr std::size_t maxPieceBytes = std::size_t{1} << 20;

/// The message with its header.
[[nodiscard]] std::string frame(std::string_view body);
/// A piece of bulk data with its header.
[[nodiscard]] std::string streamFrame(std::int64_t request, std::string_view piece);

struct Frame {
    std::string body;
    std::optional<std::int64_t> stream; ///< the request, if this is bulk data
};

/// Cuts a byte stream into messages. Not thread-safe.
class FrameReader {
public:
    void append(std::string_view bytes);
    /// The next whole message, or nothing while it is still under way. After an Error the stream cannot be
    /// read on: there is no telling where the next message begins.
    [[nodiscard]] Result<std::optional<Frame>> nextFrame();
    /// The same for a stream without bulk data, which is an Error.
    [[nodiscard]] Result<std::optional<std::string>> next();

private:
    std::string m_buffer;
    std::size_t m_start = 0;              ///< first byte of m_buffer that is not consumed
    std::optional<std::size_t> m_body;    ///< length of the body whose header was read
    std::optional<std::int64_t> m_stream; ///< of that header
};

} // namespace dynascope::engine
