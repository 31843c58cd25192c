// SPDX-License-Identifier: BSD-3-Clause
//
// What the steps of both partitioners share: the joint graph with the facts of its nodes, and the extraction
// of a module from it. Internal to core/passes/partition. All steps are linear but for sorting unless they
// say so.
#pragma once

#include "core/passes/partition/joint.h"

#include <functional>
#include <span>

namespace dynascope::passes::partition {

enum class Role : std::uint8_t { Computed, Primal, Tangent, ForwardSeed, BackwardSeed };

struct Work {
    ir::GraphPtr graph;
    std::vector<NodeFacts> facts; ///< by node
    std::vector<Role> roles;      ///< by node
    std::size_t forwardOutputs = 0;
    std::vector<std::size_t> staticPrimals;

    [[nodiscard]] const ir::Node& node(ir::NodeIndex i) const { return graph->node(i); }
    [[nodiscard]] ir::NodeIndex outputNode() const { return static_cast<ir::NodeIndex>(graph->size() - 1); }
    [[nodiscard]] std::span<const ir::Argument> outputs() const {
        return node(outputNode()).args.front().items;
    }
    [[nodiscard]] std::span<const ir::Argument> forward() const { return outputs().first(forwardOutputs); }
    [[nodiscard]] std::span<const ir::Argument> gradients() const {
        return outputs().subspan(forwardOutputs);
    }
    [[nodiscard]] std::vector<ir::NodeIndex> withRole(Role role) const;
    /// Primals, then forward seeds.
    [[nodiscard]] std::vector<ir::NodeIndex> forwardInputs() const;

    [[nodiscard]] bool mustBeForward(ir::NodeIndex i) const;
    [[nodiscard]] bool mustBeBackward(ir::NodeIndex i) const;
    /// A call that has an effect besides its value; random draws count as having none.
    [[nodiscard]] bool impureCall(ir::NodeIndex i) const;
    [[nodiscard]] bool anyRecomputed() const;
};

/// Checks what the steps rely on: names are unique, inputs precede their users, the last node returns a list.
[[nodiscard]] Result<Work> makeWork(const Joint& joint);

/// Drops nodes that nobody reads and that are not impure.
[[nodiscard]] Work withoutDeadCode(Work work);
/// Merges equal expressions as torch.fx's CSE does, what its hash table confuses included; with `apart` none that gradients
/// need with one that they do not.
[[nodiscard]] Work withEqualsMerged(Work work, bool apart = false);

/// "aten.copy_.default" and others, by their full names.
inline constexpr std::string_view copyTarget = "torch.ops.aten.copy_.default";

enum class Side : std::uint8_t { Forward, Backward };

/// Which nodes a module cut out of the joint graph is made of; by node.
struct Extent {
    std::vector<bool> given; ///< its inputs
    std::vector<bool> valid; ///< what can be computed from them, they themselves included
    std::vector<bool> kept;  ///< its nodes: of the valid ones those that are not dead, and every input
    std::vector<bool> read;  ///< by another node of the module, or returned
};
/// Of the module that computes `outputs` from `inputs`. Fails where that cannot be done.
[[nodiscard]] Result<Extent> extentOf(const Work& work, std::span<const ir::NodeIndex> inputs,
                                      std::span<const ir::Argument> outputs, Side side);

/// A module cut out of the joint graph.
struct Module {
    ir::GraphPtr graph;
    std::vector<ir::NodeIndex> nodes; ///< dropped ones included: none of their names is given again
};

/// Computes `outputs` from `inputs`, which become placeholders in that order. Fails where that cannot be
/// done.
[[nodiscard]] Result<Module> extract(const Work& work, std::span<const ir::NodeIndex> inputs,
                                     std::span<const ir::Argument> outputs, Side side);

struct Split {
    Module forward, backward;
    std::vector<ir::NodeIndex> tensors, symbols; ///< saved; the symbols that only shapes need included
};
/// Both modules for what is saved, without what backward turns out not to read.
[[nodiscard]] Result<Split> split(const Work& work, std::vector<ir::NodeIndex> tensors,
                                  std::vector<ir::NodeIndex> symbols);

/// Marks what regions of torch.utils.checkpoint have to save at their borders.
void saveAtCheckpointBorders(Work& work, bool defaultPartitioner);
/// Marks effects' results and overwritten inputs, which are never computed twice.
void forceSaves(Work& work);

/// Draws that are recomputed draw the same numbers again: the state is saved in forward and used in backward.
/// Gives the names of the states, which follow the saved tensors.
[[nodiscard]] std::vector<std::string> replayRandomState(const Work& work, Split& split);

/// Backward in the order of the autograd engine: each node right before its first reader.
[[nodiscard]] ir::GraphPtr inAutogradOrder(const ir::GraphPtr& backward);
/// Every getitem right behind what it reads.
[[nodiscard]] ir::GraphPtr withGetitemsRaised(const ir::GraphPtr& graph);

/// By node: whether it lies in an input that forward overwrites at its end.
[[nodiscard]] std::vector<bool> overwrittenInputs(const Work& work);

/// A SymBool that only an assertion reads.
[[nodiscard]] bool onlyAsserted(const Work& work, ir::NodeIndex i);

/// Puts the pieces together: random state, order of nodes, decisions. `why` tells why a node is saved.
[[nodiscard]] Partition finish(const Work& work, Split split, bool reorder,
                               const std::function<std::string(ir::NodeIndex)>& why);

/// The default partitioner.
[[nodiscard]] Result<Partition> partitionByPosition(Work work);

} // namespace dynascope::passes::partition
