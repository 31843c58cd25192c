// SPDX-License-Identifier: BSD-3-Clause
//
// A recording of a million steps in one attempt, as a large model makes it: calls that nest, a value every
// second step, a node every 20, a guard every 30, a side effect every 50. How long it takes to open, and to
// any state from anywhere.
#include "core/dynamo/cursor.h"
#include "core/dynamo/describe.h"
#include "core/session/byte_source.h"
#include "tests/support/recordings.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>

using namespace dynascope;
using namespace dynascope::dynamo;

namespace {

constexpr StepIndex stepCount = 1'000'000;
constexpr StepIndex callLength = 40;
constexpr int places = 1000;

double milliseconds(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

std::string makeRecording() {
    test::RecordingWriter out;
    out.record('H', R"({"format":1})");
    out.numbers('s', {1}, "TensorVariable")
        .numbers('s', {2}, "call_function")
        .numbers('s', {3}, "dtype")
        .numbers('s', {4}, "f32");
    for (std::uint64_t i = 0; i < 20; ++i)
        out.numbers('s', {5 + i}, "local" + std::to_string(i));
    std::string ops = "\"LOAD_FAST\"", lines = "1";
    for (StepIndex i = 1; i < callLength; ++i) {
        ops += ",\"CALL\"";
        lines += ',' + std::to_string(1 + i / 4);
    }
    out.record('c', R"({"id":1,"name":"f","file":"p.py","first_line":1,"instructions":{"op":[)" + ops +
                        R"(],"line":[)" + lines + "]}}");
    out.record('A', R"({"id":1,"compile_id":"0/0","attempt":0,"code":1})")
        .numbers('f', {1, 0, 1, 0, 0})
        .numbers('g', {0, 0});
    std::uint64_t values = 0, nodes = 0, guards = 0, frames = 1;
    for (StepIndex i = 0; i < stepCount; ++i) {
        const StepIndex within = i % callLength;
        if (within == 0 && i > 0) out.numbers('l', {frames}).numbers('f', {++frames, 1, 1, 1, 0});
        if (i % 2 == 0) out.numbers('v', {++values, 1, 3U << 2U, 4});
        if (i % 20 == 0)
            out.numbers('n', {++nodes, 0, nodes - 1, 2, 5 + i % 17, 2, 0, 0},
                        "(args = (\x01" + std::to_string(nodes) + "\x02,), kwargs = {})");
        if (i % 30 == 0) out.numbers('q', {++guards, 1, 5 + i % 20, 2, 3});
        if (i % 50 == 0) out.numbers('a', {values, 5, values});
        const auto flags = std::uint8_t(12 + (within == 0 ? 3 : 0));
        std::vector<std::uint64_t> numbers;
        if (within == 0) numbers = {frames, 0};
        numbers.insert(numbers.end(), {within % 4, 1, values, 1, 5 + i % 20, values});
        out.step(flags, numbers);
        if (i % 5000 == 4999) out.endBlock();
    }
    return out.numbers('Z', {1}).endBlock().file();
}

/// Resident memory of this process in bytes.
std::uint64_t resident() {
    std::ifstream file("/proc/self/statm");
    std::uint64_t whole = 0, pages = 0;
    file >> whole >> pages;
    return pages * 4096;
}

} // namespace

int main() {
    const session::ByteSourcePtr file = session::makeByteSource(makeRecording());
    std::printf("%u steps, %.1f MB packed\n", stepCount, double(file->bytes().size()) / 1e6);
    const std::uint64_t before = resident();
    auto start = std::chrono::steady_clock::now();
    const auto opened = Recording::read(file, nullptr);
    if (!opened || (*opened)->steps().size() != stepCount) return 1;
    const Recording& recording = **opened;
    std::printf("opened in %.0f ms, %.0f MB resident more\n", milliseconds(start),
                double(resident() - before) / 1e6);

    std::mt19937 random(1);
    std::vector<double> times;
    for (int i = 0; i < places; ++i) {
        const StepIndex step = random() % stepCount;
        start = std::chrono::steady_clock::now();
        const State* state = recording.stateAt(step);
        std::size_t shown = 0;
        for (const Local& local : state->frameState(state->frame)->locals)
            shown += valueText(recording, *state, local.value).size();
        times.push_back(shown > 0 ? milliseconds(start) : 1e9);
    }
    std::sort(times.begin(), times.end());
    std::printf("any step: median %.2f ms, longest %.2f ms\n", times[places / 2], times.back());

    start = std::chrono::steady_clock::now();
    for (StepIndex i = stepCount / 2; i < stepCount / 2 + 10'000; ++i)
        if (recording.stateAt(i) == nullptr) return 1;
    std::printf("one step on: %.4f ms\n", milliseconds(start) / 10'000);
    times.clear();
    for (StepIndex i = stepCount / 2; i-- > stepCount / 2 - 200;) {
        start = std::chrono::steady_clock::now();
        if (recording.stateAt(i) == nullptr) return 1;
        times.push_back(milliseconds(start));
    }
    std::printf("one step back: longest %.2f ms\n", *std::max_element(times.begin(), times.end()));
    start = std::chrono::steady_clock::now();
    const auto found = runUntil(
        recording, noStep, *Condition::parse("nodes > 49990 and local local3 is tensor"), Direction::Forward);
    std::printf("a condition over the whole recording: %.0f ms, step %u\n", milliseconds(start),
                found.value_or(noStep));
    std::printf("%.0f MB resident more after all of that\n", double(resident() - before) / 1e6);
    return 0;
}
