// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/value.h"

#include <ATen/core/List.h>
#include <ATen/core/jit_type.h>

namespace dynascope::engine::torch_level {

namespace {

using c10::IValue;

/// What IValue has no kind for.
struct Boxed : torch::CustomClassHolder {
    explicit Boxed(Value v)
        : value(std::move(v)) {}
    Value value;
};

IValue boxed(const Value& value) {
    return IValue::make_capsule(c10::make_intrusive<Boxed>(value));
}

} // namespace

Value::Value() = default;
Value::Value(const Value& other) = default;
Value::Value(Value&& other) noexcept = default;
// By way of a value of its own: what is assigned may be one of the items that go with the old value.
Value& Value::operator=(const Value& other) {
    return *this = Value(other);
}
Value& Value::operator=(Value&& other) noexcept {
    Value taken(std::move(other));
    std::swap(m_kind, taken.m_kind);
    std::swap(m_value, taken.m_value);
    std::swap(m_items, taken.m_items);
    std::swap(m_program, taken.m_program);
    return *this;
}
Value::~Value() = default;

Value::Value(at::Tensor tensor)
    : m_kind(tensor.defined() ? Kind::Tensor : Kind::None) {
    if (tensor.defined()) m_value = IValue(std::move(tensor));
}
Value::Value(bool value)
    : m_kind(Kind::Bool)
    , m_value(value) {}
Value::Value(std::int64_t value)
    : m_kind(Kind::Int)
    , m_value(value) {}
Value::Value(double value)
    : m_kind(Kind::Float)
    , m_value(value) {}
Value::Value(c10::complex<double> value)
    : m_kind(Kind::Complex)
    , m_value(value) {}
Value::Value(std::string text)
    : m_kind(Kind::String)
    , m_value(std::move(text)) {}
Value::Value(c10::ScalarType dtype)
    : m_kind(Kind::Dtype)
    , m_value(dtype) {}
Value::Value(c10::Layout layout)
    : m_kind(Kind::Layout)
    , m_value(layout) {}
Value::Value(c10::MemoryFormat format)
    : m_kind(Kind::MemoryFormat)
    , m_value(format) {}
Value::Value(c10::Device device)
    : m_kind(Kind::Device)
    , m_value(device) {}

Value::Value(const c10::Scalar& number)
    : m_kind(number.isBoolean()         ? Kind::Bool
             : number.isIntegral(false) ? Kind::Int
             : number.isComplex()       ? Kind::Complex
                                        : Kind::Float)
    , m_value(number) {}

Value::Value(const std::vector<std::int64_t>& sizes)
    : m_kind(Kind::Tuple)
    , m_items(sizes.begin(), sizes.end()) {}

Value Value::list(std::vector<Value> items) {
    Value out;
    out.m_kind = Kind::List;
    out.m_items = std::move(items);
    return out;
}

Value Value::tuple(std::vector<Value> items) {
    Value out = list(std::move(items));
    out.m_kind = Kind::Tuple;
    return out;
}

Value Value::dict(std::vector<Value> keysAndValues) {
    Value out = list(std::move(keysAndValues));
    out.m_kind = Kind::Dict;
    return out;
}

Value Value::slice(Value start, Value stop, Value step) {
    Value out;
    out.m_kind = Kind::Slice;
    out.m_items = {std::move(start), std::move(stop), std::move(step)};
    return out;
}

Value Value::ellipsis() {
    Value out;
    out.m_kind = Kind::Ellipsis;
    return out;
}

Value Value::graph(std::shared_ptr<const Program> program) {
    Value out;
    out.m_kind = Kind::Graph;
    out.m_program = std::move(program);
    return out;
}

Value Value::from(const IValue& value) {
    if (value.isNone()) return {};
    if (value.isTensor()) return value.toTensor();
    if (value.isBool()) return value.toBool();
    if (value.isInt()) return value.toInt();
    if (value.isDouble()) return value.toDouble();
    if (value.isComplexDouble()) return value.toComplexDouble();
    if (value.isString()) return value.toStringRef();
    if (value.isDevice()) return value.toDevice();
    if (value.isSymInt()) return value.toSymInt().expect_int();
    if (value.isTuple() || value.isList()) {
        std::vector<Value> items;
        if (value.isTuple()) {
            for (const IValue& item : value.toTupleRef().elements())
                items.push_back(from(item));
            return tuple(std::move(items));
        }
        for (const IValue& item : value.toListRef())
            items.push_back(from(item));
        return list(std::move(items));
    }
    if (value.isCapsule()) {
        const auto held = value.toCapsule();
        if (const auto* box = dynamic_cast<const Boxed*>(held.get())) return box->value;
    }
    TORCH_CHECK(false, "a value of kind ", value.tagKind(), " is not supported");
}

IValue Value::toIValue() const {
    switch (m_kind) {
    case Kind::Tuple: {
        std::vector<IValue> items;
        for (const Value& item : m_items)
            items.push_back(item.toIValue());
        return c10::ivalue::Tuple::create(std::move(items));
    }
    case Kind::List: {
        c10::impl::GenericList items(c10::AnyType::get());
        for (const Value& item : m_items)
            items.push_back(item.toIValue());
        return items;
    }
    case Kind::Dtype:
    case Kind::Layout:
    case Kind::MemoryFormat:
    case Kind::Dict:
    case Kind::Slice:
    case Kind::Ellipsis:
    case Kind::Graph:
        return boxed(*this);
    default:
        return m_value;
    }
}

const at::Tensor& Value::tensor() const {
    TORCH_CHECK_TYPE(m_kind == Kind::Tensor, "a Tensor is needed here, not ", typeName());
    return m_value.toTensor();
}

std::optional<at::Tensor> Value::optionalTensor() const {
    if (isNone()) return std::nullopt;
    return tensor();
}

bool Value::flag() const {
    if (m_kind == Kind::Int) return m_value.toInt() != 0;
    TORCH_CHECK_TYPE(m_kind == Kind::Bool, "a bool is needed here, not ", typeName());
    return m_value.toBool();
}

std::int64_t Value::integer() const {
    if (m_kind == Kind::Bool) return m_value.toBool() ? 1 : 0;
    if (m_kind == Kind::Tensor) return m_value.toTensor().item().toLong();
    TORCH_CHECK_TYPE(m_kind == Kind::Int, "an int is needed here, not ", typeName());
    return m_value.toInt();
}

double Value::real() const {
    if (m_kind == Kind::Tensor) return m_value.toTensor().item().toDouble();
    TORCH_CHECK_TYPE(isNumber() && m_kind != Kind::Complex, "a real number is needed here, not ", typeName());
    return m_value.toScalar().toDouble();
}

c10::Scalar Value::scalar() const {
    TORCH_CHECK_TYPE(isNumber(), "a number is needed here, not ", typeName());
    return m_value.toScalar();
}

const std::string& Value::text() const {
    TORCH_CHECK_TYPE(m_kind == Kind::String, "a str is needed here, not ", typeName());
    return m_value.toStringRef();
}

c10::ScalarType Value::dtype() const {
    TORCH_CHECK_TYPE(m_kind == Kind::Dtype, "a dtype is needed here, not ", typeName());
    return m_value.toScalarType();
}

c10::Layout Value::layout() const {
    TORCH_CHECK_TYPE(m_kind == Kind::Layout, "a layout is needed here, not ", typeName());
    return m_value.toLayout();
}

c10::MemoryFormat Value::memoryFormat() const {
    TORCH_CHECK_TYPE(m_kind == Kind::MemoryFormat, "a memory format is needed here, not ", typeName());
    return m_value.toMemoryFormat();
}

const std::vector<Value>& Value::items() const {
    TORCH_CHECK_TYPE(isSequence() || m_kind == Kind::Dict || m_kind == Kind::Slice,
                     "a sequence is needed here, not ", typeName());
    return m_items;
}

std::vector<std::int64_t> Value::integers() const {
    std::vector<std::int64_t> out;
    for (const Value& item : items())
        out.push_back(item.integer());
    return out;
}

std::vector<at::Tensor> Value::tensors() const {
    std::vector<at::Tensor> out;
    for (const Value& item : items())
        out.push_back(item.tensor());
    return out;
}

const std::shared_ptr<const Program>& Value::program() const {
    TORCH_CHECK_TYPE(m_kind == Kind::Graph, "a graph is needed here, not ", typeName());
    return m_program;
}

std::string_view Value::typeName() const {
    switch (m_kind) {
    case Kind::None:
        return "None";
    case Kind::Bool:
        return "bool";
    case Kind::Int:
        return "int";
    case Kind::Float:
        return "float";
    case Kind::Complex:
        return "complex";
    case Kind::String:
        return "str";
    case Kind::Tensor:
        return "Tensor";
    case Kind::Dtype:
        return "torch.dtype";
    case Kind::Layout:
        return "torch.layout";
    case Kind::MemoryFormat:
        return "torch.memory_format";
    case Kind::Device:
        return "torch.device";
    case Kind::List:
        return "list";
    case Kind::Tuple:
        return "tuple";
    case Kind::Dict:
        return "dict";
    case Kind::Slice:
        return "slice";
    case Kind::Ellipsis:
        return "Ellipsis";
    case Kind::Graph:
        return "GraphModule";
    }
    return {};
}

} // namespace dynascope::engine::torch_level
