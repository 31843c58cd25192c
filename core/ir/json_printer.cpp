// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/text.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace dynascope::ir {

namespace {

using Json = nlohmann::ordered_json;

Json toJson(const Argument& arg);

Json toArray(const std::vector<Argument>& items) {
    Json out = Json::array();
    for (const Argument& item : items)
        out.push_back(toJson(item));
    return out;
}

// What JSON has no word for becomes an object with one key that names its kind.
Json toJson(const Argument& arg) {
    switch (arg.kind) {
    case Argument::Kind::None:
        return nullptr;
    case Argument::Kind::Bool:
        return arg.text == "True";
    case Argument::Kind::Int:
        if (const auto value = arg.asInt()) return *value;
        return {{"int", arg.text}};
    case Argument::Kind::Float:
        if (const auto value = arg.asDouble(); value && std::isfinite(*value)) return *value;
        return {{"float", arg.text}};
    case Argument::Kind::String:
        return arg.text;
    case Argument::Kind::NodeRef:
        return {{"node", arg.text}};
    case Argument::Kind::List:
        return toArray(arg.items);
    case Argument::Kind::Tuple:
        return {{"tuple", toArray(arg.items)}};
    case Argument::Kind::Set:
        return {{"set", toArray(arg.items)}};
    case Argument::Kind::Slice:
        return {{"slice", toArray(arg.items)}};
    case Argument::Kind::Dict: {
        Json pairs = Json::array();
        for (std::size_t i = 0; i + 1 < arg.items.size(); i += 2)
            pairs.push_back(Json::array({toJson(arg.items[i]), toJson(arg.items[i + 1])}));
        return {{"dict", std::move(pairs)}};
    }
    case Argument::Kind::Dtype:
        return {{"dtype", arg.text}};
    case Argument::Kind::Device:
        return {{"device", arg.text}};
    case Argument::Kind::Layout:
        return {{"layout", arg.text}};
    case Argument::Kind::MemoryFormat:
        return {{"memory_format", arg.text}};
    case Argument::Kind::Symbol:
        return {{"symbol", arg.text}};
    case Argument::Kind::Complex:
        return {{"complex", arg.text}};
    case Argument::Kind::Ellipsis:
    case Argument::Kind::Call:
    case Argument::Kind::Keyword:
    case Argument::Kind::Raw:
        break;
    }
    return {{"python", arg.toString()}};
}

Json toJson(const ValueMeta& meta) {
    if (!meta.tensor) return {{"text", meta.raw}};
    Json out{{"dtype", meta.tensor->dtype}, {"sizes", meta.tensor->sizes}};
    if (meta.tensor->strides) out["strides"] = *meta.tensor->strides;
    if (!meta.tensor->device.empty()) out["device"] = meta.tensor->device;
    return out;
}

Json toJson(const Graph& graph, NodeIndex i) {
    const Node& node = graph.node(i);
    Json kwargs = Json::object();
    for (const auto& [key, value] : node.kwargs)
        kwargs[key] = toJson(value);
    Json users = Json::array();
    for (const NodeIndex user : graph.users(i))
        users.push_back(graph.node(user).name);
    Json stack = Json::array();
    if (node.stack)
        for (const SourceLocation& place : *node.stack)
            stack.push_back({{"file", place.file},
                             {"line", place.line},
                             {"function", place.function},
                             {"code", place.code}});

    Json out{{"name", node.name}, {"op", opName(node.op)}, {"target", node.target}};
    if (!node.typeExpr.empty()) out["type"] = node.typeExpr;
    out["args"] = toArray(node.args);
    out["kwargs"] = std::move(kwargs);
    out["meta"] = node.meta ? toJson(*node.meta) : Json(nullptr);
    out["stack"] = std::move(stack);
    out["users"] = std::move(users);
    if (!node.note.empty()) out["note"] = node.note;
    if (!node.comment.empty()) out["comment"] = node.comment;
    return out;
}

Json toJson(const Graph& graph) {
    Json nodes = Json::array();
    for (NodeIndex i = 0; i < graph.size(); ++i)
        nodes.push_back(toJson(graph, i));
    Json subgraphs = Json::object();
    for (const std::string& attribute : graph.subgraphOrder())
        subgraphs[attribute] = toJson(*graph.subgraphs().find(attribute)->second);
    return {{"name", graph.name()}, {"nodes", std::move(nodes)}, {"subgraphs", std::move(subgraphs)}};
}

} // namespace

std::string printJson(const Graph& graph) {
    // Names from a damaged capture may not be UTF-8.
    return toJson(graph).dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace dynascope::ir
