// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/client/missed_aliasing.h"

#include "core/engine/client/compare.h"
#include "core/engine/client/graph_inputs.h"
#include "core/ir/text.h"
#include "core/session/input_sources.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace dynascope::engine {

namespace {

using nlohmann::json;

/// What the compiled graph takes of the program's inputs, as the runtime hands it over.
std::optional<json> handedOver(const json& inputs, const ir::Graph& captured) {
    json out = inputs;
    out["inputs"] = json::array();
    const auto numbers = [](const std::vector<std::string>& texts) -> std::optional<json> {
        json list = json::array();
        for (const std::string& text : texts) {
            std::int64_t value = 0;
            const char* const end = text.data() + text.size();
            if (std::from_chars(text.data(), end, value).ptr != end) return std::nullopt;
            list.push_back(value);
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

/// How the compiled graph's results differ from the function's; empty where they do not, nothing where one of
/// them does not run.
std::optional<std::string> difference(Client& engine, const ir::Graph& dynamo, const ir::Graph& captured,
                                      const json& inputs, const CallOptions& options) {
    const auto given = handedOver(inputs, captured);
    if (!given) return std::nullopt;
    const CallResult want =
        engine.callOnGraph("execute", ir::printReadable(dynamo).text, {{"inputs", inputs}}, options);
    const CallResult got =
        engine.callOnGraph("execute", ir::printReadable(captured).text, {{"inputs", *given}}, options);
    if (!want || (!got && got.error().kind != CallError::Kind::Refused)) return std::nullopt;
    if (!got) return got.error().message;
    const json expected = want->value("outputs", json::array()),
               actual = got->value("outputs", json::array());
    if (expected.size() != actual.size()) return std::nullopt; // some results are made after the graph
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (std::string text =
                dataDifference(expected[i].value("data", json()), actual[i].value("data", json()));
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
                           const ir::Graph& captured, const CallOptions& options) {
    const std::string guards = compile.guardText.text();
    if (guards.empty() || guards.find("STORAGE_OVERLAPPING") != std::string::npos) return {};
    std::set<std::size_t> bases;
    for (const ir::NodePtr& node : captured.nodes())
        if (const auto inner = node->op == ir::Op::Placeholder ? session::innerInput(*node) : std::nullopt;
            inner && inner->isBase)
            bases.insert(inner->outer);
    if (bases.empty()) return {};
    GraphInputOptions wanted;
    wanted.views = true;
    const auto inputs = inputsOfCapture(compile, dynamo, wanted);
    if (!inputs || difference(engine, dynamo, captured, *inputs, options) != std::string()) return {};
    json apart = *inputs;
    const std::vector<std::string> sources = session::inputSources(compile, dynamo);
    std::vector<std::string> names;
    for (const std::size_t base : bases) {
        if (base >= apart["inputs"].size() || !apart["inputs"][base].is_object()) return {};
        const std::vector<std::string> members = takeApart(apart, base, sources);
        names.insert(names.end(), members.begin(), members.end());
    }
    const auto found = difference(engine, dynamo, captured, apart, options);
    if (!found || found->empty()) return {};
    return "a guard is missed: the code was compiled for " + listed(names) +
           " that overlap; ones that do not pass the guards too, and for these it does something else than "
           "the "
           "function (" +
           *found + ")";
}

} // namespace dynascope::engine
