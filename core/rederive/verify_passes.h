// SPDX-License-Identifier: BSD-3-Clause
//
// Every graph that a recording of passes has, run beside the graph before it: which pass changed a value, the memory
// of an output, or what is written into an input.
#pragma once

#include "core/engine/client/client.h"
#include "core/engine/wire/verify.h"
#include "core/inductor/compile_passes.h"
#include "core/ir/symbol_value.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::engine {

/// A graph that a pass left, or that was found between passes, compared with the module's graph before it.
struct PassVerdict {
    enum class Kind : std::uint8_t {
        Equal,     ///< outputs, and inputs after the call; rounding is no difference
        Layout,    ///< equal values; an output has other strides, or shares memory otherwise
        Different, ///< a value, type or shape
        OrderDependent,
        Random,   ///< random numbers, or memory that nobody wrote, explain a difference
        Declined, ///< not run, for the reason that is named
    };
    std::size_t row = 0;                 ///< into CompilePasses::rows: who made the change, the innermost
    std::uint32_t before = 0, after = 0; ///< states
    Kind kind = Kind::Declined;
    std::string reason;                   ///< a sentence; may be empty where equal
    std::vector<std::string> differences; ///< a check a line
    std::string node, nodeBefore; ///< the first node that differs, in the graph after and before; empty: none
};
/// "equal", "layout", "different", "order-dependent", "random", "declined".
[[nodiscard]] std::string_view passKindName(PassVerdict::Kind kind);

/// A step of a module's chain of graphs, or a split of the joint graph.
struct PassChainStep {
    std::size_t row = 0;
    std::uint32_t before = 0, after = 0;
    /// Of a split, whose forward graph is `after`.
    struct Backward {
        std::size_t row = 0;
        std::uint32_t state = 0;
    };
    std::optional<Backward> backward{};
};
/// All of a compile, in the order in which the graphs came to be. What a pass changed by those that run in it is theirs. A
/// split is one step, of the row of its forward graph; both its rows get the verdict.
[[nodiscard]] std::vector<PassChainStep> passSteps(const inductor::CompilePasses& passes);

/// Of a split forward and backward run as one graph, backward on what forward saves.
/// Runs the steps' graphs on seeded inputs of the shapes that their texts have, symbols at `hints`. An Error only where
/// there is no engine, or it was cancelled: `onVerdict`, called on this thread, has had what was known by then. A graph
/// that ends the engine is declined, and the next is asked of a new one.
[[nodiscard]] Answer<std::vector<PassVerdict>>
verifyPasses(Client& engine, const inductor::CompilePasses& passes, const ir::SymbolValues& hints,
             const CallOptions& options = {}, const std::function<void(const PassVerdict&)>& onVerdict = {});

} // namespace dynascope::engine
