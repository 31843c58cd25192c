// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/layout/fold.h"
#include "core/session/input_sources.h"
#include "core/session/session.h"

#include <algorithm>
#include <string>
#include <vector>

namespace dynascope::views {

/// Dynamo's or export's graph of a compile, or one given as text, which names the parameters that AOT graphs
/// only number; or null.
[[nodiscard]] inline session::StagePtr namingStage(const session::Compile& compile) {
    const auto named = std::ranges::find_if(compile.stages, [](const session::StagePtr& stage) {
        return stage->phase == session::Phase::Dynamo || stage->phase == session::Phase::Export ||
               stage->phase == session::Phase::Text;
    });
    return named == compile.stages.end() ? nullptr : *named;
}

/// By placeholder of a graph the parameter or buffer that it holds (layout::moduleHints()), named by `naming`,
/// which may be null or the graph's own. Reads the graph of `naming`.
[[nodiscard]] inline std::vector<std::string> parameterNames(const session::StagePtr& naming,
                                                             const ir::Graph& graph) {
    const Result<ir::GraphPtr> names = naming ? naming->graph() : Result<ir::GraphPtr>(nullptr);
    const bool own = !names || names->get() == &graph;
    return layout::moduleHints(graph, own ? nullptr : names->get());
}

/// By node of a graph what the program calls the tensor that it passes (session::inputNames()); `sources` are of the
/// compile's inputs. Reads the graph of `naming`, which may be null.
[[nodiscard]] inline std::vector<std::string> inputNamesByNode(const session::StagePtr& naming,
                                                               const ir::Graph& graph,
                                                               const std::vector<std::string>& sources) {
    const Result<ir::GraphPtr> names = naming ? naming->graph() : Result<ir::GraphPtr>(nullptr);
    std::vector<std::string> byPlaceholder =
        session::inputNames(graph, names ? names->get() : nullptr, sources);
    std::vector<std::string> out(graph.size());
    std::size_t placeholder = 0;
    for (ir::NodeIndex n = 0; n < graph.size(); ++n)
        if (graph.node(n).op == ir::Op::Placeholder) out[n] = std::move(byPlaceholder[placeholder++]);
    return out;
}

} // namespace dynascope::views
