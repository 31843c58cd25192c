// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/memory_groups.h"
#include "core/session/memory_timeline.h"

#include <algorithm>
#include <map>

namespace dynascope::session {

namespace {

void countBlocks(const MemorySegment& segment, DeviceMemory& out, MemoryGroups& live) {
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

} // namespace

std::vector<DeviceMemory> summarizeMemory(const MemorySnapshot& snapshot) {
    std::map<int, DeviceMemory> devices;
    std::map<int, MemoryGroups> live;
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
                return e.action == MemoryEvent::Action::OutOfMemory;
            }));
        const MemoryTimeline timeline = memoryTimeline(snapshot, device);
        const std::size_t peak = timeline.peak();
        memory.peak = timeline.allocated[peak];
        if (peak > 0) {
            memory.peakEvent = peak - 1;
            memory.peakTimeUs = trace[peak - 1].timeUs;
        }
        memory.atPeak = memoryAlive(snapshot, timeline, peak);
        out.push_back(std::move(memory));
    }
    return out;
}

} // namespace dynascope::session
