// SPDX-License-Identifier: BSD-3-Clause
//
// A joint graph as the partitioners take it, and what they make of it. The joint graph computes the forward
// outputs and the gradients in one; its placeholders are primals and tangents, told apart by their names.
#pragma once

#include "core/base/result.h"
#include "core/ir/graph.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::passes::partition {

/// A node's partitioner_tag.
enum class Region : std::uint8_t { None, Forward, Backward, MustBeInForward, MustBeInBackward };

/// torch.utils.checkpoint's CheckpointPolicy.
enum class Recompute : std::uint8_t { None, MustSave, PreferSave, MustRecompute, PreferRecompute };

enum class SymbolKind : std::uint8_t { None, Int, Float, Bool };

struct JointTensor {
    std::vector<std::int64_t> sizes; ///< hints where they are symbolic
    std::int64_t bytes = 0;          ///< elements, by their hint, times element size
    std::size_t storage = 0;         ///< equal numbers share a storage
};

/// What is known of a node besides its call.
struct NodeFacts {
    std::optional<JointTensor> tensor;
    SymbolKind symbol = SymbolKind::None;
    bool tuple = false;                   ///< a list or tuple of tensors
    std::int64_t itemBytes = 0;           ///< of a tuple
    std::vector<std::string> freeSymbols; ///< in sizes, strides and offset
    std::string binds;                    ///< the bare symbol that this node's value is; else empty

    Region region = Region::None;
    Recompute recompute = Recompute::None;
    std::optional<std::int64_t> checkpointRegion; ///< ac_graph_id; only the order of the numbers counts
    bool hasBackwardHook = false;
    bool writes = false;           ///< its schema has a written argument
    bool seededRandom = false;     ///< tagged nondeterministic_seeded
    bool savedUnversioned = false; ///< saved on ctx without a check of its version counter
    bool isModule = false;         ///< get_attr of a GraphModule
    bool isObject = false;         ///< an input that is neither tensor nor number, such as a device mesh

    [[nodiscard]] bool isSymbol() const { return symbol != SymbolKind::None; }
    [[nodiscard]] bool recomputed() const {
        return recompute == Recompute::MustRecompute || recompute == Recompute::PreferRecompute;
    }
    /// A symbol counts one byte.
    [[nodiscard]] std::int64_t bytes() const { return isSymbol() ? 1 : tensor ? tensor->bytes : itemBytes; }
};

struct Joint {
    ir::GraphPtr graph;
    std::vector<NodeFacts> facts;           ///< by node of the graph
    std::size_t forwardOutputs = 0;         ///< the first outputs; gradients follow
    std::vector<std::size_t> staticPrimals; ///< positions among the primals: parameters and buffers
};

/// torch._functorch.config, as far as the partitioners read it.
struct Config {
    bool cse = true;
    /// An expression that gradients need and an equal one that they do not need stay two, as since PyTorch 2.14.
    bool cseApart = false;
    bool parametersAreFree = true; ///< treat_parameters_as_free_to_save
    bool recomputeViews = false;
    bool banUsedFarApart = true;
    bool banLongChains = true;
    bool banMaterializedBackward = true;
    bool banNotInAllowlist = true;
    bool banReductions = true;
    bool aggressive = false; ///< turns all of these off but banReductions
    int maxDistance = 1000;
    double memoryBudget = 1.0; ///< 0 keeps inputs only, 1 what the cut keeps
    enum class Solver : std::uint8_t { DynamicProgramming, Greedy } solver = Solver::DynamicProgramming;
    bool countFlops = true; ///< else every op costs the same
    /// Save what PyTorch saves. Else an input that forward overwrites is not saved: backward would compute
    /// from the new value.
    bool faithful = true;
};

/// What became of a forward value that backward needs.
struct Decision {
    enum class Kind : std::uint8_t { Saved, Recomputed } kind = Kind::Saved;
    std::string node;
    std::int64_t bytes = 0;
    std::string why; ///< a few words
};

struct Partition {
    ir::GraphPtr forward, backward;
    std::vector<std::string>
        saved; ///< in the order of the forward outputs: tensors, objects, random states, symbols
    std::vector<std::string> donated; ///< saved tensors whose memory backward may reuse
    std::vector<Decision> decisions;  ///< saved ones in that order, then recomputed ones in joint order
    std::vector<std::string> warnings;

    [[nodiscard]] std::int64_t savedBytes() const;
};

/// What forward saves is what lies before its last node and backward reads.
[[nodiscard]] Result<Partition> defaultPartition(const Joint& joint);

/// What forward saves is a minimum cut between what must be kept and what backward must have, by bytes
/// weighted with their distance from backward; of all minimum cuts the one nearest to backward.
[[nodiscard]] Result<Partition> minCutPartition(const Joint& joint, const Config& config = {});

} // namespace dynascope::passes::partition
