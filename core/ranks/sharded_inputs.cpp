// SPDX-License-Identifier: BSD-3-Clause
#include "core/ranks/sharded_inputs.h"

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/ir/meta.h"
#include "core/ranks/collectives.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>

namespace dynascope::ranks::detail {

namespace {

using session::Phase;

/// "DTensor(f32[64, 32][32, 1]cpu, S(0))".
struct Placed {
    ir::TensorMeta whole;
    std::string placement;
};

std::optional<Placed> placedOf(const ir::Node& node) {
    constexpr std::string_view opens = "DTensor(";
    if (!node.meta || node.meta->tensor || !node.meta->raw.starts_with(opens) ||
        !node.meta->raw.ends_with(')'))
        return std::nullopt;
    const std::string_view inside =
        std::string_view(node.meta->raw).substr(opens.size(), node.meta->raw.size() - opens.size() - 1);
    const std::size_t shape = inside.rfind(']');
    if (shape == std::string_view::npos) return std::nullopt;
    const std::size_t comma = inside.find(", ", shape);
    if (comma == std::string_view::npos) return std::nullopt;
    ir::ValueMeta meta = ir::parseAnnotation(inside.substr(0, comma));
    if (!meta.tensor) return std::nullopt;
    return Placed{std::move(*meta.tensor), std::string(inside.substr(comma + 2))};
}

std::optional<std::int64_t> numberIn(std::string_view text) {
    std::int64_t out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return out;
}

/// The dimension of "S(0)", of a mesh of one dimension.
std::optional<std::size_t> shardDim(const Placed& placed) {
    const std::string& text = placed.placement;
    if (!text.starts_with("S(") || !text.ends_with(')')) return std::nullopt;
    const auto dim = numberIn(std::string_view(text).substr(2, text.size() - 3));
    return dim && *dim >= 0 && static_cast<std::size_t>(*dim) < placed.whole.sizes.size()
               ? std::optional(static_cast<std::size_t>(*dim))
               : std::nullopt;
}

std::vector<ir::NodeIndex> placeholders(const ir::Graph& graph) {
    std::vector<ir::NodeIndex> out;
    for (ir::NodeIndex i = 0; i < graph.size(); ++i)
        if (graph.node(i).op == ir::Op::Placeholder) out.push_back(i);
    return out;
}

/// The last graph of one of these phases; null where there is none that can be read.
ir::GraphPtr graphOf(const session::Compile& compile, std::initializer_list<Phase> phases) {
    for (auto stage = compile.stages.rbegin(); stage != compile.stages.rend(); ++stage)
        if ((*stage)->content == session::Stage::Content::Graph &&
            std::ranges::find(phases, (*stage)->phase) != phases.end())
            if (const Result<ir::GraphPtr> graph = (*stage)->graph()) return *graph;
    return nullptr;
}

std::uint64_t bytesIn(const ir::Graph& graph) {
    std::uint64_t out = 0;
    for (const ir::NodeIndex i : placeholders(graph))
        if (const auto& meta = graph.node(i).meta; meta && meta->tensor)
            out += meta->tensor->bytes().value_or(0);
    return out;
}

/// AOTAutograd flattens Dynamo's inputs in their order, a DTensor to its local tensor and its mesh. By index of Dynamo's
/// input, the local tensor; empty where the two do not fit.
std::map<std::size_t, ir::TensorMeta> localTensors(const ir::Graph& dynamo, const ir::Graph& aot) {
    const auto outer = placeholders(dynamo), inner = placeholders(aot);
    std::map<std::size_t, ir::TensorMeta> out;
    std::size_t at = 0;
    for (std::size_t i = 0; i < outer.size(); ++i) {
        const std::optional<Placed> placed = placedOf(dynamo.node(outer[i]));
        if (at + (placed ? 2 : 1) > inner.size()) return {};
        if (placed) {
            const auto& meta = aot.node(inner[at]).meta;
            if (!meta || !meta->tensor || meta->tensor->dtype != placed->whole.dtype ||
                meta->tensor->sizes.size() != placed->whole.sizes.size())
                return {};
            out.emplace(i, *meta->tensor);
        }
        at += placed ? 2 : 1;
    }
    return at == inner.size() ? out : std::map<std::size_t, ir::TensorMeta>();
}

/// Over how many ranks it is split; nothing where sizes do not say.
std::optional<std::int64_t> partsOf(const std::string& whole, const std::string& part) {
    const auto all = numberIn(whole), one = numberIn(part);
    if (!all || !one || *one <= 0 || *all < *one) return std::nullopt;
    return (*all + *one - 1) / *one;
}

void addPlaced(const ir::Graph& dynamo, const ir::Graph& aot, std::int64_t ranks, HeldInputs& out) {
    const auto locals = localTensors(dynamo, aot);
    const auto inputs = placeholders(dynamo);
    std::vector<std::string> unclear;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const ir::Node& node = dynamo.node(inputs[i]);
        const std::optional<Placed> placed = placedOf(node);
        if (!placed || placed->placement == "R") continue;
        const auto dim = shardDim(*placed);
        const auto local = locals.find(i);
        const auto bytes = local == locals.end() ? std::nullopt : local->second.bytes();
        if (!dim || !bytes) {
            unclear.push_back(node.name);
            continue;
        }
        // A part of a smaller mesh stays.
        if (partsOf(placed->whole.sizes[*dim], local->second.sizes[*dim]) == ranks)
            out.parts.push_back(
                {node.name, *bytes, "DTensor, " + placed->placement + " of " + placed->whole.shortForm()});
    }
    if (!unclear.empty())
        out.limits.push_back("over how many ranks " + count(unclear.size(), "DTensor") + " (" +
                             unclear.front() + (unclear.size() > 1 ? ", ..." : "") +
                             ") is split is not known, and taken to stay");
}

/// The input that a value is, through what changes neither its elements nor how many they are.
ir::NodeIndex inputBehind(const ir::Graph& graph, ir::NodeIndex at) {
    constexpr std::array<std::string_view, 9> same = {
        "view.",  "reshape.",      "_to_copy.",  "convert_element_type.", "detach.", "alias.",
        "clone.", "_unsafe_view.", "contiguous."};
    constexpr int farthest = 8;
    for (int step = 0; step < farthest; ++step) {
        const ir::Node& node = graph.node(at);
        if (node.op == ir::Op::Placeholder) return at;
        const bool passes = std::ranges::any_of(same, [&](std::string_view name) {
            return node.target.find("." + std::string(name)) != std::string::npos;
        });
        if (!passes || graph.inputs(at).size() != 1) return ir::npos;
        at = graph.inputs(at).front();
    }
    return ir::npos;
}

void addGathered(const ir::Graph& graph, std::int64_t ranks, HeldInputs& out) {
    std::map<ir::NodeIndex, std::string> gathered;
    for (const Collective& call : collectivesOf(graph)) {
        if (!call.kind.starts_with("all_gather") || call.groupSize != ranks || !call.within.empty()) continue;
        for (const ir::NodeIndex input : graph.inputs(call.index))
            if (const ir::NodeIndex behind = inputBehind(graph, input); behind != ir::npos)
                gathered.try_emplace(behind, call.node);
    }
    for (const auto& [input, by] : gathered) {
        const auto& meta = graph.node(input).meta;
        if (const auto bytes = meta && meta->tensor ? meta->tensor->bytes() : std::nullopt)
            out.parts.push_back({graph.node(input).name, *bytes, "gathered by " + by});
    }
}

} // namespace

HeldInputs heldInputs(const session::Compile& compile, std::int64_t ranks) {
    HeldInputs out;
    const ir::GraphPtr dynamo = graphOf(compile, {Phase::Dynamo});
    const ir::GraphPtr aot = graphOf(compile, {Phase::Forward, Phase::Inference});
    if (!dynamo && !aot) return out;
    out.bytes = bytesIn(aot ? *aot : *dynamo);
    if (dynamo && aot) addPlaced(*dynamo, *aot, ranks, out);
    addGathered(aot ? *aot : *dynamo, ranks, out);
    return out;
}

} // namespace dynascope::ranks::detail
