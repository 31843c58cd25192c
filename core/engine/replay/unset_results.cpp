// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/replay/unset_results.h"

#include "core/ir/operators.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace dynascope::engine {

namespace {

constexpr std::array<std::string_view, 4> states{"philox_seed", "philox_offset", "rng_state", "unused"};

/// An attention that is told its dropout, and that it is none.
bool dropsNothing(const Instruction& call) {
    if (!call.op) return false;
    const auto& formals = call.op->schema().arguments();
    for (std::size_t i = 0; i < std::min(formals.size(), call.operands.size()); ++i)
        if (formals[i].name() == "dropout_p") {
            const Operand& given = call.operands[i];
            return given.kind == Operand::Kind::Constant && given.constant.isDouble() &&
                   given.constant.toDouble() == 0;
        }
    return false;
}

bool isUnset(const Program& program, ir::NodeIndex item) {
    const ir::Node& node = program.graph->node(item);
    if (node.target != ir::getitemTarget && node.target != "_operator.getitem") return false;
    if (node.args.size() != 2 || !node.args[0].isNode() || node.args[1].kind != ir::Argument::Kind::Int)
        return false;
    const ir::NodeIndex of = program.graph->find(node.args[0].text);
    if (of >= program.code.size() || !dropsNothing(program.code[of])) return false;
    const auto& returns = program.code[of].op->schema().returns();
    for (std::size_t i = 0; i < returns.size(); ++i)
        if (node.args[1].text == std::to_string(i))
            return std::ranges::find(states, returns[i].name()) != states.end();
    return false;
}

/// A node whose value has leaves of its own.
bool mayBeList(const Program& program, ir::NodeIndex node) {
    const Instruction& instruction = program.code[node];
    const auto& meta = program.graph->node(node).meta;
    if (meta && meta->tensor) return false;
    if (!instruction.op) return instruction.kind == Instruction::Kind::Function;
    const auto& returns = instruction.op->schema().returns();
    return returns.size() != 1 || returns.front().type()->kind() == c10::TypeKind::ListType;
}

/// False where the leaves that follow cannot be counted.
bool visit(const Program& program, const Operand& operand, std::size_t& leaf, std::set<std::size_t>& out) {
    if (operand.kind == Operand::Kind::List)
        return std::ranges::all_of(operand.items,
                                   [&](const Operand& item) { return visit(program, item, leaf, out); });
    if (operand.kind == Operand::Kind::Value) {
        if (mayBeList(program, operand.node)) return false;
        if (isUnset(program, operand.node)) out.insert(leaf);
    }
    ++leaf;
    return true;
}

} // namespace

std::set<std::size_t> unsetResults(const Program& program) {
    std::set<std::size_t> out;
    std::size_t leaf = 0;
    (void)visit(program, program.result, leaf, out);
    return out;
}

} // namespace dynascope::engine
