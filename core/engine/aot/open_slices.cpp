// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/aot/open_slices.h"

#include "core/engine/exec/torch_level/indexing.h"
#include "core/ir/symbol_names.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace dynascope::engine {

namespace {

using torch_level::Call;
using torch_level::OpenSizes;
using torch_level::Value;

/// Whether a size such as "2*s0 + 1" has no upper bound. A remainder has one.
bool isOpen(std::string_view size, const UnboundedSymbols& unbounded) {
    if (size.find("Mod") != std::string_view::npos || size.find('%') != std::string_view::npos) return false;
    std::set<std::string> symbols;
    ir::addSymbolNames(size, symbols);
    return std::any_of(symbols.begin(), symbols.end(),
                       [&](const std::string& symbol) { return unbounded.contains(symbol); });
}

OpenSizes openSizes(const ir::Graph& graph, const ir::Node& node, const UnboundedSymbols& unbounded) {
    if (node.op != ir::Op::CallFunction || node.args.empty() || !node.args[0].isNode()) return {};
    const ir::NodeIndex container = graph.find(node.args[0].text);
    if (container == ir::npos) return {};
    const ir::Node& source = graph.node(container);
    if (!source.meta || !source.meta->tensor) return {};
    OpenSizes out;
    for (const std::string& size : source.meta->tensor->sizes)
        out.push_back(isOpen(size, unbounded));
    return std::find(out.begin(), out.end(), true) == out.end() ? OpenSizes() : out;
}

} // namespace

Program withOpenSlices(const Program& program, const UnboundedSymbols& unbounded) {
    Program out = program;
    for (ir::NodeIndex i = 0; i < out.code.size(); ++i) {
        const ir::Node& node = out.graph->node(i);
        Instruction& instruction = out.code[i];
        if (instruction.kind != Instruction::Kind::Function || !instruction.function) continue;
        const bool gets = node.target == "operator.getitem" || node.target == "_operator.getitem";
        const bool sets = node.target == "operator.setitem" || node.target == "_operator.setitem";
        if (!node.kwargs.empty() || node.args.size() != (sets ? 3U : 2U) || !(gets || sets)) continue;
        const OpenSizes open = openSizes(*out.graph, node, unbounded);
        if (open.empty()) continue;
        if (gets) {
            instruction.function = [open](const Call& call) {
                return torch_level::getItem(call.args.at(0), call.args.at(1), open);
            };
        } else {
            instruction.function = [open](const Call& call) {
                torch_level::setItem(call.args.at(0), call.args.at(1), call.args.at(2), open);
                return Value();
            };
        }
    }
    return out;
}

} // namespace dynascope::engine
