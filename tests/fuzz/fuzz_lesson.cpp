// SPDX-License-Identifier: BSD-3-Clause
//
// Lessons: an error says something; what is read can be asked, and judged without a capture.
#include "core/lessons/judge.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

using namespace dynascope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto lesson = lessons::readLesson({reinterpret_cast<const char*>(data), size}, "lesson.md");
    if (!lesson) {
        if (lesson.error().message.empty()) std::abort();
        return 0;
    }
    for (const lessons::Step& step : lesson->steps) {
        if (!step.question) continue;
        if (lessons::claimed(*step.question).empty()) std::abort();
        static_cast<void>(lessons::judge(*step.question, lessons::claimed(*step.question), {}));
        static_cast<void>(lessons::hintFor(*step.question, {}, {}));
    }
    return 0;
}
