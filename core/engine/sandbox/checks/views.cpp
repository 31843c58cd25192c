// SPDX-License-Identifier: BSD-3-Clause
//
// Views that nobody holds against their storage.
#include "core/engine/sandbox/checks/arguments.h"
#include "core/engine/sandbox/checks/families.h"

namespace dynascope::engine::checks {

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

/// as_strided holds a view against the storage, but with numbers that may have overflown.
void checkStrided(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const auto sizes = call.numbers("size"), strides = call.numbers("stride");
    TORCH_CHECK(sizes.size() == strides.size(), call.op(), ": sizes and strides are not as many");
    const c10::IValue& offset = call["storage_offset"];
    std::int64_t last = offset.isNone() ? 0 : offset.toInt(), cells = 1, bytes = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        std::int64_t step = 0;
        if (sizes[i] == 0) return;
        const bool large = __builtin_mul_overflow(sizes[i], strides[i], &step) ||
                           __builtin_add_overflow(last, step, &last) ||
                           __builtin_mul_overflow(cells, sizes[i], &cells);
        TORCH_CHECK(!large, call.op(), ": the view is too large");
    }
    constexpr std::int64_t widest = 16; // bytes of an element
    TORCH_CHECK(!__builtin_mul_overflow(last, widest, &bytes) &&
                    !__builtin_mul_overflow(cells, widest, &bytes),
                call.op(), ": the view is too large");
}

void checkUnfoldBackward(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    std::vector<std::int64_t> sizes = call.numbers("input_sizes");
    const auto rank = static_cast<std::int64_t>(sizes.size());
    std::int64_t dim = call.number("dim");
    const std::int64_t size = call.number("size"), step = call.number("step");
    TORCH_CHECK_INDEX(dim >= -std::max<std::int64_t>(rank, 1) && dim < std::max<std::int64_t>(rank, 1),
                      call.op(), ": no dimension ", dim);
    if (dim < 0) dim += rank;
    if (rank > 0) {
        std::int64_t& wide = sizes[static_cast<std::size_t>(dim)];
        TORCH_CHECK(size >= 0 && size <= wide && step > 0, call.op(), ": windows of ", size, " every ", step);
        wide = (wide - size) / step + 1;
    }
    sizes.push_back(size);
    const at::IntArrayRef given = call.tensor("grad_in").sizes();
    bool fits = given.size() == sizes.size();
    for (std::size_t i = 0; fits && i < sizes.size(); ++i) // the kernel spreads what is there once
        fits = given[i] == sizes[i] ||
               (given[i] == 1 && i + 1 < sizes.size() && static_cast<std::int64_t>(i) != dim);
    TORCH_CHECK(fits, call.op(), ": grad_in is ", given, ", not ", at::IntArrayRef(sizes));
}

void checkChunks(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    for (const Tensor& tensor : call.tensors("tensors"))
        TORCH_CHECK(tensor.dim() >= 1, call.op(), ": a tensor without dimensions cannot be cut");
}

} // namespace dynascope::engine::checks
