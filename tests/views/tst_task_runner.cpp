// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/log.h"
#include "views/workspace/task_runner.h"

#include <QSignalSpy>
#include <QTest>
#include <atomic>
#include <memory>
#include <new>
#include <stdexcept>
#include <thread>

using dynascope::TaskContext;
using dynascope::views::TaskRunner;

class TestTaskRunner : public QObject {
    Q_OBJECT
private slots:
    void deliversOnTheGuiThread();
    void newestRequestWins();
    void cancelDropsTheResult();
    void droppedWhenTheContextIsGone();
    void carriesMoveOnlyValues();
    void progressIsThrottled();
    void destructionWaits();
    void aThrowFailsTheTaskAlone();
    void logsWhatIsDropped();
};

void TestTaskRunner::deliversOnTheGuiThread() {
    TaskRunner tasks;
    QSignalSpy started(&tasks, &TaskRunner::started), finished(&tasks, &TaskRunner::finished);
    QThread* where = nullptr;
    QThread* worked = nullptr;
    int got = 0;
    tasks.run<int>(
        "t", this,
        [&](const TaskContext&) {
            worked = QThread::currentThread();
            return 42;
        },
        [&](int v) {
            got = v;
            where = QThread::currentThread();
        });
    QVERIFY(tasks.isRunning("t") && !tasks.isIdle());
    QTRY_COMPARE(got, 42);
    QCOMPARE(where, thread());
    QVERIFY(worked != thread());
    QTRY_COMPARE(finished.size(), 1);
    QCOMPARE(started.size(), 1);
    QVERIFY(!tasks.isRunning("t") && tasks.isIdle());
}

void TestTaskRunner::logsWhatIsDropped() {
    static QStringList lines;
    lines.clear();
    const auto onlyHere = qScopeGuard([] {
        dynascope::log::setTopics(0);
        dynascope::log::setSink(nullptr);
    });
    dynascope::log::setSink([](dynascope::log::Topic topic, const std::string& line) {
        if (topic == dynascope::log::Topic::Tasks) lines << QString::fromStdString(line);
    });
    dynascope::log::setTopics(dynascope::log::choose("tasks").topics);
    TaskRunner tasks;
    const auto ask = [&] {
        tasks.run<int>(
            "t", this, [](const TaskContext&) { return 1; }, [](int) {});
    };
    ask();
    ask();
    tasks.cancel("t");
    tasks.cancel("t"); // nothing runs any more
    QCOMPARE(lines, (QStringList{"t: a newer request came", "t is cancelled", "t is cancelled"}));
}

void TestTaskRunner::newestRequestWins() {
    TaskRunner tasks;
    QStringList got;
    std::atomic<bool> firstStopped = false;
    tasks.run<int>(
        "t", this,
        [&](const TaskContext& task) {
            while (!task.cancelled())
                std::this_thread::yield();
            firstStopped = true;
            return 1;
        },
        [&](int v) { got << QString::number(v); });
    tasks.run<int>(
        "t", this, [](const TaskContext&) { return 2; }, [&](int v) { got << QString::number(v); });
    QTRY_COMPARE(got, QStringList{"2"});
    // The first may have been dropped before it began; if it began, it saw the stop.
    QTest::qWait(20);
    QCOMPARE(got, QStringList{"2"});
}

void TestTaskRunner::cancelDropsTheResult() {
    TaskRunner tasks;
    QSignalSpy finished(&tasks, &TaskRunner::finished);
    std::atomic<bool> ended = false;
    bool delivered = false;
    tasks.run<int>(
        "t", this,
        [&](const TaskContext& task) {
            while (!task.cancelled())
                std::this_thread::yield();
            ended = true;
            return 1;
        },
        [&](int) { delivered = true; });
    QTest::qWait(10);
    tasks.cancel("t");
    QCOMPARE(finished.size(), 1);
    QVERIFY(!tasks.isRunning("t") && tasks.isIdle());
    QTRY_VERIFY(ended);
    QTest::qWait(20);
    QVERIFY(!delivered);
    QCOMPARE(finished.size(), 1);
    tasks.cancel("t"); // nothing runs: nothing happens
    QCOMPARE(finished.size(), 1);
}

void TestTaskRunner::droppedWhenTheContextIsGone() {
    TaskRunner tasks;
    QSignalSpy finished(&tasks, &TaskRunner::finished);
    auto context = std::make_unique<QObject>();
    std::atomic<bool> go = false;
    bool delivered = false;
    tasks.run<int>(
        "t", context.get(),
        [&](const TaskContext&) {
            while (!go)
                std::this_thread::yield();
            return 1;
        },
        [&](int) { delivered = true; });
    context.reset();
    go = true;
    QTRY_COMPARE(finished.size(), 1);
    QVERIFY(!delivered);
}

void TestTaskRunner::carriesMoveOnlyValues() {
    TaskRunner tasks;
    int got = 0;
    tasks.run<std::unique_ptr<int>>(
        "t", this, [](const TaskContext&) { return std::make_unique<int>(7); },
        [&](std::unique_ptr<int> v) { got = *v; });
    QTRY_COMPARE(got, 7);
}

void TestTaskRunner::progressIsThrottled() {
    TaskRunner tasks;
    QSignalSpy progress(&tasks, &TaskRunner::progress);
    bool done = false;
    tasks.run<int>(
        "t", this,
        [](const TaskContext& task) {
            const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
            quint64 n = 0;
            while (std::chrono::steady_clock::now() < end)
                task.report("Reading", ++n, 1000);
            return 0;
        },
        [&](int) { done = true; });
    QTRY_VERIFY(done);
    QVERIFY(progress.size() >= 2);
    QVERIFY2(progress.size() <= 8, qPrintable(QString::number(progress.size())));
    QCOMPARE(progress.first().at(0).toString(), QString("t"));
    QCOMPARE(progress.first().at(1).toString(), QString("Reading"));
    QCOMPARE(progress.first().at(3).toULongLong(), 1000ULL);
}

void TestTaskRunner::destructionWaits() {
    std::atomic<bool> ended = false;
    std::atomic<bool> began = false;
    {
        TaskRunner tasks;
        tasks.run<int>(
            "t", this,
            [&](const TaskContext& task) {
                began = true;
                while (!task.cancelled())
                    std::this_thread::yield();
                ended = true;
                return 1;
            },
            [](int) { QFAIL("delivered after destruction"); });
        while (!began)
            std::this_thread::yield();
    }
    QVERIFY(ended);
}

void TestTaskRunner::aThrowFailsTheTaskAlone() {
    TaskRunner tasks;
    QStringList heard;
    connect(&tasks, &TaskRunner::failed, this,
            [&](const QString& tag, const QString& message) { heard << tag + ": " + message; });
    connect(&tasks, &TaskRunner::finished, this, [&](const QString& tag) { heard << tag; });
    const auto refuse = [](int) { QFAIL("delivered although it threw"); };
    tasks.run<int>(
        "t", this, [](const TaskContext&) -> int { throw std::out_of_range("no such row"); }, refuse);
    QTRY_COMPARE(heard, QStringList({"t: no such row", "t"}));
    QVERIFY(!tasks.isRunning("t"));
    heard.clear();
    tasks.run<int>(
        "t", this, [](const TaskContext&) -> int { throw 3; }, refuse); // NOLINT: of any type
    QTRY_COMPARE(heard, QStringList({"t: an unknown exception", "t"}));
    heard.clear();
    tasks.run<int>(
        "t", this, [](const TaskContext&) -> int { throw std::bad_alloc(); }, refuse);
    QTRY_COMPARE(heard, QStringList({"t: there is not enough memory", "t"}));
    // The runner goes on; one that nobody waits for any more says nothing.
    heard.clear();
    std::atomic<bool> began = false, go = false;
    tasks.run<int>(
        "old", this,
        [&](const TaskContext&) -> int {
            began = true;
            while (!go)
                std::this_thread::yield();
            throw std::runtime_error("too late");
        },
        refuse);
    while (!began)
        std::this_thread::yield();
    tasks.cancel("old");
    go = true;
    int got = 0;
    tasks.run<int>(
        "t", this, [](const TaskContext&) { return 5; }, [&](int v) { got = v; });
    QTRY_COMPARE(got, 5);
    QTest::qWait(20);
    QCOMPARE(heard.filter("too late"), QStringList());
}

QTEST_GUILESS_MAIN(TestTaskRunner)
#include "tst_task_runner.moc"
