// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks whose compile ids are not the same ones: logs of real runs, and what is left where nothing else joins.
#include "core/compare/explain.h"
#include "core/ranks/compared.h"
#include "core/session/ranked_compiles.h"
#include "tests/support/examined_ranks.h"
#include "tests/support/trace_pairs.h"

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>

using namespace dynascope;
using ranks::RanksVerdict;

namespace {

test::ExaminedRanks examined(const QString& name) {
    return test::examinedRanks(QStringLiteral(DYNASCOPE_TEST_DATA "/ranks/ids_") + name);
}

QString reasonsOf(const ranks::Report& report) {
    QStringList out;
    for (const ranks::Reason& reason : report.reasons)
        out << QString::fromStdString(std::string(verdictName(reason.verdict)) + ' ' + reason.compile + ": " +
                                      reason.text);
    return out.join(u'\n');
}

QString rowsOf(const ranks::Report& report) {
    QStringList out;
    for (const ranks::CompileRow& row : report.rows) {
        QString text = QString::fromStdString(row.id + ' ' + row.function);
        for (const auto& [id, ranks] : row.otherIds)
            text += QString::fromStdString(", " + id + " on " + ranks::rankWords(ranks));
        out << text;
    }
    return out.join(u'\n');
}

const ranks::CompileRow& rowOf(const ranks::Report& report, const char* function) {
    return *std::ranges::find(report.rows, function, &ranks::CompileRow::function);
}

/// A graph with one collective: "gather..." gathers, all others sum.
std::string graphOf(const std::string& function) {
    const std::string call = function.starts_with("gather")
                                 ? "torch.ops._c10d_functional.all_gather_into_tensor.default(arg0_1, 2, '0')"
                                 : "torch.ops._c10d_functional.all_reduce.default(arg0_1, 'sum', '0')";
    return "class <lambda>(torch.nn.Module):\n    def forward(self, arg0_1: \"f32[8, 4][4, 1]cpu\"):\n"
           "        made: \"f32[8, 4][4, 1]cpu\" = " +
           call +
           "\n"
           "        waited: \"f32[8, 4][4, 1]cpu\" = torch.ops._c10d_functional.wait_tensor.default(made)\n"
           "        return (waited,)\n";
}

/// One rank's log: function names, each compiled in turn as a frame of its own. Longer names have a collective.
std::string logOf(const std::vector<std::string>& functions, bool ended = true) {
    test::TraceText text = test::traceOf("/home/user/cap.py");
    for (std::size_t i = 0; i < functions.size(); ++i) {
        const std::string& function = functions[i];
        const int line = 10 * function.back();
        text.at(int(i), 0).start(function, line);
        if (function.size() > 1) text.add("\"aot_inference_graph\": {}", graphOf(function));
        if (ended) text.metrics("\"fail_type\": null", function, line);
    }
    return text.text();
}

class Logs {
public:
    explicit Logs(const std::vector<std::string>& logs) {
        for (std::size_t i = 0; i < logs.size(); ++i) {
            QFile file(m_folder.filePath(QStringLiteral("dedicated_log_torch_trace_rank_%1_x.log").arg(i)));
            if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
            file.write(QByteArray::fromStdString(logs[i]));
        }
    }
    [[nodiscard]] ranks::Report examined() const { return test::examinedRanks(m_folder.path()).report; }

private:
    QTemporaryDir m_folder;
};

} // namespace

class TestRanksIds : public QObject {
    Q_OBJECT
private slots:
    void anotherIdIsNoFault_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("rows");
        QTest::addColumn<QString>("reasons");
        QTest::newRow("one function more") << "extra"
                                           << "0/0 first, 1/0 on rank 2\n1/0 step, 2/0 on rank 2\n"
                                              "2/0 last, 3/0 on rank 2\n0/0 on rank 2 extra"
                                           << "slower 0/0 on rank 2: only rank 2 compiled extra";
        QTest::newRow("another order that nobody waits for")
            << "harmless"
            << "0/0 first, 1/0 on rank 2\n1/0 step, 0/0 on rank 2\n2/0 last"
            << "";
        QTest::newRow("a graph break alone")
            << "break"
            << "0/0 first\n1/0 step\n2/0 last, 3/0 on rank 2\n2/0 on rank 2 torch_dynamo_resume_in_step_at_26"
            << "slower 1/0: step breaks on rank 2 and is compiled whole on ranks 0 and 1: Call to "
               "`torch._dynamo.graph_break()`";
        QTest::newRow("a graph break in what is inlined")
            << "inner"
            << "0/0 first\n1/0 step\n2/0 last, 5/0 on rank 2\n2/0 on rank 2 helper\n"
               "3/0 torch_dynamo_resume_in_helper_at_16\n4/0 torch_dynamo_resume_in_step_at_32"
            << "slower 1/0: step breaks on rank 2 and is compiled whole on ranks 0 and 1: Call to "
               "`torch._dynamo.graph_break()`";
    }
    void anotherIdIsNoFault() {
        QFETCH(QString, name);
        const test::ExaminedRanks found = examined(name);
        QTEST(rowsOf(found.report), "rows");
        QFETCH(QString, reasons);
        const QString said = reasonsOf(found.report);
        QVERIFY2(reasons.isEmpty() ? said.isEmpty() : said.startsWith(reasons) && !said.contains(u'\n'),
                 qPrintable(said));
        QVERIFY(!found.report.notes.empty());
        QVERIFY2(found.report.notes.front().find("joined by function, file and line") != std::string::npos,
                 found.report.notes.front().c_str());
        // Two commands say the same.
        const auto compared = ranks::compareRanks(*found.session);
        QVERIFY(compared);
        QCOMPARE(compared->rows.size(), found.report.rows.size());
        for (const compare::RankRow& row : compared->rows)
            if (row.group[2] == row.group[0]) QVERIFY(row.alike());
        QCOMPARE(compared->firstDiffering == compare::none, name == QLatin1String("harmless"));
    }

    /// What is called in the function's parts, and between them, is what others call in the function.
    void callsOfAllPartsAreOneLane_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("calls");
        QTest::newRow("break") << "break" << 6;
        QTest::newRow("inner") << "inner" << 10;
        QTest::newRow("innerlast") << "innerlast" << 8;
    }
    void callsOfAllPartsAreOneLane() {
        QFETCH(QString, name);
        const test::ExaminedRanks found = examined(name);
        QVERIFY2(found.report.verdict == RanksVerdict::Slower, qPrintable(reasonsOf(found.report)));
        const ranks::CompileRow& row = rowOf(found.report, "step");
        QCOMPARE(row.lanes.size(), std::size_t(1));
        QCOMPARE(row.lanes[0].ranks, (std::vector<int>{0, 1, 2}));
        QTEST(int(row.lanes[0].calls.size()), "calls");
        QCOMPARE(row.letters[0], row.letters[1]);
        QVERIFY(row.letters[2] != row.letters[0]);
        for (const ranks::CompileRow& other : found.report.rows)
            if (other.compiles[0] != ranks::none) {
                QVERIFY2(other.partOf.empty(), other.id.c_str());
            } else {
                QVERIFY2(other.lanes.empty(), other.id.c_str());
                QCOMPARE(other.partOf, std::string("1/0"));
            }
        const bool noted = std::ranges::any_of(found.report.notes, [](const std::string& note) {
            return note.starts_with("1/0: ranks 0 and 1 have step in 1 part, rank 2 has step in ");
        });
        QVERIFY(noted);
    }

    void aCallLeftOutAfterABreakIsFound() {
        const ranks::Report report = examined("skips").report;
        QCOMPARE(report.verdict, RanksVerdict::WillHang);
        const ranks::Reason& hang = report.reasons.front();
        QVERIFY2(hang.text.starts_with("rank 2 calls reduce_scatter_tensor sum of f32["), hang.text.c_str());
        QVERIFY2(hang.text.find("where ranks 0 and 1 call all_gather_into_tensor of f32[6, 8]") !=
                     std::string::npos,
                 hang.text.c_str());
        QCOMPARE(hang.ranks, std::vector<int>{2});
        // The node is in what resumes the function.
        const session::SessionPtr session = examined("skips").session;
        QCOMPARE(session->compiles[hang.at].function, std::string("torch_dynamo_resume_in_step_at_26"));
        QVERIFY(hang.stage && !hang.node.empty());
    }

    /// The run ended before the others came to the function.
    void aFunctionThatOthersNeverReachedWillHang() {
        const ranks::Report report = examined("order").report;
        QCOMPARE(report.verdict, RanksVerdict::WillHang);
        QVERIFY2(
            reasonsOf(report).startsWith(
                "will hang 0/0 on rank 2: ranks 0 and 1 have no compile of last (0/0 on rank 2) whose "
                "collectives "
                "fit: rank 2 waits there in all_reduce max of f32[6, 8] (node all_reduce near ids.py:39)"),
            qPrintable(reasonsOf(report)));
    }

    void functionsThatMeetInAnotherOrder() {
        const ranks::Report hangs =
            Logs({logOf({"a", "gather_x", "reduce_y"}), logOf({"a", "reduce_y", "gather_x"})}).examined();
        QCOMPARE(reasonsOf(hangs),
                 QStringLiteral(
                     "will hang 2/0: rank 1 compiles reduce_y (2/0) before gather_x (1/0), and rank 0 "
                     "gather_x (1/0) before reduce_y (2/0): at their first run the collectives of one wait "
                     "for those of the other"));
        QCOMPARE(hangs.reasons.front().line, std::uint32_t(10 * 'y'));
        const ranks::Report mixed =
            Logs({logOf({"a", "reduce_x", "reduce_y"}), logOf({"a", "reduce_y", "reduce_x"})}).examined();
        QVERIFY2(reasonsOf(mixed).startsWith(
                     "may be wrong 2/0: rank 1 compiles reduce_y (2/0) before reduce_x (1/0)") &&
                     reasonsOf(mixed).contains("each takes the collectives of one for those of the other"),
                 qPrintable(reasonsOf(mixed)));
        // Without a collective in one of them nobody waits.
        const ranks::Report alike = Logs({logOf({"a", "reduce_x"}), logOf({"reduce_x", "a"})}).examined();
        QVERIFY2(alike.reasons.empty(), qPrintable(reasonsOf(alike)));
    }

    /// What has no partner is held against what has its id, as it stands in its place.
    void functionsInPlaceOfEachOther() {
        const ranks::Report report = Logs({logOf({"a", "f", "z"}), logOf({"a", "g", "z"})}).examined();
        QCOMPARE(rowsOf(report), QStringLiteral("0/0 a\n1/0 f\n2/0 z"));
        QVERIFY2(reasonsOf(report).contains("1/0 is g on rank 1 and f on rank 0"),
                 qPrintable(reasonsOf(report)));
        // Each has a partner here.
        QCOMPARE(rowsOf(Logs({logOf({"a", "f", "z"}), logOf({"z", "f", "a"})}).examined()),
                 QStringLiteral("0/0 a, 2/0 on rank 1\n1/0 f\n2/0 z, 0/0 on rank 1"));
    }

    /// A rank that was ended while it compiled has no metrics, which name the function elsewhere.
    void compilesThatDidNotEnd() {
        QCOMPARE(rowsOf(Logs({logOf({"a", "f"}), logOf({"x", "a", "f"}, false)}).examined()),
                 QStringLiteral("0/0 a, 1/0 on rank 1\n1/0 f, 2/0 on rank 1\n0/0 on rank 1 x"));
    }

    /// Of code objects in one line the first is the first.
    void severalOfOneName() {
        QCOMPARE(rowsOf(Logs({logOf({"f", "f", "g"}), logOf({"g", "f", "f"})}).examined()),
                 QStringLiteral("0/0 f, 1/0 on rank 1\n1/0 f, 2/0 on rank 1\n2/0 g, 0/0 on rank 1"));
    }

    void ofRanksThatAreAsked() {
        const test::ExaminedRanks found = examined("extra");
        const std::array<int, 2> ranks{0, 2};
        const auto rows = session::rankedCompiles(*found.session, ranks);
        QCOMPARE(rows.size(), std::size_t(4));
        QCOMPARE(rows[0].id, std::string("0/0"));
        QCOMPARE(found.session->compiles[rows[0].compiles[1]].id.toString(), std::string("1/0"));
        QVERIFY(session::rankedCompiles(*found.session, ranks, [](const session::Compile&) {
                    return true;
                }).empty());
        // Two ranks held against each other are joined so, too.
        const auto pair =
            compare::compareSessions(*found.session, *found.session,
                                     {.rankA = 2, .rankB = 0, .byCompileId = true, .ownDevices = true});
        QVERIFY(pair);
        QCOMPARE(pair->onlyInA, std::size_t(1));
        QCOMPARE(pair->onlyInB, std::size_t(0));
    }
};

QTEST_GUILESS_MAIN(TestRanksIds)
#include "tst_ranks_ids.moc"
