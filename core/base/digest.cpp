// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/digest.h"

#include <nettle/md5.h>
#include <nettle/sha2.h>

namespace dynascope {

namespace {

const std::uint8_t* bytesOf(std::string_view text) {
    return reinterpret_cast<const std::uint8_t*>(text.data());
}

} // namespace

Md5::Md5()
    : m_state(std::make_unique<md5_ctx>()) {
    md5_init(m_state.get());
}

Md5::~Md5() = default;

void Md5::add(std::string_view bytes) {
    md5_update(m_state.get(), bytes.size(), bytesOf(bytes));
}

Md5::Digest Md5::finish() {
    Digest digest;
    md5_digest(m_state.get(), digest.size(), digest.data());
    return digest;
}

std::array<std::uint8_t, 32> sha256(std::string_view bytes) {
    sha256_ctx state;
    sha256_init(&state);
    sha256_update(&state, bytes.size(), bytesOf(bytes));
    std::array<std::uint8_t, 32> digest;
    sha256_digest(&state, digest.size(), digest.data());
    return digest;
}

std::string toHex(std::span<const std::uint8_t> digest) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * digest.size());
    for (const std::uint8_t byte : digest) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

} // namespace dynascope
