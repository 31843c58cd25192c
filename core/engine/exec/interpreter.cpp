// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/interpreter.h"

#include "core/engine/collectives/mirror_groups.h"
#include "core/engine/exec/torch_level/functorch.h"
#include "core/engine/exec/torch_level/indexing.h"
#include "core/engine/exec/torch_level/modes.h"
#include "core/engine/sandbox/argument_checks.h"

#include <ATen/ScalarOps.h>
#include <ATen/core/List.h>
#include <c10/util/Exception.h>
#include <type_traits>

namespace dynascope::engine {

namespace {

using c10::IValue;
using c10::TypeKind;
using torch_level::Value;

at::Tensor tensorFrom(const IValue& value) {
    if (value.isTensor()) return value.toTensor();
    TORCH_CHECK(value.isScalar(), "a tensor or a number is needed here, not ", value.tagKind());
    at::Tensor number = c10::scalar_to_tensor(value.toScalar());
    number.unsafeGetTensorImpl()->set_wrapped_number(true);
    return number;
}

double floatFrom(const IValue& value) {
    return value.isInt() ? static_cast<double>(value.toInt()) : value.toDouble();
}

template <typename Element, typename Convert>
IValue listOf(const Operand& operand, const Values& values, Convert convert) {
    c10::List<Element> list;
    list.reserve(operand.items.size());
    for (const Operand& item : operand.items)
        list.push_back(convert(evaluate(item, values)));
    return list;
}

IValue evaluateList(const Operand& operand, const Values& values) {
    const c10::TypePtr element = operand.type && operand.type->kind() == TypeKind::ListType
                                     ? operand.type->containedType(0)
                                     : c10::TypePtr();
    switch (element ? element->kind() : TypeKind::AnyType) {
    case TypeKind::TensorType:
        return listOf<at::Tensor>(operand, values, tensorFrom);
    case TypeKind::OptionalType:
        return listOf<std::optional<at::Tensor>>(operand, values, [](const IValue& v) {
            return v.isNone() ? std::nullopt : std::optional<at::Tensor>(tensorFrom(v));
        });
    case TypeKind::FloatType:
        return listOf<double>(operand, values, floatFrom);
    case TypeKind::BoolType:
        return listOf<bool>(operand, values, [](const IValue& v) { return v.toBool(); });
    case TypeKind::NumberType:
        return listOf<at::Scalar>(operand, values, [](const IValue& v) { return v.toScalar(); });
    default:
        return listOf<std::int64_t>(operand, values, [](const IValue& v) { return v.toInt(); });
    }
}

IValue getItem(const Instruction& instruction, const Values& values) {
    const IValue whole = evaluate(instruction.operands[0], values);
    const std::int64_t index = instruction.operands[1].constant.toInt();
    if (!whole.isTuple() && !whole.isList())
        return torch_level::getItem(torch_level::Value::from(whole), index).toIValue();
    const auto size =
        static_cast<std::int64_t>(whole.isTuple() ? whole.toTupleRef().size() : whole.toListRef().size());
    TORCH_CHECK_INDEX(index >= -size && index < size, "index ", index, " is out of range of ", size,
                      " results");
    const auto at = static_cast<std::size_t>(index < 0 ? index + size : index);
    return whole.isTuple() ? whole.toTupleRef().elements()[at] : IValue(whole.toListRef()[at]);
}

IValue callFunction(const Instruction& instruction, const Values& values,
                    const torch_level::Context* context) {
    torch_level::Call call;
    call.context = context;
    const std::size_t positional = instruction.operands.size() - instruction.keywords.size();
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        Value value = evaluateValue(instruction.operands[i], values);
        if (i < positional) {
            call.args.push_back(std::move(value));
        } else {
            call.kwargs.emplace_back(instruction.keywords[i - positional], std::move(value));
        }
    }
    return instruction.function(call).toIValue();
}

IValue resultTree(const Operand& operand, const Values& values) {
    if (operand.kind != Operand::Kind::List) return evaluate(operand, values);
    std::vector<IValue> items;
    for (const Operand& item : operand.items)
        items.push_back(resultTree(item, values));
    return c10::ivalue::Tuple::create(std::move(items));
}

void appendLeaves(const IValue& value, std::vector<IValue>& out) {
    if (value.isTuple()) {
        for (const IValue& item : value.toTupleRef().elements())
            appendLeaves(item, out);
    } else if (value.isList()) {
        for (const IValue& item : value.toListRef())
            appendLeaves(item, out);
    } else {
        out.push_back(value);
    }
}

} // namespace

IValue evaluate(const Operand& operand, const Values& values) {
    switch (operand.kind) {
    case Operand::Kind::Constant:
        return operand.constant;
    case Operand::Kind::List:
        return evaluateList(operand, values);
    case Operand::Kind::Value:
        break;
    default:
        return evaluateValue(operand, values).toIValue();
    }
    const IValue& value = values[operand.node];
    if (!operand.type || value.isNone()) return value;
    if (operand.type->kind() == TypeKind::TensorType)
        return value.isTensor() ? value : IValue(tensorFrom(value));
    if (operand.type->kind() == TypeKind::FloatType) return floatFrom(value);
    return value;
}

Value evaluateValue(const Operand& operand, const Values& values) {
    if (operand.kind == Operand::Kind::Constant) return Value::from(operand.constant);
    if (operand.kind == Operand::Kind::Value) return Value::from(values[operand.node]);
    std::vector<Value> items;
    items.reserve(operand.items.size());
    for (const Operand& item : operand.items)
        items.push_back(evaluateValue(item, values));
    switch (operand.kind) {
    case Operand::Kind::Tuple:
        return Value::tuple(std::move(items));
    case Operand::Kind::Dict:
        return Value::dict(std::move(items));
    case Operand::Kind::Slice:
        return Value::slice(std::move(items.at(0)), std::move(items.at(1)), std::move(items.at(2)));
    default:
        return Value::list(std::move(items));
    }
}

namespace {

/// Graphs of Inductor index what aten._foreach_add_ and its like return, which is nothing; its lowerings return the list
/// that was written (register_foreach_inplace() of torch/_inductor/lowering.py).
bool returnsWhatItWrites(const c10::FunctionSchema& schema) {
    return schema.returns().empty() && schema.name().starts_with("aten::_foreach_") &&
           schema.name().ends_with('_');
}

} // namespace

IValue call(const Instruction& instruction, const Values& values, const torch_level::Context* context) {
    switch (instruction.kind) {
    case Instruction::Kind::GetItem:
        return getItem(instruction, values);
    case Instruction::Kind::Function:
        return callFunction(instruction, values, context);
    case Instruction::Kind::Constant:
        return instruction.operands[0].constant;
    default:
        break;
    }
    torch::jit::Stack stack;
    stack.reserve(instruction.operands.size());
    for (const Operand& operand : instruction.operands)
        stack.push_back(evaluate(operand, values));
    const IValue first = stack.empty() ? IValue() : stack.front();
    callChecked(*instruction.op, instruction.check, stack);
    if (stack.empty()) return returnsWhatItWrites(instruction.op->schema()) ? first : IValue();
    if (stack.size() == 1) return std::move(stack.front());
    return c10::ivalue::Tuple::create(std::vector<IValue>(stack.begin(), stack.end()));
}

std::vector<const Operand*> resultLeaves(const Program& program) {
    std::vector<const Operand*> leaves;
    const auto collect = [&](const auto& self, const Operand& operand) -> void {
        if (operand.kind != Operand::Kind::List) {
            leaves.push_back(&operand);
            return;
        }
        for (const Operand& item : operand.items)
            self(self, item);
    };
    collect(collect, program.result);
    return leaves;
}

tl::expected<std::vector<IValue>, RunError> run(const Program& program, const std::vector<IValue>& inputs,
                                                const Attributes& attributes, const TaskContext& task,
                                                RunObserver* observer) {
    const torch_level::ModeGuard modes;
    const torch_level::LayerGuard layers;
    auto result = runStructured(program, inputs, attributes, task, observer);
    if (!result) return tl::unexpected(std::move(result.error()));
    std::vector<IValue> leaves;
    appendLeaves(*result, leaves);
    return leaves;
}

tl::expected<IValue, RunError> runStructured(const Program& program, const std::vector<IValue>& inputs,
                                             const Attributes& attributes, const TaskContext& task,
                                             RunObserver* observer) {
    enterMirrorGroups(program.groups);
    Values values(program.graph->size());
    const torch_level::Context context{&task, &attributes};
    ir::NodeIndex at = 0;
    try {
        for (; at < program.code.size(); ++at) {
            if (task.cancelled()) return tl::unexpected(RunError{"cancelled", at, true});
            const Instruction& instruction = program.code[at];
            if (observer) observer->before(at);
            switch (instruction.kind) {
            case Instruction::Kind::Input:
                TORCH_CHECK(instruction.position < inputs.size(), "the program takes ", program.inputs,
                            " inputs, but ", inputs.size(), " were given");
                values[at] = inputs[instruction.position];
                break;
            case Instruction::Kind::Attribute: {
                const auto found = attributes.find(instruction.attribute);
                TORCH_CHECK(found != attributes.end(), "no value was given for the constant '",
                            instruction.attribute, "'");
                values[at] = found->second;
                break;
            }
            default:
                values[at] = call(instruction, values, &context);
            }
            if (observer) {
                observer->after(at, values[at]);
                if (!observer->goesOn()) return c10::ivalue::Tuple::create(std::vector<IValue>());
            }
            for (const ir::NodeIndex dead : instruction.dies)
                values[dead] = IValue();
            task.report("Running", at + 1, program.code.size());
        }
        return resultTree(program.result, values);
    } catch (const std::exception& error) {
        return tl::unexpected(
            RunError{errorText(error), at < program.code.size() ? at : ir::npos, false, errorType(error)});
    }
}

RunError inEagersWords(RunError error, const Program& program, const std::vector<c10::IValue>& inputs,
                       const Attributes& attributes, const TaskContext& task) {
    if (error.cancelled || error.node == ir::npos) return error;
    Attributes constants;
    for (const auto& [name, tensor] : attributes)
        constants.emplace(name, tensor.clone());
    const auto eager = run(program, inputs, constants, task);
    if (!eager && !eager.error().cancelled && eager.error().node == error.node)
        error.message = eager.error().message;
    return error;
}

std::string errorType(const std::exception& error) {
    const auto is = [&]<typename Error>(std::type_identity<Error>) {
        return dynamic_cast<const Error*>(&error) != nullptr;
    };
    if (is(std::type_identity<c10::IndexError>())) return "IndexError";
    if (is(std::type_identity<c10::ValueError>())) return "ValueError";
    if (is(std::type_identity<c10::TypeError>())) return "TypeError";
    if (is(std::type_identity<c10::NotImplementedError>())) return "NotImplementedError";
    return "RuntimeError";
}

std::string errorText(const std::exception& error) {
    const auto* torchError = dynamic_cast<const c10::Error*>(&error);
    std::string text = torchError ? torchError->what_without_backtrace() : error.what();
    text.resize(std::min(text.find("\n\nC++ Capture"), text.size()));
    // An operator without a kernel for the device: after the first sentence comes all that the dispatcher
    // knows of it.
    if (const std::size_t end = text.find(" backend. This could be because");
        text.starts_with("Could not run '") && end != text.npos)
        text.resize(end + std::string_view(" backend.").size() - 1);
    return text;
}

} // namespace dynascope::engine
