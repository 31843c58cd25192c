// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/wire/framing.h"

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

Error plain(std::string message) {
    return Error{std::move(message)};
}

struct Header {
    std::size_t length = 0;
    std::optional<std::int64_t> stream;
};

template <typename Number>
bool readNumber(std::string_view text, Number& value) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    return status == std::errc() && stop == text.data() + text.size();
}

Result<Header> readHeader(std::string_view header) {
    Header out;
    bool sized = false;
    while (!header.empty()) {
        const std::size_t end = std::min(header.find("\r\n"), header.size());
        const std::string_view line = header.substr(0, end);
        header.remove_prefix(std::min(end + 2, header.size()));
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) return tl::unexpected(plain("a header line without a colon"));
        const std::string_view key = line.substr(0, colon);
        if (equalsIgnoringCase(key, "Content-Length")) {
            if (!readNumber(line.substr(colon + 1), out.length))
                return tl::unexpected(plain("Content-Length is not a number"));
            sized = true;
        } else if (equalsIgnoringCase(key, "Stream")) {
            if (!readNumber(line.substr(colon + 1), out.stream.emplace()))
                return tl::unexpected(plain("Stream is not a number"));
        }
    }
    if (!sized) return tl::unexpected(plain("a header without Content-Length"));
    const std::size_t allowed = out.stream ? maxPieceBytes : maxMessageBytes;
    if (out.length > allowed)
        return tl::unexpected(plain("a message of " + std::to_string(out.length) + " bytes, more than the " +
                                    std::to_string(allowed) + " allowed"));
    return out;
}

} // namespace

std::string frame(std::string_view body) {
    std::string out = "Content-Length: " + std::to_string(body.size());
    out += headerEnd;
    out += body;
    return out;
}

std::string streamFrame(std::int64_t request, std::string_view piece) {
    std::string out =
        "Stream: " + std::to_string(request) + "\r\nContent-Length: " + std::to_string(piece.size());
    out += headerEnd;
    out += piece;
    return out;
}

void FrameReader::append(std::string_view bytes) {
    if (m_start > 0 && m_start >= m_buffer.size() / 2) {
        m_buffer.erase(0, m_start);
        m_start = 0;
    }
    m_buffer += bytes;
}

Result<std::optional<Frame>> FrameReader::nextFrame() {
    if (!m_body) {
        const std::string_view rest = std::string_view(m_buffer).substr(m_start);
        const std::size_t end = rest.substr(0, maxHeaderBytes).find(headerEnd);
        if (end == std::string_view::npos) {
            if (rest.size() >= maxHeaderBytes) return tl::unexpected(plain("no header within 4096 bytes"));
            return std::nullopt;
        }
        const Result<Header> header = readHeader(rest.substr(0, end));
        if (!header) return tl::unexpected(header.error());
        m_body = header->length;
        m_stream = header->stream;
        m_start += end + headerEnd.size();
    }
    if (m_buffer.size() - m_start < *m_body) return std::nullopt;
    Frame out{m_buffer.substr(m_start, *m_body), m_stream};
    m_start += *m_body;
    m_body.reset();
    return out;
}

Result<std::optional<std::string>> FrameReader::next() {
    Result<std::optional<Frame>> frame = nextFrame();
    if (!frame) return tl::unexpected(frame.error());
    if (!*frame) return std::nullopt;
    if ((*frame)->stream) return tl::unexpected(plain("bulk data where a message was expected"));
    return std::move((*frame)->body);
}

} // namespace dynascope::engine
