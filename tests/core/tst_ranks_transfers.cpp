// SPDX-License-Identifier: BSD-3-Clause
//
// What ranks send to each other: sends and receives in pairs, splits of all_to_all_single, of a real run and with faults;
// and sends of the flight recorder.
#include "core/ranks/flight.h"
#include "core/ranks/ranks.h"
#include "tests/support/examined_ranks.h"
#include "tests/support/trace_pairs.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace dynascope;
using ranks::RanksVerdict;
using ranks::Report;

namespace {

struct Logs {
    QTemporaryDir folder;
    session::SessionPtr session;

    Report examined(const QString& path) {
        test::ExaminedRanks found = test::examinedRanks(path);
        session = found.session;
        return std::move(found.report);
    }
    Logs& add(int rank, const test::TraceText& text) {
        QFile file(folder.filePath(QStringLiteral("dedicated_log_torch_trace_rank_%1_x.log").arg(rank)));
        if (!file.open(QIODevice::WriteOnly) || file.write(QByteArray::fromStdString(text.text())) < 0)
            qFatal("cannot write");
        return *this;
    }
    Report examined() { return examined(folder.path()); }
};

/// A call at a line of the program, and the wait for it.
std::string node(int line, const std::string& name, const std::string& shape, const std::string& op,
                 const std::string& arguments) {
    return "        # File: /home/a/train.py:" + std::to_string(line) + " in f, code: send(x)\n        " +
           name + ": \"" + shape + "\" = torch.ops." + op + "(" + arguments + ")\n        wait_" + name +
           ": \"" + shape + "\" = torch.ops._c10d_functional.wait_tensor.default(" + name + ")\n";
}

/// Sends x to one rank and receives from another, in a batch.
std::string ring(int to, int from, const std::string& shape = "f32[8, 4][4, 1]cpu") {
    const std::string peers = "[" + std::to_string(to) + ", " + std::to_string(from) + "]";
    return "        # File: /home/a/train.py:7 in f, code: batch_isend_irecv(ops)\n"
           "        batch_p2p_ops = torch.ops._c10d_functional.batch_p2p_ops.default(['isend', 'irecv'], " +
           peers + ", [0, 0], [arg0_1, arg1_1], '0')\n        getitem_1: \"" + shape +
           "\" = batch_p2p_ops[1]\n";
}

std::string send(int line, int to, int tag = 0) {
    return node(line, "isend_" + std::to_string(line), "f32[0][1]cpu", "_c10d_functional.isend.default",
                "arg0_1, " + std::to_string(to) + ", " + std::to_string(tag) + ", '0'");
}
std::string receive(int line, int from, int tag = 0) {
    return node(line, "irecv_" + std::to_string(line), "f32[8, 4][4, 1]cpu", "_c10d_functional.irecv.default",
                "arg1_1, " + std::to_string(from) + ", " + std::to_string(tag) + ", '0'");
}
std::string exchange(const std::string& received, const std::string& sent) {
    return node(7, "all_to_all_single", "f32[6, 4][4, 1]cpu", "_c10d_functional.all_to_all_single.default",
                "arg0_1, " + received + ", " + sent + ", '0'");
}

/// One compile with that body; what is sent and received into has these shapes.
void addCompile(test::TraceText& text, int frame, const std::string& body,
                const std::string& sent = "f32[8, 4][4, 1]cpu",
                const std::string& received = "f32[8, 4][4, 1]cpu") {
    text.at(frame, 0).start("f", 6);
    text.add("\"aot_inference_graph\": {}",
             "class <lambda>(torch.nn.Module):\n    def forward(self, arg0_1: \"" + sent + "\", arg1_1: \"" +
                 received + "\"):\n" + body + "        return (arg0_1,)\n");
    text.metrics("\"fail_type\": null", "f", 6);
}

test::TraceText logOf(const std::string& body, const std::string& sent = "f32[8, 4][4, 1]cpu",
                      const std::string& received = "f32[8, 4][4, 1]cpu") {
    test::TraceText text = test::traceOf("/home/a/train.py");
    addCompile(text, 0, body, sent, received);
    return text;
}

bool has(const std::string& text, const char* part) {
    if (text.find(part) != std::string::npos) return true;
    qWarning("%s", text.c_str());
    return false;
}

bool notes(const Report& report, const char* part) {
    for (const std::string& note : report.notes)
        if (note.find(part) != std::string::npos) return true;
    for (const std::string& note : report.notes)
        qWarning("%s", note.c_str());
    return false;
}

std::string all(const Report& report) {
    std::string out;
    for (const ranks::Reason& reason : report.reasons)
        out += std::string(verdictName(reason.verdict)) + ": " + reason.text + '\n';
    return out;
}

ranks::FlightEntry entry(const std::string& name, std::uint64_t sequence, bool finished) {
    ranks::FlightEntry out;
    out.group = "0";
    out.sequence = sequence;
    out.name = name;
    out.inputs = {"Float[8, 4]"};
    out.pointToPoint = true;
    out.finished = finished;
    out.frames.push_back({"/home/a/train.py", 6, "f", {}});
    return out;
}

} // namespace

class TestRanksTransfers : public QObject {
    Q_OBJECT

private slots:
    /// Around a ring in a batch, along a chain one by one, and in uneven splits: no fault, and other calls on each rank.
    void ofARealRun() {
        Logs logs;
        const Report report = logs.examined(QStringLiteral(DYNASCOPE_TEST_DATA "/ranks/sends"));
        QCOMPARE(all(report), std::string());
        QCOMPARE(report.rows.size(), std::size_t(3));
        QCOMPARE(report.rows[0].letters, (std::vector<int>{0, 0, 0}));
        QCOMPARE(report.rows[0].lanes.size(), std::size_t(1));
        QCOMPARE(report.rows[0].lanes[0].calls.at(0).what.kind, std::string("batch_p2p_ops"));
        QCOMPARE(report.rows[1].letters, (std::vector<int>{0, 1, 2}));
        QVERIFY(notes(report, "1/0: its ranks do not all send and receive the same"));
        QVERIFY(notes(report, "2/0: its ranks do not all send and receive the same"));
        QCOMPARE(
            summaryOf(report),
            std::string(
                "Nothing was found that does not fit; in 2 of 3 compile ids the 3 ranks do not all send and "
                "receive the same."));
    }

    void aRingFitsAndIsOneLane() {
        Logs logs;
        for (int rank = 0; rank < 4; ++rank)
            logs.add(rank, logOf(ring((rank + 1) % 4, (rank + 3) % 4)));
        const Report report = logs.examined();
        QCOMPARE(all(report), std::string());
        QCOMPARE(report.compiles, (ranks::RankGroups{{0, 1, 2, 3}}));
        QCOMPARE(report.collectives, (ranks::RankGroups{{0, 1, 2, 3}}));
        QCOMPARE(report.rows.at(0).lanes.size(), std::size_t(1));
    }

    void aSendThatNobodyReceives() {
        Logs logs;
        for (int rank = 0; rank < 4; ++rank) // rank 3 asks the wrong one
            logs.add(rank, logOf(ring((rank + 1) % 4, rank == 3 ? 1 : (rank + 3) % 4)));
        const Report report = logs.examined();
        QCOMPARE(report.verdict, RanksVerdict::WillHang);
        QCOMPARE(report.reasons.size(), std::size_t(2));
        QVERIFY(has(all(report),
                    "will hang: rank 3 receives f32[8, 4] from rank 1 (batch_p2p_ops, node batch_p2p_ops at "
                    "train.py:7), which never sends it: its 0/0, train.py:6, has none with rank 3"));
        QVERIFY(has(all(report),
                    "will hang: rank 2 sends f32[8, 4] to rank 3 (batch_p2p_ops, node batch_p2p_ops at "
                    "train.py:7), which never receives it"));
        QVERIFY(has(report.reasons[0].text, ", unless in code that is not compiled"));
        QCOMPARE(report.reasons[0].compile, std::string("0/0"));
        QCOMPARE(report.reasons[0].line, 7U);
        QVERIFY(report.reasons[0].stage && report.reasons[0].at != ranks::none);
    }

    /// Two sends, one receive: the line of the last transfer between the two is named.
    void bothLinesAreNamed() {
        Logs logs;
        logs.add(0, logOf(send(10, 1) + send(11, 1))).add(1, logOf(receive(20, 0)));
        const Report report = logs.examined();
        QCOMPARE(report.reasons.size(), std::size_t(1));
        QCOMPARE(report.reasons[0].ranks, std::vector<int>{0});
        QCOMPARE(report.reasons[0].node, std::string("isend_11"));
        QVERIFY(has(report.reasons[0].text,
                    "rank 0 sends f32[8, 4] to rank 1 (isend, node isend_11 at train.py:11), which never "
                    "receives it: its "
                    "last transfer with rank 0 in 0/0 is irecv, node irecv_20 at train.py:20"));
        // Another tag is another message.
        Logs tags;
        tags.add(0, logOf(send(10, 1, 5))).add(1, logOf(receive(20, 0, 6)));
        QCOMPARE(tags.examined().reasons.size(), std::size_t(2));
    }

    void whatIsReceivedAsSomethingElse_data() {
        QTest::addColumn<QString>("received");
        QTest::addColumn<bool>("fits");
        QTest::newRow("another length") << "f32[4, 4][4, 1]cpu" << false;
        QTest::newRow("another dtype") << "bf16[8, 4][4, 1]cpu" << false;
        QTest::newRow("another shape") << "f32[4, 8][8, 1]cpu" << true;
        QTest::newRow("a symbol") << "f32[s0, 4][4, 1]cpu" << true;
    }
    void whatIsReceivedAsSomethingElse() {
        QFETCH(QString, received);
        QFETCH(bool, fits);
        Logs logs;
        logs.add(0, logOf(send(10, 1)))
            .add(1, logOf(receive(20, 0), "f32[8, 4][4, 1]cpu", received.toStdString()));
        const Report report = logs.examined();
        const std::string said = all(report);
        if (fits) {
            QVERIFY2(said.find("will hang") == std::string::npos, said.c_str());
            return;
        }
        QVERIFY(has(said, "will hang: rank 0 sends f32[8, 4] to rank 1 (isend, node isend_10 at "
                          "train.py:10), which receives "
                          "it as "));
        QCOMPARE(report.reasons[0].ranks, (std::vector<int>{0, 1}));
        QCOMPARE(report.reasons[0].line, 20U);
    }

    /// Stages of a pipeline compile something else under other ids.
    void otherCompilesReceiveToo() {
        Logs logs;
        test::TraceText stage = test::traceOf("/home/a/train.py");
        addCompile(stage, 0, "        sin: \"f32[8, 4][4, 1]cpu\" = torch.ops.aten.sin.default(arg0_1)\n");
        addCompile(stage, 1, receive(20, 0));
        logs.add(0, logOf(send(10, 1))).add(1, stage);
        QVERIFY2(all(logs.examined()).find("will hang") == std::string::npos, all(logs.examined()).c_str());
    }

    void whatCannotBePaired() {
        Logs logs;
        logs.add(0, logOf(send(10, 7))).add(1, logOf(send(10, 7)));
        const Report report = logs.examined();
        QCOMPARE(all(report), std::string());
        QVERIFY(notes(report, "2 sends and receives are not paired: the other rank has no log here"));
        Logs inPlace;
        const std::string call =
            node(9, "send", "f32[1][1]cpu", "c10d.send.default", "[arg0_1], arg1_1, 1, 0");
        inPlace.add(0, logOf(call)).add(1, logOf(call));
        QVERIFY(notes(inPlace.examined(),
                      "2 calls that send or receive are not paired: the graph does not say with which rank"));
    }

    /// What a graph break within torch.distributed does, no graph has.
    void whatIsReceivedEagerlyIsNoted() {
        Logs logs;
        test::TraceText other = test::traceOf("/home/a/train.py");
        other.at(0, 0).start("f", 6);
        other.artifact(
            "dynamo_graph_break_reason",
            "Graph break in user code at /v/torch/distributed/distributed_c10d.py:87\n"
            "Graph Break Reason: Unsupported\nUser code traceback:\n"
            "  File \"/home/a/train.py\", line 8, in f\n    dist.recv(y, 0)\n"
            "  File \"/v/torch/distributed/distributed_c10d.py\", line 87, in wrapper\n    func()\n");
        other.add("\"aot_inference_graph\": {}",
                  "class <lambda>(torch.nn.Module):\n    def forward(self, arg0_1: "
                  "\"f32[8, 4][4, 1]cpu\"):\n        return (arg0_1,)\n");
        other.metrics("\"fail_type\": null", "f", 6);
        logs.add(0, logOf(send(10, 1))).add(1, other);
        const Report report = logs.examined();
        QVERIFY2(all(report).find("sends") == std::string::npos, all(report).c_str());
        QVERIFY(notes(
            report,
            "which never receives it: its 0/0, train.py:6, has none with rank 0; but its graphs break within "
            "torch.distributed"));
    }

    void manyFaultsAreCounted() {
        Logs logs;
        std::string body;
        for (int i = 0; i < 30; ++i)
            body += send(10 + i, 1);
        logs.add(0, logOf(body)).add(1, logOf(receive(20, 0)));
        const Report report = logs.examined();
        QCOMPARE(report.reasons.size(), std::size_t(16));
        QVERIFY(notes(report, "13 more sends, receives or splits do not fit"));
    }

    void splitsHaveToFit() {
        Logs fits;
        fits.add(0, logOf(exchange("[1, 2]", "[1, 3]"))).add(1, logOf(exchange("[3, 4]", "[2, 4]")));
        QCOMPARE(all(fits.examined()), std::string());
        Logs logs;
        logs.add(0, logOf(exchange("[1, 2]", "[1, 3]"))).add(1, logOf(exchange("[2, 4]", "[2, 4]")));
        const Report report = logs.examined();
        QCOMPARE(report.verdict, RanksVerdict::WillHang);
        QCOMPARE(report.reasons.size(), std::size_t(1));
        QVERIFY(has(report.reasons[0].text,
                    "rank 0 sends 3 of its rows to rank 1 (all_to_all_single, node all_to_all_single at "
                    "train.py:7), which expects 2 from it (all_to_all_single, node"));
        QCOMPARE(report.reasons[0].ranks, (std::vector<int>{0, 1}));
        Logs symbols;
        symbols.add(0, logOf(exchange("[u0, u1]", "[u2, u3]"))).add(1, logOf(exchange("[2, 4]", "[2, 4]")));
        QVERIFY(all(symbols.examined()).find("will hang") == std::string::npos);
        Logs smaller; // of a group of other members than these two
        smaller.add(0, logOf(exchange("[1, 2, 3]", "[1, 2, 3]")))
            .add(1, logOf(exchange("[9, 9, 9]", "[1, 2, 3]")));
        QVERIFY(all(smaller.examined()).find("will hang") == std::string::npos);
    }

    /// Inductor's schedules name sends and receives too.
    void schedulesAreComparedWithoutSends() {
        const auto log = [](const std::string& body, const std::string& schedule) {
            test::TraceText text = logOf(body);
            text.add("\"artifact\": {\"name\": \"inductor_collective_schedule\", \"encoding\": \"json\"}",
                     schedule);
            return text;
        };
        Logs logs;
        logs.add(0, log(send(10, 1), R"(["c.isend.default", "c.all_reduce.default"])"));
        logs.add(1, log(receive(20, 0), R"(["c.all_reduce.default", "c.irecv.default"])"));
        QCOMPARE(all(logs.examined()), std::string());
        logs.add(1, log(receive(20, 0), R"(["c.broadcast.default", "c.irecv.default"])"));
        QVERIFY(has(all(logs.examined()), "will hang: Inductor scheduled the collectives of "));
    }

    void theFlightRecordersSendsJoin() {
        Logs logs;
        logs.add(0, logOf(send(10, 1))).add(1, logOf(receive(20, 0)));
        Report report = logs.examined();
        ranks::FlightDump sender, receiver;
        sender.rank = 0;
        sender.entries = {entry("nccl:send 0->1", 1, true), entry("nccl:send 0->1", 2, false)};
        receiver.rank = 1;
        receiver.entries = {entry("nccl:recv 1<-0", 1, true)};
        ranks::addFlight(*logs.session, {sender, receiver}, report);
        QCOMPARE(report.verdict, RanksVerdict::WillHang);
        const ranks::Waiting& waiting = report.waiting->at(0);
        QCOMPARE(waiting.node, std::string("isend_10"));
        QCOMPARE(waiting.compile, std::string("0/0"));
        QCOMPARE(waiting.missing, std::vector<int>{1});
        QCOMPARE(waiting.text,
                 std::string("rank 0 waits in send of 0/0, train.py:10; rank 1 never reached it: it went on "
                             "after recv of 0/0, train.py:20"));
        // It has come: nobody is missing.
        receiver.entries.push_back(entry("nccl:recv 1<-0", 2, false));
        Report both = logs.examined();
        ranks::addFlight(*logs.session, {sender, receiver}, both);
        QCOMPARE(both.verdict, RanksVerdict::Alike);
        QVERIFY(has(both.waiting->at(0).text, "rank 0 is in send of 0/0, train.py:10; rank 1 reached it"));
        // Of a rank without a dump nothing is said, nor of names that are none of NCCL's.
        Report alone = logs.examined();
        sender.entries.push_back(entry("odd:send 0to1", 3, false));
        ranks::addFlight(*logs.session, {sender}, alone);
        QVERIFY(has(alone.waiting->at(0).text, "; of rank 1 there is no dump"));
    }
};

QTEST_GUILESS_MAIN(TestRanksTransfers)
#include "tst_ranks_transfers.moc"
