// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/overloads.h"
#include "core/engine/exec/torch_level/python_bodies.h"

#include <algorithm>
#include <array>

namespace dynascope::engine::torch_level {

namespace {

Value product(const Value& a, const Value& b) {
    return aten("matmul", {a, b});
}

Value adjoint(const Value& matrix) {
    return aten("mH", {matrix});
}

Value orthogonal(const Value& matrix) {
    return aten("linalg_qr", {matrix}).items().at(0);
}

/// (matrix - shift) @ with, the shift may be None.
Value shifted(const Value& matrix, const Value& shift, const Value& with) {
    const Value out = product(matrix, with);
    return shift.isNone() ? out : aten("sub", {out, product(shift, with)});
}

Value approximateBasis(const Value& matrix, std::int64_t rank, std::int64_t rounds, const Value& shift) {
    const at::Tensor& tensor = matrix.tensor();
    const c10::ScalarType type = tensor.scalar_type();
    const bool keeps = type == at::kHalf || type == at::kFloat || type == at::kDouble || tensor.is_complex();
    const Value random = aten("randn", {Value::ints({tensor.size(-1), rank})},
                              {{"dtype", keeps ? type : at::kFloat}, {"device", tensor.device()}});
    Value basis = orthogonal(shifted(matrix, shift, random));
    for (std::int64_t i = 0; i < rounds; ++i) {
        Value back = product(adjoint(matrix), basis);
        if (!shift.isNone()) back = aten("sub", {back, product(adjoint(shift), basis)});
        basis = orthogonal(back);
        basis = orthogonal(shifted(matrix, shift, basis));
    }
    return basis;
}

Value decomposed(Value matrix, std::int64_t rank, std::int64_t rounds, Value shift) {
    const std::int64_t rows = matrix.tensor().size(-2), columns = matrix.tensor().size(-1);
    if (!shift.isNone()) shift = aten("broadcast_to", {shift, Value(matrix.tensor().sizes().vec())});
    if (rows < columns) {
        matrix = adjoint(matrix);
        if (!shift.isNone()) shift = adjoint(shift);
    }
    const Value basis = approximateBasis(matrix, rank, rounds, shift);
    Value inner = product(adjoint(basis), matrix);
    if (!shift.isNone()) inner = aten("sub", {inner, product(adjoint(basis), shift)});
    const Value svd = aten("linalg_svd", {inner}, {{"full_matrices", false}});
    Value v = adjoint(svd.items().at(2));
    Value u = product(basis, svd.items().at(0));
    if (rows < columns) std::swap(u, v);
    return Value::tuple({u, svd.items().at(1), v});
}

Value svdLowRank(const Arguments& a) {
    return decomposed(a["A"], a["q"].isNone() ? 6 : a["q"].integer(),
                      a["niter"].isNone() ? 2 : a["niter"].integer(), a["M"]);
}

Value pcaLowRank(const Arguments& a) {
    const Value& matrix = a["A"];
    const std::int64_t most = std::min(matrix.tensor().size(-2), matrix.tensor().size(-1));
    const std::int64_t rank = a["q"].isNone() ? std::min<std::int64_t>(6, most) : a["q"].integer();
    TORCH_CHECK_VALUE(rank >= 0 && rank <= most, "q(=", rank,
                      ") must be non-negative integer and not greater than min(m, n)=", most);
    const std::int64_t rounds = a["niter"].integer();
    TORCH_CHECK_VALUE(rounds >= 0, "niter(=", rounds, ") must be non-negative integer");
    if (!a["center"].flag()) return decomposed(matrix, rank, rounds, {});
    const Value center = aten("mean", {matrix, Value::ints({-2}), true});
    return decomposed(aten("sub", {matrix, center}), rank, rounds, {});
}

constexpr std::array table{
    Entry{"svd_lowrank", "A, q=6, niter=2, M=None", svdLowRank},
    Entry{"pca_lowrank", "A, q=None, center=True, niter=2", pcaLowRank},
};

} // namespace

std::span<const Entry> lowRankFunctions() {
    return table;
}

} // namespace dynascope::engine::torch_level
