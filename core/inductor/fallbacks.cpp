// SPDX-License-Identifier: BSD-3-Clause
#include "core/inductor/fallbacks.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace dynascope::inductor {

namespace {

/// The graph that a phase "inductor" lowered; null where the recording has none.
Result<ir::GraphPtr> loweredGraph(const CompilePasses& passes, std::uint32_t phase) {
    for (const TracedStage& traced : passes.recording->stages()) {
        if (traced.name != "inductor_post_grad_graph") continue;
        const PassPhase* in = passes.recording->phase(traced.phase);
        if (in == nullptr || (in->id != phase && in->parent != phase)) continue;
        if (const int at = passes.stageOf(traced.state); at >= 0)
            return passes.stages[std::size_t(at)].stage->graph();
    }
    return ir::GraphPtr();
}

/// Sizes of what operations give back, by operation; those of one that gives back several are with its parts.
using Written = std::unordered_map<std::string_view, const SchedulerNode*>;

Written operationsOf(const PassRecording& recording, std::uint32_t phase) {
    Written out;
    for (const Schedule& schedule : recording.schedules())
        if (schedule.phase == phase && schedule.name.empty())
            for (const auto& [id, node] : schedule.nodes)
                if (node.members.empty()) out.emplace(node.name, &node);
    return out;
}

void addBytes(std::uint64_t& sum, const std::optional<std::uint64_t>& bytes, bool& isWhole) {
    if (!bytes || __builtin_add_overflow(sum, *bytes, &sum)) isWhole = false;
}

void addWritten(FallbackCost& out, const Written& operations) {
    bool any = false;
    for (const std::string& name : out.fallback->operations) {
        const auto at = operations.find(name);
        if (at == operations.end()) continue;
        for (const SchedulerNode::Output& output : at->second->outputs) {
            // The call itself has no size where its parts have.
            if (!output.bytes && out.fallback->operations.size() > 1 &&
                name == out.fallback->operations.front())
                continue;
            any = true;
            addBytes(out.written, output.bytes, out.isWhole);
        }
    }
    if (!any) out.isWhole = false; // removed, or inside a subgraph: not known
}

void addRead(FallbackCost& out, const ir::Graph& graph) {
    const ir::NodeIndex at = graph.find(out.fallback->node.name);
    if (at == ir::npos) {
        out.isWhole = false;
        return;
    }
    std::set<ir::NodeIndex> seen;
    for (const ir::NodeIndex input : graph.inputs(at)) {
        const ir::Node& node = graph.node(input);
        if (!seen.insert(input).second || !node.meta || !node.meta->tensor) continue;
        addBytes(out.read, node.meta->tensor->bytes(), out.isWhole);
    }
    if (const ir::SourceLocation* location = graph.node(at).location()) {
        out.file = location->file;
        out.line = location->line;
    }
}

/// Nodes that a pattern put in often have no line: that of what they stand for, by name, since graphs are copied in between.
void addLineOfReplaced(FallbackCost& out, const CompilePasses& passes) {
    for (const PassRow& row : passes.rows) {
        if (row.pass == nullptr) continue;
        for (const Match& match : row.pass->matches) {
            const bool made =
                std::ranges::find(match.added, out.fallback->node.name, &NodeRef::name) != match.added.end();
            const int at = made ? passes.stageOf(row.before) : -1;
            if (at < 0) continue;
            const Result<ir::GraphPtr> graph = passes.stages[std::size_t(at)].stage->graph();
            if (!graph) continue;
            for (const NodeRef& node : match.nodes) {
                const ir::NodeIndex found = (*graph)->find(node.name);
                const ir::SourceLocation* location =
                    found == ir::npos ? nullptr : (*graph)->node(found).location();
                if (location == nullptr) continue;
                out.file = location->file;
                out.line = location->line;
                out.ofReplaced = true;
                return;
            }
        }
    }
}

} // namespace

Result<std::vector<FallbackCost>> fallbacksOf(const CompilePasses& passes, const TaskContext& task) {
    std::vector<FallbackCost> out;
    if (!passes.recording) return out;
    std::set<std::uint32_t> compiles;
    for (const PassRow& row : passes.rows)
        compiles.insert(row.phase->compile);
    std::map<std::uint32_t, ir::GraphPtr> graphs; // by phase
    std::map<std::uint32_t, Written> operations;
    for (const Fallback& fallback : passes.recording->fallbacks()) {
        if (task.cancelled()) return cancellation();
        const PassPhase* phase = passes.recording->phase(fallback.phase);
        if (phase == nullptr || !compiles.contains(phase->compile)) continue;
        if (!graphs.contains(phase->id)) {
            const Result<ir::GraphPtr> graph = loweredGraph(passes, phase->id);
            if (!graph) return tl::unexpected(graph.error());
            graphs.emplace(phase->id, *graph);
            operations.emplace(phase->id, operationsOf(*passes.recording, phase->id));
        }
        FallbackCost cost;
        cost.fallback = &fallback;
        cost.phase = phase;
        addWritten(cost, operations[phase->id]);
        if (const ir::GraphPtr& graph = graphs[phase->id])
            addRead(cost, *graph);
        else
            cost.isWhole = false;
        if (cost.file.empty()) addLineOfReplaced(cost, passes);
        out.push_back(std::move(cost));
    }
    std::ranges::stable_sort(
        out, [](const FallbackCost& a, const FallbackCost& b) { return a.bytes() > b.bytes(); });
    return out;
}

} // namespace dynascope::inductor
