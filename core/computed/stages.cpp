// SPDX-License-Identifier: BSD-3-Clause
#include "core/computed/stages.h"

#include "core/base/log.h"
#include "core/base/words.h"
#include "core/computed/node_values.h"
#include "core/ir/annotate.h"
#include "core/ir/text.h"
#include "core/session/byte_source.h"

namespace dynascope::computed {

namespace {

using engine::Rederived;
using Kind = StageVerdict::Kind;

constexpr std::pair<Kind, std::string_view> verdictNames[] = {
    {Kind::Equal, "equal"},       {Kind::Different, "different"},
    {Kind::Declined, "declined"}, {Kind::OrderDependent, "order-dependent"},
    {Kind::Random, "random"},     {Kind::NotRun, "not run"},
};

session::Payload payloadOf(const std::string& text) {
    return {session::makeByteSource(text), 0, text.size(), false};
}

/// Which node became which, by the last pass of a reply.
diff::Origins originsOf(const wire::PassReply& reply, const ir::Graph& source, const ir::Graph& result) {
    diff::Origins out;
    if (reply.passes.empty()) return out;
    for (const auto& [before, after] : reply.passes.back().provenance) {
        const ir::NodeIndex from = source.find(before), to = result.find(after);
        if (from != ir::npos && to != ir::npos) out.emplace_back(from, to);
    }
    return out;
}

/// The graph with the shapes that a reply says.
ir::GraphPtr withShapes(const ir::Graph& graph, const wire::PassReply& reply) {
    return ir::withAnnotations(graph, [&](const std::string& node) {
        if (!reply.meta) return std::string();
        const auto shape = reply.meta->find(node);
        return shape == reply.meta->end() ? std::string() : shape->second;
    });
}

std::string modeText(FunctionalMode mode) {
    std::string out = mode.removesViews ? "mutations and views" : "";
    if (mode.callerWritesBack) out += out.empty() ? "caller writes back" : ", caller writes back";
    return out;
}

} // namespace

std::string_view verdictName(StageVerdict::Kind kind) {
    for (const auto& [known, name] : verdictNames)
        if (known == kind) return name;
    return {};
}

std::optional<StageVerdict::Kind> verdictKind(std::string_view name) {
    for (const auto& [kind, known] : verdictNames)
        if (known == name) return kind;
    return std::nullopt;
}

Result<MadeStage> madeStage(ComputedStage asked, std::shared_ptr<const wire::PassReply> reply,
                            std::shared_ptr<const wire::ExecuteReply> eager, ProgramText program) {
    const log::Stopwatch watch;
    MadeStage out;
    ComputedStage& known = out.known = std::move(asked);
    const auto source = known.source->graph();
    if (!source) return tl::unexpected(source.error());
    auto graph = ir::readGraph(reply->graph);
    if (!graph) return tl::unexpected(graph.error());
    *graph = withShapes(**graph, *reply);
    known.graphText = reply->graph;
    known.attributes = reply->attributes;
    known.microseconds = reply->medianMicroseconds;
    known.nodesBefore = (*source)->size();
    known.nodesAfter = (*graph)->size();
    out.origins = originsOf(*reply, **source, **graph);
    out.stage = std::make_shared<session::Stage>();
    out.stage->name = known.passes.back();
    out.stage->phase = session::Phase::Computed;
    out.stage->detail = modeText(known.mode);
    out.stage->payload = payloadOf(known.graphText);
    out.stage->setGraph(*graph);
    if (known.passes.back() == "functionalize") {
        FunctionalRun run = functionalRun(*reply, *source);
        run.mode = known.mode;
        run.graph = *graph;
        run.program = std::move(program);
        if (eager) run.eager = nodeValues(*eager);
        known.recording = std::make_shared<const FunctionalRecording>(std::move(run));
    }
    known.reply = std::move(reply);
    known.eager = std::move(eager);
    log::write(log::Topic::Computed, "made ", known.passes.back(), " of ", known.source->label(), " in ",
               watch.ms(), " ms: ", known.nodesAfter, " nodes of ", known.nodesBefore, ", ",
               out.origins.size(), " origins");
    return out;
}

CheckedStage checkedStage(const wire::VerifyReply& reply) {
    CheckedStage out;
    out.verdict.kind = verdictKind(wire::verdictName(reply.verdict)).value_or(Kind::Declined);
    out.verdict.text = reply.reason;
    std::size_t checks = 0;
    for (const wire::Check& check : reply.checks) {
        if (!check.counts) continue;
        ++checks;
        if (check.ok) continue;
        out.differences.push_back(check.what + ", " + check.property + ": " + check.actual.shown() +
                                  ", expected " + check.expected.shown());
    }
    if (out.verdict.text.empty() && out.verdict.kind == Kind::Equal)
        out.verdict.text = count(checks, "check") + " of outputs and inputs after the call";
    if (!reply.alone.empty()) out.verdict.text += (out.verdict.text.empty() ? "" : "; ") + reply.alone;
    if (const auto& first = reply.firstDifference) {
        out.parting = {first->computed, first->source, first->expected.shown(), first->actual.shown(),
                       first->text};
        out.verdict.node = out.parting.node;
        out.verdict.nodeFrom = out.parting.nodeFrom;
    }
    return out;
}

std::string rederivedWord(const engine::RederivedStage& row) {
    if (row.verdict == Rederived::Different && !row.versions.empty()) return "differs";
    return std::string(engine::rederivedName(row.verdict));
}

std::string rederivedText(const Rederivation& said) {
    const engine::RederivedStage& row = said.row;
    std::string out = "Derived from " + row.from + ": " + rederivedWord(row);
    if (row.verdict == Rederived::Isomorphic) out += ", " + count(row.nodes, "node");
    if (!row.versions.empty()) out += "; " + row.versions;
    if (row.verdict == Rederived::Equivalent) out += ": another graph, the same numbers";
    if (!row.reason.empty()) out += ". " + row.reason;
    if (!row.missedGuard.empty()) out += ". But " + row.missedGuard;
    if (!row.leftOut.empty()) out += "; " + row.leftOut;
    if (!row.hooks.empty()) out += "; " + row.hooks;
    if (!said.metadata) return out;
    out += ". Metadata: " + rederivedWord(*said.metadata);
    if (said.metadata->verdict == Rederived::Isomorphic) out += ", " + count(said.metadata->nodes, "field");
    if (!said.metadata->reason.empty()) out += ". " + said.metadata->reason;
    return out;
}

session::StagePtr derivedStage(const session::Stage& twin, ir::GraphPtr graph, const std::string& text) {
    auto out = std::make_shared<session::Stage>();
    out->name = twin.name;
    out->k = twin.k;
    out->attempt = twin.attempt;
    out->detail = "derived";
    out->phase = session::Phase::Computed;
    out->payload = payloadOf(text);
    out->setGraph(std::move(graph));
    return out;
}

std::pair<ComputedStage, StageVerdict>
shownRederivation(const Rederivation& said, const session::StagePtr& twin, const session::StagePtr& source) {
    ComputedStage derived;
    derived.graphText = ir::printReadable(*said.row.derived).text;
    derived.stage = derived.root = derivedStage(*twin, said.row.derived, derived.graphText);
    derived.source = source;
    derived.twin = twin;
    derived.nodesBefore = source->nodeCount();
    derived.nodesAfter = said.row.derived->size();
    derived.microseconds = said.row.microseconds;
    StageVerdict verdict;
    verdict.text = rederivedText(said);
    verdict.isomorphic = said.row.verdict == Rederived::Isomorphic;
    verdict.twin = twin->label();
    verdict.node = said.row.nodeGot;
    verdict.kind = said.row.verdict == Rederived::Different  ? Kind::Different
                   : said.row.verdict == Rederived::Declined ? Kind::Declined
                                                             : Kind::Equal;
    return {std::move(derived), std::move(verdict)};
}

} // namespace dynascope::computed
