// SPDX-License-Identifier: BSD-3-Clause
//
// Recordings: a file, or from the mark on the tail beside it. Whatever opens can be gone through.
#include "core/dynamo/blocks.h"
#include "core/dynamo/cursor.h"
#include "core/dynamo/describe.h"
#include "core/dynamo/generated_code.h"
#include "core/session/byte_source.h"
#include "tests/fuzz/expect.h"

#include <algorithm>
#include <cstdint>

using namespace dynascope;
using namespace dynascope::dynamo;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t mark = std::min(input.find("\x89"
                                                 "DYNTAIL"),
                                      input.size());
    const auto recording = Recording::read(
        session::makeByteSource(std::string(input.substr(0, mark))),
        mark == input.size() ? nullptr : session::makeByteSource(std::string(input.substr(mark))));
    if (!recording) {
        fuzz::expect(!recording.error().message.empty());
        return 0;
    }
    const Recording& r = **recording;
    const auto steps = static_cast<StepIndex>(std::min<std::size_t>(r.steps().size(), 50));
    for (StepIndex i = steps; i-- > 0;) {
        const State* state = r.stateAt(i);
        if (state == nullptr) continue;
        static_cast<void>(graphText(r, *state));
        for (const FrameState* frame : callStack(*state)) {
            static_cast<void>(lineOf(r, *frame));
            for (const Block& block : blocksAt(r, *state, *frame))
                fuzz::expect(block.first <= frame->instruction);
            for (const Local& local : frame->locals)
                static_cast<void>(valueText(r, *state, local.value));
        }
        fuzz::expect(stepOver(r, i, Direction::Forward) > i);
        static_cast<void>(runToNode(r, i, "x", Direction::Forward));
    }
    for (std::uint32_t attempt = 0; attempt < std::min<std::size_t>(r.attempts().size(), 20); ++attempt)
        static_cast<void>(r.stateAfter(attempt));
    for (const GeneratedBytecode& code : generatedCodes(r))
        for (const BytecodeLine& line : code.lines)
            fuzz::expect(line.target == UINT32_MAX || line.target < code.lines.size());
    if (const auto condition = Condition::parse(input.substr(0, 200)); condition && steps > 0)
        static_cast<void>(runUntil(r, noStep, *condition, Direction::Forward));
    return 0;
}
