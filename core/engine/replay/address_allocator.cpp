// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/replay/address_allocator.h"

#include <c10/core/impl/alloc_cpu.h>

namespace dynascope::engine {

void AllocationLog::beginNode(std::uint32_t node) {
    m_node = node;
    m_releases = 0;
}

const AllocationLog::Entry* AllocationLog::find(const void* data) const {
    const auto found = m_held.find(data);
    return found == m_held.end() ? nullptr : &m_entries[found->second];
}

c10::DataPtr AllocationLog::allocate(std::size_t bytes) {
    c10::DataPtr block = heapBlock(bytes);
    m_held[block.get()] = m_entries.size();
    m_entries.push_back({bytes, m_node, m_events++, never, m_releases, never});
    return block;
}

void AllocationLog::release(void* data) {
    if (const auto found = m_held.find(data); found != m_held.end()) {
        m_entries[found->second].died = m_events++;
        m_entries[found->second].lastNode = m_node;
        ++m_releases;
        m_held.erase(found);
    }
    c10::free_cpu(data);
}

bool AddressServer::servedByLast(const void* data) const {
    for (const AddressSite* site = m_first; site != m_next; ++site)
        if (site->address == data) return true;
    return false;
}

c10::DataPtr AddressServer::allocate(std::size_t bytes) {
    if (!m_diverged && m_next != m_last && m_next->bytes == bytes && m_next->releasesBefore == m_releases) {
        if (m_tap) m_tap->alloc(offsetOf(m_next->address), bytes, true);
        return arenaBlock((m_next++)->address);
    }
    m_diverged = true;
    ++m_heapAllocations;
    c10::DataPtr block = heapBlock(bytes);
    if (m_tap) m_tap->alloc(reinterpret_cast<std::uintptr_t>(block.get()), bytes, false);
    return block;
}

void AddressServer::release(void* data) {
    ++m_releases;
    const bool planned = data >= m_begin && data < m_end;
    if (m_tap) tellRelease(data, planned);
    if (!planned) c10::free_cpu(data);
}

void AddressServer::tellRelease(const void* data, bool planned) {
    if (!planned) return m_tap->free(reinterpret_cast<std::uintptr_t>(data), false);
    if (!m_inOp) return;
    // Two sites of an op can have one address, the later one after the first was given back.
    for (const AddressSite* site = m_next; site != m_first;)
        if ((--site)->address == data) {
            if (site->temporary) m_tap->free(offsetOf(data), true);
            return;
        }
}

} // namespace dynascope::engine
