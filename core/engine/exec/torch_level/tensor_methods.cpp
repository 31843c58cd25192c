// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/literals.h"
#include "core/engine/exec/torch_level/overloads.h"
#include "core/engine/exec/torch_level/tensor_attributes.h"
#include "core/engine/exec/torch_level/torch_functions.h"
#include "core/engine/exec/torch_words.h"

#include <array>

namespace dynascope::engine::torch_level {

namespace {

using Kind = Value::Kind;

Value sizeOf(const Arguments& a) {
    const at::Tensor& tensor = a["self"].tensor();
    if (a["dim"].isNone()) return Value(tensor.sizes().vec());
    return tensor.size(a["dim"].integer());
}

Value strideOf(const Arguments& a) {
    const at::Tensor& tensor = a["self"].tensor();
    if (a["dim"].isNone()) return Value(tensor.strides().vec());
    return tensor.stride(a["dim"].integer());
}

Value nested(const at::Tensor& tensor) {
    if (tensor.dim() == 0) return Value(tensor.item());
    std::vector<Value> out;
    for (std::int64_t i = 0; i < tensor.size(0); ++i)
        out.push_back(nested(tensor.select(0, i)));
    return Value::list(std::move(out));
}

/// What the positional and named arguments of Tensor.to ask for.
struct Conversion {
    bool device = false;
    std::optional<c10::ScalarType> dtype;
    Value format;
    Value nonBlocking = false, copy = false;
};

Conversion conversionFrom(const Call& call) {
    Conversion out;
    std::size_t flags = 0;
    const auto take = [&](std::string_view name, const Value& value) {
        if (name == "dtype" || (name.empty() && value.kind() == Kind::Dtype)) {
            if (!value.isNone()) out.dtype = value.dtype();
        } else if (name == "device" || (name.empty() && (value.kind() == Kind::Device || value.isString()))) {
            out.device |= !value.isNone();
        } else if (name == "memory_format") {
            out.format = value;
        } else if (name == "copy" || (name.empty() && value.isBool() && flags == 1)) {
            out.copy = value;
        } else if (name == "non_blocking" || (name.empty() && value.isBool() && flags++ == 0)) {
            out.nonBlocking = value;
        } else if (name == "other" || (name.empty() && value.isTensor())) {
            out.device = true;
            out.dtype = value.tensor().scalar_type();
        } else {
            TORCH_CHECK_TYPE(name.empty() && value.isNone(), "to() takes no ", value.typeName(), " there");
        }
    };
    for (std::size_t i = 1; i < call.args.size(); ++i)
        take({}, call.args[i]);
    for (const auto& [name, value] : call.kwargs)
        take(name, value);
    return out;
}

/// Which overload of aten::to Python calls.
Value convert(const Call& call) {
    TORCH_CHECK_TYPE(!call.args.empty(), "to() needs a tensor");
    const Value& self = call.args[0];
    static_cast<void>(self.tensor());
    const Conversion to = conversionFrom(call);
    const auto cpu = Value(c10::Device(c10::kCPU));
    if (!to.device && !to.dtype) {
        if (!to.copy.flag() && to.format.isNone()) return self;
        return aten("to", {self, Value(self.tensor().scalar_type()), to.nonBlocking, to.copy, to.format});
    }
    if (!to.device) return aten("to", {self, Value(*to.dtype), to.nonBlocking, to.copy, to.format});
    if (!to.dtype)
        return aten("to", {self},
                    {{"layout", Value(self.tensor().layout())},
                     {"device", cpu},
                     {"non_blocking", to.nonBlocking},
                     {"copy", to.copy},
                     {"memory_format", to.format}});
    return aten("to", {self, cpu, Value(*to.dtype), to.nonBlocking, to.copy, to.format});
}

Value toDevice(const Arguments& a) {
    return convert(Call{{a["self"], Value(c10::Device(c10::kCPU))}, {{"memory_format", a["memory_format"]}}});
}

Value typeOf(const Arguments& a) {
    if (a["dtype"].kind() == Kind::Dtype) return aten("to", {a["self"], a["dtype"]});
    TORCH_CHECK_TYPE(a["dtype"].isString(), "type() without a dtype is not supported");
    // "torch.FloatTensor" and "torch.cuda.FloatTensor"
    std::string word = a["dtype"].text();
    if (const std::size_t dot = word.rfind('.'); dot != std::string::npos) word.erase(0, dot + 1);
    if (word.ends_with("Tensor")) word.resize(word.size() - 6);
    for (char& c : word)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto type = dtypeFromName(word);
    TORCH_CHECK_TYPE(type, "type() does not know '", a["dtype"].text(), "'");
    return aten("to", {a["self"], Value(*type)});
}

Value newTensor(const Arguments& a) {
    const c10::ScalarType type = a["dtype"].isNone() ? a["self"].tensor().scalar_type() : a["dtype"].dtype();
    return requiringGrad(tensorFrom(a["data"], type), a["requires_grad"]);
}

Value requiresGrad(const Arguments& a) {
    at::Tensor tensor = a["self"].tensor();
    tensor.requires_grad_(a["requires_grad"].flag());
    return tensor;
}

/// x.float() and the like.
struct Cast {
    std::string_view name;
    c10::ScalarType type;
};
constexpr std::array<Cast, 12> casts{{
    {"float", at::kFloat},
    {"double", at::kDouble},
    {"half", at::kHalf},
    {"bfloat16", at::kBFloat16},
    {"int", at::kInt},
    {"long", at::kLong},
    {"short", at::kShort},
    {"char", at::kChar},
    {"byte", at::kByte},
    {"bool", at::kBool},
    {"cfloat", at::kComplexFloat},
    {"cdouble", at::kComplexDouble},
}};

constexpr std::array table{
    Entry{"size", "self, dim=None", sizeOf},
    Entry{"stride", "self, dim=None", strideOf},
    Entry{"dim", "self", [](const Arguments& a) { return Value(a["self"].tensor().dim()); }},
    Entry{"ndimension", "self", [](const Arguments& a) { return Value(a["self"].tensor().dim()); }},
    Entry{"numel", "self", [](const Arguments& a) { return Value(a["self"].tensor().numel()); }},
    Entry{"nelement", "self", [](const Arguments& a) { return Value(a["self"].tensor().numel()); }},
    Entry{"element_size", "self",
          [](const Arguments& a) { return Value(static_cast<std::int64_t>(a["self"].tensor().itemsize())); }},
    Entry{"storage_offset", "self",
          [](const Arguments& a) { return Value(a["self"].tensor().storage_offset()); }},
    Entry{"item", "self", [](const Arguments& a) { return Value(a["self"].tensor().item()); }},
    Entry{"tolist", "self", [](const Arguments& a) { return nested(a["self"].tensor()); }},
    Entry{"is_contiguous", "self, *, memory_format=None",
          [](const Arguments& a) {
              const Value& format = a["memory_format"];
              return Value(a["self"].tensor().is_contiguous(format.isNone() ? c10::MemoryFormat::Contiguous
                                                                            : format.memoryFormat()));
          }},
    Entry{"cpu", "self, *, memory_format=None", toDevice},
    Entry{"cuda", "self, device=None, non_blocking=False, *, memory_format=None", toDevice},
    Entry{"xpu", "self, device=None, non_blocking=False, *, memory_format=None", toDevice},
    Entry{"type", "self, dtype=None, non_blocking=False", typeOf},
    Entry{"new_tensor", "self, data, *, dtype=None, device=None, requires_grad=False", newTensor},
    Entry{"requires_grad_", "self, requires_grad=True", requiresGrad},
    Entry{"get_device", "self", [](const Arguments&) { return Value(-1); }},
    Entry{"is_shared", "self", [](const Arguments&) { return Value(false); }},
    Entry{"is_pinned", "self, device=None", [](const Arguments&) { return Value(false); }},
    Entry{"pin_memory", "self, device=None", [](const Arguments& a) { return a["self"]; }},
    Entry{"norm", "input, p='fro', dim=None, keepdim=False, dtype=None", norm},
    Entry{"where", "self, condition, other", // the function takes the condition first
          [](const Arguments& a) {
              return aten("where", {a["condition"], a["self"], a["other"]});
          }},
    Entry{"nonzero", "input, *, as_tuple=False", nonzero},
    Entry{"split", "tensor, split_size, dim=0",
          [](const Arguments& a) {
              return aten("split", {a["tensor"], a["split_size"], a["dim"]});
          }},
    Entry{"unique", "input, sorted=True, return_inverse=False, return_counts=False, dim=None", unique},
    Entry{"unique_consecutive", "input, return_inverse=False, return_counts=False, dim=None",
          uniqueConsecutive},
};

} // namespace

std::optional<Function> tensorMethod(std::string_view name) {
    if (name == "to") return convert;
    for (const Cast& cast : casts) {
        if (cast.name != name) continue;
        return [type = cast.type](const Call& call) {
            Call with{call.args, call.kwargs, call.context};
            with.args.emplace_back(type);
            return convert(with);
        };
    }
    if (const Entry* entry = findEntry(table, name)) return functionOf(*entry);
    return std::nullopt;
}

} // namespace dynascope::engine::torch_level
