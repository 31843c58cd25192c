// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/memory_snapshot.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace dynascope::session {

namespace {

using Action = MemoryEvent::Action;

bool isPython(std::string_view file) {
    return file.ends_with(".py");
}

bool isUsers(const ir::SourceLocation& frame) {
    const std::string_view file = frame.file;
    return isPython(file) && !file.starts_with("torch/") && file.find("/torch/") == std::string_view::npos;
}

/// Sums bytes by the innermost user line.
class Groups {
public:
    explicit Groups(const MemorySnapshot& snapshot)
        : m_snapshot(snapshot) {}

    void add(StackIndex stack, std::uint64_t bytes) {
        const auto [known, isNew] = m_ofStack.try_emplace(stack, m_groups.size());
        if (isNew) {
            const ir::SourceLocation* at = userFrame(m_snapshot.stacks[stack]);
            const auto key =
                at ? std::tuple(std::string_view(at->file), at->line, std::string_view(at->function))
                   : std::tuple(std::string_view(), 0U, std::string_view());
            const auto [group, added] = m_ofLine.try_emplace(key, m_groups.size());
            if (added) {
                m_groups.emplace_back();
                m_largest.push_back(0);
                if (at) m_groups.back().at = *at;
            }
            known->second = group->second;
        }
        MemoryGroup& group = m_groups[known->second];
        group.bytes += bytes;
        ++group.blocks;
        std::uint64_t& largest = m_largest[known->second];
        if (group.blocks > 1 && bytes <= largest) return;
        largest = bytes;
        group.stack.clear();
        for (const ir::SourceLocation& frame : m_snapshot.stacks[stack])
            if (isUsers(frame)) group.stack.push_back(frame);
    }
    [[nodiscard]] std::vector<MemoryGroup> finish() && {
        std::stable_sort(m_groups.begin(), m_groups.end(),
                         [](const MemoryGroup& a, const MemoryGroup& b) { return a.bytes > b.bytes; });
        return std::move(m_groups);
    }

private:
    const MemorySnapshot& m_snapshot;
    std::vector<MemoryGroup> m_groups;
    std::vector<std::uint64_t> m_largest;
    std::unordered_map<StackIndex, std::size_t> m_ofStack;
    std::map<std::tuple<std::string_view, std::uint32_t, std::string_view>, std::size_t> m_ofLine;
};

void countBlocks(const MemorySegment& segment, DeviceMemory& out, Groups& live) {
    ++out.segments;
    out.reserved += segment.bytes;
    for (const MemoryBlock& block : segment.blocks) {
        switch (block.state) {
        case MemoryBlock::State::Active:
            ++out.blocks;
            out.allocated += block.bytes;
            out.requested += block.requested;
            live.add(block.stack, block.bytes);
            break;
        case MemoryBlock::State::PendingFree:
            out.pending += block.bytes;
            break;
        case MemoryBlock::State::Inactive:
            out.largestFree = std::max(out.largestFree, block.bytes);
            break;
        case MemoryBlock::State::Other:
            break;
        }
    }
}

/// Walks back from what is allocated at the end. Sums are modular, so that a trace that does not fit its
/// blocks (edited, or of another moment) cannot overflow; such a step counts as 0.
void findPeak(const std::vector<MemoryEvent>& trace, DeviceMemory& out) {
    std::uint64_t now = out.allocated;
    out.peak = now;
    out.peakEvent = trace.empty() ? SIZE_MAX : trace.size() - 1;
    for (std::size_t i = trace.size(); i-- > 0;) {
        const MemoryEvent& event = trace[i];
        if (event.action == Action::Alloc)
            now -= std::min(now, event.bytes);
        else if (event.action == Action::FreeRequested)
            now += std::min(event.bytes, UINT64_MAX - now);
        else
            continue;
        if (now < out.peak) continue;
        out.peak = now;
        out.peakEvent = i == 0 ? SIZE_MAX : i - 1;
    }
    if (out.peakEvent != SIZE_MAX) out.peakTimeUs = trace[out.peakEvent].timeUs;
}

std::vector<MemoryGroup> groupsAtPeak(const MemorySnapshot& snapshot, const std::vector<MemoryEvent>& trace,
                                      const DeviceMemory& device) {
    const std::size_t end = device.peakEvent == SIZE_MAX ? 0 : device.peakEvent + 1;
    struct Live {
        std::uint64_t bytes = 0;
        StackIndex stack = 0;
    };
    std::unordered_map<std::uint64_t, Live> live; // by address
    // What was there before the trace began: freed in it, or alive at the end, without an allocation in it.
    std::unordered_map<std::uint64_t, bool> seen;
    for (const MemoryEvent& event : trace) {
        if (event.action != Action::Alloc && event.action != Action::FreeRequested) continue;
        const bool isFirst = seen.try_emplace(event.address, true).second;
        if (isFirst && event.action == Action::FreeRequested) live[event.address] = {event.bytes, 0};
    }
    for (const MemorySegment& segment : snapshot.segments) {
        if (segment.device != device.device) continue;
        for (const MemoryBlock& block : segment.blocks)
            if (block.state == MemoryBlock::State::Active && seen.count(block.address) == 0)
                live[block.address] = {block.bytes, block.stack};
    }
    for (std::size_t i = 0; i < end; ++i) {
        const MemoryEvent& event = trace[i];
        if (event.action == Action::Alloc)
            live[event.address] = {event.bytes, event.stack};
        else if (event.action == Action::FreeRequested)
            live.erase(event.address);
    }
    std::vector<std::pair<std::uint64_t, Live>> sorted(live.begin(), live.end());
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    Groups groups(snapshot);
    for (const auto& [address, block] : sorted)
        groups.add(block.stack, block.bytes);
    return std::move(groups).finish();
}

} // namespace

const ir::SourceLocation* userFrame(const ir::StackTrace& stack) {
    const auto found = std::find_if(stack.rbegin(), stack.rend(), isUsers);
    return found == stack.rend() ? nullptr : &*found;
}

std::vector<DeviceMemory> summarizeMemory(const MemorySnapshot& snapshot) {
    std::map<int, DeviceMemory> devices;
    std::map<int, Groups> live;
    for (const MemorySegment& segment : snapshot.segments)
        countBlocks(segment, devices[segment.device],
                    live.try_emplace(segment.device, snapshot).first->second);
    for (std::size_t i = 0; i < snapshot.traces.size(); ++i)
        if (!snapshot.traces[i].empty()) devices.try_emplace(static_cast<int>(i));
    std::vector<DeviceMemory> out;
    static const std::vector<MemoryEvent> untraced;
    for (auto& [device, memory] : devices) {
        memory.device = device;
        if (const auto groups = live.find(device); groups != live.end())
            memory.live = std::move(groups->second).finish();
        const auto index = static_cast<std::size_t>(device);
        const std::vector<MemoryEvent>& trace =
            index < snapshot.traces.size() ? snapshot.traces[index] : untraced;
        memory.events = trace.size();
        memory.outOfMemory =
            static_cast<std::size_t>(std::count_if(trace.begin(), trace.end(), [](const MemoryEvent& e) {
                return e.action == Action::OutOfMemory;
            }));
        findPeak(trace, memory);
        memory.atPeak = groupsAtPeak(snapshot, trace, memory);
        out.push_back(std::move(memory));
    }
    return out;
}

} // namespace dynascope::session
