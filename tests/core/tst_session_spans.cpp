// SPDX-License-Identifier: BSD-3-Clause
//
// Timing events as nested spans. Fixtures are lines of "name start duration", printed trees are compared.
#include "core/capture/open.h"
#include "core/session/spans.h"
#include "tests/support/captures.h"
#include "tests/support/trace_text.h"

#include <QtTest>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <sstream>

using namespace dynascope;
using session::CompilerPart;
using session::Span;
using session::SpanTree;

namespace {

/// "compile 1" and "thread 2" say where the events that follow belong; one compile more than is named.
session::Session sessionOf(const std::string& text) {
    session::Session out;
    std::istringstream lines(text);
    std::string name;
    session::TimingEvent like;
    like.compile = 0;
    while (lines >> name) {
        if (name == "compile") {
            lines >> like.compile;
        } else if (name == "thread") {
            lines >> like.tid;
        } else if (name == "rank") {
            lines >> like.rank;
        } else {
            session::TimingEvent event = like;
            event.name = name;
            lines >> event.startUs >> event.durationUs;
            out.timings.push_back(event);
        }
    }
    out.compiles.resize(3);
    return out;
}

QString printed(const SpanTree& tree) {
    std::ostringstream out;
    for (std::size_t lane = 0; lane < tree.lanes.size(); ++lane) {
        if (tree.lanes.size() > 1)
            out << "rank " << tree.lanes[lane].rank << (tree.lanes[lane].overlaps ? ", overlaps" : "")
                << '\n';
        for (const Span& span : tree.spans) {
            if (span.lane != static_cast<int>(lane)) continue;
            out << std::string(static_cast<std::size_t>(span.depth) * 2, ' ') << tree.nameOf(span) << ' '
                << span.startUs << ".." << span.endUs << " self " << span.selfUs;
            if (span.count > 1) out << " x" << span.count;
            out << '\n';
        }
    }
    return QString::fromStdString(out.str());
}

/// What the header promises of every tree.
void check(const SpanTree& tree) {
    std::map<std::pair<int, int>, double> ended;
    for (std::size_t i = 0; i < tree.spans.size(); ++i) {
        const Span& span = tree.spans[i];
        QVERIFY(span.startUs <= span.endUs && span.selfUs >= 0 && span.selfUs <= span.totalUs() + 1e-6);
        QVERIFY(span.depth < tree.lanes[static_cast<std::size_t>(span.lane)].levels);
        const auto [at, isNew] = ended.try_emplace({span.lane, span.depth}, span.startUs);
        QVERIFY(span.startUs >= at->second);
        at->second = span.endUs;
        if (span.parent < 0) {
            QCOMPARE(span.depth, 0);
            continue;
        }
        QVERIFY(span.parent < static_cast<int>(i));
        const Span& parent = tree.spans[static_cast<std::size_t>(span.parent)];
        QCOMPARE(span.depth, parent.depth + 1);
        QCOMPARE(span.lane, parent.lane);
        QVERIFY(parent.startUs <= span.startUs && span.endUs <= parent.endUs);
    }
}

} // namespace

class TestSessionSpans : public QObject {
    Q_OBJECT

private slots:
    void nests_data() {
        QTest::addColumn<QString>("events");
        QTest::addColumn<QString>("tree");
        QTest::newRow("none") << ""
                              << "";
        QTest::newRow("in any order") << "inner 10 20  outer 0 100  next 100 5  inner 40 30"
                                      << "outer 0..100 self 50\n"
                                         "  inner 10..30 self 20\n"
                                         "  inner 40..70 self 30\n"
                                         "next 100..105 self 5\n";
        QTest::newRow("clocks that differ") << "outer 0 100  inner 50 50.4  next 99.8 10"
                                            << "outer 0..100 self 50\n"
                                               "  inner 50..100 self 50\n"
                                               "next 100..109.8 self 9.8\n";
        QTest::newRow("an instant") << "outer 0 10  now 5 0"
                                    << "outer 0..10 self 10\n  now 5..5 self 0\n";
        QTest::newRow("overlap") << "a 0 10  b 5 10  c 6 2  d 20 1"
                                 << "rank 0\na 0..10 self 8\n  c 6..8 self 2\nd 20..21 self 1\n"
                                    "rank 0, overlaps\nb 5..15 self 10\n";
        QTest::newRow("threads and ranks") << "a 0 10  thread 1 b 5 10  rank 1 c 5 1"
                                           << "rank 0\na 0..10 self 10\nrank 0\nb 5..15 self 10\n"
                                              "rank 1\nc 5..6 self 1\n";
    }
    void nests() {
        QFETCH(QString, events);
        QFETCH(QString, tree);
        const session::Session session = sessionOf(events.toStdString());
        const SpanTree made = session::makeSpans(session);
        check(made);
        QCOMPARE(printed(made), tree);
        QCOMPARE(made.leftOut, std::size_t(0));
    }

    void oneCompileOrSeveral() {
        const session::Session session =
            sessionOf("a 0 100 compile 1 b 10 10 compile 2 c 30 10 compile -1 d 50 10");
        QCOMPARE(printed(session::makeSpans(session, {1})), QStringLiteral("b 10..20 self 10\n"));
        QCOMPARE(printed(session::makeSpans(session, {2, 1, 7, -4})),
                 QStringLiteral("b 10..20 self 10\nc 30..40 self 10\n"));
        const SpanTree all = session::makeSpans(session);
        QCOMPARE(all.spans.size(), std::size_t(4));
        QCOMPARE(all.startUs, 0.0);
        QCOMPARE(all.endUs, 100.0);
    }

    void damagedTimes() {
        session::Session session = sessionOf("a 0 10  b 1 1  c 2 1  d 3 1");
        session.timings[0].durationUs = std::numeric_limits<double>::infinity();
        session.timings[1].startUs = std::nan("");
        session.timings[2].durationUs = -5;
        session.timings[3].compile = 99;
        const SpanTree tree = session::makeSpans(session);
        check(tree);
        QCOMPARE(printed(tree), QStringLiteral("d 3..4 self 1\n"));
    }

    void deepAndTangled() {
        session::Session session;
        session::TimingEvent event;
        for (int i = 0; i < 300; ++i) {
            event.name = "deep";
            event.startUs = i;
            event.durationUs = 1000 - 2 * i;
            session.timings.push_back(event);
        }
        const SpanTree deep = session::makeSpans(session);
        check(deep);
        QCOMPARE(deep.spans.size(), std::size_t(200));
        QCOMPARE(deep.leftOut, std::size_t(100));
        session.timings.clear();
        for (int i = 0; i < 20000; ++i) {
            event.startUs = i;
            event.durationUs = 10000;
            session.timings.push_back(event);
        }
        const SpanTree tangled = session::makeSpans(session);
        check(tangled);
        QCOMPARE(tangled.lanes.size(), std::size_t(64));
        QCOMPARE(tangled.spans.size() + tangled.leftOut, std::size_t(20000));
    }

    void partsAreInherited() {
        const session::Session session = sessionOf("bytecode_tracing 0 100  inductor_compile 10 50  "
                                                   "my_own_pass 20 10  code_gen 30 10  compile_file 32 1");
        const SpanTree tree = session::makeSpans(session);
        std::vector<CompilerPart> parts;
        for (const Span& span : tree.spans)
            parts.push_back(span.part);
        QCOMPARE(parts, (std::vector{CompilerPart::Dynamo, CompilerPart::Passes, CompilerPart::Passes,
                                     CompilerPart::CodeGen, CompilerPart::Kernels}));
    }

    void merges() {
        const session::Session session = sessionOf("a 0 100  b 10 20  c 12 5  b 40 30  d 80 5  c 90 1  "
                                                   "thread 1 a 0 50  b 0 10");
        const SpanTree tree = session::mergedSpans(session::makeSpans(session));
        check(tree);
        QCOMPARE(printed(tree), QStringLiteral("a 0..150 self 84 x2\n"
                                               "  b 0..60 self 55 x3\n"
                                               "    c 0..5 self 5\n"
                                               "  d 60..65 self 5\n"
                                               "  c 65..66 self 1\n"));
        // Of several the longest stands for all.
        QCOMPARE(session.timings[tree.spans[1].event].durationUs, 30.0);
    }

    void totals() {
        const session::Session session = sessionOf("a 0 100  b 10 60  a 20 30  c 200 50");
        const SpanTree tree = session::makeSpans(session);
        const std::vector<session::SpanTotal> totals = session::spanTotals(tree);
        QCOMPARE(totals.size(), std::size_t(3));
        QCOMPARE(tree.names[totals[0].name], std::string("a"));
        QCOMPARE(totals[0].selfUs, 70.0);
        QCOMPARE(totals[0].totalUs, 100.0); // what is inside another "a" counts once
        QCOMPARE(totals[0].count, std::size_t(2));
        QCOMPARE(totals[0].longest, 0);
        QCOMPARE(tree.names[totals[1].name], std::string("c"));
        double self = 0, outermost = 0;
        for (const session::SpanTotal& total : totals)
            self += total.selfUs;
        for (const Span& span : tree.spans)
            if (span.parent < 0) outermost += span.totalUs();
        QCOMPARE(self, outermost);
    }

    /// Inductor's workers compile at once: no moment counts twice.
    void momentsCountOnce() {
        const session::Session session =
            sessionOf("dynamo 0 100  code_gen 20 60  async_compile.wait 40 40  compile_file 30 30  "
                      "compile_file 41 30  compile_file 42 30  thread 1 pass.x 90 20  rank 1 dynamo 0 50");
        const SpanTree tree = session::makeSpans(session);
        const auto times = session::partTimes(tree);
        const auto of = [&times](CompilerPart part) { return times[static_cast<std::size_t>(part)]; };
        QCOMPARE(of(CompilerPart::Dynamo), 20.0 + 10 + 50);
        QCOMPARE(of(CompilerPart::CodeGen), 10.0);
        QCOMPARE(of(CompilerPart::Kernels), 50.0); // from 30 to 80
        QCOMPARE(of(CompilerPart::Passes), 20.0);
        double selves = 0;
        for (const Span& span : tree.spans)
            selves += span.selfUs;
        QVERIFY(selves > 110 + 50); // which is why times of their own are no shares
    }

    void everyCapture() {
        std::size_t events = 0;
        for (const QString& path : test::traceLogs()) {
            const auto session = capture::open(path.toStdString());
            if (!session) continue;
            const SpanTree tree = session::makeSpans(**session);
            check(tree);
            QCOMPARE(tree.leftOut, std::size_t(0));
            QCOMPARE(tree.spans.size(), (*session)->timings.size());
            check(session::mergedSpans(tree));
            const auto times = session::partTimes(tree);
            std::set<std::pair<int, std::int64_t>> processes;
            for (const session::SpanLane& lane : tree.lanes)
                processes.emplace(lane.rank, lane.pid);
            QVERIFY(std::accumulate(times.begin(), times.end(), 0.0) <=
                    double(processes.size()) * (tree.endUs - tree.startUs) + 1);
            events += tree.spans.size();
        }
        QVERIFY(events > 1000);
    }

    /// A click on a span shows the stage that its work went into.
    void stages() {
        const auto opened = capture::open(test::capture("trace_inductor/train").toStdString());
        QVERIFY(opened);
        const session::Session& session = **opened;
        const SpanTree tree = session::makeSpans(session);
        const auto stagesFor = [&](const char* name, std::size_t nth = 0) {
            for (std::size_t i = 0; i < tree.spans.size(); ++i) {
                const Span& span = tree.spans[i];
                if (tree.nameOf(span) != name || nth-- > 0) continue;
                const session::StageSpan found = session::stagesOf(session, tree, int(i));
                if (found.first < 0) return std::string("none");
                const auto& stages =
                    session.compiles[std::size_t(session.timings[span.event].compile)].stages;
                const std::string first = stages[std::size_t(found.first)]->name,
                                  last = stages[std::size_t(found.last)]->name;
                return first == last ? first : first + " to " + last;
            }
            return std::string("no such span");
        };
        QCOMPARE(stagesFor("bytecode_tracing"), std::string("dynamo_output_graph"));
        QCOMPARE(stagesFor("aot_trace_joint_graph"), std::string("aot_joint_graph"));
        QCOMPARE(stagesFor("GraphLowering.run"), std::string("inductor_output_code"));
        QCOMPARE(stagesFor("no such span"), std::string("no such span"));
        QCOMPARE(session::stagesOf(session, tree, -1).first, -1);
        QCOMPARE(session::stagesOf(session, tree, int(tree.spans.size())).first, -1);
    }

    void eventsKnowTheirRecords() {
        const auto opened = capture::openText(
            test::TraceText()
                .start()
                .add("\"chromium_event\": {}", R"({"name":"dynamo","ph":"B","ts":10,"pid":0,"tid":0})")
                .add("\"chromium_event\": {}", R"({"name":"now","ph":"i","ts":11,"pid":0,"tid":0})")
                .add("\"chromium_event\": {}", R"({"name":"dynamo","ph":"E","ts":30,"pid":0,"tid":0})")
                .add("\"chromium_event\": {}", R"({"name":"cut","ph":"B","ts":31,"pid":0,"tid":0})")
                .text());
        QVERIFY(opened);
        const auto& timings = (*opened)->timings;
        QCOMPARE(timings.size(), std::size_t(3));
        QCOMPARE(timings[0].record, std::size_t(1));
        QCOMPARE(timings[0].endRecord, std::size_t(3));
        QCOMPARE(timings[1].endRecord, std::size_t(2));
        QVERIFY(timings[2].open);
        QCOMPARE(timings[2].endRecord, SIZE_MAX);
    }
};

QTEST_APPLESS_MAIN(TestSessionSpans)
#include "tst_session_spans.moc"
