// SPDX-License-Identifier: BSD-3-Clause
//
// Replays for other programs to read.
#pragma once

#include "core/replay/recording.h"

#include <span>
#include <string>
#include <string_view>

namespace dynascope::replay {

/// One row per node that ran, with a header line (RFC 4180). `recordings` go with `run.graphs`:
/// graph,position,node,target,mode,min_us,median_us,p99_us.
[[nodiscard]] std::string toCsv(std::span<const ReplayRecording> recordings, const ReplayRun& run);

/// A JSON trace that Chrome and Perfetto open: a lane for each graph's nodes, one after the other at their
/// median times, and a counter of what is alive in its arena.
[[nodiscard]] std::string toChromeTrace(std::span<const ReplayRecording> recordings, const ReplayRun& run);

/// Of a KeptRun's document: rises when an older reader would misread one. Version 0 had no number, and the same
/// fields.
inline constexpr int keptRunVersion = 1;

/// A run among earlier ones, as session files keep it (store::Replay::result).
struct KeptRun {
    std::int64_t seconds = 0;  ///< since 1970 UTC
    std::string engine, torch; ///< versions
    unsigned threads = 1;      ///< most of any graph
    std::uint64_t arenaBytes = 0, peakBytes = 0;
    ReplayRun run; ///< without the times of single nodes
    friend bool operator==(const KeptRun&, const KeptRun&) = default;
};
[[nodiscard]] KeptRun keptRun(std::span<const ReplayRecording> recordings, const ReplayRun& run);
[[nodiscard]] nlohmann::json toJson(const KeptRun& run);
/// An Error too for one that a newer program wrote.
[[nodiscard]] Result<KeptRun> keptRunFromJson(const nlohmann::json& document);
/// The same of its text.
[[nodiscard]] Result<KeptRun> readKeptRun(std::string_view text);

/// One time of a run against the same of an earlier one.
struct RunChange {
    std::string what;               ///< "all graphs", "0/0 forward"
    double beforeUs = 0, nowUs = 0; ///< medians
    double noiseUs = 0;             ///< what the difference of two runs of the same may come to
    enum class Pace : unsigned char { Same, Slower, Faster } pace = Pace::Same;
};
/// Compares what both have. A difference counts beyond three times the noise of both runs together and 3 % of
/// the time: machines drift that much by themselves.
[[nodiscard]] std::vector<RunChange> compareRuns(const KeptRun& before, const KeptRun& now);

} // namespace dynascope::replay
