// SPDX-License-Identifier: BSD-3-Clause
//
// What the two halves of AnswerPicture share. Used by views/answers only.
#pragma once

#include "views/workspace/labels.h"

#include <string>

namespace dynascope::views {

inline constexpr int answerColumnHeight = 66; ///< of the tallest column, at font size 12

/// Text of a capture as the picture draws it.
[[nodiscard]] inline QString itemText(const std::string& text, qsizetype most = 200) {
    return shownText(toQString(text), most);
}

} // namespace dynascope::views
