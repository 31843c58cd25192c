// SPDX-License-Identifier: BSD-3-Clause
//
// The compiled graphs of all ranks of a capture as one program that the engine runs in one process, in lock step
// (core/engine/wire/ranks.h). Each rank runs its graphs in the order of workloadOf(), on values of its own.
#pragma once

#include "core/engine/wire/ranks.h"
#include "core/rederive/workload.h"

namespace dynascope::engine {

struct RanksWorkload {
    /// Names of graphs are those of the capture without the rank: "0/0 forward".
    wire::RanksRequest request;
    std::vector<int> ranks; ///< numbers of the ranks in the request
    /// By rank: the stage of each graph.
    std::vector<std::vector<ir::Address>> stages;
    /// By rank and graph, as the graph has them.
    std::vector<std::vector<ir::GraphPtr>> graphs;
    std::vector<std::string> left; ///< graphs that cannot be part of it and why, a line each
};

/// Whose ranks a process group has is taken from who calls it. Left out, on all ranks, are graphs that the engine cannot
/// run on one of them; graphs with collectives that not every rank of the group compiled, since the capture does not say
/// what the others did meanwhile; and graphs that read what these give. Fails where nothing is left, where a group
/// has more or fewer ranks than call it, and where the engine does.
[[nodiscard]] tl::expected<RanksWorkload, CallError> ranksWorkloadOf(Client& client,
                                                                     const session::Session& session,
                                                                     const ir::SymbolValues& symbols = {},
                                                                     const TaskContext& task = {});

} // namespace dynascope::engine
