// SPDX-License-Identifier: BSD-3-Clause
//
// bench_profile FILE [CAPTURE]: reads a profile that is not packed and joins it. Medians of 5 runs, and the memory that
// the process took besides the file's mapping. bench_profile.py makes a large file, and times a peer on it.
#include "core/capture/open.h"
#include "core/profile/grouped.h"
#include "core/session/byte_source.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

using namespace dynascope;

namespace {

double median(const std::function<void()>& work) {
    constexpr int runs = 5;
    std::vector<double> times;
    for (int i = 0; i < runs; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work();
        times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
    return times[runs / 2];
}

/// MB that the process holds of its own, by the kernel's count.
double ownMemory() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("RssAnon:")) return std::stod(line.substr(8)) / 1000;
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) return std::puts("bench_profile FILE [CAPTURE]"), 2;
    const auto source = session::openByteSource(argv[1]);
    if (!source) return std::puts(source.error().toString().c_str()), 2;
    session::SessionPtr session;
    if (argc > 2) {
        const auto opened = capture::open(argv[2]);
        if (!opened) return std::puts(opened.error().toString().c_str()), 2;
        session = *opened;
    }
    const double megabytes = static_cast<double>((*source)->bytes().size()) / 1e6;
    const double before = ownMemory();
    Result<profile::ProfilePtr> profile;
    const double reading = median([&] { profile = profile::read((*source)->bytes(), argv[1]); });
    if (!profile) return std::puts(profile.error().toString().c_str()), 2;
    const double held = ownMemory() - before;
    profile::JoinedPtr joined;
    const double joining = median([&] { joined = profile::join(session, *profile).value_or(nullptr); });
    std::printf("%.0f MB, %zu events: read in %.2f s (%.0f MB/s), joined in %.2f s, together %.0f MB/s; "
                "holds %.0f MB\n",
                megabytes, (*profile)->events.size(), reading, megabytes / reading, joining,
                megabytes / (reading + joining), held);
    std::printf("joined: %zu of %zu graph calls, %zu of %zu kernels, %zu of %zu operators\n",
                joined->graphs.joined, joined->graphs.all, joined->kernels.joined, joined->kernels.all,
                joined->operators.joined, joined->operators.all);
    return 0;
}
