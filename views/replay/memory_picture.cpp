// SPDX-License-Identifier: BSD-3-Clause
#include "views/replay/memory_picture.h"

#include "views/replay/timing_rows.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>
#include <cstdio>

namespace dynascope::views {

namespace {

using replay::MemoryUse;

} // namespace

std::shared_ptr<const session::MemoryTimeline> withoutCallers(const replay::RecordingMemory& memory) {
    auto own = std::make_shared<session::MemoryTimeline>(memory.timeline);
    const auto callers =
        std::find_if(memory.held.begin(), memory.held.end(),
                     [](const replay::HeldFor& held) { return held.use == MemoryUse::Caller; });
    own->lives.resize(std::size_t(callers - memory.held.begin()));
    if (memory.callerBytes > 0) {
        own->height -= memory.callerBytes;
        own->ranges.pop_back();
    }
    return own;
}

MemoryChart::Content memoryContent(const ReplayMemoryPtr& shared,
                                   std::shared_ptr<const session::MemoryTimeline> timeline,
                                   const std::vector<replay::MemoryChange>& changes, bool measured) {
    const ReplayMemory& memory = *shared;
    MemoryChart::Content content;
    content.timeline = timeline
                           ? std::move(timeline)
                           : std::shared_ptr<const session::MemoryTimeline>(shared, &memory.memory.timeline);
    for (const replay::HeldFor& held : memory.memory.held)
        content.looks.push_back(memoryLook(held));
    for (const replay::MemoryChange& change : changes)
        if (change.now != SIZE_MAX) content.looks[change.now].change = changeState(change.kind);
    content.heading = measured ? tr("Arena address against time") : tr("Arena address against node");
    content.positions = memoryPositions(memory, measured);
    if (const auto before = std::size_t(content.positions.front()); before > 0 && !measured)
        content.heading += tr(", from node %1: those before take nothing of the arena").arg(before);
    content.unit = measured ? tr("µs") : tr("node");
    content.reservedName = tr("arena");
    content.third = memory.memory.keptAll;
    content.thirdName = tr("if nothing were given back");
    content.boundary = memoryBoundary(memory, measured);
    content.momentName = [memory = shared](std::size_t moment) {
        const std::uint32_t node = memory->memory.nodeAt[moment];
        const auto& nodes = memory->of().recording.nodes;
        return node < nodes.size() ? tr("node %1 %2").arg(node).arg(toQString(nodes[node].name)) : QString();
    };
    content.tip = [memory = shared](std::size_t life) { return memoryTip(*memory, life); };
    return content;
}

std::vector<FigureRow::Figure> memoryFigures(const ReplayMemory& memory, const ReplayMemory* other,
                                             const Colours& colours) {
    const replay::ReplayRecording& recording = memory.of().recording;
    const std::size_t peak = memory.memory.timeline.peak();
    const replay::ArenaHoles holes = replay::arenaHoles(memory.memory, recording.arenaBytes, peak);
    char over[32];
    std::snprintf(over, sizeof over, "%.3f",
                  recording.peakBytes > 0 ? double(recording.arenaBytes) / double(recording.peakBytes) : 1.0);
    std::vector<FigureRow::Figure> figures{
        {bytesText(recording.arenaBytes), tr("planned arena"), colours.added,
         tr("One piece of memory in which every storage has its place; a replay allocates nothing else")},
        {bytesText(recording.peakBytes), tr("peak live"), colours.removed,
         tr("The most that is alive at a time: no arena is smaller")},
        {bytesText(recording.keepAllBytes),
         tr("kept without a plan"),
         {},
         tr("If nothing were given back: the sum of all storages")},
        {QString::fromLatin1(over), tr("arena over peak"), {}, tr("1.000 is the best that any plan can do")},
        {holes.count == 0 ? tr("none") : tr("%1 in %2").arg(bytesText(holes.bytes)).arg(holes.count),
         tr("free at the peak"),
         {},
         tr("Holes between storages at the peak: fragmentation. The largest is %1")
             .arg(bytesText(holes.largest))},
        {bytesText(memory.memory.callerBytes),
         tr("inputs, parameters"),
         {},
         tr("The caller's memory, beside the arena")}};
    for (FigureRow::Figure& figure : replayChecks(*memory.run, colours))
        figures.push_back(std::move(figure));
    if (other) {
        const auto now = qint64(recording.arenaBytes), was = qint64(other->of().recording.arenaBytes);
        figures.push_back({now == was ? tr("as large")
                                      : (now > was ? QStringLiteral("+") : QStringLiteral("−")) +
                                            bytesText(qulonglong(std::abs(now - was))),
                           tr("against the other"),
                           now > was   ? colours.removed
                           : now < was ? colours.added
                                       : QColor(),
                           tr("The arena, less that of the other recording")});
    }
    return figures;
}

std::vector<FigureRow::Figure> liveFigures(const replay::LivePlace& at, const Colours& colours) {
    return {{numberText(at.replays), tr("graphs replayed"), colours.added, {}},
            {numberText(at.events), tr("events"), {}, tr("Nodes and memory, none left out")},
            {bytesText(at.planned), tr("taken in arenas now"), {}, {}},
            {bytesText(at.heap), tr("taken of the heap now"), {}, tr("By nodes that run eagerly")},
            {numberText(at.heapAllocations), tr("heap allocations"), {}, {}}};
}

} // namespace dynascope::views
