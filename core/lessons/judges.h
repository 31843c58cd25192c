// SPDX-License-Identifier: BSD-3-Clause
//
// The judges by name. Internal to core/lessons.
#pragma once

#include "core/lessons/judge.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::lessons {

using Keys = std::vector<std::string>;

struct JudgeEntry {
    std::string_view name;
    Result<FoundAnswer> (*find)(const Question& question, const JudgedFacts& facts);
};

[[nodiscard]] std::span<const JudgeEntry> captureJudges(); ///< what a capture says
[[nodiscard]] std::span<const JudgeEntry> runJudges(); ///< what a capture says of all that was compiled in it
[[nodiscard]] std::span<const JudgeEntry>
recordedJudges(); ///< one word of a capture that the reader recorded
[[nodiscard]] std::span<const JudgeEntry> computedJudges();

/// partition.budget: any choice that backward can do with, within the bytes, is right.
[[nodiscard]] Result<Judgement> judgeBudget(const Question& question, const Keys& answer,
                                            const JudgedFacts& facts);
inline constexpr std::string_view budgetJudge = "partition.budget";

[[nodiscard]] tl::unexpected<Error> unknown(std::string why, const Question& question);
[[nodiscard]] FoundAnswer number(std::size_t value);
[[nodiscard]] Result<const session::Session*> sessionFor(const Question& question, const JudgedFacts& facts);
[[nodiscard]] Result<const session::Compile*> compileFor(const Question& question, const JudgedFacts& facts);
/// The graph of `stage=NAME` of the compile, `k=` the how manieth of that name from 0.
[[nodiscard]] Result<ir::GraphPtr> graphFor(const Question& question, const JudgedFacts& facts);
/// Keys of the choices that `holds` says yes to.
[[nodiscard]] FoundAnswer choicesThat(const Question& question,
                                      const std::function<bool(const std::string&)>& holds);

} // namespace dynascope::lessons
