// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/client/framing.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace dynascope::engine {

namespace {

constexpr std::size_t maxHeaderBytes = 4096;
constexpr std::string_view headerEnd = "\r\n\r\n";

bool equalsIgnoringCase(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

Result<std::size_t> bodyLength(std::string_view header) {
    std::optional<std::size_t> length;
    while (!header.empty()) {
        const std::size_t end = std::min(header.find("\r\n"), header.size());
        const std::string_view line = header.substr(0, end);
        header.remove_prefix(std::min(end + 2, header.size()));
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos)
            return tl::unexpected(Error{"a header line without a colon", {}, 0, 0});
        if (!equalsIgnoringCase(line.substr(0, colon), "Content-Length")) continue;
        std::string_view digits = line.substr(colon + 1);
        digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
        std::size_t value = 0;
        const auto [stop, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (status != std::errc() || stop != digits.data() + digits.size())
            return tl::unexpected(Error{"Content-Length is not a number", {}, 0, 0});
        length = value;
    }
    if (!length) return tl::unexpected(Error{"a header without Content-Length", {}, 0, 0});
    if (*length > maxMessageBytes)
        return tl::unexpected(Error{"a message of " + std::to_string(*length) + " bytes, more than the " +
                                        std::to_string(maxMessageBytes) + " allowed",
                                    {},
                                    0,
                                    0});
    return *length;
}

} // namespace

std::string frame(std::string_view body) {
    std::string out = "Content-Length: " + std::to_string(body.size());
    out += headerEnd;
    out += body;
    return out;
}

void FrameReader::append(std::string_view bytes) {
    if (m_start > 0 && m_start >= m_buffer.size() / 2) {
        m_buffer.erase(0, m_start);
        m_start = 0;
    }
    m_buffer += bytes;
}

Result<std::optional<std::string>> FrameReader::next() {
    if (!m_body) {
        const std::string_view rest = std::string_view(m_buffer).substr(m_start);
        const std::size_t end = rest.substr(0, maxHeaderBytes).find(headerEnd);
        if (end == std::string_view::npos) {
            if (rest.size() >= maxHeaderBytes)
                return tl::unexpected(Error{"no header within 4096 bytes", {}, 0, 0});
            return std::nullopt;
        }
        const Result<std::size_t> length = bodyLength(rest.substr(0, end));
        if (!length) return tl::unexpected(length.error());
        m_body = *length;
        m_start += end + headerEnd.size();
    }
    if (m_buffer.size() - m_start < *m_body) return std::nullopt;
    std::string body = m_buffer.substr(m_start, *m_body);
    m_start += *m_body;
    m_body.reset();
    return body;
}

} // namespace dynascope::engine
