// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/mapping_guard.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace dynascope::session {

namespace {

/// What the signal handler reads: atomics alone.
struct Slot {
    std::atomic<std::uintptr_t> begin{0}, end{0};
    std::atomic<bool> lost{false};
};

std::array<Slot, 256> g_slots;
std::array<std::string, 256> g_paths; // of the slots; under g_lock
std::vector<std::string> g_lost;      // of mappings that are gone; under g_lock
std::mutex g_lock;
std::atomic<bool> g_anyLost{false};
std::uintptr_t g_pageSize = 4096;
struct sigaction g_before {};

static_assert(std::atomic<std::uintptr_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void onBusError(int signal, siginfo_t* info, void* /*context*/) {
    const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
    for (Slot& slot : g_slots) {
        const std::uintptr_t begin = slot.begin.load(), end = slot.end.load();
        if (at < begin || at >= end) continue;
        // Everything from here on is gone as well.
        const std::uintptr_t page = at & ~(g_pageSize - 1);
        void* const zeros = ::mmap(reinterpret_cast<void*>(page), end - page, PROT_READ,
                                   MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (zeros == MAP_FAILED) break;
        slot.lost.store(true);
        g_anyLost.store(true);
        return;
    }
    ::sigaction(signal, &g_before, nullptr); // none of ours: the read happens again, and is somebody else's
}

void install() {
    static const bool once = [] {
        g_pageSize = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
        struct sigaction action {};
        action.sa_sigaction = onBusError;
        action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
        return ::sigaction(SIGBUS, &action, &g_before) == 0;
    }();
    (void)once;
}

void add(std::vector<std::string>& paths, const std::string& path) {
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
}

} // namespace

MappingGuard::MappingGuard(const void* data, std::size_t size, std::string path) {
    install();
    const std::scoped_lock lock(g_lock);
    for (std::size_t i = 0; i < g_slots.size(); ++i) {
        Slot& slot = g_slots[i];
        if (slot.end.load() != 0) continue;
        slot.lost.store(false);
        slot.begin.store(reinterpret_cast<std::uintptr_t>(data));
        slot.end.store(reinterpret_cast<std::uintptr_t>(data) + size);
        g_paths[i] = std::move(path);
        m_slot = static_cast<int>(i);
        return;
    }
}

MappingGuard::~MappingGuard() {
    if (m_slot < 0) return;
    const std::scoped_lock lock(g_lock);
    Slot& slot = g_slots[static_cast<std::size_t>(m_slot)];
    slot.begin.store(0);
    slot.end.store(0);
    if (slot.lost.load()) add(g_lost, g_paths[static_cast<std::size_t>(m_slot)]);
    g_paths[static_cast<std::size_t>(m_slot)].clear();
}

bool MappingGuard::isLost() const {
    return m_slot >= 0 && g_slots[static_cast<std::size_t>(m_slot)].lost.load();
}

bool anyFileLost() {
    return g_anyLost.load();
}

std::vector<std::string> lostFiles() {
    if (!anyFileLost()) return {};
    const std::scoped_lock lock(g_lock);
    std::vector<std::string> out = g_lost;
    for (std::size_t i = 0; i < g_slots.size(); ++i)
        if (g_slots[i].end.load() != 0 && g_slots[i].lost.load()) add(out, g_paths[i]);
    return out;
}

} // namespace dynascope::session
