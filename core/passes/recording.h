// SPDX-License-Identifier: BSD-3-Clause
//
// What a pass did, kept: the graph before and after, every step, and which node became which.
#pragma once

#include "core/passes/pass.h"

#include <chrono>

namespace dynascope::passes {

/// Immutable once made; cheap to copy parts of, since graphs are shared.
struct StepRecording {
    std::string pass;
    PassState before, after;
    std::vector<Step> steps;
    std::chrono::nanoseconds time{}; ///< of the pass, steps recorded

    /// The result as it stood after steps[0..count), nodes shared with `after`. O(nodes).
    [[nodiscard]] ir::GraphPtr snapshot(std::size_t count) const;

    /// Pairs (node before, node after), many to many, sorted: nodes that stayed, were changed, were emitted
    /// for a source node, or now serve the readers of a removed one.
    [[nodiscard]] std::vector<std::pair<ir::NodeIndex, ir::NodeIndex>> provenance() const;
};

/// Collects steps.
class Recorder final : public PassObserver {
public:
    void onStep(Step step) override { m_steps.push_back(std::move(step)); }
    [[nodiscard]] std::vector<Step> take() { return std::move(m_steps); }

private:
    std::vector<Step> m_steps;
};

/// Runs one pass and keeps what it did.
[[nodiscard]] PassResult<StepRecording> record(const Pass& pass, PassState source,
                                               const PassContext& context);

/// Passes run one after the other, each on the result of the one before.
class Pipeline {
public:
    Pipeline& add(std::shared_ptr<const Pass> pass);
    /// One recording a pass. The error names the pass that failed.
    [[nodiscard]] PassResult<std::vector<StepRecording>> run(PassState source,
                                                             const PassContext& context) const;

private:
    std::vector<std::shared_ptr<const Pass>> m_passes;
};

} // namespace dynascope::passes
