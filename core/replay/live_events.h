// SPDX-License-Identifier: BSD-3-Clause
//
// What happens during replays, as a stream of small events: nodes begin and end, memory is taken and given
// back.
//
// The stream crosses as binary pieces, each of which is one batch. All numbers are little-endian.
//
//   batch   8 bytes "DYNLIVE1"; u64 number of its first event, counted from 0 over the stream; u32 count;
//           u32 0; `count` events. At most maxLiveBatch of them, so that a batch is a piece of at most 1 MiB.
//   event   u8 kind (ReplayEvent::Kind); u8 1 for memory at a planned address, else 0; u16 graph; u32 node;
//           u64 nanoseconds; u64 address; u64 bytes.
//
// Batches follow each other without a gap: a reader that was given all of them knows that it missed nothing.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::replay {

struct ReplayEvent {
    enum class Kind : std::uint8_t {
        ReplayBegin, ///< `address` is the number of the replay, from 0
        ReplayEnd,   ///< the same
        NodeBegin,
        NodeEnd,
        Alloc, ///< `bytes` at `address`, by `node`
        Free,  ///< what was taken at `address`; `bytes` is 0. Of an address that nobody took: from before
    };
    Kind kind = Kind::ReplayBegin;
    /// Alloc and Free: `address` is an offset in the graph's arena (ReplayRecording::allocations); else it is one
    /// of the process or the device.
    bool planned = false;
    std::uint16_t graph = 0; ///< position among the graphs of the run
    std::uint32_t node = 0;  ///< index into ReplayRecording::nodes
    std::uint64_t ns = 0;    ///< since the run began; never falls
    std::uint64_t address = 0, bytes = 0;
    friend bool operator==(const ReplayEvent&, const ReplayEvent&) = default;
};

inline constexpr std::size_t liveBatchHeader = 24, liveEventBytes = 32;
inline constexpr std::size_t maxLiveBatch = ((std::size_t{1} << 20) - liveBatchHeader) / liveEventBytes;

/// The batch whose first event is number `first` of the stream. At most maxLiveBatch events.
[[nodiscard]] std::string liveBatch(std::uint64_t first, std::span<const ReplayEvent> events);

/// Takes a stream's batches in order. Not thread-safe.
class LiveReader {
public:
    /// The batch's events, valid until the next call. Fails on what is no batch, on a gap, on a kind that
    /// there is not and on time that runs backwards; and then on everything after.
    [[nodiscard]] Result<std::span<const ReplayEvent>> read(std::string_view batch);
    /// Events so far.
    [[nodiscard]] std::uint64_t events() const { return m_events; }

private:
    std::vector<ReplayEvent> m_batch;
    std::uint64_t m_events = 0, m_ns = 0;
    bool m_failed = false;
};

} // namespace dynascope::replay
