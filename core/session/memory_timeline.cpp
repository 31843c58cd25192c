// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/memory_timeline.h"

#include "core/session/memory_groups.h"

#include <algorithm>
#include <unordered_map>

namespace dynascope::session {

namespace {

using Action = MemoryEvent::Action;

class Lives {
public:
    void begin(const MemoryEvent& event, std::size_t moment) {
        const auto [at, isNew] = m_open.try_emplace(event.address, m_lives.size());
        if (!isNew) {
            m_lives[at->second].end = moment;
            at->second = m_lives.size();
        }
        m_lives.push_back({event.address, event.bytes, 0, moment, 0, event.stack, false, false});
    }
    void end(const MemoryEvent& event, std::size_t moment) {
        const auto at = m_open.find(event.address);
        if (at == m_open.end()) {
            // Nobody frees twice, so that it was there before the first event.
            if (m_ended.insert_or_assign(event.address, moment).second)
                m_lives.push_back({event.address, event.bytes, 0, 0, moment, 0, true, false});
            return;
        }
        m_lives[at->second].end = moment;
        m_ended.insert_or_assign(event.address, moment);
        m_open.erase(at);
    }
    /// A block that is active in the snapshot.
    void isAlive(const MemoryBlock& block, std::size_t moments) {
        const auto at = m_open.find(block.address);
        if (at != m_open.end()) {
            m_lives[at->second].lasts = true;
            return;
        }
        if (m_ended.count(block.address) != 0) return; // the trace says otherwise
        m_lives.push_back({block.address, block.bytes, 0, 0, moments, block.stack, true, true});
    }
    std::vector<MemoryLife> finish(std::size_t moments) && {
        for (const auto& [address, index] : m_open)
            m_lives[index].end = moments;
        std::sort(m_lives.begin(), m_lives.end(), [](const MemoryLife& a, const MemoryLife& b) {
            return std::pair(a.begin, a.address) < std::pair(b.begin, b.address);
        });
        return std::move(m_lives);
    }

private:
    std::vector<MemoryLife> m_lives;
    std::unordered_map<std::uint64_t, std::size_t> m_open;  ///< by address
    std::unordered_map<std::uint64_t, std::size_t> m_ended; ///< when an address was freed last
};

/// `a` + `b`, at most the largest number.
std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/// Merges what touches, and puts the stretches one on the other.
void placeRanges(MemoryTimeline& out, std::vector<MemoryRange> ranges) {
    for (const MemoryLife& life : out.lives)
        ranges.push_back({life.address, life.bytes, 0});
    std::sort(ranges.begin(), ranges.end(),
              [](const MemoryRange& a, const MemoryRange& b) { return a.address < b.address; });
    for (const MemoryRange& range : ranges) {
        MemoryRange* last = out.ranges.empty() ? nullptr : &out.ranges.back();
        if (last && range.address < sum(last->address, last->bytes)) {
            last->bytes = std::max(last->bytes, sum(range.address, range.bytes) - last->address);
        } else if (range.bytes > 0) {
            out.ranges.push_back(range);
        }
    }
    for (MemoryRange& range : out.ranges) {
        range.place = out.height;
        out.height = sum(out.height, range.bytes);
    }
    for (MemoryLife& life : out.lives) {
        const auto after = std::upper_bound(
            out.ranges.begin(), out.ranges.end(), life.address,
            [](std::uint64_t address, const MemoryRange& range) { return address < range.address; });
        if (after == out.ranges.begin()) continue; // nothing but blocks of no bytes
        life.place = std::prev(after)->place + (life.address - std::prev(after)->address);
    }
}

/// Bytes at each moment, walked back from what they are at the end.
std::vector<std::uint64_t> curve(const std::vector<MemoryEvent>& trace, std::uint64_t atEnd,
                                 std::initializer_list<Action> more, std::initializer_list<Action> less) {
    std::vector<std::uint64_t> out(trace.size() + 1, atEnd);
    for (std::size_t i = trace.size(); i-- > 0;) {
        const MemoryEvent& event = trace[i];
        out[i] = out[i + 1];
        if (std::find(more.begin(), more.end(), event.action) != more.end())
            out[i] -= std::min(out[i], event.bytes);
        else if (std::find(less.begin(), less.end(), event.action) != less.end())
            out[i] = sum(out[i], event.bytes);
    }
    return out;
}

} // namespace

std::size_t MemoryTimeline::peak() const {
    return static_cast<std::size_t>(std::max_element(allocated.begin(), allocated.end()) - allocated.begin());
}

MemoryTimeline memoryTimeline(const MemorySnapshot& snapshot, int device) {
    static const std::vector<MemoryEvent> untraced;
    const auto index = static_cast<std::size_t>(device);
    const std::vector<MemoryEvent>& trace =
        device >= 0 && index < snapshot.traces.size() ? snapshot.traces[index] : untraced;
    MemoryTimeline out;
    out.device = device;
    const std::size_t moments = trace.size() + 1;
    Lives lives;
    std::vector<MemoryRange> ranges;
    for (std::size_t i = 0; i < trace.size(); ++i) {
        const MemoryEvent& event = trace[i];
        if (event.action == Action::Alloc)
            lives.begin(event, i + 1);
        else if (event.action == Action::FreeRequested)
            lives.end(event, i + 1);
        else if (event.action == Action::SegmentAlloc || event.action == Action::SegmentMap)
            ranges.push_back({event.address, event.bytes, 0});
    }
    std::uint64_t allocated = 0, reserved = 0;
    for (const MemorySegment& segment : snapshot.segments) {
        if (segment.device != device) continue;
        reserved = sum(reserved, segment.bytes);
        ranges.push_back({segment.address, segment.bytes, 0});
        for (const MemoryBlock& block : segment.blocks) {
            if (block.state != MemoryBlock::State::Active) continue;
            allocated = sum(allocated, block.bytes);
            lives.isAlive(block, moments);
        }
    }
    out.lives = std::move(lives).finish(moments);
    placeRanges(out, std::move(ranges));
    out.allocated = curve(trace, allocated, {Action::Alloc}, {Action::FreeRequested});
    out.reserved = curve(trace, reserved, {Action::SegmentAlloc, Action::SegmentMap},
                         {Action::SegmentFree, Action::SegmentUnmap});
    return out;
}

std::vector<MemoryGroup> memoryAlive(const MemorySnapshot& snapshot, const MemoryTimeline& timeline,
                                     std::size_t moment) {
    std::vector<const MemoryLife*> alive;
    for (const MemoryLife& life : timeline.lives) {
        if (life.begin > moment) break;
        if (life.end > moment) alive.push_back(&life);
    }
    std::sort(alive.begin(), alive.end(),
              [](const MemoryLife* a, const MemoryLife* b) { return a->address < b->address; });
    MemoryGroups groups(snapshot);
    for (const MemoryLife* life : alive)
        groups.add(life->stack, life->bytes);
    return std::move(groups).finish();
}

MemoryLines memoryLines(const MemorySnapshot& snapshot, const MemoryTimeline& timeline) {
    MemoryGroups groups(snapshot);
    MemoryLines out;
    for (const MemoryLife& life : timeline.lives)
        out.ofLife.push_back(groups.add(life.stack, life.bytes));
    std::vector<std::size_t> placeOf;
    out.lines = std::move(groups).finish(&placeOf);
    for (std::size_t& line : out.ofLife)
        line = placeOf[line];
    return out;
}

} // namespace dynascope::session
