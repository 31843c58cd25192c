// SPDX-License-Identifier: BSD-3-Clause
#include "core/journal/block_file.h"

#include "core/base/log.h"

#include <algorithm>
#include <zlib.h>

namespace dynascope::journal {

namespace {

constexpr std::string_view tailMagic = "\x89"
                                       "DYNTAIL";
constexpr std::string_view blockMagic = "BLCK";
constexpr std::uint32_t version = 1;
constexpr std::size_t fileHead = 12, blockHead = 16;
constexpr std::size_t keptBlocks = 48; ///< of 128 KiB each, as the recorder makes them
constexpr std::uint64_t largestBlock = std::uint64_t(1) << 25U;
constexpr std::uint64_t bestRatio = 1040; ///< DEFLATE cannot pack better

std::uint32_t word(std::string_view bytes, std::size_t at) {
    std::uint32_t out = 0;
    for (std::size_t i = 0; i < 4; ++i)
        out |= std::uint32_t(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    return out;
}

} // namespace

std::uint64_t Numbers::next() {
    std::uint64_t out = 0;
    for (unsigned shift = 0; shift < 64 && !m_rest.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(m_rest.front());
        m_rest.remove_prefix(1);
        out |= std::uint64_t(byte & 127U) << shift;
        if (byte < 128) return out;
    }
    m_good = false;
    m_rest = {};
    return 0;
}

std::uint32_t Numbers::nextId() {
    const std::uint64_t out = next();
    if (out <= UINT32_MAX) return static_cast<std::uint32_t>(out);
    m_good = false;
    return 0;
}

bool readRecord(std::string_view block, std::uint32_t& offset, RecordView& record) {
    if (std::size_t(offset) + 2 > block.size() || block[offset] == '\0') return false;
    const std::string_view rest = block.substr(offset + 1);
    Numbers numbers(rest);
    const std::uint64_t size = numbers.next();
    if (!numbers.good() || size > numbers.rest().size()) return false;
    record.tag = block[offset];
    record.begin = offset + 1 + static_cast<std::uint32_t>(rest.size() - numbers.rest().size());
    record.payload = numbers.rest().substr(0, size);
    offset = record.begin + static_cast<std::uint32_t>(size);
    return true;
}

Result<BlockFile> BlockFile::open(session::ByteSourcePtr file, session::ByteSourcePtr tail,
                                  const Format& format) {
    const std::string_view bytes = file->bytes();
    if (bytes.size() < fileHead || !isOf(bytes, format)) return failure("not a " + std::string(format.name));
    if (const std::uint32_t found = word(bytes, format.magic.size()); found != version)
        return failure(std::string(format.name) + " of version " + std::to_string(found) +
                       ", this program reads version 1");
    BlockFile out;
    out.m_file = std::move(file);
    out.m_tail = std::move(tail);
    out.findBlocks();
    out.addTail();
    log::write(log::Topic::Journal, format.name, " of ", bytes.size(), " bytes: ", out.m_blocks.size(),
               " blocks", out.m_tail ? ", and the journal beside it; " : "; ", out.m_warnings.size(),
               " warnings");
    return out;
}

void BlockFile::findBlocks() {
    const std::string_view bytes = m_file->bytes();
    std::size_t at = fileHead;
    while (bytes.size() - at >= blockHead) {
        if (bytes.substr(at, blockMagic.size()) != blockMagic) {
            m_warnings.push_back("no block at byte " + std::to_string(at) + "; the rest is left out");
            return;
        }
        const Entry entry{at + blockHead, word(bytes, at + 4), word(bytes, at + 8), word(bytes, at + 12)};
        if (entry.packed == 0 || entry.packed > bytes.size() - entry.offset) break;
        m_blocks.push_back(entry);
        at = entry.offset + entry.packed;
    }
    if (at != bytes.size()) m_warnings.push_back("the block at byte " + std::to_string(at) + " is cut off");
}

void BlockFile::addTail() {
    if (!m_tail) return;
    const std::string_view bytes = m_tail->bytes();
    if (bytes.size() <= fileHead || !bytes.starts_with(tailMagic)) return;
    if (word(bytes, tailMagic.size()) != m_blocks.size() || bytes[fileHead] == '\0') return;
    m_blocks.push_back({fileHead, 0, bytes.size() - fileHead, 0});
}

std::uint64_t BlockFile::packedBytes() const {
    return m_file->bytes().size();
}

BlockPtr BlockFile::block(std::size_t index) const {
    const auto found =
        std::find_if(m_kept.begin(), m_kept.end(), [index](const Kept& kept) { return kept.index == index; });
    if (found != m_kept.end()) {
        m_kept.splice(m_kept.begin(), m_kept, found);
        return found->block;
    }
    m_kept.push_front({index, unpack(m_blocks[index])});
    if (!m_kept.front().block) log::write(log::Topic::Journal, "block ", index, " is damaged");
    if (m_kept.size() > keptBlocks) m_kept.pop_back();
    return m_kept.front().block;
}

BlockPtr BlockFile::unpack(const Entry& entry) const {
    if (entry.packed == 0) return std::make_shared<const std::string>(m_tail->bytes().substr(entry.offset));
    if (entry.unpacked > largestBlock || entry.unpacked > entry.packed * bestRatio + 64) return nullptr;
    std::string out(entry.unpacked, '\0');
    z_stream stream{};
    if (inflateInit2(&stream, -15) != Z_OK) return nullptr;
    const std::string_view packed = m_file->bytes().substr(entry.offset, entry.packed);
    // zlib's interface is older than const.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int result = inflate(&stream, Z_FINISH);
    const bool whole = result == Z_STREAM_END && stream.avail_out == 0;
    inflateEnd(&stream);
    const auto check = crc32(0, reinterpret_cast<const Bytef*>(out.data()), static_cast<uInt>(out.size()));
    if (!whole || check != entry.check) return nullptr;
    return std::make_shared<const std::string>(std::move(out));
}

} // namespace dynascope::journal
