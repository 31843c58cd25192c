// SPDX-License-Identifier: BSD-3-Clause
//
// The state of a tree of CUDA graphs and its changes, so that a reader can go through a run forwards and
// backwards: every step keeps what it changed, from what and to what.
#pragma once

#include "core/replay/tree_backend.h"

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace dynascope::replay {

enum class PathState : std::uint8_t { None, Warmup, Recording, Execution };
/// "NONE", "WARMUP", "RECORDING", "EXECUTION", as PyTorch spells them.
[[nodiscard]] std::string_view pathStateName(PathState state);

/// Output `index` of a node.
struct OutputAt {
    NodeId node = noNode;
    std::uint32_t index = 0;
    friend auto operator<=>(const OutputAt&, const OutputAt&) = default;
};

struct TreeState {
    using Key = std::pair<NodeId, FunctionId>; ///< noNode: no current node

    PathState path = PathState::None;
    NodeId current = noNode;
    std::int64_t generation = -1; ///< of the last warm-up, recording or replay
    std::int64_t userMarks = 0;   ///< 0, -1, -2, ..: marked steps, counted downwards
    std::int64_t invocations = 0; ///< calls of compiled code from outside, where the user marks nothing
    bool pendingBackward = false; ///< a forward ran whose backward did not
    std::map<Key, bool> hints;    ///< whether the function writes what it must not, seen from that node
    std::map<Key, std::int64_t> rerecords;
    std::set<FunctionId> warm;
    std::size_t nodes = 0;    ///< how many of TreeManager::nodes() exist
    std::set<OutputAt> alive; ///< outputs whose storages were alive when last looked at
    std::set<OutputAt> invalidated;
    std::int64_t checkpoints = 0;

    /// The number that tells generations apart.
    [[nodiscard]] std::int64_t latestGeneration() const { return userMarks != 0 ? userMarks : invocations; }
    friend bool operator==(const TreeState&, const TreeState&) = default;
};

/// One field of a TreeState before and after.
struct TreeChange {
    enum class Field : std::uint8_t {
        Path,
        Current,
        Generation,
        UserMarks,
        Invocations,
        PendingBackward,
        Hint,
        Rerecords,
        Warm,
        Nodes,
        Alive,
        Invalidated,
        Checkpoints,
    };
    static constexpr std::int64_t absent = INT64_MIN;

    Field field = Field::Path;
    NodeId node = noNode;
    std::uint32_t key = 0; ///< function or output
    std::int64_t before = absent, after = absent;
    friend bool operator==(const TreeChange&, const TreeChange&) = default;
};

/// The value that a change of this field, node and key would replace.
[[nodiscard]] std::int64_t valueOf(const TreeState& state, const TreeChange& change);
void apply(TreeState& state, const TreeChange& change);
void undo(TreeState& state, const TreeChange& change);

/// Goes through recorded changes in both directions; a step costs what it changed.
class TreeCursor {
public:
    /// `steps` must outlive the cursor.
    explicit TreeCursor(std::span<const std::vector<TreeChange>> steps)
        : m_steps(steps) {}

    [[nodiscard]] const TreeState& state() const { return m_state; }
    [[nodiscard]] std::size_t position() const { return m_position; } ///< steps applied so far
    bool forward();                                                   ///< false at the end
    bool back();                                                      ///< false at the beginning
    void moveTo(std::size_t position);
    /// The same steps and more after them, perhaps elsewhere.
    void extend(std::span<const std::vector<TreeChange>> steps) { m_steps = steps; }

private:
    std::span<const std::vector<TreeChange>> m_steps;
    TreeState m_state;
    std::size_t m_position = 0;
};

} // namespace dynascope::replay
