// SPDX-License-Identifier: BSD-3-Clause
#include "core/rederive/missed_aliasing.h"

#include "core/engine/cases/compare.h"
#include "core/engine/cases/graph_inputs.h"
#include "core/engine/wire/execute.h"
#include "core/engine/wire/verify.h"
#include "core/ir/text.h"
#include "core/passes/aot/metadata_text.h"
#include "core/rederive/at_sizes.h"
#include "core/rederive/rederive_trace.h"
#include "core/session/input_sources.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace dynascope::engine {

namespace {

using nlohmann::json;

/// What the compiled graph takes of the program's inputs, as the runtime hands it over.
std::optional<json> handedOver(const json& inputs, const ir::Graph& captured, const ir::SymbolValues& sizes) {
    json out = inputs;
    out["inputs"] = json::array();
    const auto numbers = [&sizes](const std::vector<std::string>& texts) -> std::optional<json> {
        json list = json::array();
        for (const std::string& text : texts) {
            const auto value = ir::symbolValue(text, sizes);
            if (!value) return std::nullopt;
            list.push_back(*value);
        }
        return list;
    };
    for (const ir::NodePtr& node : captured.nodes()) {
        if (node->op != ir::Op::Placeholder) continue;
        const auto inner = session::innerInput(*node);
        if (!inner || inner->outer >= inputs["inputs"].size()) return std::nullopt;
        json entry = inputs["inputs"][inner->outer];
        if (inner->isBase) {
            if (!entry.is_object() || !node->meta || !node->meta->tensor || !node->meta->tensor->strides)
                return std::nullopt;
            const auto shape = numbers(node->meta->tensor->sizes),
                       stride = numbers(*node->meta->tensor->strides);
            if (!shape || !stride) return std::nullopt;
            const json base = entry.value("base", json());
            const bool known = base.is_number_integer() && inputs.contains("bases");
            entry["storage_offset"] =
                known ? inputs["bases"].at(base.get<std::size_t>())["storage_offset"] : json(0);
            entry["shape"] = *shape;
            entry["stride"] = *stride;
            entry["via"] = "set";
            entry.erase("base");
        }
        out["inputs"].push_back(std::move(entry));
    }
    return out;
}

/// The inputs that share the storage of `first` each on a storage of its own; how `sources` call them.
std::vector<std::string> takeApart(json& inputs, std::size_t first, const std::vector<std::string>& sources) {
    std::vector<std::string> names;
    json& list = inputs["inputs"];
    const json storage = list[first]["storage"];
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (!list[i].is_object() || list[i]["storage"] != storage) continue;
        const bool known = i < sources.size() && !sources[i].empty();
        names.push_back(known ? sources[i] : list[i].value("name", ""));
        if (i == first) continue;
        json own = inputs["storages"][storage.get<std::size_t>()];
        if (own.contains("seed")) own["seed"] = own["seed"].get<std::uint64_t>() + 7919 * (i + 1);
        list[i]["storage"] = inputs["storages"].size();
        list[i]["via"] = "set";
        list[i].erase("base");
        inputs["storages"].push_back(std::move(own));
    }
    return names;
}

/// Where the function's outputs stand among those of the graph, as the graph describes its outputs; all of
/// them in their order where it describes none.
std::optional<std::vector<std::size_t>> outputPlaces(const ir::Graph& captured, std::size_t outputs,
                                                     std::size_t results) {
    constexpr std::string_view key = "PlainAOTOutput(idx=";
    std::vector<std::size_t> out(outputs, SIZE_MAX);
    const std::string_view comment =
        captured.size() == 0 ? std::string_view() : std::string_view(captured.nodes().back()->comment);
    bool described = false;
    for (std::size_t at = 0, position = 0; at < comment.size(); ++position) {
        const std::size_t end = std::min(comment.find('\n', at), comment.size());
        const std::string_view line = comment.substr(at, end - at);
        std::size_t output = 0;
        if (line.starts_with(key) &&
            std::from_chars(line.data() + key.size(), line.data() + line.size(), output).ec == std::errc() &&
            output < outputs) {
            out[output] = position;
            described = true;
        }
        at = end + 1;
    }
    if (described) {
        if (std::find_if(out.begin(), out.end(), [&](std::size_t at) { return at >= results; }) != out.end())
            return std::nullopt; // some results are made after the graph
        return out;
    }
    if (outputs != results) return std::nullopt;
    for (std::size_t i = 0; i < outputs; ++i)
        out[i] = i;
    return out;
}

/// Null of what is no tensor.
json dataOf(const wire::RunValue& value) {
    return value.tensor && value.tensor->data ? value.tensor->data->list : json();
}

/// How the compiled graph's results differ from the function's; empty where they do not, nothing where one of
/// them does not run.
std::optional<std::string> difference(Client& engine, const ir::Graph& dynamo, const ir::Graph& captured,
                                      const json& inputs, const ir::SymbolValues& sizes,
                                      const CallOptions& options) {
    const auto given = handedOver(inputs, captured, sizes);
    if (!given) return std::nullopt;
    wire::ExecuteRequest request;
    request.on.inputs = inputs;
    const auto want = engine.execute(ir::printReadable(dynamo).text, request, options);
    request.on.inputs = *given;
    const auto got = engine.execute(ir::printReadable(captured).text, request, options);
    if (!want || (!got && got.error().kind != CallError::Kind::Refused)) return std::nullopt;
    if (!got) return got.error().message;
    const std::vector<wire::RunValue>&expected = want->outputs, &actual = got->outputs;
    const auto places = outputPlaces(captured, expected.size(), actual.size());
    if (!places) return std::nullopt;
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (std::string text = dataDifference(dataOf(expected[i]), dataOf(actual[(*places)[i]]));
            !text.empty())
            return "output " + std::to_string(i) + ": " + text;
    return std::string();
}

std::string listed(const std::vector<std::string>& names) {
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i)
        out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    return out;
}

} // namespace

std::string missedAliasing(Client& engine, const session::Compile& compile, const ir::Graph& dynamo,
                           const ir::Graph& compiled, const ir::SymbolValues& sizes,
                           const CallOptions& options) {
    const std::string guards = compile.guardText.text();
    if (guards.empty() || guards.find("STORAGE_OVERLAPPING") != std::string::npos) return {};
    std::set<std::size_t> bases;
    for (const ir::NodePtr& node : compiled.nodes())
        if (const auto inner = node->op == ir::Op::Placeholder ? session::innerInput(*node) : std::nullopt;
            inner && inner->isBase)
            bases.insert(inner->outer);
    if (bases.empty()) return {};
    const auto atSizes = atHints(compiled, sizes);
    if (!atSizes) return {};
    const ir::Graph& captured = **atSizes;
    GraphInputOptions wanted;
    wanted.views = true;
    wanted.symbols = sizes;
    const auto inputs = inputsOfCapture(compile, dynamo, wanted);
    if (!inputs || difference(engine, dynamo, captured, *inputs, sizes, options) != std::string()) return {};
    json apart = *inputs;
    const std::vector<std::string> sources = session::inputSources(compile, dynamo);
    std::vector<std::string> names;
    for (const std::size_t base : bases) {
        if (base >= apart["inputs"].size() || !apart["inputs"][base].is_object()) return {};
        const std::vector<std::string> members = takeApart(apart, base, sources);
        names.insert(names.end(), members.begin(), members.end());
    }
    const auto found = difference(engine, dynamo, captured, apart, sizes, options);
    if (!found || found->empty()) return {};
    return "a guard is missed: the code was compiled for " + listed(names) +
           " that overlap; ones that do not pass the guards too, and for these it does something else than "
           "the "
           "function (" +
           *found + ")";
}

std::string missedGuard(Client& engine, const session::Compile& compile, const ir::Graph& dynamo,
                        const ir::Graph& captured, const std::string& metadataText,
                        const ir::SymbolValues& sizes, const CallOptions& options) {
    const auto metadata = passes::aot::readMetadataText(metadataText);
    const std::string guards = compile.guardText.text();
    const bool writes = metadata && std::any_of(metadata->meta.inputs.begin(), metadata->meta.inputs.end(),
                                                [](const auto& input) { return input.mutatesData; });
    // Parameters and buffers do not share memory with what a module is called with.
    if (!writes || !metadata->staticInputs.empty() || !sizes.empty() || guards.empty() ||
        guards.find("STORAGE_OVERLAPPING") != std::string::npos)
        return {};
    const auto inputs = inputsOfCapture(compile, dynamo, {});
    if (!inputs) return {};
    wire::VerifyRequest request;
    request.on.inputs = *inputs;
    request.aliasing = true;
    const auto verified = verifyAgainst(engine, dynamo, captured, std::move(request), options);
    if (!verified) return {};
    bool isEqual = false;
    std::string found;
    for (const wire::VariantVerdict& variant : verified->variants) {
        if (variant.inputs == "as given") isEqual = variant.verdict == wire::VerifyVerdict::Equal;
        if (variant.inputs == "overlapping" && variant.verdict == wire::VerifyVerdict::Different)
            found = variant.reason;
    }
    if (!isEqual || found.empty()) return {};
    return "a guard is missed: inputs that overlap pass the guards, and for these the code does "
           "something else than the function (" +
           found + ")";
}

} // namespace dynascope::engine
