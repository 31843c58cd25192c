// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/live_feed.h"

#include <algorithm>
#include <bit>

namespace dynascope::replay {

namespace {

constexpr std::chrono::milliseconds tick{33};

} // namespace

LiveFeed::LiveFeed(Send send, std::size_t capacity)
    : m_send(std::move(send))
    , m_ring(std::bit_ceil(std::max<std::size_t>(capacity, 4)))
    , m_thread([this] { run(); }) {}

LiveFeed::~LiveFeed() {
    m_broken = true;
    finish();
}

void LiveFeed::run() {
    for (;;) {
        {
            std::unique_lock lock(m_mutex);
            m_changed.wait_for(lock, tick, [this] { return m_hurry || m_ended; });
            if (m_ended) return;
            m_hurry = false;
        }
        if (!sendAll()) return;
    }
}

bool LiveFeed::sendAll() {
    std::uint64_t tail = m_tail.load(std::memory_order_relaxed);
    std::vector<ReplayEvent> batch;
    for (const std::uint64_t head = m_head.load(std::memory_order_acquire); tail != head && !broken();) {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(head - tail, maxLiveBatch));
        batch.clear();
        for (std::size_t i = 0; i < count; ++i)
            batch.push_back(m_ring[(tail + i) & (m_ring.size() - 1)]);
        tail += count;
        if (!m_send(liveBatch(tail - count, batch))) m_broken = true;
        // Only now is there room: whoever waits for it looks at m_broken once m_tail has changed.
        m_tail.store(tail, std::memory_order_release);
        m_tail.notify_one();
    }
    return !broken();
}

bool LiveFeed::makeRoom(std::uint64_t head) {
    for (;;) {
        m_seenTail = m_tail.load(std::memory_order_acquire);
        if (broken()) return false;
        if (head - m_seenTail < m_ring.size()) return true;
        hurry();
        m_tail.wait(m_seenTail, std::memory_order_acquire);
    }
}

void LiveFeed::hurry() {
    {
        const std::scoped_lock lock(m_mutex);
        m_hurry = true;
    }
    m_changed.notify_one();
}

std::uint64_t LiveFeed::finish() {
    {
        const std::scoped_lock lock(m_mutex);
        m_ended = true;
    }
    m_changed.notify_one();
    if (m_thread.joinable()) m_thread.join();
    (void)sendAll();
    return m_tail.load(std::memory_order_relaxed);
}

} // namespace dynascope::replay
