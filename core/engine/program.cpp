// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/program.h"

#include "core/engine/torch_words.h"

#include <ATen/ScalarOps.h>
#include <ATen/core/List.h>
#include <algorithm>
#include <array>

namespace dynascope::engine {

namespace {

using ir::Argument;
using ir::NodeIndex;

/// Namespaces whose operators compute on tensors and do nothing else.
constexpr std::array<std::string_view, 2> allowedNamespaces{"aten", "prims"};
/// Operators of these namespaces that reach outside (from_file opens and even creates files), write to the
/// terminal, or build tensors over memory that nobody checked.
constexpr std::array<std::string_view, 8> refusedOperators{"from_file",
                                                           "_print",
                                                           "_test_warn_in_autograd",
                                                           "_sparse_coo_tensor_unsafe",
                                                           "_nested_view_from_buffer",
                                                           "_nested_view_from_buffer_copy",
                                                           "_cudnn_init_dropout_state",
                                                           "record_stream"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

c10::TypePtr withoutOptional(c10::TypePtr type) {
    while (type && type->kind() == c10::TypeKind::OptionalType)
        type = type->containedType(0);
    return type;
}

class Compiler {
public:
    explicit Compiler(ir::GraphPtr graph) { m_program.graph = std::move(graph); }

    Program run() {
        const ir::Graph& graph = *m_program.graph;
        m_program.code.reserve(graph.size());
        bool ended = false;
        for (NodeIndex i = 0; i < graph.size() && !ended; ++i) {
            m_node = i;
            const ir::Node& node = graph.node(i);
            ended = node.op == ir::Op::Output;
            if (ended) {
                if (!node.args.empty()) m_program.result = bindResult(node.args.front());
            } else {
                m_program.code.push_back(instruction(node));
            }
        }
        for (const auto& [node, name] : graph.missing())
            m_program.unsupported.push_back(
                {node, graph.node(node).target, "reads '" + name + "', which no node makes"});
        findDeaths();
        return std::move(m_program);
    }

private:
    void refuse(std::string reason) {
        m_program.unsupported.push_back({m_node, m_program.graph->node(m_node).target, std::move(reason)});
    }

    Instruction instruction(const ir::Node& node) {
        Instruction out;
        switch (node.op) {
        case ir::Op::Placeholder:
            out.kind = Instruction::Kind::Input;
            out.position = m_program.inputs++;
            return out;
        case ir::Op::GetAttr:
            out.kind = Instruction::Kind::Attribute;
            out.attribute = node.target;
            return out;
        case ir::Op::CallFunction:
            if (isGetItem(node.target)) {
                bindGetItem(node, out);
            } else {
                bindCall(node, out);
            }
            return out;
        default:
            refuse(std::string(ir::opName(node.op)) + " is not supported");
            return out;
        }
    }

    static bool isGetItem(std::string_view target) {
        return target == "operator.getitem" || target == "_operator.getitem";
    }

    void bindGetItem(const ir::Node& node, Instruction& out) {
        out.kind = Instruction::Kind::GetItem;
        if (node.args.size() != 2 || !node.args[0].isNode() || !node.args[1].asInt())
            return refuse("only an integer index into an operator's results is supported");
        out.operands.push_back(bind(node.args[0], nullptr));
        out.operands.push_back(bind(node.args[1], c10::IntType::get()));
    }

    void bindCall(const ir::Node& node, Instruction& out) {
        Resolved resolved = resolve(node.target);
        if (!resolved.op) return refuse(std::move(resolved.reason));
        out.op = std::move(resolved.op);
        const c10::FunctionSchema& schema = out.op->schema();
        const auto& formals = schema.arguments();
        if (node.args.size() > formals.size())
            return refuse("takes " + std::to_string(formals.size()) + " arguments, not " +
                          std::to_string(node.args.size()));
        std::size_t used = node.args.size();
        for (std::size_t i = 0; i < formals.size(); ++i) {
            const c10::TypePtr type = withoutOptional(formals[i].real_type());
            const Argument* given = i < node.args.size() ? &node.args[i] : nullptr;
            const auto named = std::find_if(node.kwargs.begin(), node.kwargs.end(), [&](const auto& kwarg) {
                return kwarg.first == formals[i].name();
            });
            if (!given && named != node.kwargs.end()) {
                given = &named->second;
                ++used;
            }
            if (given) {
                out.operands.push_back(bind(*given, type));
            } else if (formals[i].default_value()) {
                Operand operand;
                operand.constant = *formals[i].default_value();
                out.operands.push_back(std::move(operand));
            } else {
                return refuse("argument '" + formals[i].name() + "' is missing");
            }
        }
        if (used != node.args.size() + node.kwargs.size())
            refuse("has an argument that its schema does not know");
    }

    Operand bind(const Argument& argument, const c10::TypePtr& type) {
        Operand out;
        out.type = type;
        if (argument.isNode()) {
            out.kind = Operand::Kind::Value;
            out.node = m_program.graph->find(argument.text);
            if (out.node == ir::npos || out.node >= m_node)
                refuse("reads '" + argument.text + "' before it is made");
            return out;
        }
        const bool listWanted = type && type->kind() == c10::TypeKind::ListType;
        const bool listGiven = argument.kind == Argument::Kind::List ||
                               argument.kind == Argument::Kind::Tuple ||
                               (argument.kind == Argument::Kind::Call && argument.text == "torch.Size");
        if (listGiven || (listWanted && argument.kind != Argument::Kind::None))
            return bindList(argument, type, listGiven);
        std::optional<c10::IValue> constant = constantFrom(argument);
        if (!constant) {
            refuse("cannot take '" + argument.toString() + "' as an argument");
            return out;
        }
        out.constant = typed(std::move(*constant), type);
        return out;
    }

    Operand bindList(const Argument& argument, const c10::TypePtr& type, bool listGiven) {
        Operand out;
        out.type = type;
        out.kind = Operand::Kind::List;
        const c10::TypePtr element =
            type && type->kind() == c10::TypeKind::ListType ? type->containedType(0) : c10::TypePtr();
        const c10::TypePtr bare = withoutOptional(element);
        if (!listGiven) { // an integer where a list is declared, such as a kernel size
            out.items.push_back(bind(argument, bare));
            return out;
        }
        const std::vector<Argument>* items = &argument.items;
        if (argument.kind == Argument::Kind::Call && items->size() == 1) items = &items->front().items;
        for (const Argument& item : *items)
            out.items.push_back(bind(item, bare));
        return out;
    }

    /// Gives a constant the type that the schema wants, as torch.ops does.
    c10::IValue typed(c10::IValue value, const c10::TypePtr& type) {
        if (!type || value.isNone()) return value;
        if (type->kind() == c10::TypeKind::FloatType && value.isInt())
            return static_cast<double>(value.toInt());
        if (type->kind() == c10::TypeKind::TensorType && value.isScalar()) {
            at::Tensor number = c10::scalar_to_tensor(value.toScalar());
            number.unsafeGetTensorImpl()->set_wrapped_number(true);
            return number;
        }
        return value;
    }

    Operand bindResult(const Argument& argument) {
        Operand out;
        if (argument.kind == Argument::Kind::List || argument.kind == Argument::Kind::Tuple) {
            out.kind = Operand::Kind::List;
            for (const Argument& item : argument.items)
                out.items.push_back(bindResult(item));
            return out;
        }
        return bind(argument, nullptr);
    }

    void findDeaths() {
        const ir::Graph& graph = *m_program.graph;
        const auto end = static_cast<NodeIndex>(m_program.code.size());
        for (NodeIndex i = 0; i < end; ++i) {
            const std::span<const NodeIndex> users = graph.users(i);
            const NodeIndex last = users.empty() ? i : *std::max_element(users.begin(), users.end());
            if (last < end) m_program.code[last].dies.push_back(i);
        }
    }

    Program m_program;
    NodeIndex m_node = 0;
};

} // namespace

Resolved resolve(std::string_view target) {
    constexpr std::string_view prefix = "torch.ops.";
    if (!target.starts_with(prefix)) return {{}, "is not an operator of torch.ops"};
    target.remove_prefix(prefix.size());
    const std::size_t first = target.find('.');
    const std::size_t last = target.rfind('.');
    if (first == std::string_view::npos) return {{}, "is not an operator of torch.ops"};
    const std::string_view space = target.substr(0, first);
    const std::string_view name =
        first == last ? target.substr(first + 1) : target.substr(first + 1, last - first - 1);
    std::string overload = first == last ? std::string() : std::string(target.substr(last + 1));
    if (overload == "default") overload.clear();
    if (!contains(allowedNamespaces, space)) return {{}, "is outside the namespaces that the engine runs"};
    if (contains(refusedOperators, name)) return {{}, "is refused: it reaches outside the graph"};
    auto op =
        c10::Dispatcher::singleton().findSchema({std::string(space) + "::" + std::string(name), overload});
    if (!op) return {{}, "is unknown to this PyTorch"};
    return {std::move(op), {}};
}

Program compile(ir::GraphPtr graph) {
    return Compiler(std::move(graph)).run();
}

} // namespace dynascope::engine
