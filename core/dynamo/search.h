// SPDX-License-Identifier: BSD-3-Clause
//
// Finding text in a recording: instructions, source, names, guards, and what was raised.
#pragma once

#include "core/dynamo/recording.h"

#include <string>
#include <string_view>
#include <vector>

namespace dynascope::dynamo {

struct SearchHit {
    enum class Kind : std::uint8_t { Function, Source, Instruction, Node, Guard, Event };
    Kind kind = Kind::Source;
    StepIndex step = noStep; ///< the first one in its attempt
    std::string text;        ///< "LOAD_FAST h", "h=x@w", "matmul = call_function[...]", ...
    std::string place;       ///< "f cap.py:31"
    std::size_t times = 1;   ///< steps of the attempt that carry it out
};

struct SearchResult {
    std::vector<SearchHit> hits; ///< by step
    bool more = false;           ///< there are more than were asked for
};

/// Everything that holds `text`, whatever the case of its ASCII letters. Lines and instructions count where
/// they were traced. Empty text finds nothing. The error says isCancelled() if the task was.
[[nodiscard]] Result<SearchResult> searchRecording(const Recording& recording, std::string_view text,
                                                   const TaskContext& task = {}, std::size_t most = 1000);

} // namespace dynascope::dynamo
