// SPDX-License-Identifier: BSD-3-Clause
//
// What another number of ranks would change, estimated from the graphs of a capture: the bytes that collectives move, and
// what of its inputs a rank holds. An estimate, each time with what it takes for granted; nothing is run. Pure; any thread.
#pragma once

#include "core/ranks/ranks.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::ranks {

/// Bytes that each rank at least sends for a collective, whatever the algorithm: its size times NCCL's factor for bus
/// bandwidth. Both assumptions are given where they part; of a tensor that every rank has whole they do not.
struct Moved {
    double now = 0;
    double wholeStays =
        0; ///< with the other number: what is gathered, scattered or exchanged stays, parts shrink
    double partStays = 0; ///< with the other number: each rank's part stays, the whole grows
    friend bool operator==(const Moved&, const Moved&) = default;
};

struct ScaledCall {
    std::size_t call = 0; ///< into the calls of the row's first lane
    std::optional<std::int64_t> groupSize;
    std::uint64_t bytes =
        0; ///< that the factor is of: the whole tensor of a gather, the rank's own of an all_reduce
    std::optional<Moved> moved; ///< nothing where it is not estimated
    std::string words;          ///< the formula: "2 (n-1)/n of 512 B"; or why it is not estimated, or stays
};

/// An input of a graph that each rank has a part of.
struct ShardedInput {
    std::string name;
    std::uint64_t now = 0; ///< bytes on a rank
    double then = 0;
    std::string words; ///< how that is known: "DTensor, S(0)", "gathered by all_gather_into_tensor"
};

struct ScaledCompile {
    std::size_t row = 0; ///< into Report::rows
    std::vector<ScaledCall> calls;
    Moved moved; ///< of those that are estimated
    std::vector<ShardedInput> sharded;
    std::uint64_t heldNow = 0; ///< bytes of all the graph's inputs on a rank, sharded ones included
    double heldThen = 0;       ///< where the whole of what is sharded stays
};

struct ScaleEstimate {
    std::int64_t from = 0, to = 0; ///< ranks
    std::vector<ScaledCompile> compiles;
    std::vector<std::string> assumptions; ///< sentences
    std::vector<std::string> limits;      ///< what is not estimated, sentences
};

inline constexpr std::int64_t mostRanks = 1'000'000;

/// Of the compiles of `report`, which examine() made of that session. Only groups of all ranks change with their number;
/// a smaller group is taken to stay. `to` is 1 to mostRanks. Linear in the graphs' nodes.
[[nodiscard]] ScaleEstimate estimateRanks(const session::Session& session, const Report& report,
                                          std::int64_t to);

/// NCCL's factor for a kind of collective on n ranks; nothing for a kind that it has none for.
[[nodiscard]] std::optional<double> busFactor(std::string_view kind, std::int64_t n);

} // namespace dynascope::ranks
