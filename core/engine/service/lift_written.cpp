// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/service/lift_written.h"

#include "core/engine/exec/torch_words.h"
#include "core/ir/empty_like.h"
#include "core/ir/storage.h"
#include "core/ir/symbol_value.h"

#include <algorithm>
#include <map>
#include <optional>

namespace dynascope::engine {

namespace {

using nlohmann::json;

/// An attribute as an input of a case, and the storage under it.
struct Described {
    json storage, input;
};

std::optional<Described> describeWith(const std::string& dtype, const std::vector<std::int64_t>& shape,
                                      json storage) {
    constexpr std::int64_t mostElements = 1 << 26;
    std::vector<std::int64_t> stride(shape.size(), 1);
    std::int64_t count = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        stride[i] = count;
        if (shape[i] < 0 || __builtin_mul_overflow(count, shape[i], &count) || count > mostElements)
            return std::nullopt;
    }
    storage["dtype"] = dtype;
    if (storage.contains("seed")) storage["size"] = count;
    return Described{std::move(storage),
                     json{{"shape", shape}, {"stride", stride}, {"storage_offset", 0}, {"dtype", dtype}}};
}

/// By the value that the request gives, else made up in the printed shape.
std::optional<Described> describeAttribute(const ir::Node& node, const json& given, std::size_t seed) {
    if (given.is_object() && given.contains(node.target)) {
        const json& value = given.at(node.target);
        if (!value.is_object() || !value.contains("shape") || !value.contains("dtype")) return std::nullopt;
        json storage = value;
        storage.erase("shape");
        return describeWith(value.at("dtype").get<std::string>(),
                            value.at("shape").get<std::vector<std::int64_t>>(), std::move(storage));
    }
    if (!node.meta || !node.meta->tensor) return std::nullopt;
    const auto dtype = dtypeFromShortName(node.meta->tensor->dtype);
    std::vector<std::int64_t> shape;
    for (const std::string& text : node.meta->tensor->sizes) {
        const auto size = ir::symbolValue(text, {});
        if (!size) return std::nullopt;
        shape.push_back(*size);
    }
    if (!dtype) return std::nullopt;
    return describeWith(dtypeName(*dtype), shape, json{{"seed", seed}});
}

ir::GraphPtr withInputs(const ir::Graph& graph, const std::vector<ir::NodeIndex>& attributes) {
    ir::GraphBuilder builder = ir::emptyLike(graph);
    for (ir::NodeIndex i = 0; i < graph.size(); ++i) {
        if (!std::ranges::binary_search(attributes, i)) {
            builder.add(graph.nodes()[i]);
            continue;
        }
        ir::Node input = graph.node(i);
        input.op = ir::Op::Placeholder;
        input.target = input.name;
        builder.add(std::move(input));
    }
    return builder.build();
}

} // namespace

LiftedWrites liftWrittenAttributes(std::shared_ptr<const Program> program, PassRequest request) {
    LiftedWrites out{std::move(program), std::move(request), {}};
    const ir::Graph& graph = *out.program->graph;
    std::map<std::string, std::size_t> readers;
    for (const Instruction& instruction : out.program->code)
        if (instruction.kind == Instruction::Kind::Attribute) ++readers[instruction.attribute];
    std::vector<ir::NodeIndex> written;
    std::vector<Described> described;
    for (ir::NodeIndex i = 0; i < out.program->code.size(); ++i) {
        const Instruction& instruction = out.program->code[i];
        if (instruction.kind != Instruction::Kind::Attribute || ir::writesAround(graph, i).writes == 0)
            continue;
        std::optional<Described> made;
        if (readers[instruction.attribute] == 1)
            made = describeAttribute(graph.node(i), out.request.attributes, written.size() + 1);
        if (!made) return out;
        written.push_back(i);
        described.push_back(std::move(*made));
        out.attributes.push_back(instruction.attribute);
    }
    json& inputs = out.request.inputs;
    if (written.empty() || !inputs.is_object() || !inputs.contains("storages") ||
        !inputs.contains("inputs")) {
        out.attributes.clear();
        return out;
    }
    for (Described& attribute : described) {
        attribute.input["storage"] = inputs.at("storages").size();
        inputs.at("storages").push_back(std::move(attribute.storage));
        inputs.at("inputs").push_back(std::move(attribute.input));
    }
    out.program = std::make_shared<const Program>(compile(withInputs(graph, written)));
    return out;
}

} // namespace dynascope::engine
