// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/recording_memory.h"

#include "core/ir/storage.h"
#include "core/replay/plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace dynascope::replay {

namespace {

using ir::NodeIndex;

std::uint64_t alignedUp(std::uint64_t bytes) {
    return (bytes + defaultAlignment - 1) / defaultAlignment * defaultAlignment;
}

/// What the graph says of the storages of its nodes.
class Storages {
public:
    Storages(const ir::Graph& graph, const GraphRole& role)
        : m_roots(ir::storageRoots(graph, ir::FunctionalForms::NewStorage))
        , m_backward(graph.size(), role.backward)
        , m_lastReader(graph.size(), ir::npos)
        , m_readBackward(graph.size())
        , m_returned(graph.size())
        , m_saved(graph.size()) {
        for (NodeIndex i = 0; i < graph.size(); ++i) {
            const ir::Node& node = graph.node(i);
            if (node.op == ir::Op::Placeholder && node.name.starts_with("tangents")) m_backward[i] = true;
            for (const NodeIndex input : graph.inputs(i)) {
                const NodeIndex root = m_roots[input];
                if (node.op == ir::Op::Output) {
                    m_returned[root] = true;
                    continue;
                }
                if (m_backward[input]) m_backward[i] = true;
                m_lastReader[root] = i;
            }
            // A view reads its base even where nobody reads the view.
            if (node.op != ir::Op::Output) m_lastReader[m_roots[i]] = i;
        }
        for (NodeIndex i = 0; i < graph.size(); ++i)
            if (m_backward[i] && graph.node(i).op != ir::Op::Output)
                for (const NodeIndex input : graph.inputs(i))
                    if (!m_backward[input]) m_readBackward[m_roots[input]] = true;
        for (const std::string& name : role.saved)
            if (const NodeIndex found = graph.find(name); found != ir::npos) m_saved[m_roots[found]] = true;
    }

    [[nodiscard]] MemoryUse use(NodeIndex node) const {
        const NodeIndex root = m_roots[node];
        if (m_saved[root]) return MemoryUse::SavedForBackward;
        if (m_returned[root]) return m_backward[root] ? MemoryUse::Gradient : MemoryUse::ForwardOutput;
        if (m_backward[root]) return MemoryUse::BackwardTemporary;
        return m_readBackward[root] ? MemoryUse::SavedForBackward : MemoryUse::ForwardTemporary;
    }
    [[nodiscard]] bool isResult(NodeIndex node) const { return m_returned[m_roots[node]]; }
    [[nodiscard]] NodeIndex lastReader(NodeIndex node) const { return m_lastReader[m_roots[node]]; }
    [[nodiscard]] bool isBackward(NodeIndex node) const { return m_backward[node]; }

private:
    std::vector<NodeIndex> m_roots;
    std::vector<bool> m_backward; ///< by node
    // By root.
    std::vector<NodeIndex> m_lastReader;
    std::vector<bool> m_readBackward, m_returned, m_saved;
};

class Builder {
public:
    Builder(const ReplayRecording& recording, const ir::Graph& graph, const GraphRole& role)
        : m_recording(recording)
        , m_graph(graph)
        , m_storages(graph, role)
        , m_taken(graph.size()) {
        for (std::uint32_t i = 0; i < recording.nodes.size(); ++i)
            m_recordedAt.emplace(recording.nodes[i].name, i);
        // The run ends with its last event that is not about a result: these are given back by the caller.
        // Every event is an allocation or a release of one.
        const std::size_t most = 2 * recording.allocations.size();
        for (const RecordedAllocation& row : recording.allocations) {
            m_values.push_back(valueOf(row));
            const bool result =
                row.result && m_values.back() != ir::npos && m_storages.isResult(m_values.back());
            for (const std::uint32_t event : {row.born, result ? row.born : row.died})
                if (event < recording.events && event < most)
                    m_moments = std::max<std::size_t>(m_moments, event + std::size_t{1});
        }
    }

    RecordingMemory run() {
        addAllocations();
        placeHeap();
        sum();
        findNodes();
        addInputs();
        findBackward();
        return std::move(m_out);
    }

private:
    [[nodiscard]] NodeIndex inGraph(std::uint32_t node) const {
        return node < m_recording.nodes.size() ? m_graph.find(m_recording.nodes[node].name) : ir::npos;
    }
    /// Of a node of the graph: its position in the recording, or what lies behind all.
    [[nodiscard]] std::uint32_t recordedAt(NodeIndex node) const {
        const auto found = node == ir::npos ? m_recordedAt.end() : m_recordedAt.find(m_graph.node(node).name);
        return found == m_recordedAt.end() ? std::uint32_t(m_recording.nodes.size()) : found->second;
    }

    /// The node that names an allocation's value: of what an operator returns in a tuple, the node that takes
    /// out a tensor of that size.
    NodeIndex valueOf(const RecordedAllocation& row) {
        const NodeIndex maker = inGraph(row.node);
        if (maker == ir::npos || !row.result) return maker;
        for (const NodeIndex user : m_graph.users(maker)) {
            const ir::Node& node = m_graph.node(user);
            if (!node.target.ends_with("getitem") || m_taken[user]) continue;
            if (const auto bytes = tensorBytes(node); !bytes || alignedUp(*bytes) != alignedUp(row.bytes))
                continue;
            m_taken[user] = true;
            return user;
        }
        return maker;
    }

    void addAllocations() {
        for (std::size_t i = 0; i < m_recording.allocations.size(); ++i) {
            const RecordedAllocation& row = m_recording.allocations[i];
            session::MemoryLife life;
            life.address = life.place = row.offset;
            life.bytes = row.bytes;
            life.begin = std::min<std::size_t>(row.born, m_moments - 1);
            life.lasts = row.died >= m_moments;
            life.end = life.lasts ? m_moments : std::clamp<std::size_t>(row.died, life.begin, m_moments);
            m_out.timeline.lives.push_back(life);
            HeldFor held;
            held.node = held.last = row.node;
            held.workspace = !row.result;
            held.planned = row.planned;
            if (const NodeIndex node = m_values[i]; node != ir::npos) {
                held.use = m_storages.use(node);
                if (row.result) held.last = std::max(held.last, recordedAt(m_storages.lastReader(node)));
                if (held.workspace)
                    held.use = m_storages.isBackward(node) ? MemoryUse::BackwardTemporary
                                                           : MemoryUse::ForwardTemporary;
            }
            if (life.lasts) held.last = std::uint32_t(m_recording.nodes.size());
            m_out.held.push_back(held);
        }
    }

    /// What has no place in the arena gets one above it, so that it is seen.
    void placeHeap() {
        std::vector<Block> blocks;
        std::vector<std::size_t> lives;
        auto& all = m_out.timeline.lives;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (m_out.held[i].planned) continue;
            blocks.push_back({all[i].bytes, std::uint32_t(all[i].begin),
                              std::uint32_t(std::max(all[i].begin + 1, all[i].end) - 1)});
            lives.push_back(i);
        }
        m_out.timeline.height = m_recording.arenaBytes;
        m_out.timeline.ranges = {{0, m_recording.arenaBytes, 0}};
        if (blocks.empty()) return;
        const Plan plan = planFirstFit(blocks);
        for (std::size_t i = 0; i < lives.size(); ++i)
            all[lives[i]].address = all[lives[i]].place = m_recording.arenaBytes + plan.offsets[i];
        m_out.timeline.ranges.push_back({m_recording.arenaBytes, plan.arenaBytes, m_recording.arenaBytes});
        m_out.timeline.height += plan.arenaBytes;
    }

    void sum() {
        session::MemoryTimeline& timeline = m_out.timeline;
        timeline.allocated.assign(m_moments, 0);
        timeline.reserved.assign(m_moments, m_recording.arenaBytes);
        m_out.keptAll.assign(m_moments, 0);
        std::vector<std::int64_t> change(m_moments + 1);
        std::vector<std::uint64_t> made(m_moments);
        for (const session::MemoryLife& life : timeline.lives) {
            change[life.begin] += std::int64_t(life.bytes);
            change[life.end] -= std::int64_t(life.bytes);
            made[life.begin] += life.bytes;
        }
        std::int64_t alive = 0;
        std::uint64_t kept = 0;
        for (std::size_t i = 0; i < m_moments; ++i) {
            alive += change[i];
            kept += made[i];
            timeline.allocated[i] = std::uint64_t(std::max<std::int64_t>(alive, 0));
            m_out.keptAll[i] = kept;
        }
    }

    void findNodes() {
        m_out.nodeAt.assign(m_moments, 0);
        const auto atLeast = [&](std::size_t moment, std::uint32_t node) {
            if (moment < m_out.nodeAt.size() && node < m_recording.nodes.size())
                m_out.nodeAt[moment] = std::max(m_out.nodeAt[moment], node);
        };
        for (std::size_t i = 0; i < m_out.held.size(); ++i) {
            atLeast(m_out.timeline.lives[i].begin, m_out.held[i].node);
            if (!m_out.timeline.lives[i].lasts) atLeast(m_out.timeline.lives[i].end, m_out.held[i].last);
        }
        // A storage may be given back later than its last reader says, and no node runs before an earlier
        // one: what allocates decides.
        std::uint32_t limit = std::uint32_t(std::max<std::size_t>(m_recording.nodes.size(), 1) - 1);
        std::vector<std::uint32_t> ceiling(m_moments, limit);
        for (std::size_t i = 0; i < m_out.held.size(); ++i)
            if (const std::size_t at = m_out.timeline.lives[i].begin; at < m_moments)
                ceiling[at] = std::min(ceiling[at], m_out.held[i].node);
        for (std::size_t i = m_moments; i-- > 0;)
            ceiling[i] = limit = std::min(limit, ceiling[i]);
        std::uint32_t now = 0;
        for (std::size_t i = 0; i < m_moments; ++i)
            m_out.nodeAt[i] = now = std::max(now, std::min(m_out.nodeAt[i], ceiling[i]));
    }

    void addInputs() {
        const std::uint64_t floor = m_out.timeline.height;
        for (NodeIndex i = 0; i < m_graph.size(); ++i) {
            const ir::Node& node = m_graph.node(i);
            const std::optional<std::uint64_t> bytes = tensorBytes(node);
            if (node.op != ir::Op::Placeholder || !bytes || *bytes == 0) continue;
            const std::uint64_t place = m_out.timeline.height;
            m_out.timeline.lives.push_back({place, *bytes, place, 0, m_moments, 0, true, true});
            m_out.held.push_back(
                {recordedAt(i), std::uint32_t(m_recording.nodes.size()), MemoryUse::Caller, false, false});
            m_out.timeline.height += *bytes;
            m_out.callerBytes += *bytes;
        }
        if (m_out.callerBytes > 0) m_out.timeline.ranges.push_back({floor, m_out.callerBytes, floor});
    }

    void findBackward() {
        bool forward = false;
        for (std::uint32_t i = 0; i < m_recording.nodes.size(); ++i) {
            const NodeIndex node = inGraph(i);
            if (node == ir::npos || m_graph.node(node).op == ir::Op::Placeholder) continue;
            if (!m_storages.isBackward(node)) {
                forward = true;
            } else {
                if (forward) m_out.firstBackward = i;
                return;
            }
        }
    }

    const ReplayRecording& m_recording;
    const ir::Graph& m_graph;
    Storages m_storages;
    std::vector<bool> m_taken;       ///< by node: an allocation was found for it
    std::vector<NodeIndex> m_values; ///< by allocation, or npos
    std::size_t m_moments = 1;
    std::unordered_map<std::string_view, std::uint32_t> m_recordedAt;
    RecordingMemory m_out;
};

} // namespace

RecordingMemory recordingMemory(const ReplayRecording& recording, const ir::Graph& graph,
                                const GraphRole& role) {
    return Builder(recording, graph, role).run();
}

std::vector<double> momentPositions(std::span<const std::uint32_t> nodeAt, std::span<const double> starts) {
    std::vector<double> out;
    out.reserve(nodeAt.size() + 1);
    for (std::size_t i = 0; i < nodeAt.size();) {
        std::size_t end = i;
        while (end < nodeAt.size() && nodeAt[end] == nodeAt[i])
            ++end;
        const double from = starts[nodeAt[i]], to = starts[nodeAt[i] + 1];
        for (std::size_t k = i; k < end; ++k)
            out.push_back(from + (to - from) * double(k - i) / double(end - i));
        i = end;
    }
    out.push_back(starts.back());
    return out;
}

ArenaHoles arenaHoles(const RecordingMemory& memory, std::uint64_t arenaBytes, std::size_t moment) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> alive; // place, bytes
    for (std::size_t i = 0; i < memory.held.size(); ++i) {
        const session::MemoryLife& life = memory.timeline.lives[i];
        if (memory.held[i].planned && memory.held[i].use != MemoryUse::Caller && life.begin <= moment &&
            moment < life.end)
            alive.emplace_back(life.place, life.bytes);
    }
    std::sort(alive.begin(), alive.end());
    ArenaHoles out;
    std::uint64_t end = 0;
    const auto hole = [&](std::uint64_t to) {
        // What alignment leaves is no hole that anything fits into.
        if (to < end + defaultAlignment) return;
        out.bytes += to - end;
        out.largest = std::max(out.largest, to - end);
        ++out.count;
    };
    for (const auto& [place, bytes] : alive) {
        hole(place);
        end = std::max(end, place + bytes);
    }
    hole(arenaBytes);
    return out;
}

std::vector<MemoryChange> compareMemory(const ReplayRecording& beforeRecording, const RecordingMemory& before,
                                        const ReplayRecording& nowRecording, const RecordingMemory& now) {
    using Kind = MemoryChange::Kind;
    using Key = std::pair<std::string_view, std::size_t>;
    const auto keysOf = [](const ReplayRecording& recording, const RecordingMemory& memory) {
        std::vector<Key> out;
        std::unordered_map<std::string_view, std::size_t> count;
        for (const HeldFor& held : memory.held) {
            const std::string_view name = held.node < recording.nodes.size()
                                              ? std::string_view(recording.nodes[held.node].name)
                                              : std::string_view();
            out.emplace_back(name, count[name]++);
        }
        return out;
    };
    const auto lastOf = [](const ReplayRecording& recording, const HeldFor& held) {
        return held.last < recording.nodes.size() ? std::string_view(recording.nodes[held.last].name)
                                                  : std::string_view();
    };
    const std::vector<Key> was = keysOf(beforeRecording, before), is = keysOf(nowRecording, now);
    std::map<Key, std::size_t> at;
    for (std::size_t i = 0; i < was.size(); ++i)
        if (before.held[i].use != MemoryUse::Caller) at.emplace(was[i], i);
    std::vector<MemoryChange> out;
    for (std::size_t i = 0; i < is.size(); ++i) {
        if (now.held[i].use == MemoryUse::Caller) continue;
        const auto found = at.find(is[i]);
        if (found == at.end()) {
            out.push_back({Kind::Added, SIZE_MAX, i});
            continue;
        }
        const std::size_t old = found->second;
        at.erase(found);
        const session::MemoryLife &a = before.timeline.lives[old], &b = now.timeline.lives[i];
        Kind kind = a.place == b.place ? Kind::Same : Kind::Moved;
        if (lastOf(beforeRecording, before.held[old]) != lastOf(nowRecording, now.held[i]))
            kind = Kind::Lifetime;
        if (a.bytes != b.bytes) kind = Kind::Resized;
        out.push_back({kind, old, i});
    }
    std::vector<std::size_t> gone;
    for (const auto& [key, index] : at)
        gone.push_back(index);
    std::sort(gone.begin(), gone.end());
    for (const std::size_t index : gone)
        out.push_back({Kind::Removed, index, SIZE_MAX});
    return out;
}

} // namespace dynascope::replay
