// SPDX-License-Identifier: BSD-3-Clause
//
// Losses and distances, mostly backward: classes, targets and pairs.
#include "core/engine/sandbox/checks/arguments.h"
#include "core/engine/sandbox/checks/families.h"

#include <ATen/ExpandUtils.h>

namespace dynascope::engine::checks {

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

void checkPdist(const c10::FunctionSchema& schema, const c10::IValue* values) {
    checkRank(Arguments(schema, values), "self", 2, 2);
}

void checkPdistBackward(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const Tensor self = call.tensor("self");
    TORCH_CHECK(self.dim() == 2 && self.size(0) > 0, call.op(), ": self is ", self.sizes());
    const std::int64_t pairs = self.size(0) * (self.size(0) - 1) / 2;
    checkRank(call, "grad", 1, 1);
    checkRank(call, "pdist", 1, 1);
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
    const auto batchOf = [](const Tensor& tensor) {
        return tensor.sizes().slice(0, static_cast<std::size_t>(tensor.dim() - 2));
    };
    TORCH_CHECK(batchOf(distances) == at::IntArrayRef(at::infer_size(batchOf(a), batchOf(b))), call.op(),
                ": distances are ", distances.sizes(), " for points ", a.sizes(), " and ", b.sizes());
}

namespace {

std::vector<std::int64_t> lengthsOf(const Arguments& call, const char* name) {
    const c10::IValue& value = call[name];
    if (!value.isTensor()) return value.toIntVector();
    const Tensor& tensor = value.toTensor();
    if (!hasData(tensor)) return {};
    const Looking looking;
    const Tensor flat = tensor.detach().to(at::kLong).contiguous();
    return {flat.const_data_ptr<std::int64_t>(), flat.const_data_ptr<std::int64_t>() + flat.numel()};
}

} // namespace

void checkCtc(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const Tensor probabilities = call.tensor("log_probs"), targets = call.tensor("targets");
    TORCH_CHECK(probabilities.dim() == 3 || probabilities.dim() == 2, call.op(), ": log_probs is ",
                probabilities.sizes());
    checkRank(call, "targets", 1, 2);
    TORCH_CHECK(targets.is_non_overlapping_and_dense(), call.op(), ": targets leaves memory out");
    const std::int64_t classes = probabilities.size(-1);
    const std::int64_t blank = call.number("blank");
    TORCH_CHECK(blank >= 0 && blank < classes, call.op(), ": blank is no class");
    checkRange(call, "targets", 0, classes);
    const std::size_t batches =
        probabilities.dim() == 3 ? static_cast<std::size_t>(probabilities.size(1)) : 1;
    for (const char* name : {"input_lengths", "target_lengths"})
        TORCH_CHECK(lengthsOf(call, name).size() == batches, call.op(), ": ", name, " has ",
                    lengthsOf(call, name).size(), " lengths for ", probabilities.sizes());
    std::int64_t sum = 0;
    for (const std::int64_t length : lengthsOf(call, "input_lengths"))
        TORCH_CHECK(length >= 0 && length <= probabilities.size(0), call.op(), ": an input is ", length,
                    " long");
    const std::int64_t longest = targets.dim() == 2 ? targets.size(1) : targets.numel();
    for (const std::int64_t length : lengthsOf(call, "target_lengths")) {
        TORCH_CHECK(length >= 0 && length <= longest, call.op(), ": a target is ", length, " long");
        sum += length;
    }
    if (targets.dim() == 2)
        TORCH_CHECK(targets.size(0) == static_cast<std::int64_t>(batches), call.op(), ": targets is ",
                    targets.sizes());
    if (targets.dim() != 2)
        TORCH_CHECK(sum <= targets.numel(), call.op(), ": targets take ", sum, " of ", targets.numel());
    if (!call.has("log_alpha") || probabilities.dim() != 3) return;
    const Tensor alpha = call.tensor("log_alpha");
    const std::int64_t batch = probabilities.size(1);
    TORCH_CHECK(alpha.dim() == 3 && alpha.size(0) == batch && alpha.size(1) >= probabilities.size(0),
                call.op(), ": log_alpha is ", alpha.sizes());
    for (const std::int64_t length : lengthsOf(call, "target_lengths"))
        TORCH_CHECK(alpha.size(2) >= 2 * length + 1, call.op(), ": log_alpha is ", alpha.sizes());
    checkCountExactly(call, "neg_log_likelihood", batch);
    checkCountExactly(call, "grad", batch);
}

} // namespace dynascope::engine::checks
