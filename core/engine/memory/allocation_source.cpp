// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/memory/allocation_source.h"

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

c10::DataPtr heapBlock(std::size_t bytes) {
    return blockAt(c10::alloc_cpu(bytes), &releaseToSource);
}

class UnrecordedMemory::Source final : public AllocationSource {
public:
    explicit Source(AllocationSource& before)
        : m_before(before) {}
    c10::DataPtr allocate(std::size_t bytes) override {
        return blockAt(c10::alloc_cpu(bytes), &c10::free_cpu);
    }
    void release(void* data) override { m_before.release(data); }

private:
    AllocationSource& m_before;
};

UnrecordedMemory::UnrecordedMemory() {
    if (!currentSource) return;
    m_source = std::make_unique<Source>(*currentSource);
    m_scope = std::make_unique<AllocationScope>(*m_source);
}

UnrecordedMemory::~UnrecordedMemory() = default;

std::uint64_t allocationsOutside() {
    return outsideOfSources.load(std::memory_order_relaxed);
}

} // namespace dynascope::engine
