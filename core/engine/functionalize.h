// SPDX-License-Identifier: BSD-3-Clause
//
// PyTorch's own functionalization, driven one source node at a time over the tracer, with what it knows about
// aliases read out after each. The result follows torch.func.functionalize: changed inputs are written back
// by copy_ before the return.
#pragma once

#include "core/base/task.h"
#include "core/engine/interpreter.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dynascope::engine {

enum class Remove {
    Mutations,         ///< views stay views
    MutationsAndViews, ///< every view X becomes X_copy
};

/// Why a node of the functional graph is there.
enum class Emission : std::uint8_t {
    Operator,     ///< the functional form of the source node itself
    Inverse,      ///< carries a pending update from a view back to its base
    Regeneration, ///< replays a view chain on the new base
    WriteBack,    ///< copies the final value into a changed input
};
[[nodiscard]] std::string_view emissionName(Emission emission);

/// One line of the scorecard: a functional tensor that a source node read or made, as it stands after that
/// node.
struct ScoreRow {
    ir::NodeIndex value = 0;      ///< the source node that holds the tensor
    std::uint32_t group = 0;      ///< tensors with the same number share a storage
    std::int32_t base = -1;       ///< the functional node that holds the storage's base
    std::int32_t current = -1;    ///< the functional node that holds the tensor's own value
    std::uint32_t generation = 0; ///< of the tensor: stale while below its storage's
    std::uint32_t storageGeneration = 0;
    std::uint32_t pendingUpdates = 0; ///< of the storage
    std::uint32_t chain = 0;          ///< index into Functionalized::chains
};

/// What one source node did. Emitted nodes are [firstEmitted, endEmitted) of the functional graph.
struct FunctionalStep {
    ir::NodeIndex source = 0;
    std::uint32_t firstEmitted = 0, endEmitted = 0;
    std::uint32_t firstRow = 0, endRow = 0; ///< of Functionalized::rows
};

struct Functionalized {
    ir::GraphPtr graph;
    Attributes attributes;           ///< constants that the graph reads
    std::vector<Emission> emissions; ///< one per node of the graph but the output
    std::vector<FunctionalStep> steps;
    std::vector<ScoreRow> rows;
    /// View chains from the base on, such as {"view", "select_int"}; the first is empty.
    std::vector<std::vector<std::string>> chains;
};

/// Runs on copies of nothing: the kernels execute on `inputs` and leave them changed. Inputs that alias each
/// other are treated as independent, as torch.func.functionalize does. The error is PyTorch's.
[[nodiscard]] tl::expected<Functionalized, RunError>
functionalize(const Program& program, const std::vector<at::Tensor>& inputs, const Attributes& attributes,
              Remove remove, const TaskContext& task = {});

} // namespace dynascope::engine
