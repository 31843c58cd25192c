// SPDX-License-Identifier: BSD-3-Clause
//
// The memory chart with many blocks: what one picture takes, of all and of a part, one move of the view by
// the wheel and by dragging, one move of the cursor and one look below the pointer. bench_memory [BLOCKS];
// needs no display (QT_QPA_PLATFORM=offscreen).
#include "views/memory/memory_chart.h"
#include "views/theme/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <QPixmap>
#include <QWheelEvent>
#include <cstdio>
#include <cstdlib>

using namespace dynascope;
using namespace dynascope::views;

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    const std::size_t blocks = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000;
    auto timeline = std::make_shared<session::MemoryTimeline>();
    constexpr std::uint64_t bytes = 4096, places = 200;
    MemoryChart::Content content;
    for (std::size_t i = 0; i < blocks; ++i) {
        const std::uint64_t place = i * 7919 % places * bytes;
        timeline->lives.push_back({place, bytes, place, 2 * i, 2 * i + places, 0, false, false});
        content.looks.push_back({int(i % Colours::memoryCount), i % 5 == 0, diff::Change::Same});
    }
    const std::size_t moments = 2 * blocks + places;
    timeline->height = places * bytes;
    timeline->ranges = {{0, timeline->height, 0}};
    timeline->allocated.assign(moments, timeline->height / 2);
    timeline->reserved.assign(moments, timeline->height);
    content.timeline = timeline;
    content.tip = [](std::size_t) { return QString(); };
    content.momentName = [](std::size_t moment) { return QString::number(moment); };
    Theme theme;
    MemoryChart chart(theme);
    chart.resize(1100, 700);
    chart.show();
    chart.setContent(std::move(content));
    const auto measure = [](const char* what, int times, auto work) {
        QElapsedTimer clock;
        clock.start();
        for (int i = 0; i < times; ++i)
            work(i);
        std::printf("%-24s %8.3f ms\n", what, double(clock.nsecsElapsed()) / 1e6 / times);
    };
    measure("whole picture", 20, [&](int) {
        chart.fit();
        (void)chart.grab();
    });
    const auto wheel = [&](QPoint by, Qt::KeyboardModifiers modifiers) {
        const QPointF at(chart.width() / 2.0, 300);
        QWheelEvent event(at, chart.mapToGlobal(at), {}, by, Qt::NoButton, modifiers, Qt::NoScrollPhase,
                          false);
        QCoreApplication::sendEvent(&chart, &event);
        (void)chart.grab();
    };
    const auto drag = [&](QEvent::Type type, const QPointF& to) {
        const bool moves = type == QEvent::MouseMove;
        QMouseEvent event(type, to, chart.mapToGlobal(to), moves ? Qt::NoButton : Qt::LeftButton,
                          Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&chart, &event);
    };
    chart.fit();
    measure("zoomed", 20, [&](int) { wheel({0, 120}, Qt::NoModifier); });
    chart.fit();
    for (int i = 0; i < 6; ++i)
        wheel({0, 120}, Qt::NoModifier); // a quarter of it
    measure("moved by the wheel", 40, [&](int i) {
        wheel({0, i % 20 < 10 ? -120 : 120}, Qt::ShiftModifier);
    });
    drag(QEvent::MouseButtonPress, {600, 300});
    measure("dragged by 7 pixels", 60, [&](int i) {
        drag(QEvent::MouseMove, {600 - 7.0 * (i + 2), 300});
        (void)chart.grab();
    });
    drag(QEvent::MouseButtonRelease, {100, 300});
    chart.fit();
    measure("cursor moved", 50, [&](int i) {
        chart.setMoment(std::size_t(i) * 100);
        (void)chart.grab();
    });
    measure("below the pointer", 50, [&](int i) { (void)chart.lifeAt({100.0 + 10 * i, 300}); });
    return 0;
}
