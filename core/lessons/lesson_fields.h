// SPDX-License-Identifier: BSD-3-Clause
//
// The lines "key: value" of a lesson's blocks.
#pragma once

#include "core/lessons/lesson.h"

#include <string>
#include <string_view>
#include <vector>

namespace dynascope::lessons {

struct Field {
    std::string_view key, value; ///< trimmed; no key where the line has no colon
    std::size_t line = 0;
};

[[nodiscard]] Field fieldOf(std::string_view line, std::size_t number);
/// Whether all of the text is a number; `out` stays as it is otherwise.
[[nodiscard]] bool readNumber(std::string_view text, int& out);
/// Letters, digits, "-", "_" and "." that is not first.
[[nodiscard]] bool isFileName(std::string_view text);
/// File names with "/" between them.
[[nodiscard]] bool isPath(std::string_view text);
/// What stands between blanks.
[[nodiscard]] std::vector<std::string> wordsOf(std::string_view text);

/// Puts a field where it belongs. The cause where it belongs nowhere; else empty.
[[nodiscard]] std::string takeStep(const Field& field, Step& step);
[[nodiscard]] std::string takeQuestion(const Field& field, Question& question);
/// What a question that was read to its end lacks; empty for nothing.
[[nodiscard]] std::string lackOf(const Question& question);

} // namespace dynascope::lessons
