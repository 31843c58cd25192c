// SPDX-License-Identifier: BSD-3-Clause
//
// bench_lanes [MEGABYTES]: a profile of that size (1000), as PyTorch's profiler writes steps of nested operators: reading,
// joining, and the first picture of its lanes; then a paint of each of 60 pans and zooms.
#include "views/profile/lanes_view.h"
#include "views/profile/profile_lanes.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QPixmap>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

using namespace dynascope;
using namespace dynascope::views;

namespace {

/// Steps of 200 operators, each of which calls three.
std::string makeProfile(std::size_t bytes) {
    std::string out = R"({"schemaVersion": 1, "deviceProperties": [], "traceEvents": [)";
    out.reserve(bytes + 4096);
    std::size_t at = 0;
    const auto add = [&](const char* category, const std::string& name, std::size_t start, std::size_t end) {
        if (out.back() != '[') out += ",\n";
        out +=
            R"({"ph": "X", "cat": ")" + std::string(category) + R"(", "name": ")" + name +
            R"(", "pid": 1522, "tid": 1522, "ts": )" + std::to_string(start) +
            ".125, \"dur\": " + std::to_string(end - start) +
            R"(.5, "args": {"External id": 7, "Record function id": 0, "Ev Idx": 12, "Input Dims": [[8, 32], [32, 32]], "Sequence number": 4, "Fwd thread id": 0}})";
    };
    for (std::size_t step = 0; out.size() < bytes; ++step) {
        const std::size_t start = at;
        add("user_annotation", "ProfilerStep#" + std::to_string(step), start, start + 200 * 60);
        for (int i = 0; i < 200; ++i, at += 60) {
            add("cpu_op", "aten::linear_" + std::to_string(i % 40), at + 1, at + 55);
            for (std::size_t k = 0; k < 3; ++k)
                add("cpu_op", "aten::mm", at + 2 + 16 * k, at + 14 + 16 * k);
        }
        at = start + 200 * 60 + 50;
    }
    return out + "]}";
}

double seconds(QElapsedTimer& timer) {
    return double(timer.nsecsElapsed()) / 1e9;
}

} // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    const std::size_t megabytes = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000;
    const std::string text = makeProfile(megabytes * 1'000'000);
    QElapsedTimer timer;
    timer.start();
    const std::clock_t cpu = std::clock();
    const auto profile = profile::read(text, "profile.json");
    if (!profile) return std::puts(profile.error().toString().c_str()), 2;
    const double read = seconds(timer);
    const auto joined = profile::join(nullptr, *profile);
    if (!joined) return 2;
    const double join = seconds(timer) - read;
    JoinedProfile shared(*joined);
    Theme theme;
    LanesView view(theme);
    view.resize(1600, 420);
    const double before = seconds(timer);
    view.setLanes(profileLanes(shared, {}));
    view.grab();
    const double shown = seconds(timer) - before;
    std::printf("%.0f MB, %zu events: read in %.2f s, joined in %.2f s, lanes and their first paint %.2f s: "
                "first picture after %.2f s (%.2f s of the CPU)\n",
                double(text.size()) / 1e6, (*profile)->events.size(), read, join, shown, read + join + shown,
                double(std::clock() - cpu) / CLOCKS_PER_SEC);
    std::vector<double> paints;
    for (int i = 0; i < 60; ++i) {
        if (i % 3 == 0) view.zoomBy(1.6, 700);
        view.panBy(i % 2 == 0 ? 160 : -90);
        QElapsedTimer paint;
        paint.start();
        view.viewport()->grab();
        paints.push_back(double(paint.nsecsElapsed()) / 1e6);
    }
    std::ranges::sort(paints);
    std::printf("60 pans and zooms: median %.1f ms, longest %.1f ms\n", paints[paints.size() / 2],
                paints.back());
    return 0;
}
