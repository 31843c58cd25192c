// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/tensor_attributes.h"

#include "core/engine/exec/torch_level/overloads.h"

#include <algorithm>
#include <array>

namespace dynascope::engine::torch_level {

namespace {

struct AttributeRow {
    std::string_view name;
    Value (*get)(const Value&);
};

Value turned(const Value& x, std::string_view name) {
    return aten(name, {x});
}

constexpr std::array<AttributeRow, 32> tensorAttributes{{
    {"shape", [](const Value& x) { return Value(x.tensor().sizes().vec()); }},
    {"dtype", [](const Value& x) { return Value(x.tensor().scalar_type()); }},
    {"device", [](const Value&) { return Value(c10::Device(c10::kCPU)); }},
    {"layout", [](const Value& x) { return Value(x.tensor().layout()); }},
    {"ndim", [](const Value& x) { return Value(x.tensor().dim()); }},
    {"T", [](const Value& x) { return turned(x, "numpy_T"); }},
    {"mT", [](const Value& x) { return turned(x, "mT"); }},
    {"H", [](const Value& x) { return turned(x, "matrix_H"); }},
    {"mH", [](const Value& x) { return turned(x, "mH"); }},
    {"real", [](const Value& x) { return x.isTensor() ? turned(x, "real") : Value(x.real()); }},
    {"imag", [](const Value& x) { return turned(x, "imag"); }},
    {"data", [](const Value& x) { return turned(x, "detach"); }},
    {"grad", [](const Value& x) { return Value(x.tensor().grad()); }},
    {"requires_grad", [](const Value& x) { return Value(x.tensor().requires_grad()); }},
    {"is_leaf", [](const Value& x) { return Value(x.tensor().is_leaf()); }},
    {"itemsize", [](const Value& x) { return Value(static_cast<std::int64_t>(x.tensor().itemsize())); }},
    {"nbytes", [](const Value& x) { return Value(static_cast<std::int64_t>(x.tensor().nbytes())); }},
    {"is_cpu", [](const Value&) { return Value(true); }},
    {"is_cuda", [](const Value&) { return Value(false); }},
    {"is_xpu", [](const Value&) { return Value(false); }},
    {"is_mps", [](const Value&) { return Value(false); }},
    {"is_meta", [](const Value&) { return Value(false); }},
    {"is_mkldnn", [](const Value&) { return Value(false); }},
    {"is_sparse", [](const Value& x) { return Value(x.tensor().is_sparse()); }},
    {"is_quantized", [](const Value& x) { return Value(x.tensor().is_quantized()); }},
    {"is_nested", [](const Value& x) { return Value(x.tensor().is_nested()); }},
    {"retains_grad", [](const Value& x) { return Value(x.tensor().retains_grad()); }},
    {"_version", [](const Value& x) { return Value(static_cast<std::int64_t>(x.tensor()._version())); }},
    {"values", [](const Value& x) { return x.items().at(0); }},
    {"indices", [](const Value& x) { return x.items().at(1); }},
    {"type", [](const Value&) { return Value("cpu"); }},
    {"index", [](const Value&) { return Value(); }},
}};

const AttributeRow* rowOf(std::string_view name) {
    const auto found = std::find_if(tensorAttributes.begin(), tensorAttributes.end(),
                                    [&](const AttributeRow& row) { return row.name == name; });
    return found == tensorAttributes.end() ? nullptr : &*found;
}

Value dtypeAttribute(c10::ScalarType type, std::string_view name) {
    if (name == "is_floating_point") return c10::isFloatingType(type);
    if (name == "is_complex") return c10::isComplexType(type);
    if (name == "itemsize") return static_cast<std::int64_t>(c10::elementSize(type));
    TORCH_CHECK_TYPE(false, "a dtype has no attribute '", name, "' here");
}

Value sliceAttribute(const Value& slice, std::string_view name) {
    if (name == "start") return slice.items()[0];
    if (name == "stop") return slice.items()[1];
    TORCH_CHECK_TYPE(name == "step", "a slice has no attribute '", name, '\'');
    return slice.items()[2];
}

} // namespace

bool isAttribute(std::string_view name) {
    return rowOf(name) != nullptr || name == "start" || name == "stop" || name == "step" ||
           name == "is_floating_point" || name == "is_complex" || name == "device.type" ||
           name == "device.index";
}

Value attribute(const Value& x, std::string_view name) {
    if (const std::size_t dot = name.find('.'); dot != std::string_view::npos)
        return attribute(attribute(x, name.substr(0, dot)), name.substr(dot + 1));
    if (x.kind() == Value::Kind::Dtype) return dtypeAttribute(x.dtype(), name);
    if (x.kind() == Value::Kind::Slice) return sliceAttribute(x, name);
    const AttributeRow* row = rowOf(name);
    TORCH_CHECK_TYPE(row, "the attribute '", name, "' of a ", x.typeName(), " is not supported");
    return row->get(x);
}

} // namespace dynascope::engine::torch_level
