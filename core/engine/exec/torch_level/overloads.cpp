// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/overloads.h"

#include "core/engine/exec/torch_level/functorch.h"
#include "core/engine/exec/torch_level/overload_table.h"
#include "core/engine/sandbox/allow_list.h"
#include "core/engine/sandbox/argument_checks.h"

#include <ATen/ScalarOps.h>
#include <ATen/core/List.h>
#include <ATen/core/jit_type.h>
#include <algorithm>

namespace dynascope::engine::torch_level {

namespace {

using c10::IValue;
using c10::TypeKind;
using Kind = Value::Kind;

bool convertNumber(const Value& value, TypeKind kind, IValue& out) {
    const bool integer = kind == TypeKind::IntType || kind == TypeKind::SymIntType;
    if (value.isTensor() && (integer ? isWrapped(value.tensor()) : isTransformed(value.tensor())))
        return false; // one number for each of a batch
    switch (kind) {
    case TypeKind::BoolType:
        if (!value.isBool()) return false;
        out = value.flag();
        return true;
    case TypeKind::IntType:
    case TypeKind::SymIntType:
        if (value.isTensor()) {
            const at::Tensor& tensor = value.tensor();
            if (tensor.dim() != 0 || !c10::isIntegralType(tensor.scalar_type(), false)) return false;
        } else if (!value.isInt()) {
            return false;
        }
        out = value.integer();
        return true;
    case TypeKind::FloatType:
    case TypeKind::SymFloatType:
        if (value.isTensor() ? value.tensor().dim() != 0 || value.tensor().requires_grad()
                             : !value.isNumber() || value.kind() == Kind::Complex)
            return false;
        out = value.real();
        return true;
    default: // Scalar
        if (value.isTensor() && value.tensor().dim() == 0 && !value.tensor().requires_grad()) {
            out = value.tensor().item();
            return true;
        }
        if (!value.isNumber()) return false;
        out = value.scalar();
        return true;
    }
}

bool convertTensor(const Value& value, bool numbers, IValue& out) {
    if (value.isTensor()) {
        out = value.tensor();
        return true;
    }
    if (!numbers || !value.isNumber()) return false;
    at::Tensor number = c10::scalar_to_tensor(value.scalar());
    number.unsafeGetTensorImpl()->set_wrapped_number(true);
    out = std::move(number);
    return true;
}

template <typename Element, typename Get>
bool convertItems(const std::vector<Value>& items, TypeKind element, IValue& out, Get get) {
    c10::List<Element> list;
    list.reserve(items.size());
    for (const Value& item : items) {
        IValue one;
        if (!convertNumber(item, element, one)) return false;
        list.push_back(get(one));
    }
    out = std::move(list);
    return true;
}

bool convertTensors(const std::vector<Value>& items, IValue& out) {
    c10::List<at::Tensor> list;
    for (const Value& item : items) {
        if (!item.isTensor()) return false;
        list.push_back(item.tensor());
    }
    out = std::move(list);
    return true;
}

bool convertOptionalTensors(const std::vector<Value>& items, IValue& out) {
    c10::List<std::optional<at::Tensor>> list;
    for (const Value& item : items) {
        if (!item.isTensor() && !item.isNone()) return false;
        list.push_back(item.optionalTensor());
    }
    out = std::move(list);
    return true;
}

bool convertList(const Value& value, const Formal& formal, IValue& out) {
    if (!value.isSequence()) {
        const bool spreads = formal.length && value.isNumber();
        if (!spreads) return false;
        const Value repeated =
            Value::list(std::vector<Value>(static_cast<std::size_t>(*formal.length), value));
        return convertList(repeated, formal, out);
    }
    const std::vector<Value>& items = value.items();
    switch (formal.element) {
    case TypeKind::TensorType:
        return convertTensors(items, out);
    case TypeKind::OptionalType:
        return convertOptionalTensors(items, out);
    case TypeKind::IntType:
    case TypeKind::SymIntType:
        return convertItems<std::int64_t>(items, formal.element, out,
                                          [](const IValue& v) { return v.toInt(); });
    case TypeKind::FloatType:
        return convertItems<double>(items, formal.element, out, [](const IValue& v) { return v.toDouble(); });
    case TypeKind::BoolType:
        return convertItems<bool>(items, formal.element, out, [](const IValue& v) { return v.toBool(); });
    case TypeKind::NumberType:
        return convertItems<at::Scalar>(items, formal.element, out,
                                        [](const IValue& v) { return v.toScalar(); });
    default:
        return false;
    }
}

bool convert(const Value& value, const Formal& formal, bool numbers, IValue& out) {
    if (value.isNone()) {
        out = IValue();
        return formal.optional || (formal.kind == TypeKind::TensorType && formal.fallback);
    }
    switch (formal.kind) {
    case TypeKind::TensorType:
        return convertTensor(value, numbers, out);
    case TypeKind::BoolType:
    case TypeKind::IntType:
    case TypeKind::SymIntType:
    case TypeKind::FloatType:
    case TypeKind::SymFloatType:
    case TypeKind::NumberType:
        return convertNumber(value, formal.kind, out);
    case TypeKind::ListType:
        return convertList(value, formal, out);
    case TypeKind::StringType:
        if (!value.isString()) return false;
        out = value.text();
        return true;
    case TypeKind::ScalarTypeType:
        if (value.kind() != Kind::Dtype) return false;
        out = value.dtype();
        return true;
    case TypeKind::LayoutType:
        if (value.kind() != Kind::Layout) return false;
        out = value.layout();
        return true;
    case TypeKind::MemoryFormatType:
        if (value.kind() != Kind::MemoryFormat) return false;
        out = value.memoryFormat();
        return true;
    case TypeKind::DeviceObjType: // whatever the capture names, graphs run on the CPU
        if (value.kind() != Kind::Device && !value.isString() && !value.isInt()) return false;
        out = c10::Device(c10::kCPU);
        return true;
    default:
        return false;
    }
}

/// Other names under which Python's bindings take an argument.
bool answersTo(const Formal& formal, std::string_view keyword) {
    if (keyword == formal.name) return true;
    if (formal.name == "self")
        return keyword == "input" || keyword == "a" || keyword == "x" || keyword == "x1";
    if (formal.name == "dim") return keyword == "axis";
    if (formal.name == "keepdim") return keyword == "keepdims";
    if (formal.name == "other") return keyword == "x2";
    return false;
}

class Binder {
public:
    Binder(const Overload& overload, const Call& call, bool numbers, bool spreadsOne)
        : m_overload(overload)
        , m_call(call)
        , m_numbers(numbers)
        , m_spreadsOne(spreadsOne) {}

    /// Fills the stack; false where this overload does not take the call.
    bool bind(torch::jit::Stack& stack) {
        const Value* out = m_call.keyword("out");
        std::size_t used = out ? 1 : 0;
        std::size_t outIndex = 0;
        for (const Formal& formal : m_overload.formals) {
            IValue value;
            if (formal.out) {
                if (!out || !bindOut(*out, outIndex++, value)) return false;
            } else if (const auto given = next(formal, used)) {
                if (!convert(*given, formal, m_numbers, value)) return false;
            } else if (formal.name == "pin_memory") {
                value = false;
            } else if (m_overload.isFactory && formal.name == "device") {
                value = c10::Device(c10::kCPU);
            } else if (formal.fallback) {
                value = *formal.fallback;
            } else {
                return false;
            }
            stack.push_back(std::move(value));
        }
        return m_position == m_call.args.size() && used == m_call.kwargs.size();
    }

private:
    static bool bindOut(const Value& out, std::size_t index, IValue& value) {
        const bool several = out.isSequence();
        if (several && index >= out.items().size()) return false;
        if (!several && index > 0) return false;
        const Value& one = several ? out.items()[index] : out;
        if (!one.isTensor()) return false;
        value = one.tensor();
        return true;
    }

    std::optional<Value> next(const Formal& formal, std::size_t& used) {
        if (!formal.keywordOnly && m_position < m_call.args.size()) {
            const Value& given = m_call.args[m_position];
            // view(2, 3): the rest of the positional arguments are one list.
            const std::size_t rest = m_call.args.size() - m_position;
            const bool spread = formal.kind == TypeKind::ListType && (given.isInt() || given.isTensor()) &&
                                isLastPositional(formal) && (rest > 1 || (!formal.length && m_spreadsOne));
            if (!spread) {
                ++m_position;
                return given;
            }
            std::vector<Value> items(m_call.args.begin() + static_cast<std::ptrdiff_t>(m_position),
                                     m_call.args.end());
            m_position = m_call.args.size();
            return Value::list(std::move(items));
        }
        for (const auto& [name, value] : m_call.kwargs) {
            if (!answersTo(formal, name)) continue;
            ++used;
            return value;
        }
        return std::nullopt;
    }

    [[nodiscard]] bool isLastPositional(const Formal& formal) const {
        const auto following = std::find_if(m_overload.formals.begin(), m_overload.formals.end(),
                                            [&](const Formal& one) { return &one == &formal; });
        return following + 1 == m_overload.formals.end() || (following + 1)->keywordOnly;
    }

    const Overload& m_overload;
    const Call& m_call;
    bool m_numbers;
    bool m_spreadsOne; ///< takes view(2); squeeze(2) has an overload for one number
    std::size_t m_position = 0;
};

Value resultOf(torch::jit::Stack& stack) {
    if (stack.empty()) return {};
    if (stack.size() == 1) return Value::from(stack.front());
    std::vector<Value> items;
    for (const IValue& item : stack)
        items.push_back(Value::from(item));
    return Value::tuple(std::move(items));
}

std::string describe(const Call& call) {
    std::string out = "(";
    for (const Value& value : call.args)
        out.append(out.size() > 1 ? ", " : "").append(value.typeName());
    for (const auto& [name, value] : call.kwargs)
        out.append(out.size() > 1 ? ", " : "").append(name).append("=").append(value.typeName());
    return out + ')';
}

} // namespace

Availability availability(std::string_view name) {
    if (judgeOperator("aten", name).obstacle != Obstacle::None) return Availability::Refused;
    return overloadsOf(name) ? Availability::Known : Availability::Unknown;
}

Value callOverload(std::string_view name, const Call& call) {
    TORCH_CHECK(availability(name) == Availability::Known, "aten::", name, " cannot be called");
    const Value* out = call.keyword("out");
    if (out && out->isNone()) {
        Call without = call;
        static_cast<void>(without.take("out"));
        return callOverload(name, without);
    }
    // Lists of numbers and tensors that Python's bindings would refuse are taken in a second round, for
    // callers other than Python's.
    for (const bool numbers : {takesNumbersAsTensors(name), true}) {
        for (const bool spreadsOne : {false, true}) {
            for (const Overload& overload : *overloadsOf(name)) {
                if (overload.hasOut != (out != nullptr)) continue;
                torch::jit::Stack stack;
                if (!Binder(overload, call, numbers, spreadsOne).bind(stack)) continue;
                callChecked(overload.op, overload.check, stack);
                return resultOf(stack);
            }
        }
    }
    TORCH_CHECK_TYPE(false, "no overload of ", name, " takes ", describe(call));
}

Value aten(std::string_view name, std::vector<Value> args,
           std::vector<std::pair<std::string, Value>> kwargs) {
    return callOverload(name, Call{std::move(args), std::move(kwargs), nullptr});
}

} // namespace dynascope::engine::torch_level
