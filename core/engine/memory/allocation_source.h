// SPDX-License-Identifier: BSD-3-Clause
//
// PyTorch's CPU allocator with a door in it. What one thread allocates within an AllocationScope goes to that
// scope's source: one that writes down what an op allocates and when it is given back, or one that hands out
// the addresses planned for it. It is the CPU's twin of a CUDA graph's private pool: temporaries inside
// kernels and storages that several tensors share come along without further ado.
#pragma once

#include <c10/core/Allocator.h>
#include <cstdint>
#include <memory>

namespace dynascope::engine {

/// Where the current thread's memory comes from. Zero bytes never reach it.
class AllocationSource {
public:
    AllocationSource() = default;
    AllocationSource(const AllocationSource&) = delete;
    AllocationSource& operator=(const AllocationSource&) = delete;
    virtual ~AllocationSource() = default;
    /// The pointer is its own context, as raw_allocate() demands.
    [[nodiscard]] virtual c10::DataPtr allocate(std::size_t bytes) = 0;
    /// Gives back what this source or another handed out on this thread.
    virtual void release(void* data) = 0;
};

/// Makes `source` the current thread's for as long as it lives; the scope before it comes back afterwards.
/// The first one in a process puts the door into PyTorch's allocator, where it stays.
class AllocationScope {
public:
    explicit AllocationScope(AllocationSource& source);
    AllocationScope(const AllocationScope&) = delete;
    AllocationScope& operator=(const AllocationScope&) = delete;
    ~AllocationScope();

private:
    AllocationSource* m_before;
};

/// A block of an arena, which belongs to nobody: its release is told to the source that is at work then.
[[nodiscard]] c10::DataPtr arenaBlock(void* data);
[[nodiscard]] bool isArenaBlock(const c10::DataPtr& block);

/// Memory of the heap, whose release is told to the source that is at work then.
[[nodiscard]] c10::DataPtr heapBlock(std::size_t bytes);

/// While it lives, what this thread allocates is memory of the heap that no source knows of, neither now nor when it is
/// given back, whichever thread does that. What sources handed out before is still told to the one at work.
class UnrecordedMemory {
public:
    UnrecordedMemory();
    UnrecordedMemory(const UnrecordedMemory&) = delete;
    UnrecordedMemory& operator=(const UnrecordedMemory&) = delete;
    ~UnrecordedMemory();

private:
    class Source;
    std::unique_ptr<Source> m_source;
    std::unique_ptr<AllocationScope> m_scope;
};

/// How often PyTorch's allocator was called outside all scopes, by any thread, since the first scope.
[[nodiscard]] std::uint64_t allocationsOutside();

} // namespace dynascope::engine
