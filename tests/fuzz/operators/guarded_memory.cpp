// SPDX-License-Identifier: BSD-3-Clause
#include "tests/fuzz/operators/guarded_memory.h"

#include <algorithm>
#include <atomic>
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>
#include <cstring>
#include <mutex>
#include <sys/mman.h>
#include <unordered_map>

namespace dynascope::fuzz {

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t mostFilled = std::size_t{1} << 20;
constexpr int pattern = 0xcb;

struct Mapping {
    void* begin = nullptr;
    std::size_t bytes = 0;
};

std::mutex mutex;
std::unordered_map<void*, Mapping> mappings;
std::atomic<Flush> flushed{Flush::End};

void freeBlock(void* block) {
    if (!block) return;
    Mapping mapping;
    {
        const std::lock_guard lock(mutex);
        const auto found = mappings.find(block);
        if (found == mappings.end()) return;
        mapping = found->second;
        mappings.erase(found);
    }
    ::munmap(mapping.begin, mapping.bytes);
}

class GuardedAllocator final : public c10::Allocator {
public:
    c10::DataPtr allocate(std::size_t bytes) override {
        void* const block = bytes > 0 ? newBlock(bytes) : nullptr;
        return {block, block, &freeBlock, c10::Device(c10::DeviceType::CPU)};
    }
    [[nodiscard]] c10::DeleterFnPtr raw_deleter() const override { return &freeBlock; }
    void copy_data(void* to, const void* from, std::size_t bytes) const override {
        default_copy_data(to, from, bytes);
    }

private:
    static void* newBlock(std::size_t bytes) {
        TORCH_CHECK(bytes < (std::size_t{1} << 46), "not enough memory: ", bytes, " bytes");
        const std::size_t inner = (bytes + page - 1) / page * page;
        const std::size_t all = inner + 2 * page;
        void* const begin = ::mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        TORCH_CHECK(begin != MAP_FAILED, "not enough memory: ", bytes, " bytes");
        char* const first = static_cast<char*>(begin) + page;
        if (::mprotect(first, inner, PROT_READ | PROT_WRITE) != 0) {
            ::munmap(begin, all);
            TORCH_CHECK(false, "not enough memory: ", bytes, " bytes");
        }
        char* const block = flushed == Flush::End ? first + (inner - bytes) : first;
        std::memset(block, pattern, std::min(bytes, mostFilled));
        const std::lock_guard lock(mutex);
        mappings[block] = {begin, all};
        return block;
    }
};

} // namespace

void guardTensorMemory() {
    static GuardedAllocator allocator;
    c10::SetCPUAllocator(&allocator, 255);
}

void setFlush(Flush flush) {
    flushed = flush;
}

} // namespace dynascope::fuzz
