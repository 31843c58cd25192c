// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/sandbox/argument_checks.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/aminmax.h>
#include <algorithm>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <map>
#include <string_view>

namespace dynascope::engine {

namespace {

using at::Tensor;

/// The arguments of one call, by their names in the schema.
class Arguments {
public:
    Arguments(const c10::FunctionSchema& schema, const c10::IValue* values)
        : m_schema(schema)
        , m_values(values) {}

    [[nodiscard]] const c10::IValue& operator[](std::string_view name) const {
        const auto index = m_schema.argumentIndexWithName(name);
        TORCH_CHECK(index.has_value(), m_schema.name(), " has no argument '", std::string(name), "'");
        return m_values[*index];
    }
    [[nodiscard]] bool has(std::string_view name) const {
        return m_schema.argumentIndexWithName(name).has_value();
    }
    /// Undefined for None and for what the overload does not take.
    [[nodiscard]] Tensor tensor(std::string_view name) const {
        if (!has(name)) return {};
        const c10::IValue& value = (*this)[name];
        return value.isTensor() ? value.toTensor() : Tensor();
    }
    [[nodiscard]] std::int64_t number(std::string_view name) const { return (*this)[name].toInt(); }
    [[nodiscard]] std::vector<std::int64_t> numbers(std::string_view name) const {
        return (*this)[name].toIntVector();
    }
    [[nodiscard]] const std::string& op() const { return m_schema.name(); }

private:
    const c10::FunctionSchema& m_schema;
    const c10::IValue* m_values;
};

/// Kernels that only look: below autograd, tracers and functionalization.
class Looking {
public:
    Looking()
        : m_keys(c10::DispatchKeySet({c10::DispatchKey::Functionalize, c10::DispatchKey::Fake,
                                      c10::DispatchKey::Python, c10::DispatchKey::PythonTLSSnapshot})) {}

private:
    at::NoGradGuard m_noGrad;
    at::AutoDispatchBelowAutograd m_below;
    c10::impl::ExcludeDispatchKeyGuard m_keys;
};

bool hasData(const Tensor& tensor) {
    return tensor.defined() && tensor.is_cpu() && tensor.layout() == at::kStrided && tensor.has_storage() &&
           tensor.storage().nbytes() > 0;
}

/// Every element in [low, high), or `except`.
void checkRange(const Arguments& call, const char* name, std::int64_t low, std::int64_t high,
                std::optional<std::int64_t> except = std::nullopt) {
    Tensor indices = call.tensor(name);
    if (!indices.defined() || indices.numel() == 0 || !hasData(indices)) return;
    const Looking looking;
    indices = indices.detach().to(at::kLong);
    if (except) {
        indices = indices.masked_select(indices.ne(*except));
        if (indices.numel() == 0) return;
    }
    const auto [least, most] = at::aminmax(indices);
    const std::int64_t a = least.item<std::int64_t>(), b = most.item<std::int64_t>();
    TORCH_CHECK_INDEX(a >= low && b < high, call.op(), ": ", name, " has ", a < low ? a : b, ", and only [",
                      low, ", ", high, ") is there");
}

void checkCount(const Arguments& call, const char* name, std::int64_t count) {
    const Tensor tensor = call.tensor(name);
    if (!tensor.defined() || (tensor.dim() == 1 && tensor.numel() == 0)) return;
    TORCH_CHECK(tensor.numel() == count, call.op(), ": ", name, " has ", tensor.numel(), " elements, not ",
                count);
}

void checkSameSizes(const Arguments& call, const char* name, const char* other) {
    const Tensor a = call.tensor(name), b = call.tensor(other);
    if (!a.defined() || !b.defined()) return;
    TORCH_CHECK(a.sizes() == b.sizes(), call.op(), ": ", name, " is ", a.sizes(), ", and ", other, " is ",
                b.sizes());
}

/// The sizes of the last `dims` dimensions of a tensor, multiplied.
std::int64_t plane(const Arguments& call, const char* name, std::int64_t dims) {
    const Tensor tensor = call.tensor(name);
    TORCH_CHECK(tensor.dim() >= dims, call.op(), ": ", name, " has too few dimensions");
    std::int64_t out = 1;
    for (std::int64_t i = 1; i <= dims; ++i)
        out *= tensor.size(-i);
    return out;
}

// ---- The families

/// A view that no kernel holds against its storage.
void checkAlias(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const Tensor self = call.tensor("self");
    const auto sizes = call.numbers("size"), strides = call.numbers("stride");
    TORCH_CHECK(sizes.size() == strides.size(), call.op(), ": sizes and strides are not as many");
    if (!self.defined() || !self.has_storage() || self.is_meta()) return;
    std::int64_t last = self.storage_offset();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        TORCH_CHECK(sizes[i] >= 0 && strides[i] >= 0, call.op(), ": negative sizes or strides");
        if (sizes[i] == 0) return;
        std::int64_t step = 0;
        const bool large = __builtin_mul_overflow(sizes[i] - 1, strides[i], &step) ||
                           __builtin_add_overflow(last, step, &last);
        TORCH_CHECK(!large, call.op(), ": the view is too large");
    }
    const auto cells = static_cast<std::int64_t>(self.storage().nbytes() / self.dtype().itemsize());
    TORCH_CHECK(last < cells, call.op(), ": the view reaches to element ", last, " of a storage of ", cells);
}

template <int Dims>
void checkPoolBackward(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    checkSameSizes(call, "indices", "grad_output");
    const Tensor self = call.tensor("self"), gradient = call.tensor("grad_output");
    if (self.defined() && gradient.defined())
        TORCH_CHECK(self.dim() == gradient.dim() && self.sizes().slice(0, self.dim() - Dims) ==
                                                        gradient.sizes().slice(0, self.dim() - Dims),
                    call.op(), ": grad_output is ", gradient.sizes(), ", and self is ", self.sizes());
    checkRange(call, "indices", 0, plane(call, "self", Dims));
}

template <int Dims>
void checkUnpool(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    checkSameSizes(call, "indices", "self");
    std::int64_t cells = 1;
    for (const std::int64_t size : call.numbers("output_size"))
        cells *= std::max<std::int64_t>(0, size);
    checkRange(call, "indices", 0, cells);
}

void checkNllBackward(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const Tensor self = call.tensor("self"), target = call.tensor("target");
    TORCH_CHECK(self.dim() >= 1, call.op(), ": self has no classes");
    const std::int64_t classes = self.size(self.dim() == 1 ? 0 : 1);
    checkCount(call, "weight", classes);
    checkCount(call, "total_weight", 1);
    checkRange(call, "target", 0, classes, call.number("ignore_index"));
    std::vector<std::int64_t> each = self.sizes().vec();
    if (each.size() > 1) each.erase(each.begin() + 1);
    if (self.dim() > 1)
        TORCH_CHECK(target.sizes() == at::IntArrayRef(each), call.op(), ": target is ", target.sizes(),
                    ", not ", each);
    const Tensor gradient = call.tensor("grad_output");
    if (call.number("reduction") == 0 && self.dim() > 1) {
        TORCH_CHECK(gradient.sizes() == target.sizes(), call.op(), ": grad_output is ", gradient.sizes());
    } else {
        TORCH_CHECK(gradient.numel() >= 1, call.op(), ": grad_output is empty");
    }
}

void checkMarginBackward(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const Tensor self = call.tensor("self");
    const std::int64_t classes = self.dim() == 0 ? 1 : self.size(-1);
    const bool many = call.has("is_target");
    checkRange(call, "target", many ? -1 : 0, classes);
    checkCount(call, "weight", classes);
    if (many) {
        checkSameSizes(call, "target", "self");
        checkSameSizes(call, "is_target", "self");
    }
    TORCH_CHECK(call.tensor("grad_output").numel() >= 1, call.op(), ": grad_output is empty");
}

void checkPdistBackward(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const Tensor self = call.tensor("self");
    TORCH_CHECK(self.dim() == 2, call.op(), ": self is no matrix");
    const std::int64_t pairs = self.size(0) * (self.size(0) - 1) / 2;
    TORCH_CHECK(call.tensor("grad").numel() == pairs && call.tensor("pdist").numel() == pairs, call.op(),
                ": ", self.size(0), " points have ", pairs, " pairs");
}

void checkCdistBackward(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    checkSameSizes(call, "grad", "cdist");
    const Tensor a = call.tensor("x1"), b = call.tensor("x2"), distances = call.tensor("cdist");
    TORCH_CHECK(a.dim() >= 2 && b.dim() >= 2 && distances.dim() >= 2 && a.size(-1) == b.size(-1) &&
                    distances.size(-2) == a.size(-2) && distances.size(-1) == b.size(-2),
                call.op(), ": distances are ", distances.sizes(), " for ", a.sizes(), " and ", b.sizes());
}

std::vector<std::int64_t> lengthsOf(const Arguments& call, const char* name) {
    const c10::IValue& value = call[name];
    if (!value.isTensor()) return value.toIntVector();
    const Tensor& tensor = value.toTensor();
    if (!hasData(tensor)) return {};
    const Looking looking;
    const Tensor flat = tensor.detach().to(at::kLong).contiguous();
    return {flat.const_data_ptr<std::int64_t>(), flat.const_data_ptr<std::int64_t>() + flat.numel()};
}

void checkCtc(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const Tensor probabilities = call.tensor("log_probs"), targets = call.tensor("targets");
    TORCH_CHECK(probabilities.dim() == 3 || probabilities.dim() == 2, call.op(), ": log_probs is ",
                probabilities.sizes());
    const std::int64_t classes = probabilities.size(-1);
    const std::int64_t blank = call.number("blank");
    TORCH_CHECK(blank >= 0 && blank < classes, call.op(), ": blank is no class");
    checkRange(call, "targets", 0, classes);
    std::int64_t sum = 0;
    for (const std::int64_t length : lengthsOf(call, "input_lengths"))
        TORCH_CHECK(length >= 0 && length <= probabilities.size(0), call.op(), ": an input is ", length,
                    " long");
    const std::int64_t longest = targets.dim() == 2 ? targets.size(1) : targets.numel();
    for (const std::int64_t length : lengthsOf(call, "target_lengths")) {
        TORCH_CHECK(length >= 0 && length <= longest, call.op(), ": a target is ", length, " long");
        sum += length;
    }
    if (targets.dim() != 2)
        TORCH_CHECK(sum <= targets.numel(), call.op(), ": targets take ", sum, " of ", targets.numel());
    if (!call.has("log_alpha") || probabilities.dim() != 3) return;
    const Tensor alpha = call.tensor("log_alpha");
    const std::int64_t batch = probabilities.size(1);
    TORCH_CHECK(alpha.dim() == 3 && alpha.size(0) == batch && alpha.size(1) >= probabilities.size(0),
                call.op(), ": log_alpha is ", alpha.sizes());
    for (const std::int64_t length : lengthsOf(call, "target_lengths"))
        TORCH_CHECK(alpha.size(2) >= 2 * length + 1, call.op(), ": log_alpha is ", alpha.sizes());
    checkCount(call, "neg_log_likelihood", batch);
    checkCount(call, "grad", batch);
}

void checkSegments(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    TORCH_CHECK(!call.has("unsafe") || !call["unsafe"].toBool(), call.op(),
                ": unsafe=True leaves out its checks, and is refused");
    const Tensor data = call.tensor("data");
    const std::int64_t axis = call.number("axis");
    TORCH_CHECK(axis >= 0 && axis < data.dim(), call.op(), ": no axis ", axis);
    checkRange(call, "lengths", 0, data.size(axis) + 1);
    checkRange(call, "offsets", 0, data.size(axis) + 1);
    if (const Tensor lengths = call.tensor("lengths"); hasData(lengths) && lengths.dim() >= 1) {
        const Looking looking;
        const Tensor sums = lengths.detach().to(at::kLong).sum(-1);
        TORCH_CHECK(sums.numel() == 0 || sums.max().item<std::int64_t>() <= data.size(axis), call.op(),
                    ": lengths are more than there is");
    }
    if (const Tensor offsets = call.tensor("offsets");
        hasData(offsets) && offsets.dim() >= 1 && offsets.size(-1) > 1) {
        const Looking looking;
        const Tensor steps = offsets.detach().to(at::kLong).diff();
        TORCH_CHECK(steps.min().item<std::int64_t>() >= 0, call.op(), ": offsets go back");
    }
    checkSameSizes(call, "grad", "output");
}

void checkGridModes(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const std::int64_t interpolation = call.number("interpolation_mode"),
                       padding = call.number("padding_mode");
    const bool isVolume = call.op().find("3d") != std::string::npos;
    TORCH_CHECK(interpolation >= 0 && interpolation <= (isVolume ? 1 : 2), call.op(),
                ": no interpolation mode ", interpolation);
    TORCH_CHECK(padding >= 0 && padding <= 2, call.op(), ": no padding mode ", padding);
    const Tensor gradient = call.tensor("grad_output"), input = call.tensor("input"),
                 grid = call.tensor("grid");
    TORCH_CHECK(input.dim() >= 4 && grid.dim() == input.dim() && grid.size(0) == input.size(0) &&
                    grid.size(-1) == input.dim() - 2,
                call.op(), ": grid is ", grid.sizes(), " for ", input.sizes());
    if (!gradient.defined()) return;
    std::vector<std::int64_t> expected{input.size(0), input.size(1)};
    for (std::int64_t i = 1; i + 1 < grid.dim(); ++i)
        expected.push_back(grid.size(i));
    TORCH_CHECK(gradient.sizes() == at::IntArrayRef(expected), call.op(), ": grad_output is ",
                gradient.sizes(), ", not ", expected);
}

void checkCompressedIndices(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const Tensor rows = call.tensor("crow_indices"), columns = call.tensor("col_indices");
    TORCH_CHECK(rows.dim() == columns.dim() && rows.dim() >= 1 && rows.size(-1) >= 1, call.op(),
                ": crow_indices is ", rows.sizes());
    checkRange(call, "crow_indices", 0, columns.size(-1) + 1);
    if (!hasData(rows)) return;
    const Looking looking;
    const Tensor wide = rows.detach().to(at::kLong);
    if (wide.size(-1) > 1)
        TORCH_CHECK(wide.diff().min().item<std::int64_t>() >= 0, call.op(), ": crow_indices go back");
    TORCH_CHECK(wide.select(-1, 0).abs().max().item<std::int64_t>() == 0 &&
                    wide.select(-1, -1).sub(columns.size(-1)).abs().max().item<std::int64_t>() == 0,
                call.op(), ": crow_indices do not begin at 0 and end at ", columns.size(-1));
}

void checkRowIndices(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const std::int64_t size = call.number("size");
    TORCH_CHECK(size >= 0, call.op(), ": a negative size");
    checkRange(call, "self", 0, std::max<std::int64_t>(size, 1));
    const Tensor rows = call.tensor("self");
    if (!hasData(rows) || rows.numel() < 2) return;
    const Looking looking;
    TORCH_CHECK(rows.detach().to(at::kLong).diff().min().item<std::int64_t>() >= 0, call.op(),
                ": rows go back");
}

void checkBatchNorm(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const Tensor input = call.tensor("input");
    TORCH_CHECK(input.dim() >= 2, call.op(), ": input has no channels");
    const std::int64_t channels = input.size(1);
    for (const char* name :
         {"weight", "bias", "running_mean", "running_var", "save_mean", "save_invstd", "save_var"})
        checkCount(call, name, channels);
    checkSameSizes(call, call.has("grad_out") ? "grad_out" : "input", "input");
    if (call.has("train") && call["train"].toBool())
        for (const char* name : {"save_mean", "save_invstd"})
            TORCH_CHECK(call.tensor(name).defined() && call.tensor(name).numel() == channels, call.op(), ": ",
                        name, " is missing");
}

void checkGroupNormBackward(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const std::int64_t batch = call.number("N"), channels = call.number("C"), cells = call.number("HxW"),
                       groups = call.number("group");
    TORCH_CHECK(groups > 0 && batch >= 0 && channels >= 0 && cells >= 0 && channels % groups == 0, call.op(),
                ": sizes do not belong together");
    std::int64_t all = 0;
    TORCH_CHECK(!__builtin_mul_overflow(batch, channels, &all) && !__builtin_mul_overflow(all, cells, &all),
                call.op(), ": the sizes are too large");
    checkCount(call, "input", all);
    checkCount(call, "grad_out", all);
    checkCount(call, "mean", batch * groups);
    checkCount(call, "rstd", batch * groups);
    checkCount(call, "weight", channels);
}

void checkLayerNormBackward(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    checkSameSizes(call, "grad_out", "input");
    std::int64_t each = 1;
    for (const std::int64_t size : call.numbers("normalized_shape"))
        each *= size;
    const Tensor input = call.tensor("input");
    TORCH_CHECK(each > 0 || input.numel() == 0, call.op(), ": nothing is normalized");
    const std::int64_t rows = each > 0 ? input.numel() / each : 0;
    TORCH_CHECK(rows * each == input.numel(), call.op(), ": input is ", input.sizes());
    checkCount(call, "mean", rows);
    checkCount(call, "rstd", rows);
    checkCount(call, "weight", each);
    checkCount(call, "bias", each);
}

void checkEmbeddingBackward(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const std::int64_t rows = call.number("num_weights");
    checkRange(call, "indices", 0, std::max<std::int64_t>(rows, 0));
    const Tensor gradient = call.tensor(call.has("grad_output") ? "grad_output" : "grad");
    const Tensor indices = call.tensor("indices");
    if (call.has("grad_output"))
        TORCH_CHECK(gradient.dim() >= 1 && gradient.numel() == indices.numel() * gradient.size(-1), call.op(),
                    ": the gradient is ", gradient.sizes(), " for indices ", indices.sizes());
    const Tensor bags = call.tensor("bag_size");
    if (!bags.defined()) return;
    TORCH_CHECK(gradient.dim() == 2, call.op(), ": the gradient is ", gradient.sizes());
    checkRange(call, "offset2bag", 0, gradient.size(0));
    const Tensor of = call.tensor("offset2bag");
    TORCH_CHECK(of.numel() == 0 || of.numel() == indices.numel(), call.op(), ": offset2bag is ", of.sizes());
    TORCH_CHECK(bags.numel() >= gradient.size(0), call.op(), ": bag_size is ", bags.sizes());
    if (const Tensor weights = call.tensor("per_sample_weights"); weights.defined())
        TORCH_CHECK(weights.numel() == indices.numel(), call.op(), ": per_sample_weights is ",
                    weights.sizes());
    if (call.number("mode") == 2) {
        checkRange(call, "maximum_indices", -1, std::max<std::int64_t>(rows, 0));
        checkSameSizes(call, "maximum_indices", call.has("grad") ? "grad" : "grad_output");
    }
    if (const Tensor offsets = call.tensor("offsets"); offsets.defined())
        checkRange(call, "offsets", 0, indices.numel() + 1);
}

void checkEmbeddingBag(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const Tensor weight = call.tensor("weight"), indices = call.tensor("indices"),
                 offsets = call.tensor("offsets");
    TORCH_CHECK(weight.dim() == 2, call.op(), ": weight is ", weight.sizes());
    checkRange(call, "indices", 0, weight.size(0));
    checkRange(call, "offsets", 0, indices.numel() + 1);
    if (hasData(offsets) && offsets.numel() > 1) {
        const Looking looking;
        TORCH_CHECK(offsets.detach().to(at::kLong).diff().min().item<std::int64_t>() >= 0, call.op(),
                    ": offsets go back");
    }
    if (const Tensor weights = call.tensor("per_sample_weights"); weights.defined())
        TORCH_CHECK(weights.numel() == indices.numel(), call.op(), ": per_sample_weights is ",
                    weights.sizes());
    if (!call.has("offset2bag")) return;
    const Tensor gradient = call.tensor("grad");
    TORCH_CHECK(gradient.dim() == 2 && gradient.size(1) == weight.size(1), call.op(), ": grad is ",
                gradient.sizes());
    checkRange(call, "offset2bag", 0, gradient.size(0));
    const Tensor of = call.tensor("offset2bag");
    TORCH_CHECK(of.numel() == 0 || of.numel() == indices.numel(), call.op(), ": offset2bag is ", of.sizes());
}

void checkRenorm(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const Tensor self = call.tensor("self");
    TORCH_CHECK(self.dim() == 2, call.op(), ": self is ", self.sizes());
    checkRange(call, "indices", 0, self.size(0));
}

const std::map<std::string_view, ArgumentCheck>& table() {
    static const std::map<std::string_view, ArgumentCheck> out{
        {"_reshape_alias", &checkAlias},
        {"max_pool2d_with_indices_backward", &checkPoolBackward<2>},
        {"max_pool3d_with_indices_backward", &checkPoolBackward<3>},
        {"adaptive_max_pool2d_backward", &checkPoolBackward<2>},
        {"adaptive_max_pool3d_backward", &checkPoolBackward<3>},
        {"fractional_max_pool2d_backward", &checkPoolBackward<2>},
        {"fractional_max_pool3d_backward", &checkPoolBackward<3>},
        {"max_unpool2d", &checkUnpool<2>},
        {"max_unpool3d", &checkUnpool<3>},
        {"nll_loss_backward", &checkNllBackward},
        {"nll_loss2d_backward", &checkNllBackward},
        {"multilabel_margin_loss_backward", &checkMarginBackward},
        {"multi_margin_loss_backward", &checkMarginBackward},
        {"_pdist_backward", &checkPdistBackward},
        {"_cdist_backward", &checkCdistBackward},
        {"_ctc_loss", &checkCtc},
        {"_ctc_loss_backward", &checkCtc},
        {"ctc_loss", &checkCtc},
        {"segment_reduce", &checkSegments},
        {"_segment_reduce_backward", &checkSegments},
        {"grid_sampler", &checkGridModes},
        {"grid_sampler_2d", &checkGridModes},
        {"grid_sampler_3d", &checkGridModes},
        {"grid_sampler_2d_backward", &checkGridModes},
        {"grid_sampler_3d_backward", &checkGridModes},
        {"_grid_sampler_2d_cpu_fallback", &checkGridModes},
        {"_grid_sampler_2d_cpu_fallback_backward", &checkGridModes},
        {"_convert_indices_from_csr_to_coo", &checkCompressedIndices},
        {"_convert_indices_from_coo_to_csr", &checkRowIndices},
        {"native_batch_norm", &checkBatchNorm},
        {"native_batch_norm_backward", &checkBatchNorm},
        {"_native_batch_norm_legit", &checkBatchNorm},
        {"_native_batch_norm_legit_no_training", &checkBatchNorm},
        {"_native_batch_norm_legit_functional", &checkBatchNorm},
        {"_batch_norm_with_update", &checkBatchNorm},
        {"_batch_norm_with_update_functional", &checkBatchNorm},
        {"batch_norm_backward", &checkBatchNorm},
        {"native_group_norm_backward", &checkGroupNormBackward},
        {"native_layer_norm_backward", &checkLayerNormBackward},
        {"embedding_dense_backward", &checkEmbeddingBackward},
        {"_embedding_bag_dense_backward", &checkEmbeddingBackward},
        {"_embedding_bag_backward", &checkEmbeddingBackward},
        {"_embedding_bag", &checkEmbeddingBag},
        {"_embedding_bag_forward_only", &checkEmbeddingBag},
        {"_embedding_bag_per_sample_weights_backward", &checkEmbeddingBag},
        {"embedding_renorm_", &checkRenorm},
    };
    return out;
}

} // namespace

ArgumentCheck argumentCheck(const c10::OperatorHandle& op) {
    std::string_view name = op.schema().name();
    constexpr std::string_view space = "aten::";
    if (!name.starts_with(space)) return nullptr;
    const auto found = table().find(name.substr(space.size()));
    return found == table().end() ? nullptr : found->second;
}

void callChecked(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
    if (const ArgumentCheck check = argumentCheck(op))
        check(op.schema(), stack.data() + (stack.size() - op.schema().arguments().size()));
    op.callBoxed(stack);
}

std::vector<std::string> checkedOperators() {
    std::vector<std::string> out;
    for (const auto& [name, check] : table())
        out.emplace_back(name);
    return out;
}

} // namespace dynascope::engine
