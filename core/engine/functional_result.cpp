// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/functional_result.h"

#include <ATen/core/jit_type.h>

namespace dynascope::engine {

namespace {

using at::Tensor;
using Results = std::map<ir::NodeIndex, Tensor>;

ir::Argument resultArgument(const ir::Graph& graph, Tape& tape, const ir::Argument& source,
                            const Values& values, const Results& results) {
    if (source.isNode()) {
        const ir::NodeIndex node = graph.find(source.text);
        const auto found = results.find(node);
        if (found != results.end()) return tape.argument(found->second, *c10::TensorType::get());
        return tape.argument(values[node], *c10::AnyType::get());
    }
    ir::Argument out = source;
    for (ir::Argument& item : out.items)
        item = resultArgument(graph, tape, item, values, results);
    return out;
}

ir::Argument withLeading(Tape& tape, ir::Argument result, const std::vector<Tensor>& leading) {
    if (leading.empty()) return result;
    std::vector<ir::Argument> items;
    for (const Tensor& tensor : leading)
        items.push_back(tape.argument(tensor, *c10::TensorType::get()));
    if (result.kind == ir::Argument::Kind::Tuple || result.kind == ir::Argument::Kind::List) {
        for (ir::Argument& item : result.items)
            items.push_back(std::move(item));
    } else {
        items.push_back(std::move(result));
    }
    return ir::Argument::tuple(std::move(items));
}

} // namespace

void finishFunctionalized(const Program& program, Tape& tape, const Values& values, const Results& results,
                          const std::vector<Tensor>& leading, Functionalized& out) {
    ir::Node output;
    output.op = ir::Op::Output;
    output.name = "output";
    output.target = "output";
    const ir::Graph& graph = *program.graph;
    if (program.code.size() < graph.size()) {
        const ir::Node& source = graph.node(static_cast<ir::NodeIndex>(program.code.size()));
        if (!source.args.empty())
            output.args.push_back(withLeading(
                tape, resultArgument(graph, tape, source.args.front(), values, results), leading));
    }
    out.attributes = tape.attributes();
    out.emissions.reserve(tape.reasons().size());
    for (const std::uint8_t why : tape.reasons())
        out.emissions.push_back(static_cast<Emission>(why));
    ir::GraphBuilder builder;
    for (ir::Node& node : tape.takeNodes())
        builder.add(std::move(node));
    if (!output.args.empty()) builder.add(std::move(output));
    out.graph = builder.build();
}

} // namespace dynascope::engine
