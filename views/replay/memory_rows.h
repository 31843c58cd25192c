// SPDX-License-Identifier: BSD-3-Clause
//
// The memory of a replayed graph in words: what is alive at a moment, one storage, and what tells two
// recordings apart. Pure functions.
#pragma once

#include "views/base/row_table.h"
#include "views/inspector/facts.h"
#include "views/memory/memory_chart.h"
#include "views/replay/replay_runs.h"

namespace dynascope::views {

/// A graph's memory, worked out once. Immutable; share it.
struct ReplayMemory {
    ReplayedRunPtr run;
    std::size_t graph = 0; ///< into run->graphs
    replay::RecordingMemory memory;

    [[nodiscard]] const ReplayedGraph& of() const { return run->graphs[graph]; }
    /// The node that holds a life, in the graph; null where the graph does not have it.
    [[nodiscard]] const ir::Node* node(std::size_t life) const;
    [[nodiscard]] QString nodeName(std::size_t life) const;
    /// What the program calls an input, else the node's name.
    [[nodiscard]] QString shownName(std::size_t life) const;
};
using ReplayMemoryPtr = std::shared_ptr<const ReplayMemory>;

[[nodiscard]] QString memoryUseName(replay::MemoryUse use); ///< "saved for backward"
/// For narrow places where the colour says of which half: "saved", "temporary".
[[nodiscard]] QString memoryUseShort(replay::MemoryUse use);
/// What that means for who wants less memory; a sentence.
[[nodiscard]] QString memoryUseMeaning(replay::MemoryUse use);
[[nodiscard]] Tone memoryUseTone(replay::MemoryUse use);
[[nodiscard]] MemoryChart::Look memoryLook(const replay::HeldFor& held);
/// As rich text, escaped.
[[nodiscard]] QString memoryTip(const ReplayMemory& memory, std::size_t life);
/// Of one storage. Links: "node:NAME" to the graph, "line:NAME" to its source.
[[nodiscard]] Facts memoryFacts(const ReplayMemory& memory, std::size_t life);
/// Where each moment lies: by node, or, with `measured`, by the median times of the run in microseconds.
[[nodiscard]] std::vector<double> memoryPositions(const ReplayMemory& memory, bool measured);
/// Where backward begins on that axis; negative where the graph is not both.
[[nodiscard]] double memoryBoundary(const ReplayMemory& memory, bool measured);

enum class AliveColumn { Node, Bytes, Use, Life, Line };
[[nodiscard]] std::vector<TableColumn> aliveColumns();
/// Lives at a moment, largest first; what the caller holds is left out.
[[nodiscard]] std::vector<std::size_t> aliveAt(const ReplayMemory& memory, std::size_t moment);
[[nodiscard]] std::vector<TableRow> aliveRows(const ReplayMemory& memory,
                                              const std::vector<std::size_t>& lives);

enum class ChangeColumn { Node, What, Before, Now, Life };
[[nodiscard]] std::vector<TableColumn> changeColumns();
[[nodiscard]] std::vector<TableRow> changeRows(const ReplayMemory& before, const ReplayMemory& now,
                                               const std::vector<replay::MemoryChange>& changes);
[[nodiscard]] diff::Change changeState(replay::MemoryChange::Kind kind);

} // namespace dynascope::views
