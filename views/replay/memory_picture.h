// SPDX-License-Identifier: BSD-3-Clause
//
// What the chart of a recording's memory shows, and the figures above it. Pure functions.
#pragma once

#include "views/base/page_parts.h"
#include "views/replay/memory_rows.h"

#include <memory>
#include <vector>

namespace dynascope::views {

/// The timeline of a recording without the caller's memory: the same lives but for these, which are the last.
[[nodiscard]] std::shared_ptr<const session::MemoryTimeline>
withoutCallers(const replay::RecordingMemory& memory);

/// Of a timeline of `memory`, null for the whole. `measured`: against the median times of the run rather than
/// against nodes. `changes`: against another recording; may be empty.
[[nodiscard]] MemoryChart::Content memoryContent(const ReplayMemoryPtr& memory,
                                                 std::shared_ptr<const session::MemoryTimeline> timeline,
                                                 const std::vector<replay::MemoryChange>& changes,
                                                 bool measured);

/// `other`: what it is held against, or null.
[[nodiscard]] std::vector<FigureRow::Figure> memoryFigures(const ReplayMemory& memory,
                                                           const ReplayMemory* other, const Colours& colours);
/// While it is being replayed.
[[nodiscard]] std::vector<FigureRow::Figure> liveFigures(const replay::LivePlace& at, const Colours& colours);

} // namespace dynascope::views
