// SPDX-License-Identifier: BSD-3-Clause
//
// Planned addresses for 10,000 storages, beside first fit in the order of allocation. Medians of 15 runs.
#include "core/replay/plan.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <random>
#include <vector>

using namespace dynascope;
using replay::Block;

namespace {

constexpr std::uint32_t blockCount = 10'000;
constexpr int runs = 15;

double median(const std::function<void()>& work) {
    std::vector<double> times;
    for (int i = 0; i < runs; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work();
        times.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
    return times[runs / 2];
}

std::uint64_t someBytes(std::mt19937& random) {
    return std::uint64_t(1 + random() % 64) << (8 + random() % 10);
}

/// Every op reads the last few.
std::vector<Block> inference() {
    std::mt19937 random(1);
    std::vector<Block> out;
    for (std::uint32_t i = 0; i < blockCount; ++i)
        out.push_back({someBytes(random), i, i + 1 + std::uint32_t(random() % 4)});
    return out;
}

/// Half of a forward is saved and freed in reverse order by the backward.
std::vector<Block> training() {
    std::mt19937 random(2);
    std::vector<Block> out;
    for (std::uint32_t i = 0; i < blockCount; ++i) {
        const bool saved = i < blockCount / 2 && random() % 2 == 0;
        out.push_back({someBytes(random), i, saved ? blockCount - i : i + 1 + std::uint32_t(random() % 3)});
    }
    return out;
}

/// Lifetimes without any order: harder than graphs are.
std::vector<Block> arbitrary() {
    std::mt19937 random(3);
    std::vector<Block> out;
    for (std::uint32_t i = 0; i < blockCount; ++i) {
        const auto first = std::uint32_t(random() % blockCount);
        out.push_back(
            {someBytes(random), first, std::min(blockCount, first + std::uint32_t(random() % 2000))});
    }
    return out;
}

void measure(const char* name, const std::vector<Block>& blocks) {
    replay::Plan greedy, firstFit;
    const double planned = median([&] { greedy = replay::planGreedyBySize(blocks); });
    const double plain = median([&] { firstFit = replay::planFirstFit(blocks); });
    const auto against = [](std::uint64_t arena, std::uint64_t peak) {
        return static_cast<double>(arena) / static_cast<double>(peak);
    };
    std::printf("%-10s %7.1f ms, arena %.4f of peak; first fit %7.1f ms, %.4f of peak; arena ratio %.4f%s\n",
                name, planned, against(greedy.arenaBytes, greedy.peakBytes), plain,
                against(firstFit.arenaBytes, greedy.peakBytes),
                against(greedy.arenaBytes, firstFit.arenaBytes),
                replay::planFault(blocks, greedy) ? "  OVERLAPS" : "");
}

} // namespace

int main() {
    measure("inference", inference());
    measure("training", training());
    measure("arbitrary", arbitrary());
    return 0;
}
