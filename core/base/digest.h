// SPDX-License-Identifier: BSD-3-Clause
//
// Digests by which PyTorch names things: MD5 for the payloads of a trace, SHA-256 for symbols of shapes.
// Nettle computes them. Not for security.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct md5_ctx;

namespace dynascope {

/// MD5 (RFC 1321) of a message that comes in pieces.
class Md5 {
public:
    using Digest = std::array<std::uint8_t, 16>;

    Md5();
    ~Md5();
    Md5(const Md5&) = delete;
    Md5& operator=(const Md5&) = delete;

    void add(std::string_view bytes);
    /// Ends the message; the object begins a new one.
    [[nodiscard]] Digest finish();

private:
    std::unique_ptr<md5_ctx> m_state;
};

/// SHA-256 (FIPS 180-4).
[[nodiscard]] std::array<std::uint8_t, 32> sha256(std::string_view bytes);

/// Two lower-case digits a byte.
[[nodiscard]] std::string toHex(std::span<const std::uint8_t> digest);

} // namespace dynascope
