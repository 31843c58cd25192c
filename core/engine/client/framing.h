// SPDX-License-Identifier: BSD-3-Clause
//
// Content-Length framing, as the Language Server Protocol's base protocol has it: header lines ended by CR
// LF, an empty line, then that many bytes of JSON.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dynascope::engine {

/// Larger messages are refused by both ends.
inline constexpr std::size_t maxMessageBytes = std::size_t{256} << 20;

/// The message with its header.
[[nodiscard]] std::string frame(std::string_view body);

/// Cuts a byte stream into messages. Not thread-safe.
class FrameReader {
public:
    void append(std::string_view bytes);
    /// The next whole message, or nothing while it is still under way. After an Error the stream cannot be
    /// read on: there is no telling where the next message begins.
    [[nodiscard]] Result<std::optional<std::string>> next();

private:
    std::string m_buffer;
    std::size_t m_start = 0;           ///< first byte of m_buffer that is not consumed
    std::optional<std::size_t> m_body; ///< length of the body whose header was read
};

} // namespace dynascope::engine
