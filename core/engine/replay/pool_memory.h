// SPDX-License-Identifier: BSD-3-Clause
//
// One range of memory that several recordings share: where blocks lie in it, and setting it back to an
// earlier state. It is the CPU's counterpart of a private pool of PyTorch's CUDA allocator.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace dynascope::engine {

/// Not thread-safe.
class PoolMemory {
public:
    using Address = std::uint64_t;
    struct Block {
        std::uint64_t bytes = 0;
        std::uint64_t number = 0; ///< of the allocation: what is allocated there later has another one
        friend bool operator==(const Block&, const Block&) = default;
    };
    using Blocks = std::map<Address, Block>;

    /// Reserves `capacity` bytes of addresses, without memory behind them. Throws std::bad_alloc.
    explicit PoolMemory(std::uint64_t capacity = std::uint64_t{1} << 38);
    PoolMemory(const PoolMemory&) = delete;
    PoolMemory& operator=(const PoolMemory&) = delete;
    ~PoolMemory();

    /// The smallest gap that is large enough, of several the first one, so that the same requests in the same
    /// state give the same addresses. Aligned to 64 bytes. Throws std::bad_alloc.
    [[nodiscard]] void* allocate(std::uint64_t bytes);
    /// False where no block begins there.
    bool release(Address address);

    /// Blocks that are allocated.
    [[nodiscard]] const Blocks& blocks() const { return m_blocks; }
    /// Makes these the allocated blocks, of a state that this pool was in. What they hold stays as it is.
    void restore(const Blocks& blocks);

    [[nodiscard]] bool contains(Address address) const {
        return address >= m_begin && address - m_begin < m_capacity;
    }
    [[nodiscard]] Address begin() const { return m_begin; }
    [[nodiscard]] std::uint64_t capacity() const { return m_capacity; }
    [[nodiscard]] std::uint64_t reservedBytes() const { return m_committed; } ///< with memory behind them

private:
    using Gaps = std::map<Address, std::uint64_t>; ///< bytes by address

    void addGap(Address address, std::uint64_t bytes);
    void removeGap(Gaps::iterator gap);
    void grow(std::uint64_t bytes);

    Address m_begin = 0;
    std::uint64_t m_capacity = 0, m_committed = 0, m_allocations = 0;
    Blocks m_blocks;
    Gaps m_gaps;
    std::set<std::pair<std::uint64_t, Address>> m_gapsBySize;
};

} // namespace dynascope::engine
