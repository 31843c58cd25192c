// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/verify/rounding_noise.h"

#include "core/engine/verify/tensor_compare.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/rand.h>
#include <algorithm>
#include <cmath>

namespace dynascope::engine {

namespace {

/// Bits of the significand, the hidden one included.
int significand(at::ScalarType type) {
    switch (c10::toRealValueType(type)) {
    case at::kDouble:
        return 53;
    case at::kFloat:
        return 24;
    case at::kHalf:
        return 11;
    case at::kBFloat16:
        return 8;
    default:
        return 0;
    }
}

bool canMove(const at::Tensor& tensor) {
    return tensor.defined() && tensor.layout() == at::kStrided && !tensor.is_meta() &&
           (tensor.is_floating_point() || tensor.is_complex()) && tensor.is_non_overlapping_and_dense();
}

} // namespace

RoundingNoise::RoundingNoise(const ir::Graph& graph, double unit, std::uint64_t seed)
    : m_graph(graph)
    , m_unit(unit)
    , m_numbers(at::detail::createCPUGenerator(seed)) {}

void RoundingNoise::after(ir::NodeIndex node, const c10::IValue& value) {
    if (m_graph.node(node).op == ir::Op::GetAttr) return;
    for (const c10::IValue& leaf : leavesOf(value)) {
        if (!leaf.isTensor() || !canMove(leaf.toTensor())) continue;
        const at::Tensor& tensor = leaf.toTensor();
        const at::Tensor numbers =
            at::rand(tensor.sizes(), m_numbers, at::TensorOptions().dtype(at::kDouble)).mul_(2).sub_(1);
        at::Tensor moved = tensor; // the same cells
        moved.mul_(numbers.mul_(m_unit).add_(1));
    }
}

double roundingUnit(const c10::IValue& value) {
    double out = 0;
    for (const c10::IValue& leaf : leavesOf(value)) {
        if (!leaf.isTensor() || !leaf.toTensor().defined()) continue;
        const int bits = significand(leaf.toTensor().scalar_type());
        if (bits > 0) out = std::max(out, std::ldexp(1.0, -bits));
    }
    return out;
}

} // namespace dynascope::engine
