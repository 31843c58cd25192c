// SPDX-License-Identifier: BSD-3-Clause
//
// The collectives of a graph: what each one does, on which process group, and who waits for it. Read from the
// graph's text alone: `_c10d_functional` and its autograd twin, `_dtensor`, in-place `c10d`, and the traceable
// collectives that Dynamo puts in the place of torch.distributed's. Pure; any thread.
#pragma once

#include "core/ir/graph.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::ranks {

struct Collective {
    ir::NodeIndex index = ir::npos; ///< of one in a subgraph, the node that runs the subgraph; so is `node`
    std::string node;
    /// "all_reduce in repeated_subgraph0": its own node in a subgraph; empty outside of one.
    std::string within;
    std::string kind;      ///< "all_reduce"; the in-place forms have the same kind
    std::string reduction; ///< "sum"; empty where the kind has none
    std::string group;     ///< name of the process group, "0"; empty where the graph does not say
    /// Ranks of the group, where an argument says so (all_gather_into_tensor, reduce_scatter_tensor).
    std::optional<std::int64_t> groupSize;
    std::string rest; ///< the other arguments, which all ranks of the group have to give alike: "[0]"
    std::vector<std::string> inputs, outputs; ///< "f32[4]"
    std::optional<std::uint64_t> bytes;       ///< of the tensors that are given to it
    bool pointToPoint = false;                ///< send and receive: ranks of a group do not do the same
    /// Every rank may give and get another length: all_to_all_single.
    bool uneven = false;

    ir::SourceLocation at; ///< the program's line; its file is empty where none is known
    /// `at` is of a node that this one reads or that reads it: the text has only a line of PyTorch's for itself.
    bool near = false;

    std::string wait;               ///< the node that waits for it; empty where none does
    std::size_t nodesUntilWait = 0; ///< between it and that
    /// No node waits for it, none reads it and the graph does not return it. Only of functional ones: others
    /// wait by themselves.
    bool forgotten = false;

    /// "all_reduce sum".
    [[nodiscard]] std::string call() const { return reduction.empty() ? kind : kind + ' ' + reduction; }
};

/// In the order in which the graph calls them: those of a subgraph stand where a node runs it once (invoke_subgraph,
/// checkpoints, regions with another grad or autocast mode). What is in branches and loops (cond, while_loop) is not
/// listed, since the graph does not say how often it runs. Linear, but for the search for waits, which looks at no more
/// than a few hundred nodes each; a subgraph counts as often as it is run, up to 100,000 collectives in all.
[[nodiscard]] std::vector<Collective> collectivesOf(const ir::Graph& graph);

/// Whether a node with that target is a collective or waits for one.
[[nodiscard]] bool isCollectiveTarget(std::string_view target);

/// A process group that a graph speaks of.
struct GroupUse {
    std::string name;
    /// How many ranks it has, where an argument says so.
    std::optional<std::int64_t> size;
    friend bool operator==(const GroupUse&, const GroupUse&) = default;
};
inline constexpr std::int64_t assumedGroupSize = 2;  ///< where nothing says how many ranks a group has
inline constexpr std::int64_t mostGroupSize = 65536; ///< what an argument can be believed to say

/// The process groups of a graph and of all its subgraphs, those of branches and loops included, by name. Where
/// arguments contradict each other the largest size counts. Linear.
[[nodiscard]] std::vector<GroupUse> groupsOf(const ir::Graph& graph);

/// What running the graph in one process, without the other ranks, takes for granted; empty for one without
/// collectives: "every rank of group '0' (4 ranks) is taken to give what this one gives".
[[nodiscard]] std::string aloneText(const ir::Graph& graph);

/// "a, b", or "f32[4] -> f32[8]".
[[nodiscard]] std::string shapesText(const Collective& collective);

} // namespace dynascope::ranks
