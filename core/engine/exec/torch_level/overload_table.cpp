// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/overload_table.h"

#include <ATen/core/jit_type.h>
#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

namespace dynascope::engine::torch_level {

namespace {

using c10::TypeKind;
using OverloadMap = std::unordered_map<std::string, std::vector<Overload>>;

/// Operators whose tensor operands may be numbers (should_allow_numbers_as_tensors of Python's bindings), and
/// whose Scalar overloads Python therefore never sees.
constexpr std::array<std::string_view, 9> numbersAsTensors{
    "add", "sub", "mul", "div", "multiply", "subtract", "divide", "true_divide", "floor_divide"};

std::string_view outOfPlaceName(std::string_view name) {
    if (name.ends_with('_') && !name.ends_with("__")) name.remove_suffix(1);
    return name;
}

bool takesNumbers(std::string_view name) {
    const std::string_view bare = outOfPlaceName(name);
    return std::find(numbersAsTensors.begin(), numbersAsTensors.end(), bare) != numbersAsTensors.end();
}

c10::TypePtr withoutOptional(c10::TypePtr type) {
    while (type->kind() == TypeKind::OptionalType)
        type = type->containedType(0);
    return type;
}

Formal formalOf(const c10::Argument& argument) {
    Formal out;
    out.name = argument.name();
    out.optional = argument.real_type()->kind() == TypeKind::OptionalType;
    const c10::TypePtr type = withoutOptional(argument.real_type());
    out.kind = type->kind();
    if (out.kind == TypeKind::ListType) out.element = type->containedType(0)->kind();
    out.keywordOnly = argument.kwarg_only();
    out.out = argument.is_out();
    if (argument.N()) out.length = *argument.N();
    out.fallback = argument.default_value();
    return out;
}

bool isFactory(const c10::FunctionSchema& schema) {
    if (schema.name() == "aten::linspace" || schema.name() == "aten::logspace")
        return true; // of tensors as well
    const auto& returns = schema.returns();
    const auto takesTensor = [](const c10::Argument& argument) {
        const TypeKind kind = withoutOptional(argument.real_type())->kind();
        return kind == TypeKind::TensorType;
    };
    return returns.size() == 1 && returns[0].real_type()->kind() == TypeKind::TensorType &&
           std::none_of(schema.arguments().begin(), schema.arguments().end(), takesTensor);
}

/// A signature that is smaller than another is tried after it: Scalar after Tensor, int before int[].
bool isSmaller(const Formal& a, const Formal& b) {
    if (a.kind == TypeKind::NumberType && b.kind == TypeKind::TensorType) return true;
    const bool listOfInts =
        b.kind == TypeKind::ListType && (b.element == TypeKind::IntType || b.element == TypeKind::SymIntType);
    if ((a.kind == TypeKind::IntType || a.kind == TypeKind::SymIntType) && listOfInts) return true;
    return a.kind == TypeKind::ListType && a.element == TypeKind::TensorType && listOfInts;
}

bool isSmaller(const Overload& a, const Overload& b) {
    if (a.formals.size() != b.formals.size()) return false;
    bool smaller = false;
    for (std::size_t i = 0; i < a.formals.size(); ++i) {
        const Formal &x = a.formals[i], &y = b.formals[i];
        if (x.kind == y.kind && x.element == y.element) continue;
        if (!isSmaller(x, y)) return false;
        smaller = true;
    }
    return smaller;
}

/// Alphabetical, but a signature waits for those that it is smaller than.
void sortAsPython(std::vector<Overload>& overloads) {
    std::sort(overloads.begin(), overloads.end(),
              [](const Overload& a, const Overload& b) { return a.order < b.order; });
    std::vector<Overload> sorted;
    while (!overloads.empty()) {
        const auto ready = std::find_if(overloads.begin(), overloads.end(), [&](const Overload& candidate) {
            return std::none_of(overloads.begin(), overloads.end(),
                                [&](const Overload& other) { return isSmaller(candidate, other); });
        });
        const auto next = ready == overloads.end() ? overloads.begin() : ready;
        sorted.push_back(std::move(*next));
        overloads.erase(next);
    }
    overloads = std::move(sorted);
}

/// The type as Python's bindings spell it, as far as its place in the alphabet depends on that.
std::string pythonType(const Formal& formal, const c10::Argument& argument) {
    const bool list = formal.kind == TypeKind::ListType;
    std::string out = argument.type()->str();
    switch (list ? formal.element : formal.kind) {
    case TypeKind::IntType:
        out = list ? "IntArrayRef" : "int64_t";
        break;
    case TypeKind::SymIntType:
        out = list ? "SymIntArrayRef" : "SymInt";
        break;
    case TypeKind::FloatType:
        out = list ? "ArrayRef<double>" : "double";
        break;
    case TypeKind::TensorType:
        out = list ? "TensorList" : "Tensor";
        break;
    case TypeKind::NumberType:
        out = list ? "ScalarList" : "Scalar";
        break;
    default:
        break;
    }
    if (list && formal.length) out += '[' + std::to_string(*formal.length) + ']';
    if (formal.optional && !out.ends_with('?')) out += '?';
    return out;
}

std::string orderOf(const std::vector<Formal>& formals, const c10::FunctionSchema& schema) {
    std::string out;
    bool keywordOnly = false;
    for (std::size_t i = 0; i < formals.size(); ++i) {
        if (formals[i].out) continue;
        if (i > 0) out += ", ";
        if (formals[i].keywordOnly && !keywordOnly) out += "*, ";
        keywordOnly |= formals[i].keywordOnly;
        out += pythonType(formals[i], schema.arguments()[i]) + ' ' + formals[i].name;
        if (formals[i].fallback) out += '=';
    }
    return out;
}

bool isHidden(const c10::FunctionSchema& schema, std::string_view name) {
    if (schema.arguments().size() > 64) return true;
    return takesNumbers(name) && schema.overload_name().find("Scalar") != std::string::npos;
}

OverloadMap collectOverloads() {
    OverloadMap out;
    constexpr std::string_view space = "aten::";
    c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
    for (const c10::OperatorName& full : dispatcher.getAllOpNames()) {
        if (!std::string_view(full.name).starts_with(space)) continue;
        const auto op = dispatcher.findSchema(full);
        std::string name = full.name.substr(space.size());
        if (!op || isHidden(op->schema(), name)) continue;
        Overload overload{*op, CallCheck(op->schema()), {}, {}, isFactory(op->schema()), false};
        for (const c10::Argument& argument : op->schema().arguments())
            overload.formals.push_back(formalOf(argument));
        overload.hasOut = std::any_of(overload.formals.begin(), overload.formals.end(),
                                      [](const Formal& formal) { return formal.out; });
        overload.order = orderOf(overload.formals, op->schema());
        out[std::move(name)].push_back(std::move(overload));
    }
    for (auto& [name, overloads] : out)
        sortAsPython(overloads);
    return out;
}

} // namespace

const std::vector<Overload>* overloadsOf(std::string_view name) {
    static const OverloadMap map = collectOverloads();
    const auto found = map.find(std::string(name));
    return found == map.end() ? nullptr : &found->second;
}

bool takesNumbersAsTensors(std::string_view name) {
    return takesNumbers(name);
}

} // namespace dynascope::engine::torch_level
