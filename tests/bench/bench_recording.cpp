// SPDX-License-Identifier: BSD-3-Clause
//
// A recording of a million steps in one attempt, as a large model makes it: how long it takes to open, and to
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
constexpr int places = 1000;

double milliseconds(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
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
    const session::ByteSourcePtr file = session::makeByteSource(test::longRecording(stepCount));
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
