// SPDX-License-Identifier: BSD-3-Clause
//
// Sources of memory: one that writes down what an op allocates and when it is given back, and one that hands out the
// addresses planned for it.
#pragma once

#include "core/engine/memory/allocation_source.h"
#include "core/replay/live_feed.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace dynascope::engine {

/// Writes down what is allocated, and hands out memory of the heap. Blocks may outlive it.
class AllocationLog final : public AllocationSource {
public:
    static constexpr std::uint32_t never = UINT32_MAX;
    struct Entry {
        std::uint64_t bytes = 0;
        std::uint32_t node = 0;
        std::uint32_t born = 0, died = never; ///< numbers of events
        std::uint32_t releasesBefore = 0;     ///< how often its node had given back something by then
        std::uint32_t lastNode = never;       ///< during or after which it died; never: the result held it
    };

    /// What follows belongs to this node.
    void beginNode(std::uint32_t node);
    [[nodiscard]] const std::vector<Entry>& entries() const { return m_entries; }
    /// The entry whose memory is at `data` and still held, or null.
    [[nodiscard]] const Entry* find(const void* data) const;
    [[nodiscard]] std::uint32_t events() const { return m_events; }

    [[nodiscard]] c10::DataPtr allocate(std::size_t bytes) override;
    void release(void* data) override;

private:
    std::vector<Entry> m_entries;
    std::unordered_map<const void*, std::size_t> m_held;
    std::uint32_t m_node = 0, m_events = 0, m_releases = 0;
};

/// A block that an op is known to ask for.
struct AddressSite {
    std::uint64_t bytes = 0;
    std::uint32_t releasesBefore = 0; ///< as recorded: a change says that the op takes another way
    char* address = nullptr;
    bool temporary = false; ///< given back within the op that takes it
};

/// Hands out the planned addresses, op by op. What was not foreseen comes from the heap.
class AddressServer final : public AllocationSource {
public:
    /// `arena` is where the sites lie.
    explicit AddressServer(std::span<char> arena)
        : m_begin(arena.data())
        , m_end(arena.data() + arena.size()) {}

    /// What follows is one op with these sites.
    void begin(std::span<const AddressSite> sites) {
        m_first = m_next = sites.data();
        m_last = m_next + sites.size();
        m_releases = 0;
        m_diverged = false;
        m_inOp = true;
    }
    /// What follows is one op whose result lies at its sites already: it asks for nothing.
    void beginInPlace(std::span<const AddressSite> sites) {
        begin(sites);
        m_next = m_last;
        if (!m_tap) return;
        for (const AddressSite& site : sites)
            if (!site.temporary) m_tap->alloc(offsetOf(site.address), site.bytes, true);
    }
    /// The op is over; true if it asked for its sites, in their order and nothing else.
    [[nodiscard]] bool end() {
        const bool asPlanned = !m_diverged && m_next == m_last;
        m_last = m_next;
        m_inOp = false;
        return asPlanned;
    }
    /// The sites that the last op took.
    [[nodiscard]] std::span<const AddressSite> served() const { return {m_first, m_next}; }
    /// Hears of what is taken, and of what is given back where that is no matter of the plan: temporaries of
    /// ops, and blocks of the heap. May be null.
    void setTap(replay::LiveTap* tap) { m_tap = tap; }
    [[nodiscard]] std::uint64_t offsetOf(const void* data) const {
        return static_cast<std::uint64_t>(static_cast<const char*>(data) - m_begin);
    }
    /// Whether `data` was handed out from the sites of the last op.
    [[nodiscard]] bool servedByLast(const void* data) const;
    /// Blocks that came from the heap.
    [[nodiscard]] std::uint64_t heapAllocations() const { return m_heapAllocations; }

    [[nodiscard]] c10::DataPtr allocate(std::size_t bytes) override;
    void release(void* data) override;

private:
    void tellRelease(const void* data, bool planned);

    char* m_begin;
    char* m_end;
    const AddressSite* m_first = nullptr;
    const AddressSite* m_next = nullptr;
    const AddressSite* m_last = nullptr;
    std::uint32_t m_releases = 0;
    bool m_diverged = false, m_inOp = false;
    replay::LiveTap* m_tap = nullptr;
    std::uint64_t m_heapAllocations = 0;
};

} // namespace dynascope::engine
