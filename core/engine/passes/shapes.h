// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/passes/known_passes.h"
#include "core/passes/pass.h"

namespace dynascope::engine {

/// Gives every node the shape, strides and dtype of its value, computed from those of the inputs without
/// running anything large. In order: the C++ Meta kernel; PyTorch's shape functions for lazy backends; what
/// the graph recorded; for what depends on values (item, nonzero, a mask) what the example inputs give; a run
/// on zeros where the tensors are small. What is left is an error that names the operator.
class ShapesPass final : public passes::Pass {
public:
    [[nodiscard]] std::string_view name() const override { return passes::shapesPass.name; }
    [[nodiscard]] std::string_view description() const override { return passes::shapesPass.description; }
    [[nodiscard]] passes::PassResult<passes::PassState> run(const passes::PassState& source,
                                                            const passes::PassContext& context,
                                                            passes::PassObserver& observer) const override;
};

} // namespace dynascope::engine
