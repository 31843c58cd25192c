// SPDX-License-Identifier: BSD-3-Clause
//
// The bytes of what a recorder writes (docs/recording-format.md): packed blocks, then the tail that a running or
// killed program left. Recordings of Dynamo and of Inductor's passes differ in their first eight bytes and in
// their records.
#pragma once

#include "core/base/result.h"
#include "core/session/session.h"

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::journal {

/// Where a record's payload lies: in which unpacked block, at which byte, how many bytes.
struct PayloadPlace {
    std::uint32_t block = 0;
    std::uint32_t offset = 0;
    std::uint32_t length = 0;
};

using BlockPtr = std::shared_ptr<const std::string>;

/// Reads unsigned LEB128 numbers off a payload.
class Numbers {
public:
    explicit Numbers(std::string_view text)
        : m_rest(text) {}
    /// The next number; 0 where there is none, and then good() is false.
    std::uint64_t next();
    /// The next number if it fits 32 bits; else as if there were none.
    std::uint32_t nextId();
    [[nodiscard]] bool good() const { return m_good; }
    [[nodiscard]] bool done() const { return m_rest.empty(); }
    [[nodiscard]] std::string_view rest() const { return m_rest; }

private:
    std::string_view m_rest;
    bool m_good = true;
};

struct RecordView {
    char tag = 0;
    std::uint32_t begin = 0; ///< of the payload in its block
    std::string_view payload;
};

/// Reads the record at `offset` of a block and moves on to the next. False at the end, or where the rest
/// makes no sense.
bool readRecord(std::string_view block, std::uint32_t& offset, RecordView& record);

/// Which recorder wrote a file.
struct Format {
    std::string_view magic; ///< the first eight bytes
    std::string_view name;  ///< "recording of Dynamo"
};

/// Whether the bytes begin as a file of that recorder does.
[[nodiscard]] inline bool isOf(std::string_view bytes, const Format& format) {
    return bytes.starts_with(format.magic);
}

/// Blocks by number, unpacked on demand; the last few stay in memory. For one thread at a time.
class BlockFile {
public:
    /// `tail` may be null. Fails only if the file is of another format or of a version to come; what is cut off
    /// or damaged becomes a warning.
    [[nodiscard]] static Result<BlockFile> open(session::ByteSourcePtr file, session::ByteSourcePtr tail,
                                                const Format& format);

    [[nodiscard]] std::size_t size() const { return m_blocks.size(); }
    /// Null if the block is damaged.
    [[nodiscard]] BlockPtr block(std::size_t index) const;
    /// Bytes unpacked, as the block's head says.
    [[nodiscard]] std::uint64_t unpackedBytes(std::size_t index) const { return m_blocks[index].unpacked; }
    [[nodiscard]] std::uint64_t packedBytes() const;
    [[nodiscard]] const std::vector<std::string>& warnings() const { return m_warnings; }

private:
    struct Entry {
        std::uint64_t offset = 0; ///< of the data; in the tail where `packed` is 0
        std::uint64_t packed = 0;
        std::uint64_t unpacked = 0;
        std::uint32_t check = 0;
    };
    struct Kept {
        std::size_t index;
        BlockPtr block;
    };

    void findBlocks();
    void addTail();
    [[nodiscard]] BlockPtr unpack(const Entry& entry) const;

    session::ByteSourcePtr m_file, m_tail;
    std::vector<Entry> m_blocks;
    std::vector<std::string> m_warnings;
    mutable std::list<Kept> m_kept; ///< most recently used first
};

} // namespace dynascope::journal
