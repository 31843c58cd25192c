// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/graph_facts.h"

#include "core/base/json.h"
#include "core/dynamo/documents.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dynascope::dynamo {

namespace json = capture::json;
using json::element;

namespace {

/// An array whose first entry is a text, the others numbers.
template <std::size_t size>
bool row(const element& item, std::string_view& name, std::array<std::uint64_t, size>& numbers) {
    simdjson::dom::array fields;
    if (item.get(fields) != simdjson::SUCCESS || fields.size() != size + 1 ||
        fields.at(0).get(name) != simdjson::SUCCESS)
        return false;
    for (std::size_t i = 0; i < size; ++i)
        if (fields.at(i + 1).get(numbers[i]) != simdjson::SUCCESS) return false;
    return true;
}

std::optional<HooksInForce> readInForce(const element& object) {
    element said;
    simdjson::dom::array pair;
    if (object["in_force"].get(said) != simdjson::SUCCESS || said["pair"].get(pair) != simdjson::SUCCESS ||
        pair.size() != 2)
        return std::nullopt;
    HooksInForce out;
    out.inlined = json::boolean(said, "inlined");
    out.filter = json::text(said, "filter");
    for (std::size_t i = 0; i < 2; ++i) {
        HooksInForce::Hook& hook = i == 0 ? out.pack : out.unpack;
        simdjson::dom::array fields;
        std::string_view type, name;
        if (pair.at(i).get(fields) != simdjson::SUCCESS || fields.size() != 3 ||
            fields.at(0).get(hook.identity) != simdjson::SUCCESS ||
            fields.at(1).get(type) != simdjson::SUCCESS || fields.at(2).get(name) != simdjson::SUCCESS)
            return std::nullopt;
        hook.type = type;
        hook.name = name;
    }
    return out;
}

void readInputs(const element& object, GraphFacts& out) {
    simdjson::dom::array items;
    if (object["storages"].get(items) == simdjson::SUCCESS) {
        for (const element item : items) {
            std::string_view name;
            std::array<std::uint64_t, 3> numbers{};
            if (row(item, name, numbers))
                out.inputs.push_back({std::string(name), numbers[0], numbers[1], numbers[2]});
        }
    }
    out.inForce = readInForce(object);
    if (object["hooks"].get(items) != simdjson::SUCCESS) return;
    for (const element item : items) {
        HookGraph hook{std::string(json::text(item, "name")), std::string(json::text(item, "graph")), {}};
        simdjson::dom::array wrapped;
        if (item["wrapped"].get(wrapped) == simdjson::SUCCESS) {
            for (const element pair : wrapped) {
                simdjson::dom::array fields;
                std::string_view node, hash;
                if (pair.get(fields) == simdjson::SUCCESS && fields.size() == 2 &&
                    fields.at(0).get(node) == simdjson::SUCCESS &&
                    fields.at(1).get(hash) == simdjson::SUCCESS)
                    hook.wrapped.push_back({std::string(node), std::string(hash)});
            }
        }
        out.hooks.push_back(std::move(hook));
    }
}

} // namespace

std::vector<GraphFacts> graphFacts(const Recording& recording) {
    std::vector<GraphFacts> out;
    simdjson::dom::parser parser;
    for (const DocumentInfo& document : recording.documents()) {
        const bool inputs = document.tag == Tag::Inputs;
        if (!inputs && document.tag != Tag::Operators) continue;
        const std::string text = recording.text(document);
        element object;
        if (parser.parse(text).get(object) != simdjson::SUCCESS) continue;
        // Inputs come first; a graph of numbers alone has none.
        if (inputs || out.empty() || out.back().attempt != document.attempt || !out.back().operators.empty())
            out.push_back({document.attempt, document.step, {}, {}, {}, {}});
        if (inputs)
            readInputs(object, out.back());
        else
            out.back().operators = texts(object, "operators");
    }
    return out;
}

std::string explainHookGuard(const std::vector<GraphFacts>& facts, std::string_view check) {
    constexpr std::string_view mark = "top_saved_tensors_hooks ids == ";
    const std::size_t at = check.find(mark);
    if (at == std::string_view::npos) return {};
    const std::string_view ids = check.substr(at + mark.size());
    if (ids.starts_with("None"))
        return "It was compiled without saved-tensor hooks that are graph modules. A call under such hooks "
               "misses; one "
               "under hooks that are plain functions does not, as they run at run time.";
    const auto named = [ids](const HooksInForce& hooks) {
        return ids.starts_with('(' + std::to_string(hooks.pack.identity) + ", " +
                               std::to_string(hooks.unpack.identity) + ')');
    };
    const auto own = std::find_if(facts.begin(), facts.end(), [&named](const GraphFacts& graph) {
        return graph.inForce && named(*graph.inForce);
    });
    std::string out =
        "The graphs have taken in the saved-tensor hooks that were in force, and hold for these two "
        "graph modules alone: they are told apart by identity, not by what they do.";
    if (own == facts.end()) return out;
    // The same graphs in other objects are what makes such recompiles needless.
    const auto twin = std::find_if(facts.begin(), facts.end(), [&](const GraphFacts& graph) {
        return graph.inForce && graph.inForce->inlined && !named(*graph.inForce) &&
               std::equal(graph.hooks.begin(), graph.hooks.end(), own->hooks.begin(), own->hooks.end(),
                          [](const HookGraph& a, const HookGraph& b) {
                              return a.name == b.name && a.text == b.text;
                          });
    });
    if (twin != facts.end())
        out +=
            " Another graph of this recording was compiled for equal hooks in other objects: make the graph "
            "modules once, and use them for all calls.";
    for (const HookGraph& hook : own->hooks)
        for (const HookGraph::Wrapped& node : hook.wrapped)
            if (node.userCacheHash.empty())
                return out + " AOTAutograd's cache is bypassed besides: " + hook.name +
                       " calls the wrapped function " + node.node + ", which has no user_cache_hash.";
    return out;
}

} // namespace dynascope::dynamo
