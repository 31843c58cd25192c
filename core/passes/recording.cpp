// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/recording.h"

#include <algorithm>

namespace dynascope::passes {

using ir::NodeIndex;

ir::GraphPtr StepRecording::snapshot(std::size_t count) const {
    const std::size_t done = std::min(count, steps.size());
    if (done == steps.size()) return after.graph;
    const std::size_t end = done == 0 ? 0 : steps[done - 1].end;
    ir::GraphBuilder builder;
    builder.setName(after.graph->name()).setStyle(after.graph->style());
    for (std::size_t i = 0; i < std::min(end, after.graph->size()); ++i)
        builder.add(after.graph->nodes()[i]);
    return builder.build();
}

std::vector<std::pair<NodeIndex, NodeIndex>> StepRecording::provenance() const {
    std::vector<std::pair<NodeIndex, NodeIndex>> pairs;
    const std::size_t nodesBefore = before.graph->size();
    std::vector<bool> removed(nodesBefore, false);
    const auto add = [&](NodeIndex from, NodeIndex to) {
        if (from != ir::npos && to != ir::npos) pairs.emplace_back(from, to);
    };
    for (const Step& step : steps) {
        for (const Step::Emitted& emitted : step.emitted)
            add(step.source, emitted.node);
        for (const Step::Changed& changed : step.changed)
            add(changed.before, changed.after);
        for (const Step::Removed& gone : step.removed) {
            if (gone.before < nodesBefore) removed[gone.before] = true;
            add(gone.before, gone.replacement);
        }
    }
    for (NodeIndex i = 0; i < nodesBefore; ++i) {
        const ir::Node& node = before.graph->node(i);
        const NodeIndex same = removed[i] ? ir::npos : after.graph->find(node.name);
        const bool untouched =
            same != ir::npos && (after.graph->nodes()[same] == before.graph->nodes()[i] ||
                                 node.op == ir::Op::Placeholder || node.op == ir::Op::Output);
        if (untouched) add(i, same);
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
}

PassResult<StepRecording> record(const Pass& pass, PassState source, const PassContext& context) {
    Recorder recorder;
    const auto start = std::chrono::steady_clock::now();
    PassResult<PassState> after = pass.run(source, context, recorder);
    const auto time = std::chrono::steady_clock::now() - start;
    if (!after) return tl::unexpected(after.error());
    return StepRecording{std::string(pass.name()), std::move(source), std::move(*after), recorder.take(),
                         time};
}

Pipeline& Pipeline::add(std::shared_ptr<const Pass> pass) {
    m_passes.push_back(std::move(pass));
    return *this;
}

PassResult<std::vector<StepRecording>> Pipeline::run(PassState source, const PassContext& context) const {
    std::vector<StepRecording> recordings;
    for (const auto& pass : m_passes) {
        PassResult<StepRecording> recording = record(*pass, source, context);
        if (!recording) {
            PassError error = recording.error();
            error.pass = pass->name();
            return tl::unexpected(std::move(error));
        }
        source = recording->after;
        recordings.push_back(std::move(*recording));
    }
    return recordings;
}

} // namespace dynascope::passes
