// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/graph_facts.h"

#include "core/capture/json.h"
#include "core/dynamo/documents.h"

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
            out.push_back({document.attempt, document.step, {}, {}, {}});
        if (inputs)
            readInputs(object, out.back());
        else
            out.back().operators = texts(object, "operators");
    }
    return out;
}

} // namespace dynascope::dynamo
