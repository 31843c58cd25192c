// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/tree_function.h"

#include "core/replay/input_mutations.h"

namespace dynascope::replay {

namespace {

constexpr int deepest = 100;

void addLeaves(const ir::Argument& argument, std::vector<std::string>& out, int depth = 0) {
    if (depth > deepest) return;
    if (argument.kind == ir::Argument::Kind::List || argument.kind == ir::Argument::Kind::Tuple) {
        for (const ir::Argument& item : argument.items)
            addLeaves(item, out, depth + 1);
    } else {
        out.push_back(argument.isNode() ? argument.text : std::string());
    }
}

} // namespace

std::vector<std::string> resultNames(const ir::Graph& graph) {
    std::vector<std::string> out;
    for (const ir::NodePtr& node : graph.nodes())
        if (node->op == ir::Op::Output && !node->args.empty()) addLeaves(node->args.front(), out);
    return out;
}

void describe(TreeFunction& function, const ir::Graph& graph) {
    function.inputs.clear();
    for (const PlaceholderInfo& input : placeholdersOf(graph))
        function.inputs.push_back({input.name, input.stackTrace, input.mutatingUse});
    function.outputStacks.clear();
    for (const std::string& name : resultNames(graph)) {
        const ir::NodeIndex node = name.empty() ? ir::npos : graph.find(name);
        function.outputStacks.push_back(node == ir::npos ? std::string() : stackText(graph.node(node)));
    }
}

TreeFunction treeFunctionOf(const ir::GraphPtr& graph, std::string name, CompilationMode mode,
                            std::vector<std::size_t> staticInputs) {
    TreeFunction out;
    out.name = std::move(name);
    out.mode = mode;
    out.staticInputs = std::move(staticInputs);
    const InputMutations mutations = findInputMutations(factsOf(graph));
    out.mutatedInputs.assign(mutations.inputs.begin(), mutations.inputs.end());
    describe(out, *graph);
    return out;
}

std::string_view compilationModeName(CompilationMode mode) {
    switch (mode) {
    case CompilationMode::Forward:
        return "FORWARD";
    case CompilationMode::Backward:
        return "BACKWARD";
    case CompilationMode::Inference:
        break;
    }
    return "INFERENCE";
}

} // namespace dynascope::replay
