// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/case_values.h"

#include "core/engine/exec/autograd_node.h"
#include "core/engine/exec/seeded_values.h"
#include "core/engine/exec/torch_words.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_conj.h>
#include <ATen/ops/_neg_view.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/view.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <torch/csrc/autograd/functions/basic_ops.h>
#include <torch/csrc/autograd/variable.h>

namespace dynascope::engine {

namespace {

using at::Tensor;
using nlohmann::json;
using Sizes = std::vector<std::int64_t>;

at::ScalarType dtypeOf(const json& spec) {
    const auto name = spec.at("dtype").get<std::string>();
    const auto type = dtypeFromName(name);
    TORCH_CHECK(type, "unknown dtype '", name, "'");
    return *type;
}

double numberFrom(const json& value) {
    if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
    if (!value.is_string()) return value.get<double>();
    const auto word = value.get<std::string>();
    TORCH_CHECK(word == "nan" || word == "inf" || word == "-inf", "'", word, "' is not a number");
    return word == "nan" ? NAN : word == "inf" ? INFINITY : -INFINITY;
}

/// One dimension, of the dtype that the case names.
Tensor flatFrom(const json& data, at::ScalarType type) {
    const auto count = static_cast<std::int64_t>(data.size());
    if (c10::isComplexType(type)) {
        Tensor wide = at::empty({count}, at::kComplexDouble);
        auto* out = wide.mutable_data_ptr<c10::complex<double>>();
        for (const json& item : data)
            *out++ = item.is_array() ? c10::complex<double>(numberFrom(item.at(0)), numberFrom(item.at(1)))
                                     : c10::complex<double>(numberFrom(item), 0);
        return wide.to(type);
    }
    if (c10::isIntegralType(type, true)) {
        Tensor wide = at::empty({count}, at::kLong);
        auto* out = wide.mutable_data_ptr<std::int64_t>();
        for (const json& item : data)
            *out++ = item.is_number_integer() ? item.get<std::int64_t>()
                                              : static_cast<std::int64_t>(numberFrom(item));
        return wide.to(type);
    }
    Tensor wide = at::empty({count}, at::kDouble);
    auto* out = wide.mutable_data_ptr<double>();
    for (const json& item : data)
        *out++ = numberFrom(item);
    return wide.to(type);
}

/// Keeps a wrong case from reading memory that is not its own: Tensor::set_ would grow the storage instead.
void checkInside(const Tensor& storage, const Sizes& shape, const Sizes& stride, std::int64_t offset) {
    TORCH_CHECK(shape.size() == stride.size(), "shape and stride differ in length");
    std::int64_t last = offset;
    bool fits = offset >= 0;
    bool empty = false;
    for (std::size_t i = 0; i < shape.size() && fits; ++i) {
        std::int64_t reach = 0;
        fits = shape[i] >= 0 && stride[i] >= 0 &&
               !__builtin_mul_overflow(std::max<std::int64_t>(shape[i] - 1, 0), stride[i], &reach) &&
               !__builtin_add_overflow(last, reach, &last);
        empty |= shape[i] == 0;
    }
    TORCH_CHECK(fits && (empty || last < storage.numel()), "an input reaches past its storage of ",
                storage.numel(), " elements");
}

json numberOf(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
}

/// The first `most` elements in logical order, and few others.
Tensor firstElements(Tensor tensor, std::int64_t most) {
    for (std::int64_t dim = 0; dim < tensor.dim() && tensor.numel() > most; ++dim) {
        const std::int64_t each = tensor.numel() / tensor.size(dim);
        // Inner dimensions only count where one index of the outer ones is left.
        const std::int64_t kept = std::max<std::int64_t>(1, (most + each - 1) / each);
        tensor = tensor.narrow(dim, 0, std::min(kept, tensor.size(dim)));
        if (kept > 1) break;
    }
    return tensor;
}

wire::Elements dataOf(const Tensor& tensor, std::int64_t most = allElements) {
    json out = json::array();
    const at::AutoGradMode noGrad(false);
    const Tensor flat =
        firstElements(tensor.detach(), most).resolve_conj().resolve_neg().contiguous().cpu().view({-1});
    const auto count = static_cast<std::size_t>(std::min(flat.numel(), most));
    if (flat.is_complex()) {
        const Tensor wide = flat.to(at::kComplexDouble);
        const auto* data = wide.const_data_ptr<c10::complex<double>>();
        for (std::size_t i = 0; i < count; ++i)
            out.push_back({numberOf(data[i].real()), numberOf(data[i].imag())});
    } else if (flat.is_floating_point()) {
        const Tensor wide = flat.to(at::kDouble);
        const auto* data = wide.const_data_ptr<double>();
        for (std::size_t i = 0; i < count; ++i)
            out.push_back(numberOf(data[i]));
    } else {
        const bool isBool = flat.scalar_type() == at::kBool;
        const Tensor wide = flat.to(at::kLong);
        const auto* data = wide.const_data_ptr<std::int64_t>();
        for (std::size_t i = 0; i < count; ++i)
            out.push_back(isBool ? json(data[i] != 0) : json(data[i]));
    }
    return {std::move(out)};
}

const void* storageKey(const Tensor& tensor) {
    if (!tensor.defined()) return nullptr;
    return tensor.storage().unsafeGetStorageImpl();
}

c10::IValue scalarFrom(const json& value) {
    if (value.is_null()) return {};
    if (value.is_boolean()) return value.get<bool>();
    if (value.is_number_integer()) return value.get<std::int64_t>();
    if (value.is_string()) return value.get<std::string>();
    TORCH_CHECK(value.is_number(), "an input is neither a tensor nor a number");
    return value.get<double>();
}

/// Of a number or None.
wire::RunValue plainValue(const c10::IValue& value) {
    wire::RunValue out;
    if (!value.isScalar()) {
        out.none = true;
        return out;
    }
    const c10::Scalar scalar = value.toScalar();
    if (scalar.isComplex()) {
        const auto number = scalar.toComplexDouble();
        out.scalar = wire::Number{std::complex<double>(number.real(), number.imag())};
    } else if (scalar.isBoolean()) {
        out.scalar = wire::Number{scalar.toBool()};
    } else if (scalar.isIntegral(false)) {
        out.scalar = wire::Number{std::int64_t(scalar.toLong())};
    } else {
        out.scalar = wire::Number{scalar.toDouble()};
    }
    return out;
}

/// Gives the tensor a past that backward does not go into.
void putBehindOtherCode(const Tensor& tensor) {
    AutogradNodePtr past = makeAutogradNode<torch::autograd::Error>("the input was computed elsewhere");
    const std::uint32_t number = past->add_input_metadata(tensor);
    torch::autograd::impl::set_gradient_edge(tensor, torch::autograd::Edge(std::move(past), number));
}

class InputMaker {
public:
    InputMaker(const json& spec, const InputChoice& choice)
        : m_spec(spec)
        , m_choice(choice) {}

    CaseInputs run() {
        const at::AutoGradMode noGrad(false);
        for (const json& storage : m_spec.at("storages"))
            m_out.storages.push_back(wide(storage.contains("seed")
                                              ? seededStorage(storage, dtypeOf(storage))
                                              : flatFrom(storage.at("data"), dtypeOf(storage))));
        m_bases.resize(m_out.storages.size());
        for (const json& input : m_spec.at("inputs"))
            m_out.tensors.push_back(input.is_object() ? tensor(input) : Tensor());
        for (std::size_t i = 0; i < m_out.tensors.size(); ++i) {
            const json& input = m_spec.at("inputs").at(i);
            m_out.values.push_back(input.is_object() ? c10::IValue(m_out.tensors[i]) : scalarFrom(input));
            if (!input.is_object() || !input.value("requires_grad", false)) continue;
            m_out.anyRequiresGrad = true;
            if (!m_choice.requiresGrad) continue;
            m_out.tensors[i].requires_grad_(true);
            if (!input.value("is_leaf", true) && m_out.tensors[i].is_leaf())
                putBehindOtherCode(m_out.tensors[i]);
        }
        return std::move(m_out);
    }

private:
    [[nodiscard]] Tensor wide(Tensor storage) const {
        return m_choice.isWide ? storage.to(widest(storage.scalar_type())) : std::move(storage);
    }

    Tensor tensor(const json& input) {
        Tensor out = plain(input);
        const bool conj = input.value("conj", false), neg = input.value("neg", false);
        if ((!conj && !neg) || input.contains("same_as")) return out;
        TORCH_CHECK(!conj || out.is_complex(), "an input that is no complex number is conjugated");
        if (!input.contains("base")) {
            if (conj) out._set_conj(true);
            if (neg) out._set_neg(true);
            return out;
        }
        const at::AutoGradMode mode(underGrad(input));
        const Tensor negated = neg ? at::_neg_view(out) : out;
        return conj ? at::_conj(negated) : negated;
    }

    Tensor plain(const json& input) {
        const json same = input.value("same_as", json());
        if (!same.is_null() && !m_choice.splitDuplicates) return m_out.tensors.at(same.get<std::size_t>());
        const json& origin = same.is_null() ? input : m_spec.at("inputs").at(same.get<std::size_t>());
        auto via = origin.value("via", std::string("set"));
        if (!same.is_null() && via == "base") via = "view";
        const auto index = input.at("storage").get<std::size_t>();
        const Tensor& storage = m_out.storages.at(index);
        const auto shape = input.at("shape").get<Sizes>();
        const auto stride = input.at("stride").get<Sizes>();
        const auto offset = input.at("storage_offset").get<std::int64_t>();
        checkInside(storage, shape, stride, offset);
        if (input.contains("base")) return viewOf(input, via, shape, stride, offset);
        if (via == "set") {
            const at::ScalarType type = dtypeOf(input);
            Tensor out = at::empty({0}, storage.options().dtype(m_choice.isWide ? widest(type) : type));
            return out.set_(storage.storage(), offset, shape, stride);
        }
        // A view made without grad could not be written under grad.
        const at::AutoGradMode grad(true);
        Tensor& base = m_bases.at(index);
        if (!base.defined()) {
            const json declared = m_spec.at("storages").at(index).value("base_shape", json());
            const Sizes baseShape = via == "base"        ? shape
                                    : declared.is_null() ? storage.sizes().vec()
                                                         : declared.get<Sizes>();
            base = storage.detach().view(baseShape).detach();
        }
        return via == "base" ? base : base.as_strided(shape, stride, offset);
    }

    [[nodiscard]] bool requiresGrad(const json& base) const {
        return m_choice.requiresGrad && base.value("requires_grad", false);
    }

    /// Whether a view of one of `bases` was made under grad. One made without does not require it, though its
    /// base does, or is a leaf of its own, and could not be written under grad.
    [[nodiscard]] bool underGrad(const json& input) const {
        return !requiresGrad(m_spec.at("bases").at(input.at("base").get<std::size_t>())) ||
               (input.value("requires_grad", false) && !input.value("is_leaf", true));
    }

    /// A view of one of `bases`, or that itself.
    Tensor viewOf(const json& input, const std::string& via, const Sizes& shape, const Sizes& stride,
                  std::int64_t offset) {
        const auto index = input.at("base").get<std::size_t>();
        const json& spec = m_spec.at("bases").at(index);
        const bool grad = requiresGrad(spec);
        Tensor& base = m_ownBases[index];
        if (!base.defined()) {
            const Tensor& storage = m_out.storages.at(spec.at("storage").get<std::size_t>());
            const auto baseShape = spec.at("shape").get<Sizes>(), baseStride = spec.at("stride").get<Sizes>();
            const auto baseOffset = spec.at("storage_offset").get<std::int64_t>();
            checkInside(storage, baseShape, baseStride, baseOffset);
            const at::ScalarType type = dtypeOf(spec);
            base = at::empty({0}, storage.options().dtype(m_choice.isWide ? widest(type) : type))
                       .set_(storage.storage(), baseOffset, baseShape, baseStride);
            if (grad) base.requires_grad_(true);
            if (grad && !spec.value("is_leaf", true)) putBehindOtherCode(base);
        }
        if (via == "base") return base;
        const at::AutoGradMode mode(underGrad(input));
        return base.as_strided(shape, stride, offset);
    }

    const json& m_spec;
    InputChoice m_choice;
    CaseInputs m_out;
    std::map<std::size_t, Tensor> m_ownBases; ///< by position in `bases`
    std::vector<Tensor> m_bases;              ///< of inputs made as views, one per storage
};

/// {dtype, shape} and either data or a seed.
Tensor attributeFrom(const json& value) {
    const at::ScalarType type = dtypeOf(value);
    const auto shape = value.at("shape").get<Sizes>();
    if (!value.contains("seed")) return flatFrom(value.at("data"), type).view(shape);
    std::int64_t count = 1;
    for (const std::int64_t size : shape)
        TORCH_CHECK(size >= 0 && !__builtin_mul_overflow(count, size, &count) && count <= maxSeededElements,
                    "a constant is too large");
    return seededElements(value, type, count).view(shape);
}

template <typename T, typename Fn>
Result<T> guarded(std::string_view what, Fn fn) {
    try {
        return fn();
    } catch (const std::exception& error) {
        return failure(std::string(what) + ": " + errorText(error));
    }
}

} // namespace

Result<CaseInputs> makeInputs(const json& spec, const InputChoice& choice) {
    return guarded<CaseInputs>("inputs", [&] { return InputMaker(spec, choice).run(); });
}

json withPlainScalars(json inputs) {
    if (!inputs.is_object() || !inputs.contains("inputs")) return inputs;
    for (json& input : inputs["inputs"])
        if (input.is_object() && input.value("kind", json()) == "scalar" && input.contains("value"))
            input = json(input["value"]);
    return inputs;
}

Result<json> withData(json inputs) {
    return guarded<json>("inputs", [&] {
        for (json& storage : inputs.at("storages")) {
            if (storage.contains("seed"))
                storage = {{"dtype", storage.at("dtype")},
                           {"data", dataOf(seededStorage(storage, dtypeOf(storage))).list}};
        }
        return std::move(inputs);
    });
}

at::ScalarType widest(at::ScalarType type) {
    if (c10::isComplexType(type)) return at::kComplexDouble;
    return c10::isFloatingType(type) ? at::kDouble : type;
}

Tensor seededTensor(c10::ScalarType type, std::int64_t count, std::uint64_t seed) {
    return seededElements({{"seed", seed}}, type, count);
}

Result<Attributes> makeAttributes(const json& spec) {
    return guarded<Attributes>("attributes", [&] {
        Attributes out;
        if (!spec.is_object()) return out;
        for (const auto& [name, value] : spec.items())
            out[name] = attributeFrom(value);
        return out;
    });
}

wire::RunTensor describedTensor(const Tensor& tensor, std::int64_t most) {
    wire::RunTensor out;
    out.dtype = dtypeName(tensor.scalar_type());
    out.shape = tensor.sizes().vec();
    out.stride = tensor.strides().vec();
    out.offset = tensor.storage_offset();
    if (most > 0) out.data = dataOf(tensor, most);
    return out;
}

json describe(const Tensor& tensor, std::int64_t most) {
    return wire::encode(describedTensor(tensor, most));
}

std::vector<const void*> storageKeys(const std::vector<Tensor>& tensors) {
    std::vector<const void*> keys;
    for (const Tensor& tensor : tensors)
        keys.push_back(storageKey(tensor));
    return keys;
}

namespace {

wire::RunAliases aliasesOf(const Tensor& tensor, std::size_t position,
                           const std::vector<c10::IValue>& results, const CaseInputs& inputs,
                           const std::vector<const void*>& storagesBefore) {
    wire::RunAliases out;
    const void* key = storageKey(tensor);
    const auto same = std::find_if(inputs.tensors.begin(), inputs.tensors.end(), [&](const Tensor& input) {
        return input.defined() && input.is_same(tensor);
    });
    if (same != inputs.tensors.end()) out.isInput = std::uint64_t(same - inputs.tensors.begin());
    for (std::size_t j = 0; j < storagesBefore.size(); ++j)
        if (storagesBefore[j] == key) out.inputs.push_back(j);
    for (std::size_t j = 0; j < position; ++j)
        if (results[j].isTensor() && storageKey(results[j].toTensor()) == key) out.outputs.push_back(j);
    return out;
}

} // namespace

wire::ExecuteReply describeRun(const std::vector<c10::IValue>& results, const CaseInputs& inputs,
                               const std::vector<const void*>& storagesBefore, std::int64_t most) {
    wire::ExecuteReply out;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const c10::IValue& result = results[i];
        if (result.isNone() || (result.isScalar() && !result.isTensor())) {
            out.outputs.push_back(plainValue(result));
        } else if (!result.isTensor()) {
            out.outputs.emplace_back().text =
                result.isString() ? result.toStringRef() : std::string(result.tagKind());
        } else {
            wire::RunValue& value = out.outputs.emplace_back();
            value.tensor = describedTensor(result.toTensor(), most);
            value.aliases = aliasesOf(result.toTensor(), i, results, inputs, storagesBefore);
        }
    }
    const std::vector<const void*> own = storageKeys(inputs.storages);
    for (const Tensor& storage : inputs.storages)
        out.post.storages.push_back(most > 0 ? std::optional(dataOf(storage, most)) : std::nullopt);
    for (std::size_t i = 0; i < inputs.tensors.size(); ++i) {
        const Tensor& input = inputs.tensors[i];
        if (!input.defined()) {
            out.post.inputs.push_back(plainValue(inputs.values[i]));
            continue;
        }
        wire::RunValue& value = out.post.inputs.emplace_back();
        value.tensor = describedTensor(input, most);
        value.sameStorage = std::find(own.begin(), own.end(), storageKey(input)) != own.end();
    }
    return out;
}

} // namespace dynascope::engine
