// SPDX-License-Identifier: BSD-3-Clause
//
// Reading a long TORCH_TRACE log, against what the machine can do with its bytes: reading them through a
// mapping, and counting their lines, on one core each.
//
//   bench_trace LOG [MB_A_SECOND]
//
// Prints the best of 3 and the most private memory, which is what no file backs. Ends with 1 where reading is
// slower than that (400 unless it is said) or takes 10 % of the file or more.
#include "core/capture/open.h"
#include "core/session/byte_source.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

using namespace dynascope;

namespace {

double anonymousMB() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("RssAnon:")) return std::strtod(line.c_str() + 8, nullptr) * 1.024e-3;
    return 0;
}

/// Looks a hundred times a second.
class MemoryPeak {
public:
    MemoryPeak()
        : m_thread([this](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
                m_peak = std::max(m_peak.load(), anonymousMB());
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
            }
        }) {}
    [[nodiscard]] double peak() const { return m_peak; }

private:
    std::atomic<double> m_peak{0};
    std::jthread m_thread;
};

double best(const std::function<void()>& work) {
    double out = 1e9;
    for (int i = 0; i < 3; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work();
        out = std::min(out, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return out;
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: bench_trace LOG [MB_A_SECOND]\n");
        return 2;
    }
    const double wanted = argc > 2 ? std::strtod(argv[2], nullptr) : 400;
    const auto source = session::openByteSource(argv[1]);
    if (!source) {
        std::fprintf(stderr, "%s\n", source.error().toString().c_str());
        return 2;
    }
    const std::string_view text = (*source)->bytes();
    const double megabytes = static_cast<double>(text.size()) / 1e6;
    const auto row = [&](const char* name, double seconds) {
        std::printf("%-28s %8.2f s %8.0f MB/s\n", name, seconds, megabytes / seconds);
        std::fflush(stdout);
    };

    std::size_t lines = 0;
    unsigned sum = 0;
    const double bytes = best([&] {
        for (std::size_t at = 0; at < text.size(); at += 64)
            sum += static_cast<unsigned char>(text[at]);
    });
    const double newlines =
        best([&] { lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')); });
    std::printf("%.1f MB, %zu lines (%u)\n", megabytes, lines, sum % 10);
    row("every 64th byte", bytes);
    row("count lines", newlines);

    const double before = anonymousMB();
    const MemoryPeak memory;
    std::size_t records = 0, compiles = 0;
    const auto open = [&] {
        const auto session = capture::open(argv[1]);
        if (!session) {
            std::fprintf(stderr, "%s\n", session.error().toString().c_str());
            std::exit(2);
        }
        records = (*session)->records.size();
        compiles = (*session)->compiles.size();
    };
    open();
    // Of the first time: what later ones reuse lies scattered.
    const double taken = memory.peak() - before;
    const double reading = best(open);
    const double unchecked = best([&] {
        capture::OpenOptions options;
        options.checkHashes = false;
        (void)capture::open(argv[1], {}, options);
    });
    row("open", reading);
    row("open, hashes not checked", unchecked);
    std::printf("%zu records, %zu compiles; opening takes %.1f times as long as counting lines\n", records,
                compiles, reading / newlines);
    std::printf("most private memory %.1f MB, %.1f %% of the file\n", taken, 100 * taken / megabytes);
    return megabytes / reading >= wanted && taken < megabytes / 10 ? 0 : 1;
}
