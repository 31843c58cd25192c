// SPDX-License-Identifier: BSD-3-Clause
//
// Planned addresses: every storage of a graph gets a place in one arena before anything runs, so that a
// replay allocates nothing.
#pragma once

#include "core/ir/graph.h"
#include "core/ir/symbol_value.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dynascope::replay {

/// One storage: alive from step `first` to step `last`, both included; a step is the run of one op.
struct Block {
    std::uint64_t bytes = 0;
    std::uint32_t first = 0, last = 0;
    friend bool operator==(const Block&, const Block&) = default;
};

struct Plan {
    std::vector<std::uint64_t> offsets; ///< by block; 0 for an empty one
    std::uint64_t arenaBytes = 0;
    /// Most bytes that are alive in one step, each block rounded up to the alignment: no arena is smaller.
    std::uint64_t peakBytes = 0;
};

/// PyTorch's CPU allocator aligns to 64 bytes, its CUDA allocator rounds to 512.
inline constexpr std::uint64_t defaultAlignment = 64;

/// Gives each block an offset such that no two that live at the same time overlap. Greedy by size: the
/// largest first, each into the lowest gap between the blocks of its lifetime (Pisarchyk and Lee, "Efficient
/// Memory Management for Deep Neural Net Inference", MLSys 2020 workshop, arXiv:2001.03288). Where that is
/// over 1 % above the peak (5 % for over 4096 blocks), the smallest gap instead of the lowest, and orders by
/// lifetime and by size times lifetime, are tried too and the smallest arena is kept. n log n + n times the
/// blocks that live with one. `alignment` is a power of two.
[[nodiscard]] Plan planGreedyBySize(std::span<const Block> blocks,
                                    std::uint64_t alignment = defaultAlignment);

/// For comparison: blocks in the order of their lifetimes, each at the lowest offset that is free.
[[nodiscard]] Plan planFirstFit(std::span<const Block> blocks, std::uint64_t alignment = defaultAlignment);

/// Two blocks that live at the same time and overlap, or a block out of its alignment or beyond the arena; a
/// sentence. Nothing for a plan that holds. Independent of the planners: n log n.
[[nodiscard]] std::optional<std::string> planFault(std::span<const Block> blocks, const Plan& plan,
                                                   std::uint64_t alignment = defaultAlignment);

/// Bytes of the node's tensor as far as its shape is known, and no machine lacks them: sums of what a text
/// claims must not wrap around.
[[nodiscard]] std::optional<std::uint64_t> tensorBytes(const ir::Node& node);

/// The storages that running a graph allocates.
struct GraphBlocks {
    std::vector<Block> blocks;
    std::vector<ir::NodeIndex> makers; ///< by block: the node that makes the storage
    std::size_t unknown = 0;           ///< storages without a known size: not in the list
    std::size_t bySymbols = 0;         ///< storages whose size is known by the values of symbols
    std::uint64_t keepAllBytes = 0;    ///< if nothing were given back
};

/// Storages by their makers: views and in-place writes extend the life of what they show, outputs live to the
/// end, inputs belong to the caller. Sizes are those of dense tensors of the shapes printed. Each element of
/// a tuple is a storage of its own; one that nobody reads lives for its step. Sizes that are symbols count with the
/// values of `symbols`.
[[nodiscard]] GraphBlocks blocksOf(const ir::Graph& graph, std::uint64_t alignment = defaultAlignment,
                                   const ir::SymbolValues& symbols = {});

} // namespace dynascope::replay
