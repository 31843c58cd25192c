// SPDX-License-Identifier: BSD-3-Clause
//
// AOTAutograd without Python: a function's metadata, its layers, and the joint graph of forward and backward,
// or the inference graph where nothing needs a gradient.
#pragma once

#include "core/base/task.h"
#include "core/engine/aot/aot_layers.h"
#include "core/engine/exec/interpreter.h"

#include <optional>
#include <vector>

namespace dynascope::engine {

struct AotRequest {
    const Program& program;
    const std::vector<c10::IValue>& inputs; ///< tensors say whether they require grad; they are not written
    const Attributes& attributes;
    bool keepInputMutations = true; ///< writes of inputs stay in the graph where they can
    /// Grad mode around the function; without it on where an input requires grad.
    std::optional<bool> gradMode = std::nullopt;
    std::optional<c10::ScalarType> autocast = std::nullopt; ///< its dtype where it is on around the function
    bool symbolicSizes = false; ///< PyTorch traces with symbols where this has numbers
};

struct AotTrace {
    passes::aot::ViewAndMutationMeta<passes::aot::OuterIndex> outer;
    AotLayers layers;
    bool joint = false;
    ir::GraphPtr graph; ///< placeholders: inner arguments, then tangents. Nobody removed its dead nodes
    Attributes attributes;
    std::vector<c10::IValue> numbersRead; ///< out of tensors, in the order of the graph
    std::size_t forwardOutputs = 0;       ///< the first results, tokens among them; gradients follow
    /// Tokens that keep effects in order: the first inputs and the first results; the last ones in backward.
    std::size_t forwardTokens = 0, backwardTokens = 0;
    /// Of a joint graph: the results that have a tangent, in the order of these.
    std::vector<std::size_t> differentiable;
    /// Outer positions of written inputs that PyTorch takes for unmoved although their geometry was changed
    /// in place: back to what it was, or to what the written value happens to have.
    std::vector<std::size_t> takenForUnmoved;
};

/// Runs the program on copies of the inputs: once where its metadata and its graph come of the same run, else
/// once for each. The error is PyTorch's, or says what a layer refuses.
[[nodiscard]] tl::expected<AotTrace, RunError> traceAot(const AotRequest& request,
                                                        const TaskContext& task = {});

} // namespace dynascope::engine
