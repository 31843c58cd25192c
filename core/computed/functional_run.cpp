// SPDX-License-Identifier: BSD-3-Clause
#include "core/computed/functional_recording.h"

#include "core/ir/text.h"

#include <climits>
#include <string_view>
#include <unordered_map>

namespace dynascope::computed {

namespace {

OpStep opStep(const wire::PassStep& step) {
    OpStep out;
    out.source = step.source;
    out.why = step.why;
    for (const wire::EmittedNode& emitted : step.emitted)
        out.emitted.push_back({emitted.node, wire::emissionOf(emitted.why).value_or(Emission::Operator)});
    if (!step.scorecard) return out;
    out.rows = step.scorecard->scorecard;
    out.storages = step.scorecard->storages;
    out.updates = step.scorecard->updates;
    return out;
}

InputWriteBack inputWriteBack(const wire::WriteBack& back) {
    InputWriteBack out;
    out.input = back.input;
    out.bytes = back.bytes;
    out.how = back.how;
    out.nodes = back.nodes;
    if (back.output && *back.output <= std::uint64_t(INT_MAX)) out.output = int(*back.output);
    out.wholeStorage = back.wholeStorage;
    out.sharedWith = back.sharedWith;
    return out;
}

} // namespace

FunctionalRun functionalRun(const wire::PassReply& reply, ir::GraphPtr source) {
    FunctionalRun run;
    run.source = std::move(source);
    if (!run.source) return run;
    if (Result<ir::GraphPtr> graph = ir::readGraph(reply.graph)) run.graph = std::move(*graph);
    run.microseconds = reply.medianMicroseconds;
    run.warnings = reply.warnings;

    std::unordered_map<std::string_view, std::size_t> position;
    for (const ir::NodePtr& node : run.source->nodes()) {
        position.emplace(node->name, run.steps.size());
        run.steps.emplace_back();
        run.steps.back().source = node->name;
    }
    for (const wire::PassStep& step : reply.steps) {
        if (step.pass != "functionalize") continue;
        if (const auto at = position.find(step.source); at != position.end())
            run.steps[at->second] = opStep(step);
    }
    for (const wire::PassSummary& pass : reply.passes) {
        if (!pass.functionalize) continue;
        run.overCells = run.overCells || pass.functionalize->method == "cells";
        for (const wire::WriteBack& back : pass.functionalize->writeBacks)
            run.writeBacks.push_back(inputWriteBack(back));
    }
    return run;
}

} // namespace dynascope::computed
