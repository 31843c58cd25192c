// SPDX-License-Identifier: BSD-3-Clause
//
// Fourier transforms, factors with pivots, and integers that cannot be negated.
#include "core/engine/sandbox/checks/arguments.h"
#include "core/engine/sandbox/checks/families.h"

#include <ATen/ops/isfinite.h>
#include <ATen/ops/min.h>
#include <set>

namespace dynascope::engine::checks {

void checkFourier(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const Tensor self = call.tensor("self");
    std::set<std::int64_t> seen;
    for (const std::int64_t dim : call.numbers("dim"))
        TORCH_CHECK(dim >= 0 && dim < self.dim() && seen.insert(dim).second, call.op(), ": no dimension ",
                    dim, " of ", self.sizes(), ", or twice");
    const std::int64_t normalization = call.number("normalization");
    TORCH_CHECK(normalization >= 0 && normalization <= 2, call.op(), ": no normalization ", normalization);
    if (!call.has("last_dim_size")) return;
    const auto dims = call.numbers("dim");
    const std::int64_t last = call.number("last_dim_size");
    // MKL transforms the longer of both sides, so a longer input writes past the result.
    TORCH_CHECK(!dims.empty() && last >= 1 && last / 2 + 1 == self.size(dims.back()), call.op(),
                ": last_dim_size is ", last, " for ", self.sizes());
}

/// Pivots of LAPACK's Bunch-Kaufman factors: row numbers from 1, or the same negative one twice in a row.
void checkIndefiniteSolve(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const Tensor factors = call.tensor("LD"), pivots = call.tensor("pivots");
    TORCH_CHECK(factors.dim() >= 2 &&
                    pivots.sizes() == factors.sizes().slice(0, static_cast<std::size_t>(factors.dim() - 1)),
                call.op(), ": pivots is ", pivots.sizes(), " for ", factors.sizes());
    const std::int64_t rows = factors.size(-1);
    checkRange(call, "pivots", -rows, rows + 1);
    if (!hasData(pivots) || rows == 0) return;
    const Looking looking;
    const Tensor flat = pivots.detach().to(at::kLong).contiguous();
    const std::int64_t* const all = flat.const_data_ptr<std::int64_t>();
    for (std::int64_t at = 0; at < flat.numel(); ++at) {
        TORCH_CHECK(all[at] != 0, call.op(), ": pivots has 0");
        if (all[at] > 0) continue;
        const bool isPair = at % rows + 1 < rows && all[at + 1] == all[at];
        TORCH_CHECK(isPair, call.op(), ": pivots has one ", all[at], " alone");
        ++at;
    }
}

void checkFactorsUnpack(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const Tensor factors = call.tensor("LU_data"), pivots = call.tensor("LU_pivots");
    TORCH_CHECK(factors.dim() >= 2, call.op(), ": LU_data is ", factors.sizes());
    std::vector<std::int64_t> each = factors.sizes().vec();
    const std::int64_t rows = factors.size(-2);
    each.pop_back();
    each.back() = std::min(factors.size(-1), rows);
    TORCH_CHECK(pivots.sizes() == at::IntArrayRef(each), call.op(), ": LU_pivots is ", pivots.sizes(),
                " for ", factors.sizes());
    checkRange(call, "LU_pivots", 1, rows + 1);
}

/// Kernels that negate or divide integers with the processor's instruction.
void checkNoLeast(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    for (const char* name : {"self", "other"}) {
        const Tensor tensor = call.tensor(name);
        if (!hasData(tensor) || tensor.numel() == 0 || !c10::isIntegralType(tensor.scalar_type(), false))
            continue;
        const Looking looking;
        const auto bits = static_cast<int>(8 * tensor.element_size());
        if (tensor.scalar_type() == at::kByte || bits < 32) continue;
        const std::int64_t least =
            bits == 32 ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int64_t>::min();
        TORCH_CHECK(at::min(tensor.detach()).item<std::int64_t>() != least, call.op(), ": ", name,
                    " has the least number of its type, which has no positive one");
    }
}

/// LAPACK's search for eigenvalues goes astray among numbers that are none.
void checkFinite(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const Tensor self = call.tensor("self");
    if (!hasData(self) || self.numel() == 0) return;
    const Looking looking;
    TORCH_CHECK(at::isfinite(self.detach()).all().item<bool>(), call.op(),
                ": self has NaN or infinite numbers");
}

} // namespace dynascope::engine::checks
