// SPDX-License-Identifier: BSD-3-Clause
//
// What the ranks of one run compiled, held against each other: where their collectives do not fit, so that they will
// wait for each other for ever; where they compute something else; where one is slower. Ranks that are alike
// are read once and told as one. Nothing is run. Pure functions of a Session; any thread.
#pragma once

#include "core/base/result.h"
#include "core/base/task.h"
#include "core/ranks/collectives.h"
#include "core/session/session.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::ranks {

inline constexpr std::size_t none = SIZE_MAX;

/// What hurts most is greatest.
enum class RanksVerdict : std::uint8_t { Alike, Slower, MayBeWrong, WillHang };
[[nodiscard]] std::string_view
verdictName(RanksVerdict verdict); ///< "alike", "slower", "may be wrong", "will hang"

/// "rank 3", "ranks 0 to 2", "ranks 0, 2 and 5", "ranks 0, 1 and 1020 more". `ranks` ascend.
[[nodiscard]] std::string rankWords(std::span<const int> ranks);

/// One thing that does not fit.
struct Reason {
    RanksVerdict verdict = RanksVerdict::Slower;
    std::vector<int> ranks; ///< those that are not as most are
    std::string compile;    ///< "1/0"; empty where it is of no compile
    std::string node;       ///< of `stage`, on the first of `ranks`; may be empty
    std::string file;       ///< the program's, empty where unknown
    std::uint32_t line = 0;
    std::string text;
    std::size_t at = none;   ///< index into Session::compiles, of the first of `ranks` where it has one
    session::StagePtr stage; ///< of that; may be null
};

/// A collective as the ranks of one lane call it.
struct Call {
    Collective what;
    session::StagePtr stage; ///< of the lane's first rank
    /// Index into Report::rows, of the compile whose graph it is in: another one than the lane's where ranks break the
    /// graph of a function in different places, so that it resumes on some of them only.
    std::size_t row = none;
};

/// Ranks that call the same collectives in one compile; where they break a function's graph in different places, in
/// it and all that resumes it.
struct Lane {
    std::vector<int> ranks;
    std::vector<Call> calls;
    std::size_t mismatch =
        none; ///< index into `calls` of the first that does not fit; calls.size(): one is missing
};

struct CompileRow {
    std::string id; ///< "1/0", as most ranks call it; unique: see session::RankedCompile
    std::vector<std::pair<std::string, std::vector<int>>> otherIds; ///< how other ranks call it: "3/0", ranks
    std::string function;
    /// Id of the function's row whose collectives hold those of this one, where ranks break that function in different
    /// places; else empty.
    std::string partOf;
    ir::SourceLocation at;
    /// By rank, as in Report::ranks: the same number compiled the same; 0 is what most have, in a tie the first
    /// rank's. -1 where this rank has no such compile.
    std::vector<int> letters;
    std::vector<std::size_t> compiles; ///< by rank: into Session::compiles, or `none`
    /// Most ranks first; empty where no rank calls a collective, and where the lanes of the function that this
    /// one resumes have them.
    std::vector<Lane> lanes;
    RanksVerdict verdict = RanksVerdict::Alike;
    std::size_t reason = none; ///< into Report::reasons: the worst of this compile
};

/// Estimated by Inductor; of the compiles whose trace has `inductor_runtime_and_tensor_meta`.
struct Runtime {
    std::string compile;
    int fastest = 0, slowest = 0;           ///< ranks
    std::vector<std::pair<int, double>> ns; ///< by rank
    [[nodiscard]] double delta() const;
};

using RankGroups = std::vector<std::vector<int>>; ///< each ascends; by their first ranks

struct Waiting; ///< core/ranks/flight.h

struct Report {
    std::vector<int> ranks;
    RanksVerdict verdict = RanksVerdict::Alike;
    std::vector<Reason> reasons; ///< worst first, then in the order of compilation
    std::vector<CompileRow> rows;
    /// Which ranks are alike, in what they compiled, in collectives, in what caches said, in the tensors of Inductor's
    /// operations, and in the order in which graphs ran. Of the last two only ranks whose trace says it.
    RankGroups compiles, collectives, caches, tensorMeta, executionOrder;
    std::vector<Runtime> runtime;
    std::vector<std::string> notes;     ///< what limits the verdict, or was settled by PyTorch itself
    std::array<std::size_t, 4> count{}; ///< of reasons, by verdict
    std::size_t measured = 0;           ///< ranks whose profiles were compared: see addMeasured()
    /// Ranks that wait, by flight-recorder dumps: see addFlight(). Empty without them.
    std::shared_ptr<const std::vector<Waiting>> waiting;
};

/// The only Error is cancellation(). Time grows with the bytes of the ranks' texts; what is alike is parsed once.
[[nodiscard]] Result<Report> examine(const session::Session& session, const TaskContext& task = {});

/// In a sentence: "Will hang: rank 3 calls ...", "4 ranks are alike in 9 compiles".
[[nodiscard]] std::string summaryOf(const Report& report);

} // namespace dynascope::ranks
