// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/program_names.h"

#include "core/layout/fold.h"
#include "core/session/input_sources.h"

#include <algorithm>
#include <map>

namespace dynascope::session {

namespace {

ir::GraphPtr graphOf(const StagePtr& stage) {
    const Result<ir::GraphPtr> graph = stage ? stage->graph() : Result<ir::GraphPtr>(nullptr);
    return graph ? *graph : nullptr;
}

std::vector<const ir::Node*> placeholdersOf(const ir::Graph& graph) {
    std::vector<const ir::Node*> out;
    for (const ir::NodePtr& node : graph.nodes())
        if (node->op == ir::Op::Placeholder) out.push_back(node.get());
    return out;
}

bool isDescribed(const ir::Node& placeholder) {
    return placeholder.comment.find("AOTInput(") != std::string::npos;
}

/// Names by placeholder as `namesOf` has them; where a graph does not describe its inputs, those of AOTAutograd's.
template <typename NamesOf>
std::vector<std::string> named(const NamingPtr& naming, const ir::Graph& graph, const NamesOf& namesOf) {
    const ir::GraphPtr program = naming ? graphOf(naming->program) : nullptr;
    std::vector<std::string> out = namesOf(graph, program.get() == &graph ? nullptr : program.get());
    const std::vector<const ir::Node*> own = placeholdersOf(graph);
    const auto numbered = [](const ir::Node* node) { return isDescribed(*node); };
    if (!naming || !naming->aot || std::ranges::any_of(own, numbered)) return out;
    const ir::GraphPtr aot = graphOf(naming->aot);
    if (!aot || aot.get() == &graph) return out;
    const std::vector<const ir::Node*> described = placeholdersOf(*aot);
    const std::vector<std::string> theirs = namesOf(*aot, program.get());
    std::map<std::string_view, std::size_t> byName;
    for (std::size_t i = 0; i < described.size(); ++i)
        if (isDescribed(*described[i])) byName.emplace(described[i]->name, i);
    for (std::size_t i = 0; i < own.size(); ++i) {
        const auto found = out[i].empty() ? byName.find(own[i]->name) : byName.end();
        if (found != byName.end() && isSameTensor(*own[i], *described[found->second]))
            out[i] = theirs[found->second];
    }
    return out;
}

std::vector<std::string> byNode(const ir::Graph& graph, std::vector<std::string> byPlaceholder) {
    std::vector<std::string> out(graph.size());
    std::size_t placeholder = 0;
    for (ir::NodeIndex n = 0; n < graph.size(); ++n)
        if (graph.node(n).op == ir::Op::Placeholder) out[n] = std::move(byPlaceholder[placeholder++]);
    return out;
}

} // namespace

NamingPtr namingOf(const Compile& compile) {
    const auto count = [&](std::string_view name) {
        return std::ranges::count(compile.stages, name, &Stage::name);
    };
    const auto first = [&](std::initializer_list<Phase> phases) -> StagePtr {
        for (const Phase phase : phases)
            if (const auto at = std::ranges::find(compile.stages, phase, &Stage::phase);
                at != compile.stages.end())
                return *at;
        return nullptr;
    };
    auto out = std::make_shared<Naming>();
    out->sources = describedSources(compile);
    // DDPOptimizer has each part of Dynamo's graph compiled: their inputs count anew.
    for (const char* name : {"aot_joint_graph", "aot_inference_graph", "aot_forward_graph"})
        if (count(name) > 1) return out;
    const auto program = std::ranges::find_if(compile.stages, [](const StagePtr& stage) {
        return stage->phase == Phase::Dynamo || stage->phase == Phase::Export || stage->phase == Phase::Text;
    });
    if (program != compile.stages.end()) out->program = *program;
    out->aot = first({Phase::Forward, Phase::Inference, Phase::Joint});
    return out;
}

std::vector<std::string> parameterNames(const NamingPtr& naming, const ir::Graph& graph) {
    return named(naming, graph, [](const ir::Graph& of, const ir::Graph* program) {
        return layout::moduleHints(of, program);
    });
}

std::vector<std::string> inputNamesByNode(const NamingPtr& naming, const ir::Graph& graph) {
    const std::vector<std::string> sources = naming ? naming->sources : std::vector<std::string>();
    return byNode(graph, named(naming, graph, [&](const ir::Graph& of, const ir::Graph* program) {
                      return inputNames(of, program, sources);
                  }));
}

std::vector<std::string> programNames(const NamingPtr& naming, const ir::Graph& graph) {
    std::vector<std::string> out = byNode(graph, parameterNames(naming, graph));
    std::vector<std::string> inputs = inputNamesByNode(naming, graph);
    for (std::size_t n = 0; n < out.size(); ++n)
        if (out[n].empty()) out[n] = std::move(inputs[n]);
    return out;
}

} // namespace dynascope::session
