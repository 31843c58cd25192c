// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/service/lift_written.h"

#include "core/engine/service/execute.h"
#include "core/ir/empty_like.h"
#include "core/ir/storage.h"

#include <algorithm>
#include <map>

namespace dynascope::engine {

namespace {

using nlohmann::json;

/// By node: whether an in-place operator writes the storage that it makes.
std::vector<bool> writtenRoots(const ir::Graph& graph) {
    std::vector<bool> out(graph.size());
    const std::vector<ir::NodeIndex> roots = ir::storageRoots(graph, ir::FunctionalForms::NewStorage);
    for (ir::NodeIndex node = 0; node < graph.size(); ++node)
        if (ir::opKind(graph.node(node)) == ir::OpKind::Write)
            for (const ir::NodeIndex value : ir::valuesWritten(graph, node))
                out[roots[value]] = true;
    return out;
}

/// A constant of a case as the last of its inputs, on a storage of its own.
void addInput(json& inputs, const json& value) {
    const auto shape = value.at("shape").get<std::vector<std::int64_t>>();
    std::vector<std::int64_t> stride(shape.size(), 1);
    std::int64_t count = 1;
    for (std::size_t i = shape.size(); i-- > 0; count *= shape[i])
        stride[i] = count;
    json storage = value;
    storage.erase("shape");
    if (storage.contains("seed")) storage["size"] = count;
    inputs.at("inputs").push_back({{"storage", inputs.at("storages").size()},
                                   {"shape", shape},
                                   {"stride", stride},
                                   {"storage_offset", 0},
                                   {"dtype", value.at("dtype")}});
    inputs.at("storages").push_back(std::move(storage));
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
    LiftedWrites out{std::move(program), std::move(request), {}, {}};
    const ir::Graph& graph = *out.program->graph;
    const std::vector<Instruction>& code = out.program->code;
    const std::vector<bool> isWritten = writtenRoots(graph);
    std::map<std::string, std::size_t> readers;
    std::vector<ir::NodeIndex> written;
    std::vector<std::string> names;
    ir::NodeIndex lastInput = 0;
    for (ir::NodeIndex i = 0; i < code.size(); ++i) {
        if (code[i].kind == Instruction::Kind::Input) lastInput = i;
        if (code[i].kind != Instruction::Kind::Attribute) continue;
        ++readers[code[i].attribute];
        if (!isWritten[i]) continue;
        written.push_back(i);
        names.push_back(code[i].attribute);
    }
    if (written.empty()) return out;
    json values = withSeeded(*out.program, out.request.attributes);
    const auto declineOf = [&](const std::string& name) -> std::string {
        if (readers[name] > 1) return std::to_string(readers[name]) + " nodes of the graph read it";
        if (!values.contains(name)) return "its shape is not known as numbers";
        return {};
    };
    for (const std::string& name : names)
        if (const std::string why = declineOf(name); !why.empty()) {
            out.declined =
                "the graph writes its attribute '" + name +
                "' in place, which AOTAutograd makes an input of before it functionalizes; here it cannot be "
                "one: " +
                why;
            return out;
        }
    if (written.front() < lastInput) {
        out.declined =
            "the graph writes its attribute '" + names.front() + "' in place and reads it before its inputs";
        return out;
    }
    for (const std::string& name : names) {
        addInput(out.request.inputs, values.at(name));
        values.erase(name);
    }
    out.request.attributes = std::move(values);
    out.attributes = std::move(names);
    out.program = std::make_shared<const Program>(compile(withInputs(graph, written)));
    return out;
}

} // namespace dynascope::engine
