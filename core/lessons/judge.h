// SPDX-License-Identifier: BSD-3-Clause
//
// Who says what is right: each question names a judge, which computes the answer from the capture, or from what the
// engine made of it.
#pragma once

#include "core/computed/functional_recording.h"
#include "core/lessons/lesson.h"
#include "core/session/session.h"

#include <string>
#include <string_view>
#include <vector>

namespace dynascope::lessons {

/// What a judge may look at. Values; whoever fills them in owns what they point to for as long as it is asked.
struct JudgedFacts {
    session::SessionPtr session; ///< of the step; null where none is open
    const computed::FunctionalRecording* functional =
        nullptr; ///< of the step's graph; null until the engine ran
};

/// What is right: keys or names, sorted; a number as one. Of a capture what the judge says of it, one word.
struct FoundAnswer {
    std::vector<std::string> keys;
    std::string words; ///< a sentence; may be empty
};
/// An Error where the facts do not say it: its message tells the way out, its line is that of the lesson that asks.
[[nodiscard]] Result<FoundAnswer> findAnswer(const Question& question, const JudgedFacts& facts);

struct Judgement {
    bool right = false;
    FoundAnswer found;
};
/// Judges an answer: the chosen keys in any order, or what answerOf() makes of a text. Of a capture it is not looked at.
[[nodiscard]] Result<Judgement> judge(const Question& question, std::vector<std::string> answer,
                                      const JudgedFacts& facts);

/// What a wrong answer deserves: the hint of a `miss` that is that answer, else of the first choice that was chosen
/// wrongly, or of one that was left out; empty where the lesson has none.
[[nodiscard]] std::string hintFor(const Question& question, const std::vector<std::string>& answer,
                                  const Judgement& verdict);

/// All names that `judge:` may have, sorted.
[[nodiscard]] std::vector<std::string_view> judgeNames();

/// The compile that a call names: `compile=0/1` of rank `rank=2`, the first one where it names none. Null where it is
/// not there.
[[nodiscard]] const session::Compile* compileOf(const Call& call, const session::Session& session);

} // namespace dynascope::lessons
