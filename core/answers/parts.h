// SPDX-License-Identifier: BSD-3-Clause
//
// The answers one by one. Used by core/answers only.
#pragma once

#include "core/answers/answer.h"
#include "core/ir/place_text.h"

namespace dynascope::answers::detail {

[[nodiscard]] Answer breaksAnswer(const session::Session& session);
[[nodiscard]] Answer recompilesAnswer(const session::Session& session);
[[nodiscard]] Answer compiledAnswer(const session::Session& session);
[[nodiscard]] Answer cachesAnswer(const session::Session& session);
[[nodiscard]] Answer cudaGraphsAnswer(const session::Session& session, const TaskContext& task);
[[nodiscard]] Answer memoryAnswer(const session::Session& session, const TaskContext& task);
[[nodiscard]] Answer runTimeAnswer(const session::Session& session, const TaskContext& task);
[[nodiscard]] Answer ranksAnswer(const session::Session& session, const TaskContext& task);
[[nodiscard]] Answer readingAnswer(const session::Session& session);

/// Items that a picture has room for, the one at `always` among them; the rest is counted in Answer::moreItems.
inline constexpr std::size_t mostRows = 7, mostCells = 96, mostColumns = 24;
void keepFirst(Answer& answer, std::size_t most, std::size_t always = nowhere);

/// Whether something was compiled: else most questions do not apply.
[[nodiscard]] bool hasCompiles(const session::Session& session);
[[nodiscard]] Answer notHere(Question question, std::string sentence, std::string command = {});
/// NotHere, where nothing was compiled.
[[nodiscard]] Answer noRun(const session::Session& session, Question question);
/// "67 %", of a whole above 0.
[[nodiscard]] std::string percent(double part, double whole);
/// A sentence of these words: a capital letter first, a full stop last.
[[nodiscard]] std::string sentenceOf(std::string_view words);

/// To trace a program as this capture was not.
inline constexpr std::string_view traceCommand = "TORCH_TRACE=trace python your_program.py";

} // namespace dynascope::answers::detail
