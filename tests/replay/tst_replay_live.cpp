// SPDX-License-Identifier: BSD-3-Clause
//
// Live events: batches and what is refused of them, and the feed that loses none.
#include "core/replay/live_feed.h"

#include <QtTest>

using namespace dynascope;
using namespace dynascope::replay;

namespace {

std::vector<ReplayEvent> someEvents() {
    return {{ReplayEvent::Kind::ReplayBegin, false, 1, 0, 5, 7, 0},
            {ReplayEvent::Kind::NodeBegin, false, 1, 3, 6, 0, 0},
            {ReplayEvent::Kind::Alloc, true, 1, 3, 6, 0x1122334455667788, 64},
            {ReplayEvent::Kind::Free, true, 1, 3, 1ull << 40, 0x1122334455667788, 0}};
}

} // namespace

class TestReplayLive : public QObject {
    Q_OBJECT

private slots:
    void thereAndBack() {
        LiveReader reader;
        const std::vector<ReplayEvent> events = someEvents();
        const auto first = reader.read(liveBatch(0, events));
        QVERIFY(first && std::equal(first->begin(), first->end(), events.begin(), events.end()));
        QVERIFY(reader.read(liveBatch(4, {})));
        QVERIFY(reader.read(liveBatch(4, std::span(events).last(1))));
        QCOMPARE(reader.events(), std::uint64_t{5});
    }

    void theFormatIsAsTheHeaderSays() {
        const std::vector<ReplayEvent> events = someEvents();
        const std::string batch = liveBatch(258, std::span(events).subspan(2, 1));
        const QByteArray expected =
            QByteArray("DYNLIVE1") + QByteArray::fromHex("02010000000000000100000000000000"
                                                         "04010100030000000600000000000000"
                                                         "88776655443322114000000000000000");
        QCOMPARE(QByteArray::fromStdString(batch), expected);
    }

    void whatIsNoBatchIsRefused() {
        const std::string good = liveBatch(0, someEvents());
        const auto refused = [](std::string batch) {
            LiveReader reader;
            const bool failed = !reader.read(batch);
            return failed && !reader.read(liveBatch(0, {})); // and nothing follows
        };
        QVERIFY(refused(""));
        QVERIFY(refused(good.substr(0, good.size() - 1)));
        QVERIFY(refused(good + '\0'));
        const auto with = [&](std::size_t at, char value) {
            std::string out = good;
            out[at] = value;
            return out;
        };
        QVERIFY(refused(with(0, 'd')));
        QVERIFY(refused(with(8, 1)));      // a gap
        QVERIFY(refused(with(16, 5)));     // more events than bytes
        QVERIFY(refused(with(20, 1)));     // reserved
        QVERIFY(refused(with(24, 6)));     // a kind
        QVERIFY(refused(with(25, 2)));     // a flag
        QVERIFY(refused(with(24 + 8, 9))); // time
    }

    void noneIsLost_data() {
        QTest::addColumn<int>("capacity");
        QTest::addColumn<int>("slowEvery");
        QTest::newRow("roomy") << 65536 << 0;
        QTest::newRow("tiny ring") << 4 << 0;
        QTest::newRow("slow receiver") << 1024 << 40;
    }
    void noneIsLost() {
        QFETCH(int, capacity);
        QFETCH(int, slowEvery);
        constexpr std::uint64_t count = 200'000;
        LiveReader reader;
        std::uint64_t next = 0, batches = 0;
        bool inOrder = true;
        LiveFeed feed(
            [&](std::string_view batch) {
                const auto events = reader.read(batch);
                if (!events) return false;
                for (const ReplayEvent& event : *events)
                    inOrder &= event.address == next++;
                if (slowEvery > 0 && ++batches % static_cast<std::uint64_t>(slowEvery) == 0)
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                return true;
            },
            static_cast<std::size_t>(capacity));
        for (std::uint64_t i = 0; i < count; ++i)
            feed.push({ReplayEvent::Kind::Alloc, true, 0, 0, feed.now(), i, 8});
        QCOMPARE(feed.finish(), count);
        QCOMPARE(next, count);
        QVERIFY(inOrder && !feed.broken());
    }

    void eventsComeWhileNothingFollows() {
        std::atomic<int> got = 0;
        LiveFeed feed([&](std::string_view) {
            ++got;
            return true;
        });
        feed.push({ReplayEvent::Kind::NodeBegin, false, 0, 3, feed.now(), 0, 0});
        QTRY_COMPARE(got.load(), 1); // the node may take an hour
        QCOMPARE(feed.finish(), std::uint64_t{1});
        QCOMPARE(got.load(), 1);
    }

    void aReceiverThatIsGoneHoldsNobodyUp() {
        LiveFeed feed([](std::string_view) { return false; }, 8);
        for (int i = 0; i < 1000; ++i)
            feed.push({ReplayEvent::Kind::NodeBegin, false, 0, 0, feed.now(), 0, 0});
        QVERIFY(feed.broken());
        LiveFeed dropped([](std::string_view) { return true; }, 8);
        dropped.push({});
    }

    void theTapCountsReplays() {
        std::string all;
        LiveFeed feed([&](std::string_view batch) {
            all += batch;
            return true;
        });
        LiveTap tap(feed, 2);
        tap.replayBegin();
        tap.nodeBegin(5);
        tap.alloc(64, 32, true);
        tap.free(64, true);
        tap.nodeEnd();
        tap.replayEnd();
        QCOMPARE(tap.replays(), std::uint64_t{1});
        QCOMPARE(feed.finish(), std::uint64_t{6});
    }
};

QTEST_GUILESS_MAIN(TestReplayLive)
#include "tst_replay_live.moc"
