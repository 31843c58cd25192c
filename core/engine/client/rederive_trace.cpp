// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/client/rederive_trace.h"

#include "core/engine/client/graph_inputs.h"
#include "core/ir/text.h"
#include "core/passes/aot/lift_attributes.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace dynascope::engine {

namespace {

using nlohmann::json;
using session::Compile;

tl::unexpected<Error> failure(std::string message) {
    return tl::unexpected(Error{std::move(message), {}, 0, 0});
}

using Replacements = std::unordered_map<std::string, ir::Argument>; ///< by node

void replaceIn(ir::Argument& argument, const Replacements& replacements) {
    if (argument.isNode()) {
        if (const auto found = replacements.find(argument.text); found != replacements.end())
            argument = found->second;
        return;
    }
    if (argument.items.empty()) return;
    argument.spelling.clear();
    for (ir::Argument& item : argument.items)
        replaceIn(item, replacements);
}

/// Whether the check of the global state says that autocast is on for a device.
bool autocasts(const std::string& guards) {
    constexpr std::string_view key = "\"enabled\":[";
    const std::size_t at = guards.find(key, std::min(guards.find("\"autocast_state\""), guards.size()));
    return at != std::string::npos &&
           guards.substr(at, guards.find(']', at) - at).find("true") != std::string::npos;
}

/// A higher-order operator that stays one node in AOTAutograd's graph, with graphs of its own; empty where
/// there is none. Others are taken apart by the trace.
std::string keptWhole(const ir::Graph& graph) {
    constexpr std::array kept{"cond",
                              "while_loop",
                              "scan",
                              "map",
                              "map_impl",
                              "associative_scan",
                              "invoke_subgraph",
                              "flex_attention",
                              "print",
                              "triton_kernel_wrapper_mutation"};
    constexpr std::string_view space = "torch.ops.higher_order.";
    for (const ir::NodePtr& node : graph.nodes())
        if (node->target.starts_with(space) &&
            std::find(kept.begin(), kept.end(), node->target.substr(space.size())) != kept.end())
            return node->target;
    return {};
}

/// What stands for a slice that takes everything, or the write through one: a symbolic dimension keeps these,
/// one of known size does not.
const ir::Argument* behindWholeSlice(const ir::Node& node) {
    const bool scatter = node.target == "torch.ops.aten.slice_scatter.default";
    if ((!scatter && node.target != "torch.ops.aten.slice.Tensor") || !node.kwargs.empty()) return nullptr;
    const std::size_t start = scatter ? 3 : 2;
    if (node.args.size() != start + 2 || node.args[start].text != "0" ||
        node.args[start + 1].text != "9223372036854775807")
        return nullptr;
    return &node.args[scatter ? 1 : 0];
}

/// The expression of "Sym(2*s77)"; nothing for any other value.
std::optional<std::string> symbolOf(const ir::Node& node) {
    if (!node.meta || node.meta->tensor || !node.meta->raw.starts_with("Sym(") ||
        !node.meta->raw.ends_with(')'))
        return std::nullopt;
    return node.meta->raw.substr(4, node.meta->raw.size() - 5);
}

} // namespace

Result<DynamoTrace> traceDynamoGraph(Client& engine, const Compile& compile, const ir::GraphPtr& graph,
                                     const ir::SymbolValues& hints) {
    const DescribedInputs described(compile);
    const ir::GraphPtr lifted = passes::aot::liftAttributes(graph, [&](const std::string& attribute) {
        const session::TensorInput* input = described.find(attribute);
        return input && input->isParameter;
    });
    const ir::Graph& dynamo = *lifted;
    GraphInputOptions options;
    options.symbols = hints;
    options.requiresGrad = true;
    const auto inputs = inputsOfCapture(compile, dynamo, options);
    if (!inputs) return tl::unexpected(inputs.error());
    if (const std::string target = keptWhole(dynamo); !target.empty())
        return failure("'" + target + "' keeps graphs of its own, which are not traced");
    const std::string guards = compile.guardText.text(); // with the modes around the frame
    if (autocasts(guards)) return failure("autocast was on around the frame");
    json params{{"inputs", *inputs}};
    if (guards.find("\"grad_mode\":") != std::string::npos)
        params["grad_mode"] = guards.find("\"grad_mode\":true") != std::string::npos;
    const CallResult reply = engine.callOnGraph("aot", ir::printReadable(dynamo).text, std::move(params));
    if (!reply) return failure(reply.error().message);
    auto traced = readTracedGraph(*reply);
    if (!traced) return tl::unexpected(traced.error());
    return DynamoTrace{std::move(*traced), reply->value("metadata", json::object()),
                       reply->value("time_us", 0.0)};
}

Result<ir::GraphPtr> atHints(const ir::Graph& graph, const ir::SymbolValues& hints) {
    ir::GraphBuilder builder;
    builder.setName(graph.name()).setStyle(graph.style());
    for (const std::string& name : graph.subgraphOrder())
        builder.addSubgraph(name, graph.subgraphs().find(name)->second);
    Replacements replacements;
    for (const ir::NodePtr& node : graph.nodes()) {
        if (const auto symbol = symbolOf(*node)) {
            const auto value = ir::symbolValue(*symbol, hints);
            if (!value) return failure("'" + node->name + "' is " + *symbol + ", which has no value");
            replacements[node->name] = ir::Argument::integer(*value);
            if (node->op != ir::Op::Placeholder) continue;
        }
        ir::Node changed = *node;
        for (ir::Argument& argument : changed.args)
            replaceIn(argument, replacements);
        for (auto& [name, argument] : changed.kwargs)
            replaceIn(argument, replacements);
        if (const ir::Argument* whole = hints.empty() ? nullptr : behindWholeSlice(changed)) {
            replacements[node->name] = *whole;
            continue;
        }
        builder.add(std::move(changed));
    }
    return builder.build();
}

namespace {

/// Whether rounding explains everything that differs: other decompositions sum in another order.
bool onlyRounded(const json& checks) {
    return std::all_of(checks.begin(), checks.end(), [](const json& check) {
        return check.value("ok", false) || !check.value("counts", true) || check.value("close", false);
    });
}

} // namespace

NumericalComparison compareNumerically(Client& engine, const ir::Graph& captured, const ir::Graph& derived) {
    using Outcome = NumericalComparison::Outcome;
    const CallResult loaded = engine.call("load", {{"text", ir::printReadable(derived).text}});
    if (!loaded) return {Outcome::Unknown, loaded.error().message};
    const CallResult verified = engine.callOnGraph("verify", ir::printReadable(captured).text,
                                                   {{"computed", loaded->value("graph", "")}});
    if (!verified) return {Outcome::Unknown, verified.error().message};
    const std::string verdict = verified->value("verdict", "");
    const json checks = verified->value("checks", json::array());
    if (verdict == "different" && !checks.empty() && onlyRounded(checks))
        return {Outcome::Equal, "the results differ by rounding"};
    const Outcome outcome = verdict == "equal"       ? Outcome::Equal
                            : verdict == "different" ? Outcome::Different
                                                     : Outcome::Unknown;
    return {outcome, verified->value("reason", "")};
}

} // namespace dynascope::engine
