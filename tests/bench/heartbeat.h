// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <QElapsedTimer>
#include <QFile>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <ctime>

/// Longest time that the event loop did not turn, in milliseconds, and the longest that this thread worked
/// meanwhile, which other programs do not lengthen. GUI thread only.
class Heartbeat {
public:
    Heartbeat() {
        m_timer.setInterval(0);
        QObject::connect(&m_timer, &QTimer::timeout, &m_timer, [this] { beat(); });
    }
    void start() {
        m_longest = m_longestWork = 0;
        m_since.start();
        m_workedMs = workedMs();
        m_timer.start();
    }
    double stop() {
        beat();
        m_timer.stop();
        return m_longest;
    }
    [[nodiscard]] double longestWork() const { return m_longestWork; }

private:
    static double workedMs() {
        timespec now{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
    }
    static double monotonic() {
        timespec now{};
        ::clock_gettime(CLOCK_MONOTONIC, &now);
        return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
    }
    void beat() {
        m_longest = std::max(m_longest, static_cast<double>(m_since.nsecsElapsed()) / 1e6);
        m_since.start();
        const double worked = workedMs();
        // For perf record -k CLOCK_MONOTONIC: what it sampled meanwhile is what took the time.
        if (worked - m_workedMs >= 50 && qEnvironmentVariableIsSet("BENCH_TURNS"))
            std::fprintf(stderr, "turn until %.6f s, %.1f ms of work\n", monotonic(), worked - m_workedMs);
        m_longestWork = std::max(m_longestWork, worked - m_workedMs);
        m_workedMs = worked;
    }
    QTimer m_timer;
    QElapsedTimer m_since;
    double m_longest = 0, m_longestWork = 0, m_workedMs = 0;
};

/// Private memory of this process in MiB: what no file backs.
inline double anonymousMiB() {
    QFile status(QStringLiteral("/proc/self/status"));
    if (!status.open(QIODevice::ReadOnly)) return 0;
    for (const QByteArray& line : status.readAll().split('\n'))
        if (line.startsWith("RssAnon:")) return line.mid(8).trimmed().split(' ').front().toDouble() / 1024;
    return 0;
}

/// Its highest value, looked at 50 times a second while the event loop turns.
class MemoryPeak {
public:
    MemoryPeak() {
        m_timer.setInterval(20);
        QObject::connect(&m_timer, &QTimer::timeout, &m_timer, [this] { look(); });
        m_timer.start();
    }
    double look() { return m_peak = std::max(m_peak, anonymousMiB()); }

private:
    QTimer m_timer;
    double m_peak = 0;
};
