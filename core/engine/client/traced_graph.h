// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/base/result.h"
#include "core/ir/graph.h"

#include <cstddef>
#include <nlohmann/json.hpp>

namespace dynascope::engine {

/// AOTAutograd's graph as the engine traced it (the method "aot" of protocol.h).
struct TracedGraph {
    ir::GraphPtr graph; ///< as PyTorch hands it on: its dead nodes removed. Values are described
    bool joint = false;
    std::size_t forwardOutputs = 0; ///< of a joint graph; one gradient an input follows
};

/// Fails on a reply that is none.
[[nodiscard]] Result<TracedGraph> readTracedGraph(const nlohmann::json& reply);

/// The graph without its dead nodes.
[[nodiscard]] ir::GraphPtr withoutDeadNodes(const ir::GraphPtr& graph);

} // namespace dynascope::engine
