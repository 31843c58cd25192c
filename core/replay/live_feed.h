// SPDX-License-Identifier: BSD-3-Clause
//
// The way of live events out of the thread that replays: a ring of its own, and a thread that sends what is
// in it 30 times a second. Nothing is dropped: where the receiver is slower than the replay, the replay
// waits.
#pragma once

#include "core/replay/live_events.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace dynascope::replay {

class LiveFeed {
public:
    /// Takes one batch (live_events.h). Blocks until there is room; false once nobody takes any more. Called
    /// on the feed's thread, and the last time by finish().
    using Send = std::function<bool(std::string_view batch)>;
    /// Events that the ring holds; a power of two.
    explicit LiveFeed(Send send, std::size_t capacity = std::size_t{1} << 16);
    /// Drops what was not sent; finish() first.
    ~LiveFeed();
    LiveFeed(const LiveFeed&) = delete;
    LiveFeed& operator=(const LiveFeed&) = delete;

    /// Nanoseconds since the feed began.
    [[nodiscard]] std::uint64_t now() const {
        return static_cast<std::uint64_t>((std::chrono::steady_clock::now() - m_start).count());
    }
    /// From one thread only, with times that do not fall. Blocks while the ring is full.
    void push(const ReplayEvent& event) {
        const std::uint64_t head = m_head.load(std::memory_order_relaxed);
        if (head - m_seenTail == m_ring.size() && !makeRoom(head)) return;
        m_ring[head & (m_ring.size() - 1)] = event;
        m_head.store(head + 1, std::memory_order_release);
        if ((head & (m_ring.size() / 2 - 1)) == 0) hurry(); // a half is full
    }
    /// True once the receiver took no more: events after that are lost, and a run should end.
    [[nodiscard]] bool broken() const { return m_broken.load(std::memory_order_relaxed); }
    /// Sends what is left and ends the thread. The number of events sent in all. For the thread that pushes.
    std::uint64_t finish();

private:
    void run();
    /// False where nobody takes any more.
    bool sendAll();
    bool makeRoom(std::uint64_t head);
    void hurry();

    Send m_send;
    std::vector<ReplayEvent> m_ring;
    const std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
    alignas(64) std::atomic<std::uint64_t> m_head{0}; ///< events pushed
    std::uint64_t m_seenTail = 0;                     ///< of the pushing thread
    alignas(64) std::atomic<std::uint64_t> m_tail{0}; ///< events sent
    std::atomic<bool> m_broken{false};
    std::mutex m_mutex; ///< the two below
    std::condition_variable m_changed;
    bool m_hurry = false, m_ended = false;
    std::thread m_thread;
};

/// One graph's end of a feed: what a backend calls while it replays. All from the thread that replays.
class LiveTap {
public:
    LiveTap(LiveFeed& feed, std::uint16_t graph)
        : m_feed(&feed)
        , m_graph(graph) {}

    void replayBegin() { push(ReplayEvent::Kind::ReplayBegin, 0, false, m_replays, 0); }
    void replayEnd() { push(ReplayEvent::Kind::ReplayEnd, 0, false, m_replays++, 0); }
    void nodeBegin(std::uint32_t node) { push(ReplayEvent::Kind::NodeBegin, m_node = node, false, 0, 0); }
    void nodeEnd() { push(ReplayEvent::Kind::NodeEnd, m_node, false, 0, 0); }
    /// By the node that began last.
    void alloc(std::uint64_t address, std::uint64_t bytes, bool planned) {
        push(ReplayEvent::Kind::Alloc, m_node, planned, address, bytes);
    }
    void free(std::uint64_t address, bool planned) {
        push(ReplayEvent::Kind::Free, m_node, planned, address, 0);
    }
    [[nodiscard]] std::uint64_t replays() const { return m_replays; }

private:
    void push(ReplayEvent::Kind kind, std::uint32_t node, bool planned, std::uint64_t address,
              std::uint64_t bytes) {
        m_feed->push({kind, planned, m_graph, node, m_feed->now(), address, bytes});
    }

    LiveFeed* m_feed;
    std::uint16_t m_graph;
    std::uint32_t m_node = 0;
    std::uint64_t m_replays = 0;
};

} // namespace dynascope::replay
