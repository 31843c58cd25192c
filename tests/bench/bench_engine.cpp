// SPDX-License-Identifier: BSD-3-Clause
//
// How soon an engine is ready, and what it costs while it waits: the median time from starting the process to
// the end of the handshake, and its memory after that.
//
//   build/release/bench/bench_engine [COMMAND...]      default: bin/dynascope-engine of the same build
#include "core/engine/client/client.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

using namespace dynascope;

namespace {

constexpr int rounds = 5;

/// A field of /proc/PID/smaps_rollup, in MiB.
double memory(std::int64_t pid, const std::string& field) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/smaps_rollup");
    for (std::string word; file >> word;) {
        double kib = 0;
        if (word == field + ':' && file >> kib) return kib / 1024;
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    std::vector<std::string> command(argv + 1, argv + argc);
    if (command.empty()) command = {DYNASCOPE_BIN_DIR "/dynascope-engine"};
    std::vector<double> seconds, resident, own;
    for (int i = 0; i < rounds; ++i) {
        engine::Client client(command);
        const auto start = std::chrono::steady_clock::now();
        const auto info = client.start();
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        if (!info) {
            std::fprintf(stderr, "%s\n", info.error().message.c_str());
            return 1;
        }
        seconds.push_back(time.count());
        resident.push_back(memory(info->pid, "Rss"));
        own.push_back(memory(info->pid, "Private_Clean") + memory(info->pid, "Private_Dirty"));
    }
    const auto median = [](std::vector<double>& values) {
        std::sort(values.begin(), values.end());
        return values[values.size() / 2];
    };
    std::printf("ready after  %.3f s (median of %d; 0.6 s wanted)\n", median(seconds), rounds);
    std::printf("resident     %.0f MiB (150 wanted), of which private %.0f MiB\n", median(resident),
                median(own));
    return 0;
}
