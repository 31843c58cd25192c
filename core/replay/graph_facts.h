// SPDX-License-Identifier: BSD-3-Clause
//
// What is known of the values of a graph's nodes where CUDA graphs are concerned: device, dtype, storage.
// From a capture by factsOf(), or given by hand, as an oracle case does.
#pragma once

#include "core/ir/graph.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::replay {

/// The value of one node: meta["val"] in PyTorch.
struct ReplayNodeFacts {
    bool known = false;  ///< there is a value at all
    bool tensor = false; ///< and it is one tensor
    std::string device;  ///< "cuda:0"; empty where not known
    std::string dtype;   ///< short form, "f32"; empty where not known
    int storage = -1;    ///< equal numbers share a storage; -1: none, or not known
    bool sparse = false;
    bool symbolic = false; ///< a size or stride is a symbol
    bool unbacked = false; ///< a symbol without a value at compile time ("u0") occurs in it
};

/// A graph and the facts of its nodes, by their positions.
struct ReplayGraphFacts {
    ir::GraphPtr graph;
    std::vector<ReplayNodeFacts> nodes; ///< as many as the graph has
};

/// What the graph's text tells. Storages are followed through views and in-place writes (ir::storageRoots);
/// `inputGroups` lists placeholders, by their ordinal, that share a storage with one another.
[[nodiscard]] ReplayGraphFacts factsOf(ir::GraphPtr graph,
                                       std::span<const std::vector<std::size_t>> inputGroups = {});

/// "u0" or "zuf3" among the symbols of an expression such as "2*u0 + s1".
[[nodiscard]] bool hasUnbackedSymbol(std::string_view expression);
/// Whether an expression has any symbol at all.
[[nodiscard]] bool hasSymbol(std::string_view expression);

/// The part of a device before its index: "cuda".
[[nodiscard]] std::string_view deviceType(std::string_view device);
/// As Python shows it: "device(type='cuda', index=0)".
[[nodiscard]] std::string deviceRepr(std::string_view device);

/// What an error of PyTorch's says, where it raises instead of answering.
struct RaisedError {
    std::string type;    ///< "KeyError"
    std::string message; ///< str(error)
    friend bool operator==(const RaisedError&, const RaisedError&) = default;
};

/// A stack as Python writes it into meta["stack_trace"]: two lines a frame, innermost last. Empty for none.
[[nodiscard]] std::string stackText(const ir::StackTrace& stack);
[[nodiscard]] std::string stackText(const ir::Node& node);

} // namespace dynascope::replay
