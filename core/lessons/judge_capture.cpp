// SPDX-License-Identifier: BSD-3-Clause
//
// Judges that read one compile of a capture.
#include "core/lessons/judges.h"

#include <algorithm>
#include <array>

namespace dynascope::lessons {

namespace {

using session::Compile;

template <typename Holds>
std::size_t countOf(const ir::Graph& graph, Holds holds) {
    return std::size_t(std::count_if(graph.nodes().begin(), graph.nodes().end(),
                                     [&](const ir::NodePtr& n) { return holds(*n); }));
}

bool calls(const ir::Node& node, std::string_view target) {
    return node.op == ir::Op::CallFunction && ir::shortTarget(node.target) == target;
}

Result<FoundAnswer> stages(const Question& question, const JudgedFacts& facts) {
    return compileFor(question, facts).map([](const Compile* c) { return number(c->stages.size()); });
}

Result<FoundAnswer> nodes(const Question& question, const JudgedFacts& facts) {
    return graphFor(question, facts).map([](const ir::GraphPtr& graph) { return number(graph->size()); });
}

Result<FoundAnswer> callsOf(const Question& question, const JudgedFacts& facts) {
    const std::string_view target = question.judge.value("target");
    return graphFor(question, facts).map([&](const ir::GraphPtr& graph) {
        return number(countOf(*graph, [&](const ir::Node& node) { return calls(node, target); }));
    });
}

Result<FoundAnswer> placeholders(const Question& question, const JudgedFacts& facts) {
    return graphFor(question, facts).map([](const ir::GraphPtr& graph) {
        return number(countOf(*graph, [](const ir::Node& node) { return node.op == ir::Op::Placeholder; }));
    });
}

/// The targets among the choices that the graph calls.
Result<FoundAnswer> targets(const Question& question, const JudgedFacts& facts) {
    return graphFor(question, facts).map([&](const ir::GraphPtr& graph) {
        return choicesThat(question, [&](const std::string& key) {
            return countOf(*graph, [&](const ir::Node& node) { return calls(node, key); }) > 0;
        });
    });
}

/// Names of the nodes that call a target.
Result<FoundAnswer> named(const Question& question, const JudgedFacts& facts) {
    const std::string_view target = question.judge.value("target");
    return graphFor(question, facts).map([&](const ir::GraphPtr& graph) {
        FoundAnswer found;
        for (const ir::NodePtr& node : graph->nodes())
            if (calls(*node, target)) found.keys.push_back(node->name);
        return found;
    });
}

/// Names of the nodes that read a node.
Result<FoundAnswer> users(const Question& question, const JudgedFacts& facts) {
    const std::string_view name = question.judge.value("node");
    const auto graph = graphFor(question, facts);
    if (!graph) return tl::unexpected(graph.error());
    const ir::NodeIndex at = (*graph)->find(name);
    if (at == ir::npos) return unknown("the graph has no node '" + std::string(name) + "'", question);
    FoundAnswer found;
    for (const ir::NodeIndex user : (*graph)->users(at))
        found.keys.push_back((*graph)->node(user).name);
    return found;
}

/// The words among the choices that the reasons of a recompile have.
Result<FoundAnswer> reasons(const Question& question, const JudgedFacts& facts) {
    return compileFor(question, facts).map([&](const Compile* compile) {
        return choicesThat(question, [&](const std::string& key) {
            return std::any_of(
                compile->recompileReasons.begin(), compile->recompileReasons.end(),
                [&](const std::string& reason) { return reason.find(key) != std::string::npos; });
        });
    });
}

/// The arguments among the choices, "x" or "factor", that have a size that is a symbol or are one.
Result<FoundAnswer> symbolic(const Question& question, const JudgedFacts& facts) {
    return compileFor(question, facts).map([&](const Compile* compile) {
        return choicesThat(question, [&](const std::string& key) {
            const std::string source = "L['" + key + "']";
            return std::any_of(
                compile->symbols.begin(), compile->symbols.end(), [&](const session::SymbolInfo& symbol) {
                    return symbol.became.empty() && symbol.source.find(source) != std::string::npos;
                });
        });
    });
}

/// The arguments among the choices, "a" or "b", that lie in one storage with another argument.
Result<FoundAnswer> sharedInputs(const Question& question, const JudgedFacts& facts) {
    return compileFor(question, facts).map([&](const Compile* compile) {
        return choicesThat(question, [&](const std::string& key) {
            const std::vector<session::TensorInput>& inputs = compile->inputs;
            const std::string source = "L['" + key + "']";
            const auto own = std::find_if(inputs.begin(), inputs.end(),
                                          [&](const auto& input) { return input.source == source; });
            return own != inputs.end() && std::any_of(inputs.begin(), inputs.end(), [&](const auto& other) {
                       return !other.source.empty() && other.source != source &&
                              other.describer == own->describer && other.storage == own->storage;
                   });
        });
    });
}

constexpr std::array<JudgeEntry, 10> ofCapture{{{"inputs.shared", sharedInputs},
                                                {"recompile.reasons", reasons},
                                                {"stage.calls", callsOf},
                                                {"stage.named", named},
                                                {"stage.nodes", nodes},
                                                {"stage.placeholders", placeholders},
                                                {"stage.targets", targets},
                                                {"stage.users", users},
                                                {"stages.count", stages},
                                                {"symbols.symbolic", symbolic}}};

} // namespace

std::span<const JudgeEntry> captureJudges() {
    return ofCapture;
}

} // namespace dynascope::lessons
