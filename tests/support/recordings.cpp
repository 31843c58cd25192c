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

std::string longRecording(std::uint32_t steps) {
    constexpr std::uint32_t callLength = 40;
    constexpr std::uint64_t lastText = 24; // before the names of nodes
    RecordingWriter out;
    out.record('H', R"({"format":1})");
    out.numbers('s', {1}, "TensorVariable")
        .numbers('s', {2}, "call_function")
        .numbers('s', {3}, "dtype")
        .numbers('s', {4}, "f32[8]");
    for (std::uint64_t i = 0; i < 20; ++i)
        out.numbers('s', {5 + i}, "local" + std::to_string(i));
    std::string ops = "\"LOAD_FAST\"", lines = "1", source;
    for (std::uint32_t i = 1; i < callLength; ++i) {
        ops += ",\"CALL\"";
        lines += ',' + std::to_string(1 + i / 4);
    }
    for (std::uint32_t i = 0; i < callLength / 4; ++i)
        source += "    local" + std::to_string(i) + " = torch.sin(local0)\\n";
    out.record('t', R"({"file":"p.py","first_line":1,"text":")" + source + "\"}");
    out.record('c', R"({"id":1,"name":"f","file":"p.py","first_line":1,"instructions":{"op":[)" + ops +
                        R"(],"line":[)" + lines + "]}}");
    out.record('A', R"({"id":1,"compile_id":"0/0","attempt":0,"code":1})")
        .numbers('f', {1, 0, 1, 0, 0})
        .numbers('g', {0, 0});
    std::uint64_t values = 0, nodes = 0, guards = 0, frames = 1;
    for (std::uint32_t i = 0; i < steps; ++i) {
        const std::uint32_t within = i % callLength;
        if (within == 0 && i > 0) out.numbers('l', {frames}).numbers('f', {++frames, 1, 1, 1, 0});
        if (i % 2 == 0) out.numbers('v', {++values, 1, 3U << 2U, 4});
        if (i % 20 == 0) {
            const std::uint64_t before = nodes++;
            out.numbers('s', {lastText + nodes}, "sin_" + std::to_string(nodes));
            out.numbers('n', {nodes, 0, before, 2, lastText + nodes, 2, 0, 4},
                        before == 0 ? "(args = (), kwargs = {})"
                                    : "(args = (\x01" + std::to_string(before) + "\x02,), kwargs = {})");
        }
        if (i % 30 == 0) out.numbers('q', {++guards, 1, 5 + i % 20, 2, 3});
        if (i % 50 == 0) out.numbers('a', {values, 5, values});
        const auto flags = std::uint8_t(12 + (within == 0 ? 3 : 0));
        std::vector<std::uint64_t> numbers;
        if (within == 0) numbers = {frames, 0};
        numbers.insert(numbers.end(), {within % 4, 1, values, 1, 5 + i % 20, values});
        out.step(flags, numbers);
        if (i % 5000 == 4999) out.endBlock();
    }
    return out.numbers('Z', {1}).endBlock().file();
}

} // namespace dynascope::test
