// SPDX-License-Identifier: BSD-3-Clause
//
// When each rank compiled what, on one clock: of a real run, of logs made for it, of digests, and of a thousand ranks.
#include "core/capture/digest_log.h"
#include "core/capture/open.h"
#include "core/ranks/compile_times.h"
#include "tests/support/examined_ranks.h"
#include "tests/support/trace_pairs.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

using namespace dynascope;
using ranks::CompileTimes;
using test::TraceText;

namespace {

constexpr double hour = 1'795'338'000'000'000; // 2026-11-22 09:00:00 UTC, in microseconds

/// Logs of ranks in a folder.
struct Logs {
    QTemporaryDir folder;
    session::SessionPtr session;
    ranks::Report report;

    Logs& add(int rank, const QByteArray& text, const char* end = ".log") {
        QFile file(folder.filePath(QStringLiteral("dedicated_log_torch_trace_rank_%1_x").arg(rank) +
                                   QLatin1String(end)));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) qFatal("cannot write");
        return *this;
    }
    Logs& add(int rank, const TraceText& text) { return add(rank, QByteArray::fromStdString(text.text())); }
    Logs& addDigest(int rank, const TraceText& text, const std::string& host) {
        const auto digest = capture::makeDigest(text.text(), "x.log", {}, host);
        if (!digest) qFatal("%s", digest.error().toString().c_str());
        return add(rank, QByteArray::fromStdString(digest->packed), ".log.zst");
    }
    CompileTimes times() { return timesOf(folder.path()); }
    CompileTimes timesOf(const QString& path) {
        test::ExaminedRanks found = test::examinedRanks(path);
        session = found.session;
        report = std::move(found.report);
        return ranks::compileTimes(*session, report);
    }
};

/// A chromium_event of the compile that `text` stands at; `seconds` after nine.
void addEvent(TraceText& text, const char* phase, const std::string& name, double seconds) {
    const QString payload =
        QStringLiteral(
            R"({"name": "%1", "ts": %2, "ph": "%3", "cat": "dynamo_timed", "tid": 0, "pid": 0, "args": {}})")
            .arg(QString::fromStdString(name), QString::number(hour + seconds * 1e6, 'f', 1),
                 QLatin1String(phase));
    text.add("\"chromium_event\": {}", payload.toStdString());
}

struct Piece {
    int frame;
    std::string name;
    double begin, end; ///< no end where it is not later
};

/// A log with these outermost events, and the graphs of their frames.
TraceText logOf(const std::vector<Piece>& pieces) {
    TraceText text = test::traceOf("/home/a/train.py");
    for (const Piece& piece : pieces) {
        text.at(piece.frame, 0);
        addEvent(text, "B", piece.name, piece.begin);
        if (piece.name == "dynamo") {
            text.start("f" + std::to_string(piece.frame), 6);
            text.add("\"dynamo_output_graph\": {}", test::readableGraph());
        }
        addEvent(text, "i", "cache", piece.begin);
        if (piece.end <= piece.begin) continue;
        addEvent(text, "E", piece.name, piece.end);
        if (piece.name == "dynamo") text.metrics("\"fail_type\": null", "f", 6);
    }
    return text;
}

bool has(const std::string& text, const char* part) {
    if (text.find(part) != std::string::npos) return true;
    qWarning("%s", text.c_str());
    return false;
}

ranks::RankTime rankOf(int rank, double begin, double end, std::size_t row = 0) {
    ranks::RankTime out;
    out.rank = rank;
    out.compiles.push_back({row, std::size_t(rank), {{begin, end}}, ranks::TimeSource::Events});
    out.beginUs = begin;
    out.endUs = end;
    return out;
}

} // namespace

class TestRankCompileTimes : public QObject {
    Q_OBJECT

private slots:
    void whoSendsWaitsForOneRankAlone() {
        Logs logs;
        const CompileTimes times = logs.timesOf(QStringLiteral(DYNASCOPE_TEST_DATA "/ranks/sends"));
        for (const std::string& sentence : ranks::timeSentences(times, logs.report, 3))
            QCOMPARE(sentence.find("waits in its collectives") != std::string::npos,
                     sentence.starts_with("2/0 exchange")); // ring and chain only send and receive
    }

    /// The logs lack chromium_event: start_time and duration of compilation_metrics say it.
    void ofARealRun() {
        Logs logs;
        const CompileTimes times = logs.timesOf(QStringLiteral(DYNASCOPE_TEST_DATA "/ranks/diverge"));
        QCOMPARE(ranks::utcText(times.zeroUs), std::string("2026-11-22 09:03:18.415 UTC"));
        QCOMPARE(times.ranks.size(), std::size_t(4));
        QCOMPARE(times.firstToBegin, 0);
        QCOMPARE(times.lastToBegin, 2);
        QCOMPARE(times.firstToEnd, 0);
        QCOMPARE(times.lastToEnd, 2);
        QCOMPARE(times.wholeUs, 1'672'985.0);
        QCOMPARE(times.someUs, 1'672'985.0);
        QCOMPARE(times.allUs, 344'615.0);
        QCOMPARE(times.notAllUs, 1'328'370.0);
        QCOMPARE(times.afterOthersUs, 801'237.0);
        const ranks::RankTime& last = times.of(2);
        QCOMPARE(last.compiles.size(), std::size_t(3)); // it recompiles
        QCOMPARE(logs.report.rows[last.compiles[1].row].id, std::string("0/1"));
        QCOMPARE(last.compiles[1].beginUs(), 947'610.0);
        QCOMPARE(last.compiles[1].endUs(), 1'198'789.0);
        QCOMPARE(last.compiles[1].source, ranks::TimeSource::Metrics);
        QCOMPARE(last.us, 1'194'893.0);
        QCOMPARE(last.aloneUs, 353'714.0);
        QCOMPARE(readyWords(times, last), std::string("ready last, at 1.67 s"));
        QCOMPARE(readyWords(times, times.of(0)), std::string("ready 0.80 s before rank 2"));
        const std::vector<std::string> said = ranks::timeSentences(times, logs.report, 1);
        QCOMPARE(said.size(), std::size_t(5));
        QCOMPARE(said[1], std::string("Of all compiles rank 2 begins last, 0.45 s after rank 0, and ends "
                                      "last, 0.80 s after rank 0."));
        QVERIFY(has(said[3], "1/0 f: rank 2 begins last, 0.74 s after rank 0"));
        QVERIFY(has(said[3], "waits in its collectives"));
        QCOMPARE(said[4], std::string("And 1 compile id more."));
        QVERIFY(has(times.clock, "start_time of compilation_metrics"));
        QVERIFY(has(times.clock, "logs do not name their host"));
        QVERIFY(times.lacks.empty());
    }

    /// Rank 0 compiles from 0 to 4 s, and backward from 10 to 12; rank 1 from 1 to 3, and backward from 11 to 14.
    void whoCompilesWhileOthersDoNot() {
        Logs logs;
        logs.add(0, logOf({{0, "dynamo", 0, 4}, {0, "entire_backward_compile", 10, 12}}));
        logs.add(1, logOf({{0, "dynamo", 1, 3}, {0, "entire_backward_compile", 11, 14}}));
        const CompileTimes times = logs.times();
        QCOMPARE(times.zeroUs, hour);
        QCOMPARE(times.ranks.size(), std::size_t(2));
        const std::vector<ranks::CompilePiece> pieces{{1e6, 3e6, false, false}, {11e6, 14e6, true, false}};
        QVERIFY(times.of(1).compiles.at(0).pieces == pieces);
        QCOMPARE(times.of(1).compiles[0].us(), 5e6);
        QCOMPARE(times.wholeUs, 14e6);
        QCOMPARE(times.someUs, 8e6); // 0 to 4, 10 to 14
        QCOMPARE(times.allUs, 3e6);  // 1 to 3, 11 to 12
        QCOMPARE(times.notAllUs, 5e6);
        QCOMPARE(times.afterOthersUs, 2e6); // rank 0 ended at 12
        QCOMPARE(times.of(0).aloneUs, 3e6); // 0 to 1, 3 to 4, 10 to 11
        QCOMPARE(times.of(1).aloneUs, 2e6);
        QCOMPARE(times.ids.size(), std::size_t(1));
        QCOMPARE(times.ids[0].lastToBegin, 1);
        QCOMPARE(times.ids[0].lastEndUs, 14e6);
        QVERIFY(has(times.clock, "(chromium_event, in microseconds since 1970)"));
        const auto spans = ranks::spansOf(times, ranks::lanesOf(times, 8), logs.report);
        QCOMPARE(spans.tree.spans.size(), std::size_t(4));
        QCOMPARE(spans.tree.nameOf(spans.tree.spans[3]), std::string("0/0 f backward"));
        QCOMPARE(spans.tree.endUs, 14e6);
    }

    /// Backward of one compile runs after forward of the next: spans of a lane are in order of time.
    void piecesOfSeveralCompilesInterleave() {
        Logs logs;
        for (const int rank : {0, 1})
            logs.add(rank,
                     logOf({{0, "dynamo", 0, 1}, {1, "dynamo", 2, 3}, {0, "entire_backward_compile", 4, 5}}));
        const CompileTimes times = logs.times();
        const auto spans = ranks::spansOf(times, ranks::lanesOf(times, 8), logs.report);
        QCOMPARE(spans.tree.spans.size(), std::size_t(6));
        for (std::size_t i = 1; i < 3; ++i)
            QVERIFY(spans.tree.spans[i].startUs >= spans.tree.spans[i - 1].endUs);
        QCOMPARE(spans.compiles[0], spans.compiles[2]);
        QVERIFY(spans.compiles[0] != spans.compiles[1]);
    }

    void aLogThatEndsAndOneWithoutTimes() {
        Logs logs;
        logs.add(0, logOf({{0, "dynamo", 0, 1}, {1, "dynamo", 2, 0}})); // ends at 2 s, within 1/0
        logs.add(1, logOf({{0, "dynamo", 0, 8}}));
        TraceText without = test::traceOf("/home/a/train.py");
        without.at(0, 0).start("f0", 6).add("\"dynamo_output_graph\": {}", test::readableGraph());
        logs.add(2, without.metrics("\"fail_type\": null", "f", 6));
        TraceText metrics = test::traceOf("/home/a/train.py");
        metrics.at(0, 0).start("f0", 6).add("\"dynamo_output_graph\": {}", test::readableGraph());
        logs.add(3, metrics.metrics("\"start_time\": 1795338003.25", "f", 6)); // for 0.5 s
        const CompileTimes times = logs.times();
        QCOMPARE(times.ranks.size(), std::size_t(3));
        QCOMPARE(times.of(0).endUs, 2e6);
        QVERIFY((times.of(0).compiles.at(1).pieces[0] == ranks::CompilePiece{2e6, 2e6, false, true}));
        QCOMPARE(times.of(3).beginUs, 3.25e6);
        QCOMPARE(times.of(3).endUs, 3.75e6);
        QVERIFY(has(times.clock, "; of compiles without it start_time of compilation_metrics"));
        QCOMPARE(times.lacks.size(), std::size_t(1));
        QVERIFY(has(times.lacks[0], "when rank 2 compiled 0/0 is not known: its log has neither"));
    }

    void aCompileThatIsOpenEndsWithItsLog() {
        Logs logs;
        TraceText text = logOf({{0, "dynamo", 0, 0}});
        text.at(0, 0);
        addEvent(text, "B", "backend_compile", 2);
        addEvent(text, "E", "backend_compile", 5);
        logs.add(0, text);
        logs.add(1, logOf({{0, "dynamo", 0, 9}}));
        const CompileTimes times = logs.times();
        QCOMPARE(times.of(0).compiles.at(0).pieces.size(), std::size_t(1));
        QVERIFY(times.of(0).compiles[0].pieces[0].open);
        QCOMPARE(times.of(0).endUs, 5e6);
    }

    void timesOfADamagedLogAreLeftOut() {
        Logs logs;
        TraceText text = test::traceOf("/home/a/train.py");
        text.at(0, 0);
        addEvent(text, "B", "dynamo", 1);
        text.start("f0", 6).add("\"dynamo_output_graph\": {}", test::readableGraph());
        addEvent(text, "E", "dynamo", 2);
        addEvent(text, "B", "far", 1e300);
        addEvent(text, "E", "far", 1e301);
        logs.add(0, text.metrics("\"fail_type\": null", "f", 6)).add(1, logOf({{0, "dynamo", 0, 9}}));
        TraceText metrics = test::traceOf("/home/a/train.py");
        metrics.at(0, 0).start("f0", 6).add("\"dynamo_output_graph\": {}", test::readableGraph());
        logs.add(2, metrics.metrics("\"start_time\": 1e300", "f", 6));
        const CompileTimes times = logs.times();
        QCOMPARE(times.ranks.size(), std::size_t(2));
        QCOMPARE(times.of(0).endUs, 2e6);
        QCOMPARE(times.wholeUs, 9e6);
        QVERIFY(has(times.lacks.at(0), "when rank 2 compiled 0/0 is not known"));
    }

    void nothingIsSaidWithoutTimes() {
        Logs logs;
        TraceText text = test::traceOf("/home/a/train.py");
        text.at(0, 0).start("f0", 6).add("\"dynamo_output_graph\": {}", test::readableGraph());
        logs.add(0, text).add(1, text);
        const CompileTimes times = logs.times();
        QVERIFY(times.ranks.empty() && times.clock.empty());
        QCOMPARE(times.lacks.size(), std::size_t(1));
        QVERIFY(has(times.lacks[0], "when ranks 0 and 1 compiled 0/0 is not known: their logs have neither"));
        QVERIFY(ranks::timeSentences(times, logs.report, 3).empty());
        QVERIFY(ranks::lanesOf(times, 4).lanes.empty());
    }

    void digestsNameTheirHosts() {
        const TraceText text = logOf({{0, "dynamo", 0, 4}});
        Logs one, two, some;
        one.addDigest(0, text, "node1").addDigest(1, text, "node1");
        const CompileTimes times = one.times();
        QCOMPARE(times.of(1).endUs, 4e6); // the digest has the times
        QVERIFY(has(times.clock,
                    "All digests were made on host node1; where the ranks ran there, this is one clock"));
        two.addDigest(0, text, "node1").addDigest(1, text, "node2");
        QVERIFY(has(
            two.times().clock,
            "Digests were made on 2 hosts (node1, node2): between hosts, times fit together only as well"));
        some.addDigest(0, text, "node1").add(1, text);
        QVERIFY(has(some.times().clock, "logs do not name their host"));
    }

    void localTimesTellTimeZonesApart() {
        const QByteArray text = QByteArray::fromStdString(logOf({{0, "dynamo", 0, 4}}).text());
        Logs same, apart;
        same.add(0, text).add(1, text);
        QVERIFY(!QString::fromStdString(same.times().clock).contains("time zones"));
        apart.add(0, text).add(1, QByteArray(text).replace("01:29:50", "03:29:50"));
        QVERIFY(has(apart.times().clock, "are in several time zones (rank 0, rank 1)"));
    }

    void aThousandRanksAreAFewLanes() {
        CompileTimes times;
        for (int rank = 0; rank < 1024; ++rank)
            times.ranks.push_back(
                rankOf(rank, rank % 7 * 1000.0, 1e6 + rank % 100 * 1000.0, rank == 512 ? 1 : 0));
        times.ranks[700] = rankOf(700, 0, 9e6);
        times.wholeUs = 9e6;
        const ranks::TimeLanes lanes = ranks::lanesOf(times, 16);
        QVERIFY2(lanes.lanes.size() <= 16 && lanes.lanes.size() >= 3,
                 std::to_string(lanes.lanes.size()).c_str());
        QVERIFY(lanes.apartUs >= 45'000 && lanes.apartUs < 2e6);
        std::size_t ranks = 0;
        for (const ranks::TimeLane& lane : lanes.lanes) {
            ranks += lane.ranks.size();
            QVERIFY(std::ranges::is_sorted(lane.ranks));
            for (const int rank : lane.ranks) {
                QVERIFY(std::abs(times.of(rank).endUs - times.of(lane.ranks[0]).endUs) <= lanes.apartUs);
                QVERIFY(std::abs(times.of(rank).beginUs - times.of(lane.ranks[0]).beginUs) <= lanes.apartUs);
            }
            // Who compiles something else, or much longer, is seen.
            if (std::ranges::count(lane.ranks, 512) + std::ranges::count(lane.ranks, 700) > 0)
                QCOMPARE(lane.ranks.size(), std::size_t(1));
        }
        QCOMPARE(ranks, std::size_t(1024));
        QCOMPARE(ranks::lanesOf(times, 1024).apartUs, 0.0);
        QCOMPARE(ranks::lanesOf(times, 1).lanes.size(), std::size_t(2)); // other compiles never share one
    }

    void dates() {
        QCOMPARE(ranks::utcText(0), std::string("1970-01-01 00:00:00.000 UTC"));
        QCOMPARE(ranks::utcText(951'827'696'789'000), std::string("2000-02-29 12:34:56.789 UTC"));
        QCOMPARE(ranks::utcText(1e300), std::string("a time that is no date"));
        QCOMPARE(ranks::utcText(std::nan("")), std::string("a time that is no date"));
    }
};

QTEST_GUILESS_MAIN(TestRankCompileTimes)
#include "tst_rank_compile_times.moc"
