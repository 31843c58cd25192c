// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/trace/fake_strides.h"

#include "core/engine/exec/interpreter.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/zeros.h>
#include <algorithm>
#include <array>

namespace dynascope::engine {

using at::Tensor;
using c10::IValue;

struct StrideRule {
    enum class Layout : std::uint8_t {
        Elementwise,     ///< as an elementwise operator over the operands lays out its result
        CastElementwise, ///< the same of float operands; shorter ones are made contiguous before
        Contiguous,
        Suggested, ///< contiguous, or channels last where the operand is
        Canonical, ///< where operands are contiguous, dimensions of size one have the strides of others, too
    };
    std::string_view op;
    std::size_t results; ///< the first ones, which it is about
    Layout layout;
    std::array<std::size_t, 3> operands; ///< positions of arguments, the leading one first
};

namespace {

using enum StrideRule::Layout;

constexpr std::size_t none = SIZE_MAX;
constexpr std::array<StrideRule, 31> rules{{
    {"add", 1, Canonical, {0, 1, none}},
    {"sub", 1, Canonical, {0, 1, none}},
    {"mul", 1, Canonical, {0, 1, none}},
    {"div", 1, Canonical, {0, 1, none}},
    {"fill", 1, Canonical, {0, none, none}},
    {"zero", 1, Canonical, {0, none, none}},
    {"index_put", 1, Canonical, {0, none, none}},
    {"native_layer_norm_backward", 1, CastElementwise, {4, 0, 1}}, // rstd, grad_out, input
    {"native_group_norm_backward", 1, Contiguous, {none, none, none}},
    {"native_batch_norm", 1, Elementwise, {0, none, none}},
    {"_native_batch_norm_legit", 1, Elementwise, {0, none, none}},
    {"_native_batch_norm_legit_functional", 1, Elementwise, {0, none, none}},
    {"_batch_norm_with_update_functional", 1, Elementwise, {0, none, none}},
    {"_native_batch_norm_legit_no_training", 1, Elementwise, {0, none, none}},
    {"native_batch_norm_backward", 1, Elementwise, {0, 1, none}},
    {"native_dropout_backward", 1, Suggested, {0, none, none}},
    {"_log_softmax_backward_data", 1, Elementwise, {0, 1, none}},
    {"log_sigmoid_forward", 2, Elementwise, {0, none, none}},
    {"hardswish_backward", 1, Elementwise, {1, 0, none}},
    {"hardsigmoid_backward", 1, Elementwise, {1, 0, none}},
    {"hardtanh_backward", 1, Elementwise, {1, 0, none}},
    {"elu_backward", 1, Elementwise, {5, 0, none}},
    {"mse_loss_backward", 1, Elementwise, {1, 2, 0}},
    {"smooth_l1_loss_backward", 1, Elementwise, {1, 2, 0}},
    {"huber_loss_backward", 1, Elementwise, {1, 2, 0}},
    {"binary_cross_entropy", 1, Elementwise, {1, 0, none}},
    {"binary_cross_entropy_backward", 1, Elementwise, {0, 1, 2}},
    {"softplus_backward", 1, Elementwise, {1, 0, none}},
    {"xlogy", 1, Elementwise, {1, 0, none}},
    {"rrelu_with_noise_backward", 1, Elementwise, {0, none, none}},
    {"_weight_norm_interface", 1, Elementwise, {0, none, none}},
}};

bool isCanonical(const Tensor& tensor) {
    std::int64_t expected = 1;
    for (std::int64_t i = tensor.dim(); i-- > 0;) {
        if (tensor.stride(i) != expected) return false;
        expected *= std::max<std::int64_t>(tensor.size(i), 1);
    }
    return true;
}

Tensor onMeta(const Tensor& tensor) {
    return at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(at::kMeta));
}

/// The same tensor in a storage of at least so many bytes.
Tensor inLongerStorage(const Tensor& tensor, std::int64_t bytes) {
    const auto held = static_cast<std::int64_t>(tensor.storage().nbytes());
    if (bytes <= held) return tensor;
    const auto raw = at::TensorOptions().dtype(at::kByte);
    const Tensor cells = at::zeros({bytes}, raw);
    cells.narrow(0, 0, held).copy_(at::empty({0}, raw).set_(tensor.storage(), 0, {held}, {1}));
    return at::empty({0}, tensor.options())
        .set_(cells.storage(), tensor.storage_offset(), tensor.sizes(), tensor.strides());
}

/// New statistics of short floats, which the decomposition computes in float32 and does not convert back:
/// where they stand among the results.
std::optional<std::size_t> longStatistics(const StrideRule& rule, c10::ArrayRef<IValue> arguments) {
    const bool legit = rule.op == "_native_batch_norm_legit_functional";
    if (!legit && rule.op != "_batch_norm_with_update_functional") return std::nullopt;
    const at::ScalarType type = arguments[0].toTensor().scalar_type();
    if (type != at::kHalf && type != at::kBFloat16) return std::nullopt;
    return legit ? 3 : 4;
}

} // namespace

const StrideRule* strideRule(std::string_view name) {
    const auto found =
        std::find_if(rules.begin(), rules.end(), [&](const StrideRule& rule) { return rule.op == name; });
    return found == rules.end() ? nullptr : &*found;
}

bool mayLieOtherwise(const StrideRule& rule, std::span<const IValue> arguments) {
    bool any = false, contiguous = true, canonical = true, single = false;
    for (const std::size_t position : rule.operands) {
        if (position >= arguments.size() || !isDefinedTensor(arguments[position])) continue;
        const Tensor& operand = arguments[position].toTensor();
        any = true;
        contiguous = contiguous && operand.is_contiguous();
        canonical = canonical && isCanonical(operand);
        single = single || (operand.dim() == 0 && !operand.unsafeGetTensorImpl()->is_wrapped_number());
    }
    if (longStatistics(rule, c10::ArrayRef<IValue>(arguments.data(), arguments.size()))) return true;
    return rule.layout == Canonical ? contiguous && !canonical && !single : !any || !contiguous;
}

void layOutAsFake(const StrideRule& rule, c10::ArrayRef<IValue> arguments, std::span<IValue> results) {
    if (const auto first = longStatistics(rule, arguments))
        for (std::size_t i = *first; i < std::min(*first + 2, results.size()); ++i)
            if (isDefinedTensor(results[i])) results[i] = results[i].toTensor().to(at::kFloat);
    std::vector<Tensor> operands;
    for (const std::size_t position : rule.operands)
        if (position < arguments.size() && isDefinedTensor(arguments[position]))
            operands.push_back(arguments[position].toTensor());
    for (std::size_t i = 0; i < std::min(rule.results, results.size()); ++i) {
        if (!isDefinedTensor(results[i])) continue;
        const Tensor& result = results[i].toTensor();
        Tensor meta = at::empty(result.sizes(), result.options().device(at::kMeta));
        if (rule.layout == Suggested) {
            meta = at::empty(result.sizes(), result.options().device(at::kMeta),
                             operands.front().suggest_memory_format());
        } else if (rule.layout == Elementwise ||
                   (rule.layout == CastElementwise && result.itemsize() >= sizeof(float))) {
            meta = onMeta(operands.front());
            for (std::size_t k = 1; k < operands.size(); ++k)
                meta = at::add(meta, onMeta(operands[k]));
            if (operands.size() == 1) meta = at::add(meta, meta); // dense, whatever the operand is
        }
        if (meta.sizes() != result.sizes() || meta.strides() == result.strides()) continue;
        results[i] = at::empty_strided(result.sizes(), meta.strides(), result.options()).copy_(result);
    }
}

void reachAsFake(std::string_view name, std::span<IValue> arguments) {
    const bool scatters = name == "as_strided_scatter";
    if (!scatters && name != "as_strided") return;
    const auto geometry = arguments.subspan(scatters ? 2 : 1);
    const Tensor& tensor = arguments[0].toTensor();
    const std::vector<std::int64_t> sizes = geometry[0].toIntVector(), strides = geometry[1].toIntVector();
    std::int64_t offset = scatters ? 0 : tensor.storage_offset();
    if (!geometry[2].isNone()) offset = geometry[2].toInt();
    if (offset < 0 || sizes.size() != strides.size() || tensor.is_meta()) return; // the kernel refuses
    const auto reached = static_cast<std::int64_t>(at::detail::computeStorageNbytes(
        sizes, strides, tensor.itemsize(), static_cast<std::size_t>(offset)));
    if (!scatters) {
        arguments[0] = inLongerStorage(tensor, reached);
        return;
    }
    TORCH_CHECK(reached <= static_cast<std::int64_t>(tensor.nbytes()), "as_strided_scatter: sizes ",
                at::IntArrayRef(sizes), ", strides ", at::IntArrayRef(strides), ", storage offset ", offset,
                "  and itemsize ", tensor.itemsize(), " requiring a storage size of ", reached,
                " are out of bounds for storage of size ", tensor.nbytes());
}

} // namespace dynascope::engine
