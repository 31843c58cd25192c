// SPDX-License-Identifier: BSD-3-Clause
//
// Two captures, or two ranks of one, held against each other: which graphs are the same, and for the others
// the first difference and what else tells the two compiles apart.
#pragma once

#include "core/base/result.h"
#include "core/base/task.h"
#include "core/session/session.h"
#include "core/session/spans.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::compare {

struct PassesComparison;

inline constexpr std::size_t none = SIZE_MAX;

enum class CompareVerdict : std::uint8_t {
    Same, ///< up to the names of nodes and the spelling of targets
    Differs,
    OnlyInA,
    OnlyInB,
    Unreadable, ///< a text cannot be read as a graph, and is not the same
};
/// "same", "differs", "only in A", "only in B", "unreadable".
[[nodiscard]] std::string_view verdictName(CompareVerdict verdict);

/// How two compiles were found to belong together.
enum class Match : std::uint8_t {
    CompileId, ///< asked for: the ranks of one run
    Source,    ///< the same function of the same file
    Structure, ///< the same operators in the same order
    Chosen,    ///< two compiles that somebody picked
};
[[nodiscard]] std::string_view matchName(Match match); ///< "compile id", "source", "structure", "choice"

struct StageComparison {
    session::StagePtr a, b; ///< null on the side that lacks it
    CompareVerdict verdict = CompareVerdict::Same;
    std::string difference;   ///< the first one, in a line; empty where there is none
    std::string nodeA, nodeB; ///< where that is; empty where no node is
    std::size_t added = 0, removed = 0, changed = 0, moved = 0; ///< nodes
    /// One side lacks it because it was taken from a cache: no difference by itself.
    bool cached = false;
};

/// Two lists without order.
struct ListComparison {
    std::size_t same = 0;
    std::vector<std::string> onlyA, onlyB; ///< sorted
    [[nodiscard]] bool alike() const { return onlyA.empty() && onlyB.empty(); }
};

/// What a cache was asked and said on both sides.
struct CacheComparison {
    std::string cache; ///< "fx_graph_cache"
    std::optional<session::CacheEvent::Outcome> a, b;
    std::string keyA, keyB;
    /// Parts that the key was made from and that differ: "example_inputs[0]: ...[2, 32]... / ...[2, 40]...".
    std::vector<std::string> differences;
    [[nodiscard]] bool alike() const { return a == b && keyA == keyB; }
};

/// Something with a name and a value on each side; empty where a side has none.
struct ValueComparison {
    std::string name, a, b;
};

struct CompileComparison {
    std::size_t a = none, b = none; ///< indices into Session::compiles
    Match match = Match::Source;
    CompareVerdict verdict = CompareVerdict::Same;
    /// What tells them apart, the cause before its consequences: one line, empty where they are alike.
    std::string difference;
    std::vector<StageComparison> stages; ///< as A has them, then those that only B has
    ListComparison guards, symbols;
    std::vector<CacheComparison> caches; ///< no part of the verdict
    /// Inputs that differ, by source: "L['x']", "f32[4, 8]", "f32[5, 8]". No part of the verdict, since a
    /// graph with symbols serves many sizes.
    std::vector<ValueComparison> inputs;
    double secondsA = 0, secondsB = 0; ///< of compilation, backward included
    /// What AOTAutograd's and Inductor's passes did (core/compare/passes.h); null where no recording of passes has it
    /// of both sides.
    std::shared_ptr<const PassesComparison> passes;
};

/// Index of the first stage that tells two compiles apart; `none` where no stage does.
[[nodiscard]] std::size_t firstDifferingStage(const CompileComparison& pair);

/// All timing events of one name. Events inside others of the same name count once.
struct TimingComparison {
    std::string name;
    double secondsA = 0, secondsB = 0;
    double selfA = 0, selfB = 0; ///< seconds that no event inside accounts for
    std::size_t countA = 0, countB = 0;
};

struct Comparison {
    std::vector<CompileComparison> compiles; ///< in the order of A, then those that only B has
    std::vector<TimingComparison> timings;   ///< by how far they are apart, descending
    /// Seconds of the clock by session::CompilerPart: what ran at once, as workers do, counts once.
    std::array<double, session::compilerParts> partsA{}, partsB{};
    /// Versions and configurations that differ, as the first pair that recorded both says. No part of the
    /// verdict.
    std::vector<ValueComparison> settings;
    std::size_t same = 0, differing = 0, onlyInA = 0, onlyInB = 0;
    [[nodiscard]] bool alike() const { return differing + onlyInA + onlyInB == 0; }
};

struct CompareOptions {
    int rankA = -1, rankB = -1; ///< -1: every rank, with the same rank of the other side,
                                ///< or the only one with the only one
    /// Pair by compile id, not by what was compiled; two ranks of one session as session::rankedCompiles() does.
    bool byCompileId = false;
    /// A rank's own device is no difference: cuda:1 on rank 1 means what cuda:0 means on rank 0. With rankA
    /// and rankB only.
    bool ownDevices = false;
};

/// Reads the graphs that are not equal byte for byte, on as many threads as there are cores. Blocks; the
/// sessions may be one and the same. The only Error is cancellation().
[[nodiscard]] Result<Comparison> compareSessions(const session::Session& a, const session::Session& b,
                                                 const CompareOptions& options = {},
                                                 const TaskContext& task = {});

/// Two compiles, of one session or of two: indices into Session::compiles. A Comparison of that one pair.
[[nodiscard]] Result<Comparison> compareCompiles(const session::Session& a, std::size_t compileA,
                                                 const session::Session& b, std::size_t compileB,
                                                 const TaskContext& task = {});

/// Another compile of the same code as compile `of`, which it is most worth comparing with: the next recompile,
/// else the one before; none where there is only one.
[[nodiscard]] std::size_t otherEntry(const session::Session& session, std::size_t of);

/// What caches were asked for two compiles, in the order of `ca`, then what only `cb` has.
[[nodiscard]] std::vector<CacheComparison> compareCaches(const session::Session& a,
                                                         const session::Compile& ca,
                                                         const session::Session& b,
                                                         const session::Compile& cb);

/// One compile of the program on all ranks: see session::RankedCompile.
struct RankRow {
    std::string compileId;
    std::vector<std::size_t> compiles; ///< by rank: into Session::compiles, or `none`
    std::vector<int> group; ///< by rank: equal numbers compiled the same; -1: this rank has no such compile
    int differing = -1;     ///< index of the first rank that is not as the first one is; -1: none
    std::string difference; ///< of that rank from the first one
    [[nodiscard]] bool alike() const { return differing < 0; }
};
struct RankComparison {
    std::vector<int> ranks;
    std::vector<Comparison> comparisons; ///< by rank: of the first one with it; of the first itself empty
    std::vector<RankRow> rows;           ///< in the order of compilation on the first rank that has them
    std::size_t firstDiffering = none;   ///< index into rows
};
/// Compares each rank of a session with its first one, by texts, graphs and guards. What to make of it says
/// ranks::compareRanks(), which programs show.
[[nodiscard]] Result<RankComparison> compareRanks(const session::Session& session,
                                                  const TaskContext& task = {});

} // namespace dynascope::compare
