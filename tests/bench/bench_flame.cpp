// SPDX-License-Identifier: BSD-3-Clause
//
// 100,000 timing events in 12 levels: making the span tree, merging it, and one paint of the flame chart, all
// of it and zoomed in by steps. Medians.
#include "core/session/spans.h"
#include "views/compile_time/flame_chart.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QPixmap>
#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

using namespace dynascope;

namespace {

constexpr std::size_t eventCount = 100'000;
constexpr int levels = 12;

/// Spans that are split into two to five parts, as compilers' phases are.
session::SessionPtr makeSession() {
    session::Session session;
    session.compiles.resize(1);
    std::mt19937 random(7);
    struct Piece {
        double start, duration;
        int level;
    };
    std::vector<Piece> open{{0, 6e7, 0}};
    for (std::size_t at = 0; at < open.size() && session.timings.size() < eventCount; ++at) {
        const Piece piece = open[at];
        session::TimingEvent event;
        event.name = "phase_" + std::to_string(piece.level) + '_' + std::to_string(random() % 40);
        event.startUs = piece.start;
        event.durationUs = piece.duration * 0.97;
        event.compile = 0;
        session.timings.push_back(event);
        if (piece.level + 1 == levels) continue;
        const auto parts = double(2 + random() % 4);
        for (double i = 0; i < parts; ++i)
            open.push_back({piece.start + piece.duration * 0.95 * i / parts, piece.duration * 0.95 / parts,
                            piece.level + 1});
    }
    return std::make_shared<const session::Session>(std::move(session));
}

template <typename Work>
double medianMs(int runs, const Work& work) {
    std::vector<double> times;
    for (int i = 0; i < runs; ++i) {
        QElapsedTimer timer;
        timer.start();
        work();
        times.push_back(double(timer.nsecsElapsed()) / 1e6);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

} // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    const session::SessionPtr session = makeSession();
    auto tree = std::make_shared<const session::SpanTree>();
    std::printf("%zu events\n", session->timings.size());
    std::printf("make spans   %7.2f ms\n", medianMs(7, [&] {
                    tree = std::make_shared<const session::SpanTree>(session::makeSpans(*session));
                }));
    auto merged = std::make_shared<const session::SpanTree>();
    std::printf("merge        %7.2f ms\n", medianMs(7, [&] {
                    merged = std::make_shared<const session::SpanTree>(session::mergedSpans(*tree));
                }));
    std::printf("totals       %7.2f ms\n",
                medianMs(7, [&] { static_cast<void>(session::spanTotals(*tree)); }));
    views::Theme theme;
    theme.apply(app);
    views::FlameChart chart(theme);
    chart.resize(1600, 300);
    chart.show();
    std::printf("set tree     %7.2f ms\n", medianMs(7, [&] { chart.setTree(session, tree, false); }));
    for (int zoom = 0; zoom <= 12; zoom += 3) {
        chart.zoomAll();
        for (int i = 0; i < zoom; ++i)
            chart.zoomBy(2, 700);
        const double paint = medianMs(15, [&] { chart.grab(); });
        std::printf("paint x%-5d %7.2f ms, %zu boxes\n", 1 << zoom, paint, chart.drawnBoxes());
    }
    chart.zoomAll();
    chart.setSearch(QStringLiteral("_7"));
    std::printf("paint search %7.2f ms\n", medianMs(15, [&] { chart.grab(); }));
    chart.setTree(session, merged, true);
    std::printf("paint merged %7.2f ms, %zu boxes\n", medianMs(15, [&] { chart.grab(); }),
                chart.drawnBoxes());
}
