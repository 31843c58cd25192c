// SPDX-License-Identifier: BSD-3-Clause
//
// Segments and compressed rows.
#include "core/engine/sandbox/checks/arguments.h"
#include "core/engine/sandbox/checks/families.h"

namespace dynascope::engine::checks {

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
    for (const char* name : {"lengths", "offsets"}) {
        const Tensor segments = call.tensor(name);
        if (!segments.defined()) continue;
        // The kernel takes the last of their dimensions for the axis.
        const auto leading = static_cast<std::size_t>(axis);
        TORCH_CHECK(segments.dim() == axis + 1 &&
                        segments.sizes().slice(0, leading) == data.sizes().slice(0, leading),
                    call.op(), ": ", name, " is ", segments.sizes(), " for ", data.sizes(), " along ", axis);
        if (!call.has("output")) continue;
        std::vector<std::int64_t> sizes = data.sizes().vec();
        sizes[leading] = segments.size(-1) - (std::string_view(name) == "offsets" ? 1 : 0);
        const Tensor output = call.tensor("output");
        TORCH_CHECK(output.sizes() == at::IntArrayRef(sizes), call.op(), ": output is ", output.sizes(),
                    ", not ", at::IntArrayRef(sizes));
    }
}

void checkCompressedIndices(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const Tensor rows = call.tensor("crow_indices"), columns = call.tensor("col_indices");
    TORCH_CHECK(rows.dim() == columns.dim() && rows.dim() >= 1 && rows.size(-1) >= 1, call.op(),
                ": crow_indices is ", rows.sizes());
    checkContiguous(call, "crow_indices");
    checkContiguous(call, "col_indices");
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
    checkContiguous(call, "self");
    checkRange(call, "self", 0, std::max<std::int64_t>(size, 1));
    const Tensor rows = call.tensor("self");
    if (!hasData(rows) || rows.numel() < 2) return;
    const Looking looking;
    TORCH_CHECK(rows.detach().to(at::kLong).diff().min().item<std::int64_t>() >= 0, call.op(),
                ": rows go back");
}

/// Tables of directions, a row of 30 for each dimension.
void checkSobol(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    constexpr std::int64_t bits = 30, mostDimensions = 21201;
    const std::int64_t dimensions = call.number("dimension");
    TORCH_CHECK(dimensions >= 1 && dimensions <= mostDimensions, call.op(), ": dimension is ", dimensions);
    const char* const state = call.has("sobolstate") ? "sobolstate" : "self";
    const Tensor table = call.tensor(state);
    TORCH_CHECK(table.dim() == 2 && table.size(0) == dimensions && table.size(1) == bits &&
                    table.scalar_type() == at::kLong && table.is_contiguous(),
                call.op(), ": ", state, " is ", table.sizes());
    if (const Tensor matrices = call.tensor("ltm"); call.has("ltm"))
        TORCH_CHECK(matrices.dim() == 3 && matrices.size(0) == dimensions && matrices.size(1) == bits &&
                        matrices.size(2) == bits && matrices.scalar_type() == at::kLong,
                    call.op(), ": ltm is ", matrices.sizes());
    if (!call.has("n")) return;
    const char* const point = call.has("quasi") ? "quasi" : "self";
    const Tensor quasi = call.tensor(point);
    TORCH_CHECK(quasi.dim() == 1 && quasi.size(0) == dimensions && quasi.scalar_type() == at::kLong,
                call.op(), ": ", point, " is ", quasi.sizes());
    const std::int64_t count = call.number("n"), before = call.number("num_generated");
    TORCH_CHECK(count >= 0 && before >= 0 && count < (1 << bits) - 1 && before < (1 << bits) - 1 - count,
                call.op(), ": there are ", 1 << bits, " points");
}

/// Its kernel orders positions by what stands there, and goes astray where all are one element.
void checkMedian(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    if (!call.has("dim") || !call["dim"].isInt()) return;
    const Tensor self = call.tensor("self");
    if (self.dim() == 0 || !hasData(self)) return;
    const std::int64_t dim = dimension(call, self, call.number("dim"));
    TORCH_CHECK(self.size(dim) <= 1 || self.stride(dim) != 0, call.op(), ": self is expanded in dimension ",
                dim);
}

void checkDiagonals(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    for (const std::int64_t size : call.numbers("shape"))
        TORCH_CHECK(size >= 0, call.op(), ": shape is ", at::IntArrayRef(call.numbers("shape")));
    const std::vector<std::int64_t> shape = call.numbers("shape");
    TORCH_CHECK(shape.size() == 2, call.op(), ": shape is ", at::IntArrayRef(shape));
    checkRange(call, "offsets", -shape[0], shape[1] + 1);
}

} // namespace dynascope::engine::checks
