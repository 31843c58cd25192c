// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/tree_state.h"

#include <algorithm>

namespace dynascope::replay {

namespace {

using Field = TreeChange::Field;

template <typename Map>
std::int64_t lookUp(const Map& map, const TreeState::Key& key) {
    const auto found = map.find(key);
    return found == map.end() ? TreeChange::absent : static_cast<std::int64_t>(found->second);
}

template <typename Map>
void store(Map& map, const TreeState::Key& key, std::int64_t value) {
    if (value == TreeChange::absent)
        map.erase(key);
    else
        map[key] = static_cast<typename Map::mapped_type>(value);
}

template <typename Set, typename Value>
void member(Set& set, const Value& value, bool in) {
    if (in)
        set.insert(value);
    else
        set.erase(value);
}

void assign(TreeState& state, const TreeChange& change, std::int64_t value) {
    switch (change.field) {
    case Field::Path:
        state.path = static_cast<PathState>(value);
        break;
    case Field::Current:
        state.current = value;
        break;
    case Field::Generation:
        state.generation = value;
        break;
    case Field::UserMarks:
        state.userMarks = value;
        break;
    case Field::Invocations:
        state.invocations = value;
        break;
    case Field::PendingBackward:
        state.pendingBackward = value != 0;
        break;
    case Field::Hint:
        store(state.hints, {change.node, change.key}, value);
        break;
    case Field::Rerecords:
        store(state.rerecords, {change.node, change.key}, value);
        break;
    case Field::Warm:
        member(state.warm, change.key, value != 0);
        break;
    case Field::Nodes:
        state.nodes = static_cast<std::size_t>(value);
        break;
    case Field::Alive:
        member(state.alive, OutputAt{change.node, change.key}, value != 0);
        break;
    case Field::Invalidated:
        member(state.invalidated, OutputAt{change.node, change.key}, value != 0);
        break;
    case Field::Checkpoints:
        state.checkpoints = value;
        break;
    }
}

} // namespace

std::string_view pathStateName(PathState state) {
    switch (state) {
    case PathState::None:
        return "NONE";
    case PathState::Warmup:
        return "WARMUP";
    case PathState::Recording:
        return "RECORDING";
    case PathState::Execution:
        break;
    }
    return "EXECUTION";
}

std::int64_t valueOf(const TreeState& state, const TreeChange& change) {
    switch (change.field) {
    case Field::Path:
        return static_cast<std::int64_t>(state.path);
    case Field::Current:
        return state.current;
    case Field::Generation:
        return state.generation;
    case Field::UserMarks:
        return state.userMarks;
    case Field::Invocations:
        return state.invocations;
    case Field::PendingBackward:
        return state.pendingBackward ? 1 : 0;
    case Field::Hint:
        return lookUp(state.hints, {change.node, change.key});
    case Field::Rerecords:
        return lookUp(state.rerecords, {change.node, change.key});
    case Field::Warm:
        return state.warm.contains(change.key) ? 1 : 0;
    case Field::Nodes:
        return static_cast<std::int64_t>(state.nodes);
    case Field::Alive:
        return state.alive.contains({change.node, change.key}) ? 1 : 0;
    case Field::Invalidated:
        return state.invalidated.contains({change.node, change.key}) ? 1 : 0;
    case Field::Checkpoints:
        break;
    }
    return state.checkpoints;
}

void apply(TreeState& state, const TreeChange& change) {
    assign(state, change, change.after);
}

void undo(TreeState& state, const TreeChange& change) {
    assign(state, change, change.before);
}

bool TreeCursor::forward() {
    if (m_position == m_steps.size()) return false;
    for (const TreeChange& change : m_steps[m_position])
        apply(m_state, change);
    ++m_position;
    return true;
}

bool TreeCursor::back() {
    if (m_position == 0) return false;
    --m_position;
    const std::vector<TreeChange>& changes = m_steps[m_position];
    for (auto change = changes.rbegin(); change != changes.rend(); ++change)
        undo(m_state, *change);
    return true;
}

void TreeCursor::moveTo(std::size_t position) {
    position = std::min(position, m_steps.size());
    while (m_position < position)
        forward();
    while (m_position > position)
        back();
}

} // namespace dynascope::replay
