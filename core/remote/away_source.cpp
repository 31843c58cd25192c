// SPDX-License-Identifier: BSD-3-Clause
#include "core/remote/away_source.h"

#include "core/journal/block_file.h"
#include "core/session/unreached.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace dynascope::remote {

namespace {

using capture::StayingPiece;
using session::AwayPiece;

constexpr std::uint64_t comesAlong = std::uint64_t{256} << 10U;
constexpr std::uint64_t mostAtOnce = std::uint64_t{8} << 20U;
static_assert(mostAtOnce <= mostPieceBytes);
/// No log that PyTorch wrote is as long as a machine could say that one is.
constexpr std::uint64_t longestFile = std::uint64_t{256} << 30U;

/// Addresses for a whole file, of which pages that nobody wrote take no memory.
class Room {
public:
    [[nodiscard]] static std::optional<Room> create(std::uint64_t bytes) {
        void* const data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (data == MAP_FAILED) return std::nullopt;
        return Room(static_cast<char*>(data), bytes);
    }
    Room(Room&& other) noexcept
        : m_data(std::exchange(other.m_data, nullptr))
        , m_bytes(other.m_bytes) {}
    Room& operator=(Room&&) = delete;
    ~Room() {
        if (m_data) ::munmap(m_data, m_bytes);
    }
    [[nodiscard]] char* at(std::uint64_t offset) const { return m_data + offset; }
    [[nodiscard]] std::string_view bytes() const { return {m_data, m_bytes}; }

private:
    Room(char* data, std::uint64_t bytes)
        : m_data(data)
        , m_bytes(bytes) {}

    char* m_data;
    std::uint64_t m_bytes;
};

class AwaySource final : public session::ByteSource {
public:
    AwaySource(Room room, std::vector<AwayPiece> pieces, GetPieces get)
        : m_room(std::move(room))
        , m_pieces(std::move(pieces))
        , m_get(std::move(get))
        , m_isHere(m_pieces.size(), false)
        , m_left(m_pieces.size()) {}

    [[nodiscard]] std::string_view bytes() const override { return m_room.bytes(); }
    [[nodiscard]] std::span<const AwayPiece> away() const override { return m_pieces; }

    [[nodiscard]] bool isHere(std::uint64_t offset, std::uint64_t length) const override {
        return m_left == 0 || missing(offset, length).empty();
    }

    [[nodiscard]] Result<void> need(std::uint64_t offset, std::uint64_t length) const override {
        if (isHere(offset, length)) return {};
        const std::scoped_lock getting(m_getting);
        for (;;) {
            const std::vector<std::size_t> wanted = missing(offset, length);
            if (wanted.empty()) return {};
            if (Result<void> got = take(withMore(wanted)); !got) {
                session::noteUnreached(got.error().toString());
                return got;
            }
        }
    }

private:
    /// Pieces between the two that are not here, about as many as one answer brings.
    [[nodiscard]] std::vector<std::size_t> missing(std::uint64_t offset, std::uint64_t length) const {
        std::vector<std::size_t> out;
        std::uint64_t bytes = 0;
        const std::uint64_t end = length > UINT64_MAX - offset ? UINT64_MAX : offset + length;
        const auto first = std::ranges::partition_point(
            m_pieces, [offset](const AwayPiece& piece) { return piece.offset + piece.length <= offset; });
        const std::scoped_lock lock(m_mutex);
        for (auto piece = first; piece != m_pieces.end() && piece->offset < end && bytes < mostAtOnce;
             ++piece) {
            const auto index = static_cast<std::size_t>(piece - m_pieces.begin());
            if (m_isHere[index]) continue;
            out.push_back(index);
            bytes += piece->length;
        }
        return out;
    }

    [[nodiscard]] std::vector<std::size_t> withMore(std::vector<std::size_t> wanted) const {
        std::uint64_t bytes = 0;
        for (const std::size_t index : wanted)
            bytes += m_pieces[index].length;
        const std::scoped_lock lock(m_mutex);
        for (std::size_t next = wanted.back() + 1; next < m_pieces.size() && bytes < comesAlong; ++next) {
            if (m_isHere[next]) continue;
            bytes += m_pieces[next].length;
            if (bytes > comesAlong) break;
            wanted.push_back(next);
        }
        return wanted;
    }

    /// Nobody reads a piece before all of it is marked as here.
    [[nodiscard]] Result<void> take(const std::vector<std::size_t>& wanted) const {
        // One piece alone may be longer than an answer; its parts come one after the other.
        std::vector<AwayPiece> parts;
        for (const std::size_t index : wanted)
            for (std::uint64_t at = 0; at < m_pieces[index].length; at += mostAtOnce)
                parts.push_back(
                    {m_pieces[index].offset + at, std::min(mostAtOnce, m_pieces[index].length - at)});
        for (std::size_t from = 0; from < parts.size();) {
            std::size_t to = from;
            std::uint64_t bytes = 0;
            while (to < parts.size() && (to == from || bytes + parts[to].length <= mostAtOnce))
                bytes += parts[to++].length;
            const std::span<const AwayPiece> ask(parts.data() + from, to - from);
            Result<std::string> answer = m_get(ask);
            // A connection that broke on the way is made again once.
            if (!answer && !answer.error().isCancelled()) answer = m_get(ask);
            if (!answer) return tl::unexpected(answer.error());
            if (answer->size() != bytes) return failure("another length came than was asked for");
            const char* at = answer->data();
            for (const AwayPiece& part : ask) {
                std::memcpy(m_room.at(part.offset), at, part.length);
                at += part.length;
            }
            from = to;
        }
        const std::scoped_lock lock(m_mutex);
        for (const std::size_t index : wanted)
            m_isHere[index] = true;
        m_left -= wanted.size();
        return {};
    }

    Room m_room;
    std::vector<AwayPiece> m_pieces;
    GetPieces m_get;
    mutable std::mutex m_getting; ///< held while something is on its way
    mutable std::mutex m_mutex;   ///< the next
    mutable std::vector<bool> m_isHere;
    mutable std::atomic<std::size_t> m_left;
};

void addNumber(std::string& out, std::uint64_t number) {
    for (; number >= 0x80; number >>= 7U)
        out += static_cast<char>(number | 0x80);
    out += static_cast<char>(number);
}

} // namespace

std::string indexText(std::string_view text, std::span<const capture::StayingPiece> staying) {
    std::string out, table;
    std::uint64_t at = 0;
    for (const capture::StayingPiece& one : staying) {
        out.append(text.substr(at, one.piece.offset - at));
        addNumber(table, one.piece.offset - at);
        addNumber(table, one.piece.length);
        addNumber(table, 2 * one.lineEnds + (one.isClosed ? 1 : 0));
        at = one.piece.offset + one.piece.length;
    }
    out.append(text.substr(std::min<std::uint64_t>(at, text.size())));
    return out.append(table);
}

Result<session::ByteSourcePtr> awaySource(std::string_view came, const IndexReply& index, std::uint64_t bytes,
                                          GetPieces get) {
    const auto damaged = [] { return failure("what came is no index of this file"); };
    if (bytes == 0 || bytes > longestFile || index.here > bytes || index.here > came.size()) return damaged();
    std::string_view here = came.substr(0, index.here);
    journal::Numbers table(came.substr(index.here));
    if (index.staying > table.rest().size()) return damaged();
    std::optional<Room> room = Room::create(bytes);
    if (!room) return failure("there are no addresses for a file of " + std::to_string(bytes) + " bytes");
    std::vector<AwayPiece> pieces;
    std::uint64_t at = 0;
    for (std::uint64_t i = 0; i < index.staying; ++i) {
        const std::uint64_t between = table.next(), length = table.next(), ends = table.next();
        if (!table.good() || between > here.size() || between > bytes - at || length > bytes - at - between)
            return damaged();
        std::memcpy(room->at(at), here.data(), between);
        here.remove_prefix(between);
        at += between;
        const StayingPiece piece{{at, length}, ends / 2, ends % 2 != 0};
        if (!capture::writeStandIn(room->at(at), piece)) return damaged();
        pieces.push_back(piece.piece);
        at += length;
    }
    if (!table.done() || here.size() != bytes - at) return damaged();
    std::memcpy(room->at(at), here.data(), here.size());
    return std::make_shared<AwaySource>(std::move(*room), std::move(pieces), std::move(get));
}

} // namespace dynascope::remote
