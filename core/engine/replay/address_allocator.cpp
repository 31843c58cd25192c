// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/replay/address_allocator.h"

#include <atomic>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>

namespace dynascope::engine {

namespace {

// PyTorch knows allocators and deleters by plain pointers only, so what they refer to has no other place.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
thread_local AllocationSource* currentSource = nullptr;
std::atomic<std::uint64_t> outsideOfSources{0};
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

/// The deleter of whatever went through a scope, and of raw_allocate().
void releaseToSource(void* data) {
    if (!data) return;
    if (currentSource) {
        currentSource->release(data);
    } else {
        c10::free_cpu(data);
    }
}

/// The arena belongs to the plan; only the source that is at work counts.
void releasePlanned(void* data) {
    if (currentSource) currentSource->release(data);
}

c10::DataPtr blockAt(void* data, c10::DeleterFnPtr deleter) {
    return {data, data, deleter, c10::Device(c10::kCPU)};
}

class Door final : public c10::Allocator {
public:
    explicit Door(c10::Allocator* behind)
        : m_behind(behind) {}

    c10::DataPtr allocate(std::size_t bytes) override {
        if (currentSource && bytes > 0) return currentSource->allocate(bytes);
        if (!currentSource) outsideOfSources.fetch_add(1, std::memory_order_relaxed);
        return m_behind->allocate(bytes);
    }
    [[nodiscard]] c10::DeleterFnPtr raw_deleter() const override { return &releaseToSource; }
    void copy_data(void* to, const void* from, std::size_t bytes) const override {
        default_copy_data(to, from, bytes);
    }

private:
    c10::Allocator* m_behind;
};

/// PyTorch keeps the pointer for ever.
void openDoor() {
    static Door door(c10::GetCPUAllocator());
    static const bool opened = [] {
        c10::SetAllocator(c10::kCPU, &door, 100);
        return true;
    }();
    (void)opened;
}

} // namespace

AllocationScope::AllocationScope(AllocationSource& source) {
    openDoor();
    m_before = currentSource;
    currentSource = &source;
}

AllocationScope::~AllocationScope() {
    currentSource = m_before;
}

c10::DataPtr arenaBlock(void* data) {
    return blockAt(data, &releasePlanned);
}

bool isArenaBlock(const c10::DataPtr& block) {
    return block.get_deleter() == &releasePlanned;
}

std::uint64_t allocationsOutside() {
    return outsideOfSources.load(std::memory_order_relaxed);
}

void AllocationLog::beginNode(std::uint32_t node) {
    m_node = node;
    m_releases = 0;
}

const AllocationLog::Entry* AllocationLog::find(const void* data) const {
    const auto found = m_held.find(data);
    return found == m_held.end() ? nullptr : &m_entries[found->second];
}

c10::DataPtr AllocationLog::allocate(std::size_t bytes) {
    void* const data = c10::alloc_cpu(bytes);
    m_held[data] = m_entries.size();
    m_entries.push_back({bytes, m_node, m_events++, never, m_releases, never});
    return blockAt(data, &releaseToSource);
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
    void* const data = c10::alloc_cpu(bytes);
    if (m_tap) m_tap->alloc(reinterpret_cast<std::uintptr_t>(data), bytes, false);
    return blockAt(data, &releaseToSource);
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
