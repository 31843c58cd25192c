// SPDX-License-Identifier: BSD-3-Clause
#include "core/rederive/verify_passes.h"

#include "core/base/log.h"
#include "core/engine/wire/methods.h"
#include "core/ir/empty_like.h"
#include "core/ir/text.h"
#include "core/passes/partition/joined_parts.h"
#include "core/rederive/constants.h"
#include "core/rederive/rederive.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace dynascope::engine {

namespace {

using inductor::CompilePasses;
using inductor::PassRow;
using inductor::State;
using Kind = PassVerdict::Kind;

std::string checkText(const wire::Check& check) {
    return check.what + ", " + check.property + ": " + check.actual.shown() + ", before the pass " +
           check.expected.shown();
}

/// Strides, storage or identity of an output: what a caller sees besides values.
bool isLayout(const wire::Check& check) {
    return !check.counts &&
           (check.property == "strides" || check.property == "storage" || check.property == "identity");
}

Kind kindOf(wire::VerifyVerdict verdict) {
    switch (verdict) {
    case wire::VerifyVerdict::Different:
        return Kind::Different;
    case wire::VerifyVerdict::OrderDependent:
        return Kind::OrderDependent;
    case wire::VerifyVerdict::Random:
        return Kind::Random;
    case wire::VerifyVerdict::Declined:
        return Kind::Declined;
    case wire::VerifyVerdict::Equal:
        break;
    }
    return Kind::Equal;
}

void judge(const wire::VerifyReply& reply, PassVerdict& out) {
    out.kind = kindOf(reply.verdict);
    out.reason = reply.reason;
    if (isClose(reply)) {
        out.kind = Kind::Equal;
        out.reason = closeWords;
    }
    if (out.kind == Kind::Different) {
        for (const wire::Check& check : reply.checks)
            if (!check.ok && check.counts) out.differences.push_back(checkText(check));
        if (reply.firstDifference) {
            out.node = reply.firstDifference->computed;
            out.nodeBefore = reply.firstDifference->source;
        }
    }
    if (out.kind != Kind::Equal) return;
    for (const wire::Check& check : reply.checks)
        if (!check.ok && isLayout(check)) out.differences.push_back(checkText(check));
    if (out.differences.empty()) return;
    out.kind = Kind::Layout;
    out.reason =
        "the same values; " + out.differences.front() + (out.reason.empty() ? "" : "; " + out.reason);
}

constexpr std::string_view splitWords =
    "forward and backward were run one after the other, backward on what forward saves";

bool givesBack(const ir::Graph& graph) {
    return graph.size() > 0 && graph.nodes().back()->op == ir::Op::Output;
}

bool isInOrder(const ir::Graph& graph) {
    for (ir::NodeIndex node = 0; node < graph.size(); ++node)
        if (std::ranges::any_of(graph.inputs(node), [node](ir::NodeIndex input) { return input > node; }))
            return false;
    return true;
}

/// Passes leave nodes before what they read, for stable_topological_sort to move: the same nodes, each as early as it can
/// stand without overtaking one before it. Null where nodes wait for each other.
ir::GraphPtr inOrder(const ir::Graph& graph) {
    std::vector<std::size_t> missing(graph.size());
    std::set<ir::NodeIndex> ready;
    for (ir::NodeIndex node = 0; node < graph.size(); ++node) {
        missing[node] = graph.inputs(node).size();
        if (missing[node] == 0) ready.insert(node);
    }
    ir::GraphBuilder builder = ir::emptyLike(graph);
    while (!ready.empty()) {
        const ir::NodeIndex node = *ready.begin();
        ready.erase(ready.begin());
        builder.add(graph.nodes()[node]);
        for (const ir::NodeIndex user : graph.users(node))
            if (--missing[user] == 0) ready.insert(user);
    }
    return builder.size() == graph.size() ? builder.build() : nullptr;
}

/// How many nodes read each node that is computed from constants alone, by name.
std::map<std::string, std::size_t> usesOfConstants(const ir::Graph& graph) {
    std::map<std::string, std::size_t> out;
    std::vector<bool> isConstant(graph.size());
    for (ir::NodeIndex node = 0; node < graph.size(); ++node) {
        const auto inputs = graph.inputs(node);
        isConstant[node] = graph.node(node).op == ir::Op::GetAttr ||
                           (!inputs.empty() && std::ranges::all_of(inputs, [&](ir::NodeIndex input) {
                               return isConstant[input];
                           }));
        if (isConstant[node] && !graph.users(node).empty())
            out[graph.node(node).name] = graph.users(node).size();
    }
    return out;
}

/// A graph to run.
struct Runnable {
    ir::GraphPtr graph;
    std::string text;       ///< that crosses, with shapes
    bool wasSorted = false; ///< its nodes stood in an order in which it cannot run
};

/// An Error where the text is no graph.
Result<Runnable> runnableOf(const CompilePasses& passes, std::uint32_t state) {
    const Result<std::string> text = passes.recording->text(state);
    if (!text) return tl::unexpected(text.error());
    const Result<ir::GraphPtr> graph = ir::readGraph(*text);
    if (!graph) return tl::unexpected(graph.error());
    const ir::GraphPtr sorted = isInOrder(**graph) ? nullptr : inOrder(**graph);
    const ir::GraphPtr& runs = sorted ? sorted : *graph;
    return Runnable{runs, ir::printReadable(*runs).text, sorted != nullptr};
}

/// The graph after a step; of a split both parts as one.
Result<Runnable> afterOf(const CompilePasses& passes, const PassChainStep& step,
                         const Result<Runnable>& before) {
    Result<Runnable> after = runnableOf(passes, step.after);
    if (!step.backward || !after || !before) return after;
    const Result<Runnable> backward = runnableOf(passes, step.backward->state);
    if (!backward) return backward;
    const Result<ir::GraphPtr> joined =
        dynascope::passes::partition::joinedParts(*before->graph, *after->graph, *backward->graph);
    if (!joined) return tl::unexpected(joined.error());
    return Runnable{*joined, ir::printReadable(**joined).text, after->wasSorted || backward->wasSorted};
}

/// A pass may compute with the values of constants, or make some, and the recording has none: then made-up ones tell
/// nothing. It did where what is computed from constants alone is read otherwise, or is gone.
void declineForConstants(const ir::Graph& before, const ir::Graph& after, PassVerdict& out) {
    const Constants all = constantsOf(before);
    Constants made = constantsOf(after);
    std::erase_if(made, [&all](const auto& entry) { return all.contains(entry.first); });
    if (made.empty() && all.empty()) return;
    const bool computes = usesOfConstants(before) != usesOfConstants(after);
    if (made.empty() && !computes) {
        out.reason += "; with made-up values for " + nameList(all);
        return;
    }
    out.kind = Kind::Declined;
    out.reason = made.empty() ? "it may have computed with the values of " + nameList(all) +
                                    ", which the recording does not have"
                              : "it made " + nameList(made) + ", whose values the recording does not have";
    out.differences.clear();
    out.node.clear();
    out.nodeBefore.clear();
}

Answer<PassVerdict> verify(Client& engine, const CompilePasses& passes, const PassChainStep& step,
                           const ir::SymbolValues& hints, const CallOptions& options) {
    PassVerdict out{step.row, step.before, step.after, Kind::Declined, {}, {}, {}, {}};
    const Result<Runnable> before = runnableOf(passes, step.before);
    const Result<Runnable> after = afterOf(passes, step, before);
    if (!before || !after) {
        out.reason = (before ? after : before).error().toString();
        return out;
    }
    if (!givesBack(*before->graph) || !givesBack(*after->graph)) {
        out.reason = "Dynamo has not made the graph's output yet, so that there is nothing to compare";
        return out;
    }
    if (before->text == after->text) {
        out.kind = Kind::Equal;
        out.reason = before->wasSorted || after->wasSorted
                         ? "the same nodes, in an order in which they can run"
                         : "the same graph: only how it is printed changed";
        return out;
    }
    wire::VerifyRequest request;
    request.on.attributes = request.computedAttributes =
        madeUp(constantsOf(*before->graph), constantsOf(*after->graph));
    for (const auto& [symbol, value] : hints)
        request.on.symbols.emplace(symbol, value);
    const auto ask = [&]() -> Answer<wire::VerifyReply> {
        const auto loaded = engine.load({after->text}, options);
        if (!loaded) return tl::unexpected(loaded.error());
        request.computed = loaded->graph;
        return engine.verify(before->text, request, options);
    };
    const Answer<wire::VerifyReply> reply = ask();
    if (reply) {
        judge(*reply, out);
        if (step.backward) out.reason += (out.reason.empty() ? "" : "; ") + std::string(splitWords);
        if (out.kind == Kind::Different) declineForConstants(*before->graph, *after->graph, out);
        if (after->wasSorted && out.kind != Kind::Declined)
            out.reason += (out.reason.empty() ? "" : "; ") +
                          std::string("some nodes stood before what they read, and were moved to run");
        return out;
    }
    using Failed = CallError::Kind;
    if (reply.error().kind == Failed::NotStarted || reply.error().kind == Failed::Cancelled)
        return tl::unexpected(reply.error());
    const std::string node = reply.error().node();
    out.reason = (node.empty() ? std::string() : "node '" + node + "': ") + reply.error().message;
    return out;
}

} // namespace

std::string_view passKindName(Kind kind) {
    switch (kind) {
    case Kind::Equal:
        return "equal";
    case Kind::Layout:
        return "layout";
    case Kind::Different:
        return "different";
    case Kind::OrderDependent:
        return "order-dependent";
    case Kind::Random:
        return "random";
    case Kind::Declined:
        break;
    }
    return "declined";
}

std::vector<PassChainStep> passSteps(const CompilePasses& passes) {
    std::vector<PassChainStep> out;
    if (!passes.recording) return out;
    std::map<std::uint32_t, std::size_t> byPass, between,
        splits; // rows: by the number of their pass, by the state they left
    std::set<std::uint32_t> compiles;
    for (std::size_t i = 0; i < passes.rows.size(); ++i) {
        const PassRow& row = passes.rows[i];
        compiles.insert(row.phase->compile);
        if (row.pass != nullptr)
            byPass[row.pass->index] = i;
        else if (!row.part.empty())
            splits[row.after] = i;
        else
            between[row.after] = i;
    }
    std::map<std::uint32_t, std::uint32_t> last; // state by module
    for (const State& state : passes.recording->states()) {
        const inductor::PassPhase* phase = passes.recording->phase(state.phase);
        if (phase == nullptr || !compiles.contains(phase->compile)) continue;
        const auto [at, fresh] = last.try_emplace(state.module, state.id);
        const std::uint32_t before = std::exchange(at->second, state.id);
        if (const auto split = splits.find(state.id); split != splits.end()) {
            const PassRow& row = passes.rows[split->second];
            const auto backward = splits.find(phase->made.back());
            if (row.part == "forward" && backward != splits.end())
                out.push_back({split->second, row.before, state.id,
                               PassChainStep::Backward{backward->second, backward->first}});
        }
        if (fresh || state.first) continue;
        const auto& rows = state.pass != 0 ? byPass : between;
        const auto row = rows.find(state.pass != 0 ? state.pass : state.id);
        if (row != rows.end()) out.push_back({row->second, before, state.id});
    }
    return out;
}

Answer<std::vector<PassVerdict>> verifyPasses(Client& engine, const CompilePasses& passes,
                                              const ir::SymbolValues& hints, const CallOptions& options,
                                              const std::function<void(const PassVerdict&)>& onVerdict) {
    std::vector<PassVerdict> out;
    const std::vector<PassChainStep> steps = passSteps(passes);
    // The task's progress is that of the passes, not of each run.
    CallOptions quiet = options;
    quiet.task.onProgress = nullptr;
    std::size_t done = 0;
    for (const PassChainStep& step : steps) {
        options.task.report("Verifying passes", done++, steps.size());
        if (options.task.cancelled())
            return tl::unexpected(CallError{CallError::Kind::Cancelled, "cancelled", 0, {}});
        const log::Stopwatch watch;
        Answer<PassVerdict> verdict = verify(engine, passes, step, hints, quiet);
        if (!verdict) return tl::unexpected(verdict.error());
        log::write(log::Topic::Rederive, passes.rows[step.row].name(), ": ", passKindName(verdict->kind),
                   " after ", watch.ms(), " ms", verdict->reason.empty() ? "" : ": ", verdict->reason);
        const auto tell = [&](const PassVerdict& told) {
            if (onVerdict) onVerdict(told);
            out.push_back(told);
        };
        tell(*verdict);
        if (step.backward) {
            verdict->row = step.backward->row;
            verdict->after = step.backward->state;
            tell(*verdict);
        }
    }
    return out;
}

} // namespace dynascope::engine
