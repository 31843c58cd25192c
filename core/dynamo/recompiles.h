// SPDX-License-Identifier: BSD-3-Clause
//
// Why frames were compiled again: the guard of each cache entry that failed, what it asked for, what it got,
// and how to have fewer entries.
//
// Source of the texts: torch/_dynamo/guards.py and torch/csrc/dynamo/guards.cpp of PyTorch 2.6 to 2.13.
#pragma once

#include "core/session/session.h"

#include <cstdint>
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
};

/// The cache of one code object.
struct FrameCache {
    int rank = 0;
    std::size_t first = 0; ///< index into Session::compiles: the entry made first
    std::size_t entries = 0;
    std::vector<Recompile> recompiles; ///< in order

    /// torch._dynamo.config.recompile_limit where nobody changed it.
    static constexpr std::size_t limit = 8;
};

/// The code objects that were compiled more than once; the ones with most entries come first.
[[nodiscard]] std::vector<FrameCache> explainRecompiles(const session::Session& session);

} // namespace dynascope::dynamo
