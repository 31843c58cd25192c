// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/cases/run_on.h"

#include <utility>

namespace dynascope::engine {

Result<wire::RunOn> runOnOfText(const std::string& text, const std::string& path) {
    const wire::Any document = wire::parsed(text);
    if (!document.is_object()) return failure("not a JSON object", path);
    wire::Any attributes = document.value("before_attrs", wire::Any());
    if (document.contains("storages")) return wire::RunOn{document, std::move(attributes), {}};
    if (!document.contains("inputs")) return failure("neither an oracle case nor the 'inputs' of one", path);
    return wire::RunOn{document["inputs"], std::move(attributes), {}};
}

Result<wire::RunOn> runOnOfGraph(const session::Compile* compile, const ir::Graph& graph,
                                 const GraphInputOptions& options) {
    if (compile && !compile->runInputs.empty())
        return wire::RunOn{wire::parsed(compile->runInputs), wire::parsed(compile->runAttributes), {}};
    Result<wire::Any> inputs =
        compile ? inputsOfCapture(*compile, graph, options) : inputsOfGraph(graph, options);
    if (!inputs) return tl::unexpected(inputs.error());
    return wire::RunOn{std::move(*inputs), compile ? wire::parsed(compile->runAttributes) : wire::Any(), {}};
}

} // namespace dynascope::engine
