// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/md5.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace dynascope::capture {

namespace {

// RFC 1321, 3.4: T[i] = floor(2^32 * |sin(i + 1)|).
std::array<std::uint32_t, 64> makeSines() {
    std::array<std::uint32_t, 64> out{};
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<std::uint32_t>(
            std::floor(std::fabs(std::sin(static_cast<double>(i + 1))) * 4294967296.0));
    return out;
}

constexpr std::array<std::array<int, 4>, 4> shifts = {
    {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};

std::uint32_t loadLittle(const unsigned char* p) {
    return static_cast<std::uint32_t>(p[0]) | static_cast<std::uint32_t>(p[1]) << 8 |
           static_cast<std::uint32_t>(p[2]) << 16 | static_cast<std::uint32_t>(p[3]) << 24;
}

template <int Round>
std::uint32_t mix(std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    if constexpr (Round == 0) return d ^ (b & (c ^ d));
    if constexpr (Round == 1) return c ^ (d & (b ^ c));
    if constexpr (Round == 2) return b ^ c ^ d;
    if constexpr (Round == 3) return c ^ (b | ~d);
}

template <int Round>
constexpr std::size_t wordOf(std::size_t i) {
    constexpr std::array<std::size_t, 4> factor = {1, 5, 3, 7};
    constexpr std::array<std::size_t, 4> start = {0, 1, 5, 0};
    return (factor[Round] * i + start[Round]) % 16;
}

template <int Round>
void round(std::array<std::uint32_t, 4>& s, const std::array<std::uint32_t, 16>& words,
           const std::array<std::uint32_t, 64>& sines) {
    for (std::size_t i = 0; i < 16; ++i) {
        const std::uint32_t sum = s[0] + mix<Round>(s[1], s[2], s[3]) + words[wordOf<Round>(i)] +
                                  sines[std::size_t{16} * Round + i];
        const std::uint32_t next = s[1] + std::rotl(sum, shifts[Round][i % 4]);
        s = {s[3], next, s[1], s[2]};
    }
}

} // namespace

void Md5::block(const unsigned char* data) {
    static const std::array<std::uint32_t, 64> sines = makeSines();
    std::array<std::uint32_t, 16> words;
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = loadLittle(data + 4 * i);
    std::array<std::uint32_t, 4> s = m_state;
    round<0>(s, words, sines);
    round<1>(s, words, sines);
    round<2>(s, words, sines);
    round<3>(s, words, sines);
    for (std::size_t i = 0; i < s.size(); ++i)
        m_state[i] += s[i];
}

void Md5::add(std::string_view bytes) {
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    std::size_t left = bytes.size();
    if (const std::size_t filled = m_size % 64; filled != 0 && left != 0) {
        const std::size_t take = std::min(left, 64 - filled);
        std::memcpy(m_pending.data() + filled, data, take);
        m_size += take;
        data += take;
        left -= take;
        if (m_size % 64 == 0) block(m_pending.data());
    }
    if (left == 0) return;
    m_size += left;
    for (; left >= 64; left -= 64, data += 64)
        block(data);
    std::memcpy(m_pending.data(), data, left);
}

Md5::Digest Md5::finish() {
    const std::uint64_t bits = m_size * 8;
    static constexpr std::array<char, 64> padding = {'\x80'};
    const std::size_t filled = m_size % 64;
    add({padding.data(), filled < 56 ? 56 - filled : 120 - filled});
    std::array<char, 8> length{};
    for (std::size_t i = 0; i < length.size(); ++i)
        length[i] = static_cast<char>(bits >> (8 * i) & 0xff);
    add({length.data(), length.size()});

    Digest out{};
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<std::uint8_t>(m_state[i / 4] >> (8 * (i % 4)) & 0xff);
    return out;
}

std::string toHex(const Md5::Digest& digest) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    for (const std::uint8_t byte : digest) {
        out += digits[byte >> 4];
        out += digits[byte & 15];
    }
    return out;
}

} // namespace dynascope::capture
