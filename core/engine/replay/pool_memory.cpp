// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/replay/pool_memory.h"

#include "core/replay/plan.h"

#include <algorithm>
#include <new>
#include <sys/mman.h>

namespace dynascope::engine {

namespace {

constexpr std::uint64_t step = std::uint64_t{2} << 20; // memory comes in pieces of this size

std::uint64_t roundUp(std::uint64_t bytes, std::uint64_t to) {
    return (bytes + to - 1) / to * to;
}

void* at(PoolMemory::Address address) {
    return reinterpret_cast<void*>(address);
}

} // namespace

PoolMemory::PoolMemory(std::uint64_t capacity)
    : m_capacity(roundUp(capacity, step)) {
    void* const range =
        ::mmap(nullptr, m_capacity, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) throw std::bad_alloc();
    m_begin = reinterpret_cast<Address>(range);
}

PoolMemory::~PoolMemory() {
    ::munmap(at(m_begin), m_capacity);
}

void PoolMemory::addGap(Address address, std::uint64_t bytes) {
    m_gaps.emplace(address, bytes);
    m_gapsBySize.emplace(bytes, address);
}

void PoolMemory::removeGap(Gaps::iterator gap) {
    m_gapsBySize.erase({gap->second, gap->first});
    m_gaps.erase(gap);
}

void PoolMemory::grow(std::uint64_t bytes) {
    const bool endsInGap =
        !m_gaps.empty() && m_gaps.rbegin()->first + m_gaps.rbegin()->second == m_begin + m_committed;
    const std::uint64_t more = roundUp(endsInGap ? bytes - m_gaps.rbegin()->second : bytes, step);
    if (more > m_capacity - m_committed ||
        ::mprotect(at(m_begin + m_committed), more, PROT_READ | PROT_WRITE) != 0)
        throw std::bad_alloc();
    Address from = m_begin + m_committed;
    m_committed += more;
    if (endsInGap) {
        const auto last = std::prev(m_gaps.end());
        from = last->first;
        removeGap(last);
    }
    addGap(from, m_begin + m_committed - from);
}

void* PoolMemory::allocate(std::uint64_t bytes) {
    if (bytes > m_capacity) throw std::bad_alloc();
    const std::uint64_t size = roundUp(std::max<std::uint64_t>(bytes, 1), replay::defaultAlignment);
    auto fit = m_gapsBySize.lower_bound({size, 0});
    if (fit == m_gapsBySize.end()) {
        grow(size);
        fit = m_gapsBySize.lower_bound({size, 0});
    }
    const auto [gapBytes, address] = *fit;
    removeGap(m_gaps.find(address));
    if (gapBytes > size) addGap(address + size, gapBytes - size);
    m_blocks.emplace(address, Block{size, m_allocations++});
    return at(address);
}

bool PoolMemory::release(Address address) {
    const auto block = m_blocks.find(address);
    if (block == m_blocks.end()) return false;
    Address from = address;
    std::uint64_t bytes = block->second.bytes;
    m_blocks.erase(block);
    if (const auto after = m_gaps.find(from + bytes); after != m_gaps.end()) {
        bytes += after->second;
        removeGap(after);
    }
    if (auto before = m_gaps.lower_bound(from); before != m_gaps.begin()) {
        --before;
        if (before->first + before->second == from) {
            from = before->first;
            bytes += before->second;
            removeGap(before);
        }
    }
    addGap(from, bytes);
    return true;
}

void PoolMemory::restore(const Blocks& blocks) {
    m_blocks = blocks;
    m_gaps.clear();
    m_gapsBySize.clear();
    Address next = m_begin;
    for (const auto& [address, block] : m_blocks) {
        if (address > next) addGap(next, address - next);
        next = address + block.bytes;
    }
    if (next < m_begin + m_committed) addGap(next, m_begin + m_committed - next);
}

} // namespace dynascope::engine
