// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/program.h"

#include "core/engine/collectives/kernels.h"
#include "core/engine/exec/side_effects.h"
#include "core/engine/exec/torch_level/library_operators.h"
#include "core/engine/exec/torch_level/numpy_functions.h"
#include "core/engine/exec/torch_level/resolve.h"
#include "core/engine/exec/torch_level/tensor_attributes.h"
#include "core/engine/exec/torch_words.h"
#include "core/ir/operators.h"

#include <ATen/ScalarOps.h>
#include <ATen/core/List.h>
#include <algorithm>

namespace dynascope::engine {

namespace {

using ir::Argument;
using ir::NodeIndex;

constexpr std::size_t maxSubgraphDepth = 32;

c10::TypePtr withoutOptional(c10::TypePtr type) {
    while (type && type->kind() == c10::TypeKind::OptionalType)
        type = type->containedType(0);
    return type;
}

class Compiler {
public:
    /// `path` is the subgraph's name with a dot behind it, empty for the outermost graph.
    explicit Compiler(ir::GraphPtr graph, std::string path = {}, std::size_t depth = 0)
        : m_path(std::move(path))
        , m_depth(depth) {
        m_program.graph = std::move(graph);
    }

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
        for (const auto& [node, name] : graph.missing()) {
            m_node = node;
            refuse("reads '" + name + "', which no node makes");
        }
        findDeaths();
        return std::move(m_program);
    }

private:
    void refuse(std::string reason, Obstacle obstacle = Obstacle::Malformed) {
        const ir::Node& node = m_program.graph->node(m_node);
        m_program.unsupported.push_back(
            {m_node, m_path + node.name, node.target, obstacle, std::move(reason)});
    }
    void refuse(OperatorVerdict verdict) { refuse(std::move(verdict.reason), verdict.obstacle); }

    Instruction instruction(const ir::Node& node) {
        Instruction out;
        switch (node.op) {
        case ir::Op::Placeholder:
            out.kind = Instruction::Kind::Input;
            out.position = m_program.inputs++;
            break;
        case ir::Op::GetAttr:
            if (const auto found = m_program.graph->subgraphs().find(node.target);
                found != m_program.graph->subgraphs().end()) {
                out.kind = Instruction::Kind::Constant;
                out.operands.push_back(subgraph(found->first, found->second));
            } else {
                out.kind = Instruction::Kind::Attribute;
                out.attribute = m_path + node.target;
            }
            break;
        case ir::Op::CallFunction:
            if (isGetItem(node) && node.args[1].asInt()) {
                bindGetItem(node, out);
            } else {
                bindCall(node, out);
            }
            break;
        case ir::Op::CallMethod:
            bindFunction(node, torch_level::findMethod(node.target), out);
            break;
        case ir::Op::CallModule:
            bindModule(node, out);
            break;
        case ir::Op::Output:
            break;
        }
        return out;
    }

    /// A constant that holds the compiled graph. What it cannot run, the whole program cannot.
    Operand subgraph(const std::string& name, const ir::GraphPtr& graph) {
        Operand out;
        if (m_depth >= maxSubgraphDepth) {
            refuse("subgraphs are nested too deeply");
            return out;
        }
        auto program = std::make_shared<Program>(Compiler(graph, m_path + name + '.', m_depth + 1).run());
        for (Unsupported row : program->unsupported) {
            row.node = m_node;
            m_program.unsupported.push_back(std::move(row));
        }
        out.constant = torch_level::Value::graph(std::move(program)).toIValue();
        return out;
    }

    void bindModule(const ir::Node& node, Instruction& out) {
        const auto found = m_program.graph->subgraphs().find(node.target);
        if (found == m_program.graph->subgraphs().end())
            return refuse("calls a module that the capture does not hold", Obstacle::Hook);
        bindFunction(node, torch_level::findFunction("torch.ops.higher_order.wrap"), out);
        out.operands.insert(out.operands.begin(), subgraph(found->first, found->second));
    }

    static bool isGetItem(const ir::Node& node) {
        return (node.target == "operator.getitem" || node.target == "_operator.getitem") &&
               node.args.size() == 2 && node.args[0].isNode() && node.kwargs.empty();
    }

    void bindGetItem(const ir::Node& node, Instruction& out) {
        out.kind = Instruction::Kind::GetItem;
        out.operands.push_back(bind(node.args[0], nullptr));
        out.operands.push_back(bind(node.args[1], c10::IntType::get()));
    }

    void bindEffect(ir::Node node, Instruction& out) {
        if (node.args.size() < 2 || node.args[1].kind != Argument::Kind::Raw)
            return refuse("takes a token and an operator");
        torch_level::Found found = torch_level::findEffect(node.args[1].text);
        node.args.erase(node.args.begin() + 1);
        bindFunction(node, std::move(found), out);
    }

    void bindCall(const ir::Node& node, Instruction& out) {
        if (node.target == "torch.ops.higher_order.with_effects") return bindEffect(node, out);
        Resolved resolved = resolve(node.target);
        if (!resolved.op) {
            torch_level::Found found = torch_level::findFunction(node.target);
            // One has a result and the other has none, which a capture shows.
            if (torch_level::numpyName(node.target) == "sort" && !(node.meta && node.meta->tensor))
                found = {{}, {Obstacle::Unknown, "is ndarray.sort or np.sort, which a capture names alike"}};
            if (!found.function && resolved.verdict.obstacle != Obstacle::None)
                found.verdict = std::move(resolved.verdict);
            bindFunction(node, std::move(found), out);
            if (node.target.starts_with("torch.ops.higher_order.")) checkSideEffects(node);
            return;
        }
        out.op = std::move(resolved.op);
        const c10::FunctionSchema& schema = out.op->schema();
        out.check = CallCheck(schema);
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
                out.operands.push_back(bind(spread(*given, formals[i]), type));
                if (takesNoBias(formals[i])) setUndefined(out.operands.back());
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

    /// Backwards of fused attention declare a tensor that may be missing. torch.ops makes an undefined one of None wherever
    /// a tensor is declared; most kernels would read it.
    static bool takesNoBias(const c10::Argument& formal) {
        return formal.name() == "attn_bias" && formal.real_type()->kind() == c10::TypeKind::TensorType;
    }
    static void setUndefined(Operand& operand) {
        if (operand.kind == Operand::Kind::Constant && operand.constant.isNone())
            operand.constant = at::Tensor();
    }

    /// A number where a list of known length is declared stands for each of its items, such as a kernel size.
    static Argument spread(const Argument& given, const c10::Argument& formal) {
        const bool number = given.kind == Argument::Kind::Int || given.kind == Argument::Kind::Bool ||
                            given.kind == Argument::Kind::Float;
        if (!number || !formal.N()) return given;
        return Argument::list(std::vector<Argument>(static_cast<std::size_t>(*formal.N()), given));
    }

    void bindFunction(const ir::Node& node, torch_level::Found found, Instruction& out) {
        out.kind = Instruction::Kind::Function;
        if (!found.function) return refuse(std::move(found.verdict));
        out.function = std::move(found.function);
        for (const Argument& argument : node.args)
            out.operands.push_back(bindValue(argument));
        for (const auto& [name, argument] : node.kwargs) {
            out.operands.push_back(bindValue(argument));
            out.keywords.push_back(name);
        }
        const bool isGetAttr = node.target == ir::getattrTarget || node.target == "getattr";
        if (isGetAttr && node.args.size() == 2 && node.args[1].kind == Argument::Kind::String &&
            !torch_level::isAttribute(node.args[1].text))
            refuse("reads the attribute '" + node.args[1].text + "'", Obstacle::Unknown);
    }

    /// Branches that write to what they are given are refused, as Dynamo refuses them.
    void checkSideEffects(const ir::Node& node) {
        for (const Argument& argument : node.args) {
            if (!argument.isNode()) continue;
            const NodeIndex source = m_program.graph->find(argument.text);
            if (source == ir::npos || m_program.graph->node(source).op != ir::Op::GetAttr) continue;
            const auto found = m_program.graph->subgraphs().find(m_program.graph->node(source).target);
            if (found == m_program.graph->subgraphs().end() || !forbidsSideEffects(node.target)) continue;
            if (const auto write = writeToInput(*found->second))
                refuse("HOP: Unsafe side effect: '" + write->node + "' in " + found->first +
                       " writes to its input '" + write->input + "'");
        }
    }

    /// An argument of a torch-level call, as Python sees it.
    Operand bindValue(const Argument& argument) {
        using torch_level::Value;
        Operand out;
        const auto items = [&](Operand::Kind kind, const std::vector<Argument>& arguments) {
            out.kind = kind;
            for (const Argument& item : arguments)
                out.items.push_back(bindValue(item));
            return std::move(out);
        };
        const auto constant = [&](const Value& value) {
            out.constant = value.toIValue();
            return std::move(out);
        };
        switch (argument.kind) {
        case Argument::Kind::NodeRef:
            return bind(argument, nullptr);
        case Argument::Kind::List:
        case Argument::Kind::Set:
            return items(Operand::Kind::List, argument.items);
        case Argument::Kind::Tuple:
            return items(Operand::Kind::Tuple, argument.items);
        case Argument::Kind::Slice:
            return items(Operand::Kind::Slice, argument.items);
        case Argument::Kind::Dict:
            return items(Operand::Kind::Dict, argument.items);
        case Argument::Kind::Ellipsis:
            return constant(Value::ellipsis());
        case Argument::Kind::Dtype:
            if (const auto type = dtypeFromName(argument.text)) return constant(*type);
            break;
        case Argument::Kind::Layout:
            if (argument.text == "torch.strided") return constant(c10::kStrided);
            break;
        case Argument::Kind::MemoryFormat:
            if (const auto format = constantFrom(argument)) return constant(format->toMemoryFormat());
            break;
        case Argument::Kind::Call:
            if (argument.text == "torch.Size" && argument.items.size() == 1)
                return items(Operand::Kind::Tuple, argument.items.front().items);
            if (argument.text == "range") return bindRange(argument);
            break;
        default:
            if (auto value = constantFrom(argument)) {
                out.constant = std::move(*value);
                return out;
            }
        }
        refuse("cannot take '" + argument.toString() + "' as an argument", Obstacle::Unknown);
        return out;
    }

    Operand bindRange(const Argument& range) {
        constexpr std::int64_t maxItems = 1 << 16;
        Operand out;
        out.kind = Operand::Kind::List;
        std::vector<std::int64_t> bounds;
        for (const Argument& item : range.items)
            bounds.push_back(item.asInt().value_or(0));
        if (bounds.size() == 1) bounds.insert(bounds.begin(), 0);
        if (bounds.size() == 2) bounds.push_back(1);
        if (bounds.size() != 3 || bounds[2] == 0) {
            refuse("cannot take '" + range.toString() + "' as an argument");
            return out;
        }
        for (std::int64_t i = bounds[0];
             (bounds[2] > 0 ? i < bounds[1] : i > bounds[1]) && std::ssize(out.items) < maxItems;
             i += bounds[2])
            out.items.emplace_back().constant = i;
        return out;
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
        if (bare && bare->kind() == c10::TypeKind::IntType) foldIntegers(out);
        return out;
    }

    /// A shape need not be made anew for each call.
    static void foldIntegers(Operand& list) {
        c10::List<std::int64_t> integers;
        for (const Operand& item : list.items) {
            if (item.kind != Operand::Kind::Constant || !item.constant.isInt()) return;
            integers.push_back(item.constant.toInt());
        }
        list.kind = Operand::Kind::Constant;
        list.constant = std::move(integers);
        list.items.clear();
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
    std::string m_path;
    std::size_t m_depth;
    NodeIndex m_node = 0;
};

} // namespace

namespace {

bool isCollectiveSpace(std::string_view space) {
    return space == "_c10d_functional" || space == "_c10d_functional_autograd" || space == "_dtensor";
}

} // namespace

Resolved resolve(std::string_view target) {
    constexpr std::string_view prefix = "torch.ops.";
    if (!target.starts_with(prefix)) return {{}, {}};
    target.remove_prefix(prefix.size());
    const std::size_t first = target.find('.');
    std::size_t last = target.rfind('.');
    if (first == std::string_view::npos) return {{}, {}};
    const std::string_view space = target.substr(0, first);
    if (first == last) {
        if (!isCollectiveSpace(space)) return {{}, {}};
        last = target.size(); // as Dynamo writes it; each of these has one overload
    }
    const std::string_view name = target.substr(first + 1, last - first - 1);
    std::string overload(last < target.size() ? target.substr(last + 1) : std::string_view());
    if (overload == "default") overload.clear();
    const bool ofLibrary = torch_level::isLibraryOperator(space, name);
    if (OperatorVerdict verdict = judgeOperator(space, name);
        !ofLibrary && verdict.obstacle != Obstacle::None)
        return {{}, std::move(verdict)};
    auto op =
        c10::Dispatcher::singleton().findSchema({std::string(space) + "::" + std::string(name), overload});
    if (!op)
        return {{},
                {Obstacle::Unknown, "is not an operator of PyTorch's C++ libraries; operators that Python "
                                    "defines cannot be run here"}};
    if (isCollectiveSpace(space)) ensureCollectiveKernels();
    return {std::move(op), {}};
}

Program compile(ir::GraphPtr graph) {
    std::vector<ranks::GroupUse> groups = ranks::groupsOf(*graph);
    Program out = Compiler(std::move(graph)).run();
    out.groups = std::move(groups);
    return out;
}

} // namespace dynascope::engine
