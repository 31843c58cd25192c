// SPDX-License-Identifier: BSD-3-Clause
//
// Why frames were compiled again: the guard of each cache entry that failed, what it asked for, what it got,
// and how to have fewer entries.
//
// Source of the texts: torch/_dynamo/guards.py and torch/csrc/dynamo/guards.cpp of PyTorch 2.6 to 2.13.
#pragma once

#include "core/session/session.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::dynamo {

/// The first guard of a cache entry that a call did not satisfy.
struct FailedGuard {
    enum class Kind : std::uint8_t {
        Size,
        Stride,
        Rank,
        Dtype,
        Device,
        RequiresGrad,
        Value,   ///< a Python value that was compiled in
        Type,    ///< the class of an object
        Object,  ///< the very object
        Freed,   ///< an object that the entry was made for is gone, and the entry with it
        Length,  ///< of a list, a tuple or a dict, or its keys
        Alias,   ///< whether two inputs are one object
        Mode,    ///< grad mode, autocast, threads, deterministic algorithms, ...
        Backend, ///< every guard held, but the entry is another backend's
        Other,
    };
    std::string entry; ///< compile id of the entry that was asked: "0/0"; empty where the text names none
    Kind kind = Kind::Other;
    std::string check;    ///< the guard, as PyTorch writes it
    std::string subject;  ///< what it is about: "x", "L['n']"; empty where unknown
    int dimension = -1;   ///< of Size and Stride
    bool isRange = false; ///< of Size: a symbolic size left the range that `expected` tells
    std::string expected; ///< empty where the text does not say
    std::string actual; ///< of the call, from the text or from what was compiled for it; empty where unknown
    ir::SourceLocation addedAt; ///< the user's line that added the guard; line 0 where unknown
    std::string advice;         ///< one sentence
};

/// A reason as the record recompile_reasons has it, one entry's.
[[nodiscard]] FailedGuard readFailedGuard(std::string_view reason);

/// Of every entry that was asked before this compile was made, in lookup order: the entry used last comes
/// first.
[[nodiscard]] std::vector<FailedGuard> failedGuards(const session::Compile& compile);

/// One compile more of a frame.
struct Recompile {
    std::size_t compile = 0;         ///< index into Session::compiles
    std::vector<FailedGuard> failed; ///< as failedGuards()
    bool refused = false;            ///< Compile::hitRecompileLimit(): nothing was compiled
};

/// The cache of one code object.
struct FrameCache {
    int rank = 0;
    std::size_t first = 0;             ///< index into Session::compiles: the compile made first
    std::size_t entries = 0;           ///< compiles that did not fail
    double seconds = 0;                ///< compile time of all but the first, without what was refused
    std::vector<Recompile> recompiles; ///< in order

    /// torch._dynamo.config.recompile_limit where nobody changed it.
    static constexpr std::size_t limit = 8;
};

/// Sizes and numbers that `made` has as symbols and `entry` had as constants: with automatic dynamic shapes a
/// second compile makes them so, and serves what a third would have been made for. Of made.symbols.
[[nodiscard]] std::vector<const session::SymbolInfo*> madeSymbolic(const session::Compile& entry,
                                                                   const session::Compile& made);

/// A check that two entries of one cache do not share.
struct GuardChange {
    std::string source, type;               ///< as session::Guard
    const session::Guard* before = nullptr; ///< of the earlier entry; null where only the later has it
    const session::Guard* after = nullptr;  ///< of the later one
};
struct GuardChanges {
    std::vector<GuardChange> changes; ///< in the later entry's order, what only the earlier has behind them
    std::size_t same = 0;             ///< checks that both have, word for word
};
/// Managers are no checks. The guards must outlive the result. Reads both guard texts: on a worker where they
/// may be long.
[[nodiscard]] GuardChanges compareGuards(const session::GuardList& before, const session::GuardList& after);

/// recompile_limit as a compile's metrics or its refusal tell it; nothing where neither does. Reads the
/// configuration of 50 KB that the metrics hold.
[[nodiscard]] std::optional<std::size_t> recompileLimit(const session::Compile& compile);

/// The code objects that were compiled more than once; the ones with most entries come first.
[[nodiscard]] std::vector<FrameCache> explainRecompiles(const session::Session& session);

} // namespace dynascope::dynamo
