// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/base/result.h"
#include "core/engine/wire/aot.h"
#include "core/ir/graph.h"

#include <cstddef>

namespace dynascope::engine {

/// AOTAutograd's graph as the engine traced it (the method "aot").
struct TracedGraph {
    ir::GraphPtr graph; ///< as PyTorch hands it on: its dead nodes removed. Values are described
    bool joint = false;
    std::size_t forwardOutputs = 0; ///< of a joint graph; one gradient an input follows
};

/// Fails on a function that AOTAutograd refuses, and on a graph that cannot be read.
[[nodiscard]] Result<TracedGraph> readTracedGraph(const wire::AotReply& reply);

/// The graph without its dead nodes.
[[nodiscard]] ir::GraphPtr withoutDeadNodes(const ir::GraphPtr& graph);

} // namespace dynascope::engine
