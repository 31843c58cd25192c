// SPDX-License-Identifier: BSD-3-Clause
//
// Why the symbols of a compile are called what they are called, and what became of them in another run.
#pragma once

#include "core/dynamo/pgo_naming.h"
#include "core/session/session.h"

#include <span>
#include <string>
#include <vector>

namespace dynascope::dynamo {

/// How a recorded symbol got its name.
enum class SymbolOrigin {
    Hash,        ///< the number that its source hashes to
    Collision,   ///< that number was taken: the next free one
    Unexplained, ///< neither: PyTorch before 2.8 counts, and a trace may lack symbols that took numbers
    Unbacked,    ///< "u0": has no source, is counted
};

struct SymbolNote {
    const session::SymbolInfo* symbol = nullptr; ///< lives in the Compile
    SymbolOrigin origin = SymbolOrigin::Hash;
    int hashed = 0; ///< where the search began; of no use for Unbacked
    /// Of a collision: the symbols that stood in the way, in the order of the search.
    std::vector<const session::SymbolInfo*> inTheWay;

    /// One line: "42 is the hash of its source, modulo 100", "42 was taken by s42 (L['y'].size()[0])".
    [[nodiscard]] std::string sentence() const;
};

/// A note for every recorded symbol, in order. Each attempt at a compile begins with no number taken; a
/// source that comes again begins an attempt.
[[nodiscard]] std::vector<SymbolNote> explainSymbols(const session::Compile& compile);

/// One size, stride or number in two runs.
struct SymbolPair {
    enum class Kind {
        Same,
        Renamed,     ///< another symbol: numbers were taken in another order
        Specialised, ///< a symbol in one run, a constant in the other
        Missing,     ///< a symbol in one run, unknown in the other
    };
    Kind kind = Kind::Same;
    std::string source;
    std::string a, b; ///< the symbol, or the constant it is there; empty where unknown
    std::string sentence;
};

/// The sources that are symbols in either of two compiles, those of A first.
[[nodiscard]] std::vector<SymbolPair> compareSymbols(const session::Compile& a, const session::Compile& b);

} // namespace dynascope::dynamo
