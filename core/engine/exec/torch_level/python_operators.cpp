// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/python_operators.h"

#include "core/engine/exec/torch_level/indexing.h"
#include "core/engine/exec/torch_level/numbers.h"
#include "core/engine/exec/torch_level/overloads.h"
#include "core/engine/exec/torch_level/tensor_attributes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace dynascope::engine::torch_level {

namespace {

using Kind = Value::Kind;

/// One binary operator: Python's name, ATen's name for tensor @ any, and ATen's name in place.
struct BinaryRow {
    Binary op;
    std::string_view name;    ///< "add"; the method is __add__
    std::string_view tensor;  ///< "add"
    std::string_view inPlace; ///< "add_"; empty where Python has none
};
constexpr std::array<BinaryRow, 19> binaries{{
    {Binary::Add, "add", "add", "add_"},
    {Binary::Sub, "sub", "sub", "sub_"},
    {Binary::Mul, "mul", "mul", "mul_"},
    {Binary::TrueDiv, "truediv", "div", "div_"},
    {Binary::FloorDiv, "floordiv", "floor_divide", "floor_divide_"},
    {Binary::Mod, "mod", "remainder", "remainder_"},
    {Binary::Pow, "pow", "pow", "pow_"},
    {Binary::MatMul, "matmul", "matmul", ""},
    {Binary::And, "and", "__and__", "__iand__"},
    {Binary::Or, "or", "__or__", "__ior__"},
    {Binary::Xor, "xor", "__xor__", "__ixor__"},
    {Binary::LShift, "lshift", "__lshift__", "__ilshift__"},
    {Binary::RShift, "rshift", "__rshift__", "__irshift__"},
    {Binary::Eq, "eq", "eq", ""},
    {Binary::Ne, "ne", "ne", ""},
    {Binary::Lt, "lt", "lt", ""},
    {Binary::Le, "le", "le", ""},
    {Binary::Gt, "gt", "gt", ""},
    {Binary::Ge, "ge", "ge", ""},
}};

/// number @ tensor, as Tensor's reflected methods do it. They do the same with a tensor for a number.
Value reflected(Binary op, const Value& number, const Value& tensor) {
    switch (op) {
    case Binary::Add:
        return aten("add", {tensor, number});
    case Binary::Mul:
        return aten("mul", {tensor, number});
    case Binary::Sub:
        return aten("rsub", {tensor, number});
    case Binary::TrueDiv:
        return aten("mul", {aten("reciprocal", {tensor}), number});
    case Binary::FloorDiv:
        return aten("floor_divide", {number, tensor});
    case Binary::Mod:
        return aten("remainder", {number, tensor});
    case Binary::Pow:
        return aten("pow", {number, tensor});
    case Binary::And:
        return aten("bitwise_and", {tensor, number});
    case Binary::Or:
        return aten("bitwise_or", {tensor, number});
    case Binary::Xor:
        return aten("bitwise_xor", {tensor, number});
    case Binary::LShift:
        return aten("bitwise_left_shift", {number, tensor});
    case Binary::RShift:
        return aten("bitwise_right_shift", {number, tensor});
    case Binary::Eq:
        return aten("eq", {tensor, number});
    case Binary::Ne:
        return aten("ne", {tensor, number});
    case Binary::Lt:
        return aten("gt", {tensor, number});
    case Binary::Le:
        return aten("ge", {tensor, number});
    case Binary::Gt:
        return aten("lt", {tensor, number});
    case Binary::Ge:
        return aten("le", {tensor, number});
    case Binary::MatMul:
        if (number.isTensor()) return aten("matmul", {number, tensor});
        break;
    }
    TORCH_CHECK_TYPE(false, "unsupported operand types: ", number.typeName(), " and Tensor");
}

Value binary(const BinaryRow& row, const Value& left, const Value& right) {
    if (left.isTensor() && (right.isTensor() || right.isNumber())) return aten(row.tensor, {left, right});
    if (right.isTensor() && left.isNumber()) return reflected(row.op, left, right);
    return plainBinary(row.op, left, right);
}

Value inPlace(const BinaryRow& row, const Value& left, const Value& right) {
    if (left.isTensor() && !row.inPlace.empty()) return aten(row.inPlace, {left, right});
    return binary(row, left, right);
}

const Value& only(const Call& call, std::size_t count, std::size_t index) {
    TORCH_CHECK_TYPE(call.args.size() == count && call.kwargs.empty(), "takes ", count, " arguments, not ",
                     call.args.size() + call.kwargs.size());
    return call.args[index];
}

std::string_view withoutUnderscore(std::string_view name) {
    return name.ends_with('_') ? name.substr(0, name.size() - 1) : name;
}

const BinaryRow* binaryRow(std::string_view name) {
    const auto found = std::find_if(binaries.begin(), binaries.end(),
                                    [&](const BinaryRow& row) { return row.name == name; });
    return found == binaries.end() ? nullptr : &*found;
}

std::optional<Function> binaryFunction(std::string_view name) {
    if (const BinaryRow* row = binaryRow(withoutUnderscore(name)))
        return [row](const Call& call) { return binary(*row, only(call, 2, 0), call.args[1]); };
    if (!name.starts_with('i')) return std::nullopt;
    if (const BinaryRow* row = binaryRow(name.substr(1)))
        return [row](const Call& call) { return inPlace(*row, only(call, 2, 0), call.args[1]); };
    if (name == "iconcat")
        return [](const Call& call) { return plainBinary(Binary::Add, only(call, 2, 0), call.args[1]); };
    return std::nullopt;
}

Value unary(std::string_view tensorName, const Value& value, Value (*plain)(const Value&)) {
    return value.isTensor() ? aten(tensorName, {value}) : plain(value);
}

Value inverted(const Value& number) {
    return number.isBool() ? Value(~number.integer()) : plainBinary(Binary::Sub, -1, number);
}

Value contains(const Value& container, const Value& item) {
    if (container.isTensor()) return truth(aten("any", {aten("eq", {container, item})}));
    return std::any_of(container.items().begin(), container.items().end(),
                       [&](const Value& one) { return equal(one, item); });
}

/// max(a, b, ...) or max(sequence).
Value extreme(const Arguments& arguments, const char* tensorName, Binary keeps) {
    const std::vector<Value>& given = arguments["values"].items();
    if (given.size() == 1 && given[0].isTensor()) return aten(tensorName, {given[0]});
    const std::vector<Value>& items = given.size() == 1 ? given[0].items() : given;
    TORCH_CHECK_VALUE(!items.empty(), tensorName, "() of nothing");
    const BinaryRow& row = *binaryRow(keeps == Binary::Gt ? "gt" : "lt");
    Value out = items[0];
    for (std::size_t i = 1; i < items.size(); ++i) {
        if (truth(binary(row, items[i], out))) out = items[i];
    }
    return out;
}

Value lengthOf(const Value& value) {
    if (value.isString()) return static_cast<std::int64_t>(value.text().size());
    if (value.kind() == Kind::Dict) return static_cast<std::int64_t>(value.items().size() / 2);
    if (!value.isTensor()) return static_cast<std::int64_t>(value.items().size());
    TORCH_CHECK_TYPE(value.tensor().dim() > 0, "len() of a 0-d tensor");
    return value.tensor().size(0);
}

Value toInt(const Value& value) {
    if (value.kind() == Kind::Float) return *mathFunction("trunc", {value});
    return value.integer();
}

Value sequenceItems(const Value& value) {
    return value.isTensor() ? aten("unbind", {value}) : value;
}

Value rangeOf(const std::vector<Value>& bounds) {
    constexpr std::int64_t maxItems = 1 << 20;
    TORCH_CHECK_TYPE(!bounds.empty() && bounds.size() <= 3, "range takes one to three arguments");
    const std::int64_t start = bounds.size() == 1 ? 0 : bounds[0].integer();
    const std::int64_t stop = bounds.size() == 1 ? bounds[0].integer() : bounds[1].integer();
    const std::int64_t step = bounds.size() == 3 ? bounds[2].integer() : 1;
    TORCH_CHECK_VALUE(step != 0, "range() arg 3 must not be zero");
    std::vector<Value> out;
    for (std::int64_t i = start; step > 0 ? i < stop : i > stop; i += step) {
        TORCH_CHECK(static_cast<std::int64_t>(out.size()) < maxItems, "a range of more than ", maxItems,
                    " items is not supported");
        out.emplace_back(i);
    }
    return Value::list(std::move(out));
}

Value rounded(const Value& value, const Value& digits) {
    if (value.isTensor())
        return digits.isNone() ? aten("round", {value}) : aten("round", {value}, {{"decimals", digits}});
    if (value.kind() != Kind::Float) return value.integer();
    if (digits.isNone()) return *mathFunction("trunc", {std::nearbyint(value.real())});
    const double scale = std::pow(10.0, digits.real());
    return std::nearbyint(value.real() * scale) / scale;
}

Value summed(const Value& values, const Value& start) {
    Value out = start;
    const BinaryRow& add = *binaryRow("add");
    const Value sequence = sequenceItems(values);
    for (const Value& item : sequence.items())
        out = binary(add, out, item);
    return out;
}

constexpr std::array operatorTable{
    Entry{"getitem", "a, b", [](const Arguments& a) { return getItem(a["a"], a["b"]); }},
    Entry{"setitem", "a, b, c",
          [](const Arguments& a) {
              setItem(a["a"], a["b"], a["c"]);
              return Value();
          }},
    Entry{"neg", "a", [](const Arguments& a) { return unary("neg", a["a"], negated); }},
    Entry{"pos", "a", [](const Arguments& a) { return a["a"]; }},
    Entry{"abs", "a", [](const Arguments& a) { return unary("abs", a["a"], absolute); }},
    Entry{"invert", "a", [](const Arguments& a) { return unary("bitwise_not", a["a"], inverted); }},
    Entry{"inv", "a", [](const Arguments& a) { return unary("bitwise_not", a["a"], inverted); }},
    Entry{"not_", "a", [](const Arguments& a) { return Value(!truth(a["a"])); }},
    Entry{"truth", "a", [](const Arguments& a) { return Value(truth(a["a"])); }},
    Entry{"index", "a", [](const Arguments& a) { return Value(a["a"].integer()); }},
    Entry{"is_", "a, b", [](const Arguments& a) { return Value(equal(a["a"], a["b"])); }},
    Entry{"is_not", "a, b", [](const Arguments& a) { return Value(!equal(a["a"], a["b"])); }},
    Entry{"contains", "a, b", [](const Arguments& a) { return contains(a["a"], a["b"]); }},
    Entry{"concat", "a, b", [](const Arguments& a) { return plainBinary(Binary::Add, a["a"], a["b"]); }},
    Entry{"length_hint", "a", [](const Arguments& a) { return lengthOf(a["a"]); }},
};

constexpr std::array builtinTable{
    Entry{"abs", "x", [](const Arguments& a) { return unary("abs", a["x"], absolute); }},
    Entry{"max", "*values", [](const Arguments& a) { return extreme(a, "max", Binary::Gt); }},
    Entry{"min", "*values", [](const Arguments& a) { return extreme(a, "min", Binary::Lt); }},
    Entry{"sum", "values, start=0", [](const Arguments& a) { return summed(a["values"], a["start"]); }},
    Entry{"len", "x", [](const Arguments& a) { return lengthOf(a["x"]); }},
    Entry{"int", "x=0", [](const Arguments& a) { return toInt(a["x"]); }},
    Entry{"float", "x=0.0", [](const Arguments& a) { return Value(a["x"].real()); }},
    Entry{"bool", "x=False", [](const Arguments& a) { return Value(truth(a["x"])); }},
    Entry{"round", "x, ndigits=None", [](const Arguments& a) { return rounded(a["x"], a["ndigits"]); }},
    Entry{"pow", "x, y", [](const Arguments& a) { return binary(*binaryRow("pow"), a["x"], a["y"]); }},
    Entry{"divmod", "x, y",
          [](const Arguments& a) {
              return Value::tuple({binary(*binaryRow("floordiv"), a["x"], a["y"]),
                                   binary(*binaryRow("mod"), a["x"], a["y"])});
          }},
    Entry{"all", "x",
          [](const Arguments& a) {
              const Value items = sequenceItems(a["x"]);
              return Value(std::all_of(items.items().begin(), items.items().end(), truth));
          }},
    Entry{"any", "x",
          [](const Arguments& a) {
              const Value items = sequenceItems(a["x"]);
              return Value(std::any_of(items.items().begin(), items.items().end(), truth));
          }},
    Entry{"list", "x=()", [](const Arguments& a) { return Value::list(sequenceItems(a["x"]).items()); }},
    Entry{"tuple", "x=()", [](const Arguments& a) { return Value::tuple(sequenceItems(a["x"]).items()); }},
    Entry{"range", "*bounds", [](const Arguments& a) { return rangeOf(a["bounds"].items()); }},
    Entry{"slice", "*bounds",
          [](const Arguments& a) {
              const std::vector<Value>& b = a["bounds"].items();
              TORCH_CHECK_TYPE(!b.empty() && b.size() <= 3, "slice takes one to three arguments");
              return b.size() == 1 ? Value::slice({}, b[0], {})
                                   : Value::slice(b[0], b[1], b.size() == 3 ? b[2] : Value());
          }},
    Entry{"getattr", "x, name", [](const Arguments& a) { return attribute(a["x"], a["name"].text()); }},
};

/// Functions of torch on symbolic numbers; here they are plain numbers.
constexpr std::array symbolicTable{
    Entry{"sym_float", "a", [](const Arguments& a) { return Value(a["a"].real()); }},
    Entry{"sym_int", "a", [](const Arguments& a) { return toInt(a["a"]); }},
    Entry{"sym_not", "a", [](const Arguments& a) { return Value(!truth(a["a"])); }},
    Entry{
        "sym_max", "a, b",
        [](const Arguments& a) { return plainBinary(Binary::Gt, a["b"], a["a"]).flag() ? a["b"] : a["a"]; }},
    Entry{
        "sym_min", "a, b",
        [](const Arguments& a) { return plainBinary(Binary::Lt, a["b"], a["a"]).flag() ? a["b"] : a["a"]; }},
    Entry{"sym_ite", "b, t, f", [](const Arguments& a) { return truth(a["b"]) ? a["t"] : a["f"]; }},
    Entry{"sym_sum", "values", [](const Arguments& a) { return summed(a["values"], 0); }},
    Entry{"sym_fresh_size", "a", [](const Arguments& a) { return a["a"]; }},
    Entry{"Size", "sizes=()",
          [](const Arguments& a) { return Value::tuple(sequenceItems(a["sizes"]).items()); }},
};

std::optional<Function> mathFunctionOf(std::string_view name) {
    if (!isMathFunction(name)) return std::nullopt;
    return [name = std::string(name)](const Call& call) {
        const std::optional<Value> value = mathFunction(name, call.args);
        TORCH_CHECK_TYPE(value && call.kwargs.empty(), "math.", name, " takes a number");
        return *value;
    };
}

template <typename Table>
std::optional<Function> fromTable(const Table& table, std::string_view name) {
    if (const Entry* entry = findEntry(table, name)) return functionOf(*entry);
    return std::nullopt;
}

bool takePrefix(std::string_view& target, std::string_view prefix) {
    if (!target.starts_with(prefix)) return false;
    target.remove_prefix(prefix.size());
    return true;
}

} // namespace

std::optional<Function> pythonFunction(std::string_view target) {
    if (takePrefix(target, "operator.") || takePrefix(target, "_operator.")) {
        if (auto found = fromTable(operatorTable, target)) return found;
        return binaryFunction(target);
    }
    if (takePrefix(target, "builtins.")) return fromTable(builtinTable, target);
    if (takePrefix(target, "math.")) return mathFunctionOf(target);
    if (takePrefix(target, "torch._sym_")) return mathFunctionOf(target);
    if (target == "torch.Size") return fromTable(symbolicTable, "Size");
    if (takePrefix(target, "torch.sym_")) return fromTable(symbolicTable, "sym_" + std::string(target));
    return std::nullopt;
}

std::optional<Function> operatorMethod(std::string_view name) {
    if (name.size() < 5 || !name.starts_with("__") || !name.ends_with("__")) return std::nullopt;
    const std::string_view bare = name.substr(2, name.size() - 4);
    if (bare == "getitem" || bare == "setitem" || bare == "neg" || bare == "pos" || bare == "abs" ||
        bare == "invert" || bare == "contains" || bare == "index")
        return fromTable(operatorTable, bare);
    if (bare == "len" || bare == "bool" || bare == "int" || bare == "float")
        return fromTable(builtinTable, bare);
    const auto reflectedRow = [](const BinaryRow* row) -> Function {
        return [row](const Call& call) {
            const Value &tensor = only(call, 2, 0), &other = call.args[1];
            return tensor.isTensor() ? reflected(row->op, other, tensor) : binary(*row, other, tensor);
        };
    };
    if (bare == "rdiv") return reflectedRow(binaryRow("truediv"));
    if (bare == "div") return binaryFunction("truediv");
    if (bare == "idiv") return binaryFunction("itruediv");
    if (auto found = binaryFunction(bare)) return found;
    if (bare.starts_with('r') && binaryRow(bare.substr(1))) return reflectedRow(binaryRow(bare.substr(1)));
    return std::nullopt;
}

} // namespace dynascope::engine::torch_level
