// SPDX-License-Identifier: BSD-3-Clause
//
// The steps of a comparison. Used by core/compare only.
#pragma once

#include "core/compare/compare.h"
#include "core/compare/own.h"

#include <optional>
#include <string>
#include <utility>

namespace dynascope::compare::detail {

/// The devices that two ranks call their own: cuda:1 on rank 1 means what cuda:0 means on rank 0.
struct OwnDevices {
    int a = -1, b = -1; ///< alike where nothing is to be exchanged

    /// A text of B with its own device's index in the place of A's, and the other way round, so that a device
    /// that is not its own stays apart. Twice gives the text again.
    [[nodiscard]] std::string exchanged(std::string_view text) const;
    /// A text of B in which its own device has no number.
    [[nodiscard]] std::string unnumbered(std::string_view text) const { return withoutOwnDevice(text, b); }
    [[nodiscard]] bool differ() const { return a != b; }
};
/// By what the ranks' graphs, code and inputs name most; alike where one of them names none.
[[nodiscard]] OwnDevices ownDevices(const session::Session& a, int rankA, const session::Session& b,
                                    int rankB);

/// Indices of compiles that belong together, in the order of A, then those of B alone; `none` where a side
/// has nothing.
struct Pair {
    std::size_t a = none, b = none;
    Match match = Match::Source;
};
[[nodiscard]] std::vector<Pair> matchCompiles(const session::Session& a, const session::Session& b,
                                              const CompareOptions& options);

/// The stages of the last attempts, by name and number; nothing is read yet.
[[nodiscard]] std::vector<StageComparison> matchStages(const session::Compile& a, const session::Compile& b);
/// Fills the verdict of a pair. Texts are told as each side has them; inputs are named as the program does where
/// the compiles that the stages are of are given and tell.
void compareStage(StageComparison& pair, const OwnDevices& devices,
                  const session::Compile* compileA = nullptr, const session::Compile* compileB = nullptr);

/// Inputs by source, where they differ.
[[nodiscard]] std::vector<ValueComparison> compareInputs(const session::Compile& a, const session::Compile& b,
                                                         const OwnDevices& devices);
/// What the compilation_metrics records of two compiles and the sessions' headers say of versions and
/// configurations, where it differs.
[[nodiscard]] std::vector<ValueComparison> compareSettings(const session::Session& a,
                                                           const session::Compile& ca,
                                                           const session::Session& b,
                                                           const session::Compile& cb);
/// Fills `timings` and parts of `out` by the timing events of its compiles and, unless `thoseOnly`, by those that belong
/// to no compile.
void compareTimings(const session::Session& a, const session::Session& b, bool thoseOnly, Comparison& out);

/// Whether the record of a lookup lists what its key was made from.
[[nodiscard]] bool listsItsKey(const session::Session& session, const session::CacheEvent& event);
/// A part of two keys that differs: "example_inputs[0]", "...[2, 32]...", "...[2, 40]..."; nothing where a side lacks it.
struct UnequalKeyPart {
    std::string name;
    std::optional<std::string> a, b;
};
/// What two keys were made from where it differs; nothing where a record does not list it.
[[nodiscard]] std::vector<UnequalKeyPart> keyDifferences(const session::Session& a,
                                                         const session::CacheEvent& ofA,
                                                         const session::Session& b,
                                                         const session::CacheEvent& ofB);
/// "example_inputs[0]: ...[2, 32]... / ...[2, 40]...", "example_inputs[7]: only in B: ...".
[[nodiscard]] std::string inALine(const UnequalKeyPart& part);

[[nodiscard]] ListComparison compareLists(std::vector<std::string> a, std::vector<std::string> b);

/// At most `length` bytes, cut between characters.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t length = 160);
/// Two texts that differ, each where they part, with a little before: "...[2, 32])" and "...[2, 40])".
[[nodiscard]] std::pair<std::string, std::string> excerpts(std::string_view a, std::string_view b);
/// Both in a line: "...[2, 32]) / ...[2, 40])". Texts that are alike differ in what OwnDevices makes of them.
[[nodiscard]] std::string whereTheyPart(std::string_view a, std::string_view b);

} // namespace dynascope::compare::detail
