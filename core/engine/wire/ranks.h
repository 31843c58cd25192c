// SPDX-License-Identifier: BSD-3-Clause
//
// The method "ranks": the graphs of all ranks of a distributed program, recorded and replayed in one process. Ranks are
// threads that take turns (core/engine/collectives/lock_step.h); collectives are copies between them.
#pragma once

#include "core/engine/wire/execute.h"
#include "core/replay/recording.h"

#include <optional>

namespace dynascope::wire {

/// An input that lies in the memory of an output, or of an input, of an earlier graph of the same rank.
struct RankWire {
    std::uint64_t input = 0;
    std::uint64_t graph = 0;                     ///< index among the rank's graphs
    std::optional<std::uint64_t> output, source; ///< one of the two
};

struct RankGraph {
    std::string name; ///< "0/0 forward"
    std::string text;
    RunOn on;
    std::vector<std::uint64_t> kept; ///< positions of inputs whose content stays as a run leaves it
    std::vector<RankWire> wires;
};

struct RankProgram {
    std::vector<RankGraph> graphs; ///< run one after the other
};

struct RankGroup {
    std::string name;                 ///< of the process group
    std::vector<std::uint64_t> ranks; ///< indices into RanksRequest::ranks, in the order of the group
};

/// Each rank records its graphs, replays all of them `iterations` times and then, for times, `nodeIterations` times.
struct RanksRequest {
    std::vector<RankProgram> ranks;
    std::vector<RankGroup> groups;
    std::uint64_t iterations = 10, nodeIterations = 10;
    std::uint64_t verifyEvery = 1; ///< replays between two that are held against eager, bit by bit; 0: never
    /// Give what the last replay gave, with at most so many elements of each result.
    std::optional<std::int64_t> outputElements;
    /// "cpu"; or "cuda" for ranks that torchrun started: CUDA graphs, each on the GPU of its number on its machine.
    std::string backend = "cpu";
};

struct RankError {
    std::uint64_t graph = 0;
    std::string node; ///< empty where it is of none
    std::string message;
};

struct RankResult {
    std::vector<replay::ReplayRecording> recordings; ///< by graph; fewer after an error
    std::optional<replay::ReplayRun> run;
    std::optional<RankError> error;
    /// By graph, as "execute" describes tensors; nothing for what is none.
    std::optional<std::vector<std::vector<std::optional<RunTensor>>>> outputs;
};

struct RankWaiting {
    std::uint64_t rank = 0;
    std::string call; ///< "all_reduce sum of group '0', Float[4]"
    std::string graph, node;
};

/// Why the ranks could not go on together.
struct RanksFailure {
    std::string kind; ///< "hang" or "mismatch"
    std::string text;
    std::vector<RankWaiting> waiting;
    std::vector<std::uint64_t> ended; ///< ranks that had nothing left to do, or an error of their own
    std::vector<std::uint64_t> never; ///< ranks that others wait for
};

struct RanksReply {
    std::vector<RankResult> ranks;
    std::uint64_t meetings = 0; ///< collectives that ranks went through together, in all runs
    std::optional<RanksFailure> failure;
};

} // namespace dynascope::wire
