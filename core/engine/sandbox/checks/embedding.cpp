// SPDX-License-Identifier: BSD-3-Clause
//
// Embeddings and bags of them: rows of a table.
#include "core/engine/sandbox/checks/arguments.h"
#include "core/engine/sandbox/checks/families.h"

namespace dynascope::engine::checks {

namespace {

/// Where offset2bag is empty the kernel makes it of the offsets: a bag begins at each, one of them at 0, and
/// each has a row of the gradient.
void checkBagsOfOffsets(const Arguments& call, const Tensor& gradient) {
    const Tensor indices = call.tensor("indices"), offsets = call.tensor("offsets");
    if (indices.numel() == 0) return;
    TORCH_CHECK(offsets.numel() > 0, call.op(), ": offsets begin no bag");
    if (!hasData(offsets)) return;
    const Looking looking;
    const Tensor all = offsets.detach().to(at::kLong);
    TORCH_CHECK(all.min().item<std::int64_t>() == 0, call.op(), ": no bag begins at 0");
    const auto bagCount = all.lt(indices.numel()).sum().item<std::int64_t>();
    TORCH_CHECK(bagCount <= gradient.size(0), call.op(), ": offsets begin ", bagCount,
                " bags, and the gradient is ", gradient.sizes());
}

} // namespace

void checkEmbeddingBackward(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const std::int64_t rows = call.number("num_weights");
    checkRange(call, "indices", 0, std::max<std::int64_t>(rows, 0));
    const Tensor gradient = call.tensor(call.has("grad_output") ? "grad_output" : "grad");
    const Tensor indices = call.tensor("indices");
    if (!call.has("bag_size"))
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
    const Tensor offsets = call.tensor("offsets");
    if (!offsets.defined()) return;
    checkRange(call, "offsets", 0, indices.numel() + 1);
    if (of.numel() == 0) checkBagsOfOffsets(call, gradient);
}

void checkEmbeddingBag(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const Tensor weight = call.tensor("weight"), indices = call.tensor("indices"),
                 offsets = call.tensor("offsets");
    TORCH_CHECK(weight.dim() == 2, call.op(), ": weight is ", weight.sizes());
    if (call.op() != "aten::embedding_bag") // which makes them so
        for (const char* name : {"indices", "offsets"})
            checkContiguous(call, name);
    checkRange(call, "indices", 0, weight.size(0));
    checkRange(call, "offsets", 0, indices.numel() + 1);
    if (offsets.defined() && call.has("include_last_offset")) {
        const bool more = call["include_last_offset"].toBool();
        TORCH_CHECK(offsets.numel() > (more ? 1 : 0) || indices.numel() == 0, call.op(),
                    ": offsets begin no bag");
        TORCH_CHECK(offsets.numel() > 0 || !more, call.op(), ": offsets have no last one");
    }
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
    if (of.numel() == 0) checkBagsOfOffsets(call, gradient);
}

void checkRenorm(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const Tensor self = call.tensor("self");
    TORCH_CHECK(self.dim() == 2, call.op(), ": self is ", self.sizes());
    checkRange(call, "indices", 0, self.size(0));
}

} // namespace dynascope::engine::checks
