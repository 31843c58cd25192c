// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/recordings.h"

#include "tests/support/archive.h"

#include <zlib.h>

namespace dynascope::test {

namespace {

void append(std::string& out, std::uint64_t number) {
    for (; number > 127; number >>= 7U)
        out += static_cast<char>((number & 127U) | 128U);
    out += static_cast<char>(number);
}

std::string word(std::uint64_t number) {
    std::string out;
    for (unsigned i = 0; i < 4; ++i)
        out += static_cast<char>((number >> (8 * i)) & 255U);
    return out;
}

std::string packed(const std::string& raw) {
    z_stream stream{};
    if (deflateInit2(&stream, 4, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) return {};
    std::string out(deflateBound(&stream, raw.size()), '\0');
    std::string in = raw; // zlib's interface is older than const
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    static_cast<void>(deflate(&stream, Z_FINISH));
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

std::map<std::string, std::string> files(const std::string& archive, std::string_view folder,
                                         std::string_view suffix) {
    std::map<std::string, std::string> out;
    for (ArchiveFile& file : readArchive(DYNASCOPE_SOURCE_DIR "/tests/oracle/" + archive))
        if (file.path.starts_with(folder) && file.path.ends_with(suffix))
            out[file.path.substr(folder.size(), file.path.size() - folder.size() - suffix.size())] =
                std::move(file.content);
    return out;
}

} // namespace

std::map<std::string, std::string> oracleRecordings() {
    return files("recordings.tar.xz", "", ".dsteps");
}

std::map<std::string, std::string> oraclePrograms() {
    return files("oracle.tar.xz", "dynamo/", ".json");
}

RecordingWriter& RecordingWriter::record(char tag, std::string_view payload) {
    m_open += tag;
    append(m_open, payload.size());
    m_open += payload;
    return *this;
}

RecordingWriter& RecordingWriter::numbers(char tag, const std::vector<std::uint64_t>& values,
                                          std::string_view rest) {
    std::string payload;
    for (const std::uint64_t value : values)
        append(payload, value);
    return record(tag, payload.append(rest));
}

RecordingWriter& RecordingWriter::step(std::uint8_t flags, const std::vector<std::uint64_t>& values) {
    std::string payload(1, static_cast<char>(flags));
    for (const std::uint64_t value : values)
        append(payload, value);
    return record('i', payload);
}

RecordingWriter& RecordingWriter::endBlock() {
    const std::string data = packed(m_open);
    const auto check =
        crc32(0, reinterpret_cast<const Bytef*>(m_open.data()), static_cast<uInt>(m_open.size()));
    m_blocks += "BLCK" + word(data.size()) + word(m_open.size()) + word(check) + data;
    m_open.clear();
    ++m_count;
    return *this;
}

std::string RecordingWriter::file() const {
    return "\x89"
           "DYNSTEP" +
           word(1) + m_blocks;
}

std::string RecordingWriter::tail() const {
    return "\x89"
           "DYNTAIL" +
           word(m_count) + m_open + std::string(64, '\0');
}

} // namespace dynascope::test
