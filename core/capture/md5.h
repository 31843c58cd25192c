// SPDX-License-Identifier: BSD-3-Clause
//
// MD5 (RFC 1321), which TORCH_TRACE uses to name payloads. Not for security.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace dynascope::capture {

class Md5 {
public:
    using Digest = std::array<std::uint8_t, 16>;

    void add(std::string_view bytes);
    /// Ends the message; the object is spent afterwards.
    [[nodiscard]] Digest finish();

private:
    void block(const unsigned char* data);

    std::array<std::uint32_t, 4> m_state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    std::array<unsigned char, 64> m_pending{};
    std::uint64_t m_size = 0;
};

[[nodiscard]] std::string toHex(const Md5::Digest& digest);

} // namespace dynascope::capture
