// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks of real runs, as they are and with faults: collectives swapped, skipped, of another length, dtype or
// reduction; constants that depend on the rank; caches that serve one rank only.
#include "core/capture/flight_reader.h"
#include "core/capture/open.h"
#include "core/ranks/compared.h"
#include "core/ranks/flight.h"
#include "core/store/session_file.h"
#include "tests/support/examined_ranks.h"
#include "tests/support/trace_pairs.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <functional>

using namespace dynascope;
using ranks::RanksVerdict;
using test::TraceText;

namespace {

/// Logs of a run in a folder of their own, to be changed.
class Run {
public:
    Run() = default;
    explicit Run(const QString& name) {
        const QDir from(QStringLiteral(DYNASCOPE_TEST_DATA "/ranks/") + name);
        for (const QString& file : from.entryList(QDir::Files))
            if (!QFile::copy(from.filePath(file), path(file))) qFatal("cannot copy");
        for (const QString& file : QDir(m_folder.path()).entryList(QDir::Files))
            QFile::setPermissions(path(file), QFile::ReadOwner | QFile::WriteOwner);
    }

    Run& add(int rank, const TraceText& text) {
        write(logOf(rank), QByteArray::fromStdString(text.text()));
        return *this;
    }
    /// A log that was begun after all others.
    Run& addLater(const QString& name, const TraceText& text) {
        write(path(name), QByteArray::fromStdString(text.text()).replace("01:29:50", "01:31:07"));
        return *this;
    }
    Run& addFile(const QString& name, const QString& from) {
        if (!QFile::copy(from, path(name))) qFatal("cannot copy");
        return *this;
    }
    Run& edit(int rank, const QString& from, const QString& to) {
        return change(rank, [&](QString& text) { text.replace(from, to); });
    }
    /// Without the lines of payloads that hold `part`.
    Run& drop(int rank, const QString& part) {
        return change(rank, [&](QString& text) {
            text.remove(QRegularExpression(QStringLiteral("^\t[^\n]*%1[^\n]*\n").arg(part),
                                           QRegularExpression::MultilineOption));
        });
    }
    /// The log of one rank, as another one may have written it.
    Run& copy(int from, int to) {
        write(logOf(to),
              read(logOf(from))
                  .replace("\"rank\": " + QByteArray::number(from), "\"rank\": " + QByteArray::number(to)));
        return *this;
    }

    ranks::Report examined() {
        test::ExaminedRanks found = test::examinedRanks(m_folder.path());
        m_session = found.session;
        return std::move(found.report);
    }

    const session::Session& session() const { return *m_session; }

private:
    QString path(const QString& file) const { return m_folder.filePath(file); }
    QString logOf(int rank) const {
        return path(QStringLiteral("dedicated_log_torch_trace_rank_%1_x.log").arg(rank));
    }
    static QByteArray read(const QString& name) {
        QFile file(name);
        if (!file.open(QIODevice::ReadOnly)) qFatal("cannot read");
        return file.readAll();
    }
    static void write(const QString& name, const QByteArray& text) {
        QFile file(name);
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) qFatal("cannot write");
    }
    Run& change(int rank, const std::function<void(QString&)>& how) {
        QString text = QString::fromUtf8(read(logOf(rank)));
        const QString before = text;
        how(text);
        if (text == before) qFatal("nothing changed");
        write(logOf(rank), text.toUtf8());
        return *this;
    }

    QTemporaryDir m_folder;
    session::SessionPtr m_session;
};

std::string flightOf(const QString& name) {
    return std::string(DYNASCOPE_TEST_DATA "/ranks/flight_") + name.toStdString();
}

/// Dumps of "moe" in which every call has ended.
Result<capture::FlightFolder> endedFlight() {
    auto flight = capture::readFlightFolder(flightOf("moe"));
    if (flight)
        for (ranks::FlightDump& dump : flight->dumps)
            for (ranks::FlightEntry& entry : dump.entries)
                entry.finished = true;
    return flight;
}

std::string all(const ranks::Report& report) {
    std::string out;
    for (const ranks::Reason& reason : report.reasons)
        out += std::string(verdictName(reason.verdict)) + ": " + reason.text + '\n';
    return out;
}

bool says(const ranks::Reason& reason, const char* part) {
    if (reason.text.find(part) != std::string::npos) return true;
    qWarning("%s", reason.text.c_str());
    return false;
}

std::string graphOf(const std::string& body) {
    return "class <lambda>(torch.nn.Module):\n    def forward(self, arg0_1: \"f32[8, 4][4, 1]cuda:%\"):\n" +
           body;
}

/// One compile with this graph; `%` in it is the rank.
TraceText traceOf(int rank, std::string graph, const std::string& function = "f") {
    for (char& c : graph)
        if (c == '%') c = static_cast<char>('0' + rank);
    TraceText text = test::traceOf("/home/a/train.py");
    text.at(0, 0).start(function, 6);
    text.add("\"aot_inference_graph\": {}", graph);
    return text.metrics("\"fail_type\": null", function, 6);
}

const char* reduces =
    "        # File: /home/a/train.py:7 in f, code: y = g(x)\n"
    "        mul: \"f32[8, 4][4, 1]cuda:%\" = torch.ops.aten.mul.Tensor(arg0_1, 2)\n"
    "        all_reduce: \"f32[8, 4][4, 1]cuda:%\" = torch.ops._c10d_functional.all_reduce.default(mul, "
    "'sum', '0')\n"
    "        wait_tensor: \"f32[8, 4][4, 1]cuda:%\" = torch.ops._c10d_functional.wait_tensor.default("
    "all_reduce)\n"
    "        return (wait_tensor,)\n";

} // namespace

class TestRanks : public QObject {
    Q_OBJECT
private slots:
    void ranksOfARunWithoutAFaultAreAlike_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("collectives");
        QTest::newRow("tensor parallel, forward and backward") << "tp" << 5;
        QTest::newRow("mixture of experts") << "moe" << 5;
    }
    void ranksOfARunWithoutAFaultAreAlike() {
        QFETCH(QString, name);
        QFETCH(int, collectives);
        const ranks::Report report = Run(name).examined();
        QCOMPARE(all(report), std::string());
        QCOMPARE(report.verdict, RanksVerdict::Alike);
        QCOMPARE(report.rows.size(), 1U);
        QCOMPARE(report.rows[0].lanes.size(), 1U);
        QCOMPARE(report.rows[0].lanes[0].calls.size(), std::size_t(collectives));
        QCOMPARE(report.compiles, (ranks::RankGroups{{0, 1}}));
        QCOMPARE(report.collectives, (ranks::RankGroups{{0, 1}}));
        QCOMPARE(report.tensorMeta, (ranks::RankGroups{{0, 1}}));
    }

    /// The program has all of it: rank 3 swaps two collectives, ranks 1 and 3 multiply by their number, and rank 2
    /// sees another length.
    void aRunThatDivergesIsTakenApart() {
        const ranks::Report report = Run("diverge").examined();
        QCOMPARE(report.verdict, RanksVerdict::WillHang);
        QCOMPARE(report.reasons.size(), 3U);
        const ranks::Reason& hang = report.reasons[0];
        QCOMPARE(hang.verdict, RanksVerdict::WillHang);
        QCOMPARE(hang.ranks, std::vector<int>{3});
        QCOMPARE(hang.compile, std::string("1/0"));
        QCOMPARE(hang.node, std::string("tensor"));
        QCOMPARE(hang.line, 39U);
        QVERIFY(says(
            hang,
            "rank 3 calls all_gather_into_tensor of f32[1, 4] -> f32[4, 4] (node tensor near prog.py:39)"));
        QVERIFY(says(hang, "where ranks 0 to 2 call all_reduce sum of f32[4] (node tensor near prog.py:41)"));
        const ranks::Reason& wrong = report.reasons[1];
        QCOMPARE(wrong.verdict, RanksVerdict::MayBeWrong);
        QCOMPARE(wrong.ranks, (std::vector<int>{1, 3}));
        QCOMPARE(wrong.node, std::string("mul"));
        QCOMPARE(wrong.line, 43U);
        const ranks::Reason& slower = report.reasons[2];
        QCOMPARE(slower.verdict, RanksVerdict::Slower);
        QCOMPARE(slower.ranks, std::vector<int>{2});
        QVERIFY(says(slower, "tensor 'x' size mismatch at index 0. expected 8, actual 9"));
        QCOMPARE(report.collectives, (ranks::RankGroups{{0, 1, 2}, {3}})); // the recompile calls none
        QCOMPARE(report.rows[0].letters, (std::vector<int>{0, 1, 0, 1}));  // sin * rank is one graph
        QCOMPARE(report.rows[2].letters, (std::vector<int>{-1, -1, 0, -1}));
        QCOMPARE(report.rows[1].lanes[0].mismatch, 0U);
        QCOMPARE(report.rows[1].lanes[1].mismatch, 0U);
    }

    /// A region that is run twice calls its collective twice; what a branch calls nobody knows.
    void collectivesOfSubgraphs() {
        const std::string body =
            "        repeated_subgraph0 = self.repeated_subgraph0\n"
            "        first = torch.ops.higher_order.invoke_subgraph(repeated_subgraph0, 'subgraph_0', "
            "arg0_1)\n"
            "        getitem: \"f32[8, 4][4, 1]cuda:%\" = first[0]\n"
            "        second = torch.ops.higher_order.invoke_subgraph(repeated_subgraph0, 'subgraph_0', "
            "getitem)\n"
            "        getitem_1: \"f32[8, 4][4, 1]cuda:%\" = second[0]\n"
            "        true_graph_0 = self.true_graph_0\n"
            "        cond = torch.ops.higher_order.cond(arg0_1, true_graph_0, true_graph_0, (getitem_1,))\n"
            "        getitem_2: \"f32[8, 4][4, 1]cuda:%\" = cond[0]\n"
            "        return (getitem_2,)\n";
        const auto inner = [](const std::string& name, const std::string& reduction) {
            return "\n    class " + name +
                   "(torch.nn.Module):\n"
                   "        def forward(self, arg0_1: \"f32[8, 4][4, 1]cuda:%\"):\n"
                   "            # File: /home/a/train.py:9 in g, code: return all_reduce(x)\n"
                   "            all_reduce: \"f32[8, 4][4, 1]cuda:%\" = "
                   "torch.ops._c10d_functional.all_reduce.default(arg0_1, '" +
                   reduction +
                   "', '0')\n"
                   "            wait_tensor: \"f32[8, 4][4, 1]cuda:%\" = "
                   "torch.ops._c10d_functional.wait_tensor.default(all_reduce)\n"
                   "            return (wait_tensor,)\n";
        };
        const auto graph = [&](const std::string& reduction) {
            return graphOf(body) + inner("repeated_subgraph0", reduction) + inner("true_graph_0", "sum");
        };
        Run run;
        run.add(0, traceOf(0, graph("sum")))
            .add(1, traceOf(1, graph("sum")))
            .add(2, traceOf(2, graph("max")));
        const ranks::Report report = run.examined();
        QCOMPARE(report.rows.at(0).lanes.at(0).calls.size(), std::size_t(2));
        const ranks::Collective& call = report.rows[0].lanes[0].calls[1].what;
        QCOMPARE(call.node, std::string("second"));
        QCOMPARE(call.within, std::string("all_reduce in repeated_subgraph0"));
        QCOMPARE(call.wait, std::string("wait_tensor"));
        QCOMPARE(call.at.line, 9U);
        QVERIFY(!report.reasons.empty());
        QCOMPARE(report.reasons[0].node, std::string("first"));
        QVERIFY(says(report.reasons[0], "rank 2 calls all_reduce max of f32[8, 4] (node first, all_reduce in "
                                        "repeated_subgraph0 at train.py:9)"));
    }

    void faultsAreNamed_data() {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<int>("verdict");
        QTest::addColumn<QString>("part");
        const auto row = [](const char* name, const char* from, const char* to, RanksVerdict verdict,
                            const char* part) {
            QTest::newRow(name) << QString(from) << QString(to) << int(verdict) << QString(part);
        };
        row("another reduction", "(sum_1, 'sum', '0')", "(sum_1, 'max', '0')", RanksVerdict::MayBeWrong,
            "rank 1 calls all_reduce max of f32[16]");
        row("another length", "f32[16][1]cpu", "f32[24][1]cpu", RanksVerdict::WillHang,
            "rank 1 calls all_reduce sum of f32[24]");
        row("another dtype", "\"f32[16][1]cpu", "\"bf16[16][1]cpu", RanksVerdict::WillHang,
            "rank 1 calls all_reduce sum of bf16[16]");
        row("another group", "(sum_1, 'sum', '0')", "(sum_1, 'sum', '4')", RanksVerdict::WillHang,
            "all_reduce sum");
        row("another kind", "_c10d_functional.reduce_scatter_tensor", "_c10d_functional.all_reduce",
            RanksVerdict::WillHang, "where rank 0 calls reduce_scatter_tensor sum");
        row("a constant", "z[slice(None, 2, None)]", "z[slice(None, 3, None)]", RanksVerdict::MayBeWrong,
            "slice");
    }
    void faultsAreNamed() {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(int, verdict);
        QFETCH(QString, part);
        const ranks::Report report = Run("moe").edit(1, from, to).examined();
        QVERIFY2(!report.reasons.empty(), "nothing found");
        const ranks::Reason& first = report.reasons.front();
        QCOMPARE(verdictName(first.verdict), verdictName(static_cast<RanksVerdict>(verdict)));
        QVERIFY(says(first, part.toUtf8().constData()));
        QCOMPARE(first.ranks, std::vector<int>{1});
        QCOMPARE(first.compile, std::string("0/0"));
        QVERIFY(first.file.ends_with("prog.py"));
        QVERIFY2(first.line >= 30 && first.line <= 34, std::to_string(first.line).c_str());
        QVERIFY(first.stage && first.at != ranks::none);
        const auto graph = first.stage->graph();
        QVERIFY(graph && (*graph)->find(first.node) != ir::npos);
    }

    void aSkippedCollectiveLeavesTheOthersWaiting() {
        const ranks::Report report = Run("moe").drop(1, "reduce_scatter_tensor").examined();
        QVERIFY(!report.reasons.empty());
        QCOMPARE(report.reasons[0].verdict, RanksVerdict::WillHang);
        QVERIFY(says(report.reasons[0], "rank 1 never calls reduce_scatter_tensor sum"));
        QVERIFY(says(report.reasons[0], "which rank 0 calls"));
    }

    void manyRanksThatAreAlikeAreOneGroup() {
        Run run("moe");
        for (int rank = 2; rank < 40; ++rank)
            run.copy(0, rank);
        run.edit(17, "(sum_1, 'sum', '0')", "(sum_1, 'max', '0')");
        const ranks::Report report = run.examined();
        QCOMPARE(report.ranks.size(), 40U);
        QCOMPARE(report.compiles.size(), 2U);
        QCOMPARE(report.compiles[0].size(), 39U);
        QCOMPARE(report.compiles[1], std::vector<int>{17});
        QCOMPARE(report.reasons.size(), 1U);
        QVERIFY(says(report.reasons[0], "where ranks 0, 1 and 37 more call all_reduce sum"));
    }

    void aRanksOwnDeviceIsNoDifference() {
        Run run;
        for (int rank = 0; rank < 4; ++rank)
            run.add(rank, traceOf(rank, graphOf(reduces)));
        QCOMPARE(all(run.examined()), std::string());
        // On the device of another rank, it is.
        run.add(3, traceOf(0, graphOf(reduces)));
        const ranks::Report report = run.examined();
        QCOMPARE(report.reasons.size(), 1U);
        QCOMPARE(report.reasons[0].text, std::string("rank 3 runs on device 0 as rank 0 does"));
    }

    void aRanksOwnNumberIsNoDifferenceAndAnotherIs() {
        const auto scaled = [](const std::string& factor) {
            return test::replaced(reduces, "(arg0_1, 2)", "(arg0_1, " + factor + ")");
        };
        Run mine, other;
        for (int rank = 0; rank < 4; ++rank) {
            mine.add(rank, traceOf(rank, graphOf(scaled("%"))));
            other.add(rank, traceOf(rank, graphOf(scaled(std::to_string(rank + 5)))));
        }
        const ranks::Report report = mine.examined();
        QCOMPARE(all(report), std::string());
        QCOMPARE(report.notes.size(), 1U);
        const ranks::Report constants = other.examined();
        QCOMPARE(constants.verdict, RanksVerdict::MayBeWrong);
        QCOMPARE(constants.rows[0].letters, (std::vector<int>{0, 1, 2, 3}));
        QVERIFY(says(constants.reasons[0], "rank 1 has mul = aten.mul.Tensor(arg0_1, 6)"));
        QVERIFY(says(constants.reasons[0], "where rank 0 has mul = aten.mul.Tensor(arg0_1, 5)"));
        QCOMPARE(constants.reasons[0].line, 7U);
    }

    /// Two pipeline stages of two ranks each: what one stage calls is no business of the other.
    void ranksThatShareNoGroupMayCallWhatTheyLike() {
        const std::string one = test::replaced(reduces, "'0'", "'1'");
        const std::string two = test::replaced(test::replaced(one, "'1'", "'2'"), "'sum'", "'max'");
        Run run;
        for (int rank = 0; rank < 4; ++rank)
            run.add(rank, traceOf(rank, graphOf(rank < 2 ? one : two)));
        for (const ranks::Reason& reason : run.examined().reasons)
            QVERIFY2(reason.verdict != RanksVerdict::WillHang, reason.text.c_str());
        // Of one stage, it is.
        run.add(3, traceOf(3, graphOf(test::replaced(two, "mul,", "arg0_1, mul,"))));
        QCOMPARE(run.examined().verdict, RanksVerdict::WillHang);
    }

    void groupsThatDifferInNameOnlyAreAlike() {
        Run run;
        for (int rank = 0; rank < 4; ++rank)
            run.add(rank, traceOf(rank, graphOf(test::replaced(reduces, "'0'", rank < 2 ? "'1'" : "'2'"))));
        const ranks::Report report = run.examined();
        QCOMPARE(all(report), std::string());
        QCOMPARE(report.collectives.size(), 1U);
    }

    void aCollectiveThatNobodyWaitsForMayBeWrong() {
        std::string graph = reduces;
        graph = graph.substr(0, graph.find("        wait_tensor:")) + "        return (mul,)\n";
        Run run;
        for (int rank = 0; rank < 2; ++rank)
            run.add(rank, traceOf(rank, graphOf(graph)));
        const ranks::Report report = run.examined();
        QCOMPARE(report.verdict, RanksVerdict::MayBeWrong);
        QVERIFY(says(report.reasons[0], "nobody waits for all_reduce sum"));
    }

    void oneRankThatRecompilesIsSlowerAndHangsCompilerCollectives() {
        const auto again = [](bool collectives) {
            TraceText text = traceOf(0, graphOf(reduces));
            text.at(0, 1).start("f", 6);
            text.artifact("recompile_reasons",
                          "[\"0/0: tensor 'x' size mismatch at index 0. expected 8, actual 9\"]");
            text.add("\"aot_inference_graph\": {}", test::replaced(graphOf(reduces), "%", "0"));
            if (collectives) text.artifact("compiler_collective", "state");
            return text.metrics("\"fail_type\": null", "f", 6);
        };
        Run run;
        run.add(0, traceOf(0, graphOf(reduces))).add(1, again(false));
        QCOMPARE(run.examined().verdict, RanksVerdict::Slower);
        QVERIFY(says(run.examined().reasons[0], "only rank 1 compiled again f"));
        run.add(1, again(true));
        QCOMPARE(run.examined().verdict, RanksVerdict::WillHang);
    }

    /// Somebody ran a program of one process into the folder of an earlier run.
    void aLaterCaptureInTheFolderIsARunOfItsOwn() {
        Run run;
        for (int rank = 0; rank < 3; ++rank)
            run.add(rank, traceOf(rank, graphOf(reduces)));
        run.addLater(QStringLiteral("zz_later.log"),
                     traceOf(0, graphOf("        return (arg0_1,)\n"), "other"));
        const ranks::Report report = run.examined();
        QCOMPARE(report.ranks, (std::vector<int>{0, 1, 2}));
        QCOMPARE(run.session().runCount(0), std::size_t(2));
        QVERIFY2(all(report).empty(), all(report).c_str());
        QCOMPARE(report.verdict, RanksVerdict::Alike);
        QCOMPARE(report.rows.size(), 1U);
        QCOMPARE(report.notes.size(), 1U);
        QVERIFY2(report.notes[0].find("run 2 of rank 0 alone") != std::string::npos, report.notes[0].c_str());
        // Where all ranks ran again, both runs are compared.
        run.addLater(QStringLiteral("zz_rank_1.log"),
                     traceOf(1, graphOf("        return (arg0_1,)\n"), "other"))
            .addLater(QStringLiteral("zz_rank_2.log"), traceOf(2, graphOf(reduces), "other"));
        const ranks::Report twice = run.examined();
        QCOMPARE(twice.rows.size(), 2U);
        QCOMPARE(twice.verdict, RanksVerdict::WillHang);
        QCOMPARE(twice.reasons[0].compile, std::string("0/0@2"));
    }

    /// `compare` says of ranks what `ranks` says: neither guards nor a rank's own number make them differ.
    void comparingSaysTheSame() {
        const auto verdicts = [](Run& run) {
            const ranks::Report report = run.examined();
            const auto compared = ranks::compareRanks(run.session());
            if (!compared) qFatal("%s", compared.error().toString().c_str());
            if (compared->rows.size() != report.rows.size()) qFatal("other rows");
            for (const compare::RankRow& row : compared->rows) {
                const auto found = std::ranges::find(report.rows, row.compileId, &ranks::CompileRow::id);
                const bool letters = std::ranges::all_of(
                    found->letters, [&](int letter) { return letter == found->letters.front(); });
                if (letters && found->reason == ranks::none && !row.alike()) return row.difference;
                if (!letters && row.alike()) return row.compileId + " is the same, and is not";
                for (std::size_t r = 1; r < row.group.size(); ++r)
                    if ((row.group[r] == row.group[0]) != (found->letters[r] == found->letters[0]) &&
                        !letters)
                        return row.compileId + " has other groups";
            }
            return std::string();
        };
        for (const char* name : {"tp", "moe", "diverge"}) {
            Run run(QString::fromLatin1(name));
            QCOMPARE(verdicts(run), std::string());
        }
        // A number that is each rank's own, in graph and guard.
        Run own;
        for (int rank = 0; rank < 3; ++rank) {
            TraceText text = traceOf(rank, graphOf("        mul = torch.ops.aten.mul.Tensor(arg0_1, %)\n"
                                                   "        return (mul,)\n"));
            text.at(0, 0).add("\"dynamo_cpp_guards_str\": {}",
                              "TREE_GUARD_MANAGER:\n+- RootGuardManager\n| +- EQUALS_MATCH: G['rank'] == " +
                                  std::to_string(rank) + "\n");
            own.add(rank, text);
        }
        QCOMPARE(own.examined().verdict, RanksVerdict::Alike);
        QVERIFY(compare::compareRanks(own.session())->firstDiffering != compare::none); // by their texts
        QCOMPARE(verdicts(own), std::string());
        QCOMPARE(ranks::compareRanks(own.session())->firstDiffering, compare::none);
        QCOMPARE(ranks::compareRanks(own.session())->comparisons[2].same, 1U);
        // What will hang says so, whatever differs first in the texts.
        Run swapped("diverge");
        swapped.examined();
        const auto compared = ranks::compareRanks(swapped.session());
        const auto row = std::ranges::find(compared->rows, "1/0", &compare::RankRow::compileId);
        QVERIFY2(row->difference.starts_with("rank 3 calls all_gather_into_tensor"), row->difference.c_str());
        QCOMPARE(row->differing, 3);
    }

    void aColdCacheIsSlower() {
        const auto cached = [](int rank, const char* what) {
            TraceText text = traceOf(rank, graphOf(reduces));
            return text.at(0, 0).artifact(what, "{\"key\": \"abc\"}");
        };
        Run run;
        run.add(0, cached(0, "fx_graph_cache_hit")).add(1, cached(1, "fx_graph_cache_miss"));
        const ranks::Report report = run.examined();
        QCOMPARE(report.verdict, RanksVerdict::Slower);
        QVERIFY(says(report.reasons[0], "rank 1 found nothing in fx_graph_cache, which served rank 0"));
        QCOMPARE(report.caches, (ranks::RankGroups{{0}, {1}}));
    }

    void graphsThatRunInAnotherOrderWillHang() {
        const auto ran = [](int rank, const char* order) {
            TraceText text = traceOf(rank, graphOf(reduces));
            return text.artifact("graph_execution", order);
        };
        Run run;
        run.add(0, ran(0, R"({"graph_execution_order": [{"compile_id": "0/0"}, {"compile_id": "1/0"}]})"));
        run.add(1, ran(1, R"({"graph_execution_order": [{"compile_id": "1/0"}, {"compile_id": "0/0"}]})"));
        const ranks::Report report = run.examined();
        QCOMPARE(report.verdict, RanksVerdict::WillHang);
        QVERIFY(says(report.reasons[0], "as graph 1 of the run"));
        QCOMPARE(report.executionOrder, (ranks::RankGroups{{0}, {1}}));
    }

    void aSlowRankIsNamedByItsEstimates() {
        Run run("moe");
        run.edit(1, "\"estimated_runtime_ns\": 0", "\"estimated_runtime_ns\": 250");
        const ranks::Report report = run.examined();
        QCOMPARE(report.runtime.size(), 1U);
        QCOMPARE(report.runtime[0].slowest, 1);
        QCOMPARE(report.runtime[0].fastest, 0);
        QCOMPARE(report.runtime[0].delta(), 13 * 250.0);
    }

    void flightRecordersOfARunThatEndedSayThatNobodyWaits_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("entries");
        QTest::addColumn<int>("open"); // calls that had not ended when the dump was made
        QTest::newRow("tp") << "tp" << 22 << 0;
        QTest::newRow("moe") << "moe" << 10 << 2;
    }
    void flightRecordersOfARunThatEndedSayThatNobodyWaits() {
        QFETCH(QString, name);
        QFETCH(int, entries);
        QFETCH(int, open);
        Run run(name);
        ranks::Report report = run.examined();
        const auto flight = capture::readFlightFolder(flightOf(name));
        QVERIFY(flight);
        QCOMPARE(flight->dumps.size(), 2U);
        QCOMPARE(flight->dumps[0].entries.size(), std::size_t(entries));
        ranks::addFlight(run.session(), flight->dumps, report);
        QCOMPARE(all(report), std::string());
        QCOMPARE(report.waiting->size(), std::size_t(open));
        for (const ranks::Waiting& waiting : *report.waiting) {
            QVERIFY(waiting.missing.empty());
            QVERIFY2(waiting.text.ends_with("; every rank of its group reached it"), waiting.text.c_str());
        }
        // Each collective of a compiled graph leads to its node; the others were made while modules were prepared.
        const ranks::FlightPlaces places(run.session(), report);
        std::size_t joined = 0;
        for (const ranks::FlightEntry& entry : flight->dumps[1].entries) {
            const ranks::FlightPlace place = places.find(1, entry);
            if (place.compile.empty()) continue;
            ++joined;
            QCOMPARE(place.compile, std::string("0/0"));
            QVERIFY2(!place.node.empty() && place.outputLine > 0, entry.name.c_str());
            QVERIFY(place.stage && (*place.stage->graph())->find(place.node) != ir::npos);
        }
        QCOMPARE(joined, 10U);
    }

    void whoWaitsForWhomIsSaid() {
        Run run("moe");
        ranks::Report report = run.examined();
        auto flight = capture::readFlightFolder(flightOf("moe"));
        QVERIFY(flight);
        // Rank 0 is in its third call; rank 1 never came past its second.
        flight->dumps[0].entries.resize(3);
        flight->dumps[0].entries[2].finished = false;
        flight->dumps[1].entries.resize(2);
        ranks::addFlight(run.session(), flight->dumps, report);
        QCOMPARE(report.verdict, RanksVerdict::WillHang);
        QCOMPARE(report.waiting->size(), 1U);
        const ranks::Waiting& waiting = report.waiting->front();
        QCOMPARE(waiting.rank, 0);
        QCOMPARE(waiting.collective, std::string("all_reduce"));
        QCOMPARE(waiting.sequence, 3U);
        QCOMPARE(waiting.compile, std::string("0/0"));
        QCOMPARE(waiting.node, std::string("all_reduce"));
        QCOMPARE(waiting.line, 32U);
        QCOMPARE(waiting.missing, std::vector<int>{1});
        QVERIFY(says(report.reasons[0], "rank 0 waits in all_reduce of 0/0, output line "));
        QVERIFY(says(report.reasons[0],
                     ", prog.py:32; rank 1 never reached it: it went on after all_to_all of 0/0"));
    }

    /// Code that Dynamo made has the function's first line, where PyTorch wrote no output code.
    void aFunctionsFirstLineLeadsToItsCompile() {
        Run run;
        run.add(0, traceOf(0, graphOf(reduces))).add(1, traceOf(1, graphOf(reduces)));
        ranks::Report report = run.examined();
        const ir::SourceLocation first = report.rows[0].at;
        QCOMPARE(first.line, 6U);
        ranks::FlightEntry entry;
        entry.group = "0";
        entry.sequence = 1;
        entry.name = "gloo:all_reduce";
        entry.frames = {first};
        const ranks::FlightPlace place = ranks::FlightPlaces(run.session(), report).find(1, entry);
        QCOMPARE(place.compile, std::string("0/0"));
        QCOMPARE(place.node, std::string("all_reduce"));
        QCOMPARE(place.line, 7U);
        entry.name = "gloo:all_gather"; // which the graph has none of
        QVERIFY(ranks::FlightPlaces(run.session(), report).find(1, entry).compile.empty());
        // Rank 1 wrote no dump.
        entry.name = "gloo:all_reduce";
        ranks::FlightDump dump;
        dump.rank = 0;
        dump.entries = {entry};
        ranks::addFlight(run.session(), {dump}, report);
        QCOMPARE(report.notes.size(), 1U);
        QVERIFY2(report.notes[0].starts_with("of rank 1 there is no flight-recorder dump"),
                 report.notes[0].c_str());
    }

    void callsOfOneNumberThatAreNotOneCallWillHang() {
        Run run("moe");
        ranks::Report report = run.examined();
        auto flight = capture::readFlightFolder(flightOf("moe"));
        QVERIFY(flight);
        std::swap(flight->dumps[1].entries[2].name, flight->dumps[1].entries[3].name);
        ranks::addFlight(run.session(), flight->dumps, report);
        QCOMPARE(report.verdict, RanksVerdict::WillHang);
        QVERIFY(says(report.reasons[0], "by the flight recorder, call 3 of process group '0' is "));
    }

    /// A compile that one rank has alone and that calls no collective makes no two kinds of ranks of their collectives.
    void compilesWithoutCollectives() {
        const auto compiled = [](int compiles) {
            TraceText text;
            for (int i = 0; i < compiles; ++i) {
                text.at(0, i).start().add("\"dynamo_output_graph\": {}", test::readableGraph(2 + i));
                text.add("\"aot_inference_graph\": {}", test::readableGraph(2 + i)).metrics();
            }
            return text;
        };
        Run run;
        run.add(0, compiled(1)).add(1, compiled(2));
        const ranks::Report report = run.examined();
        QCOMPARE(report.compiles.size(), std::size_t{2});
        QCOMPARE(report.collectives.size(), std::size_t{1});
    }

    /// A call that ended on one rank, and is not in the dump of another: told, and no verdict, as dumps are of any time.
    void callsThatOneDumpLacks() {
        Run run("moe");
        ranks::Report report = run.examined();
        const RanksVerdict before = report.verdict;
        auto flight = endedFlight();
        QVERIFY(flight);
        flight->dumps[1].entries.pop_back();
        ranks::addFlight(run.session(), flight->dumps, report);
        QCOMPARE(report.verdict, before);
        QCOMPARE(std::ranges::count_if(report.notes,
                                       [](const std::string& note) {
                                           return note.find(
                                                      "on rank 0, is not in the dump of rank 1: it failed "
                                                      "there, or that dump is older") != std::string::npos;
                                       }),
                 1);
    }

    /// A dump that was written before a call, or right after it, does not say that its rank never makes it.
    void dumpsThatAreOlderThanACall() {
        for (const bool late : {false, true}) {
            Run run("moe");
            ranks::Report report = run.examined();
            const RanksVerdict before = report.verdict;
            auto flight = endedFlight();
            QVERIFY(flight);
            ranks::FlightEntry& call = flight->dumps[0].entries.back();
            call.finished = false;
            call.createdNs = 1'000'000'000'000;
            flight->dumps[1].entries.pop_back();
            flight->dumps[1].dumpedNs = call.createdNs + (late ? 6'000'000'000 : 1'000'000'000);
            ranks::addFlight(run.session(), flight->dumps, report);
            QCOMPARE(report.verdict, late ? RanksVerdict::WillHang : before);
            QCOMPARE(report.waiting->size(), std::size_t{1});
            const std::string& text = report.waiting->front().text;
            QVERIFY2((text.find("rank 1 never reached it") != std::string::npos) == late, text.c_str());
            QVERIFY2((text.find("the dump of rank 1 does not have it") != std::string::npos) != late,
                     text.c_str());
        }
    }

    /// Dumps beside the logs belong to the capture: a session file has them where the folder is gone, and no log is
    /// made of them.
    void dumpsStayWithTheCapture() {
        QTemporaryDir elsewhere;
        const std::string saved = elsewhere.filePath("kept.dynascope").toStdString();
        {
            Run run("moe");
            for (const QString& file : QDir(QString::fromStdString(flightOf("moe"))).entryList(QDir::Files))
                run.addFile(file, QString::fromStdString(flightOf("moe")) + '/' + file);
            const ranks::Report report = run.examined();
            QCOMPARE(report.ranks.size(), std::size_t{2});
            QVERIFY(run.session().warnings.empty());
            store::SessionContents contents;
            contents.inputs = run.session().inputs;
            QVERIFY(store::saveSession(saved, contents));
        }
        const auto opened = capture::openSaved(saved);
        QVERIFY(opened);
        const auto flight = capture::readFlightBeside(opened->session->inputs);
        QVERIFY(flight);
        QCOMPARE(flight->dumps.size(), std::size_t{2});
        QVERIFY(flight->unusable.empty());
        ranks::Report report = *ranks::examine(*opened->session);
        ranks::addFlight(*opened->session, flight->dumps, report);
        QVERIFY(report.waiting != nullptr);
    }

    /// Beside dumps that are called so nothing else of a folder is taken for one.
    void dumpsAmongOtherFiles() {
        QTemporaryDir folder;
        QVERIFY(QFile::copy(QString::fromStdString(flightOf("moe") + "/flight_0"),
                            folder.filePath("flight_rank_0")));
        QFile other(folder.filePath("dynamo_steps_1.dsteps"));
        QVERIFY(other.open(QIODevice::WriteOnly) && other.write("no dump") > 0);
        const auto read = capture::readFlightFolder(folder.path().toStdString());
        QVERIFY(read);
        QCOMPARE(read->dumps.size(), std::size_t{1});
        QVERIFY(read->unusable.empty());
    }

    void dumpsAreReadAsPickleAndAsJsonAndDamaged() {
        QFile file(QString::fromStdString(flightOf("moe") + "/flight_0"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray bytes = file.readAll();
        for (int length = 0; length < bytes.size(); length += 97)
            QVERIFY(!capture::readFlightDump(bytes.left(length).toStdString()));
        const auto json = capture::readFlightDump(
            R"({"version": "2.10", "pg_config": {"0": {"ranks": "[0, 1, 7]"}}, "entries": [{"process_group": ["0", "x"],
                "collective_seq_id": 4, "profiling_name": "nccl:all_reduce", "input_sizes": [[8, 16]],
                "input_dtypes": ["Float"], "state": "started", "frames": [{"name": "f", "filename": "a.py", "line": 3}]},
                17]})");
        QVERIFY(json);
        QCOMPARE(json->entries.size(), 2U);
        QCOMPARE(json->entries[0].kind(), std::string("all_reduce"));
        QCOMPARE(json->entries[0].sequence, 4U);
        QCOMPARE(json->entries[0].inputs, std::vector<std::string>{"Float[8, 16]"});
        QVERIFY(!json->entries[0].finished);
        QCOMPARE(json->entries[0].frames[0].line, 3U);
        QCOMPARE(json->members.at("0"), (std::vector<int>{0, 1, 7}));
        QVERIFY(!capture::readFlightDump(R"({"version": 3})"));
        QVERIFY(!capture::readFlightDump("[1, 2]"));
        QCOMPARE(capture::rankOfDump("flight_3.json"), 3);
        QCOMPARE(capture::rankOfDump("nccl_trace_rank_12"), 12);
        QCOMPARE(capture::rankOfDump("dump"), -1);
    }

    void ranksInWords() {
        const auto words = [](std::vector<int> ranks) { return ranks::rankWords(ranks); };
        QCOMPARE(words({3}), std::string("rank 3"));
        QCOMPARE(words({0, 1}), std::string("ranks 0 and 1"));
        QCOMPARE(words({0, 1, 2}), std::string("ranks 0 to 2"));
        QCOMPARE(words({0, 2, 5}), std::string("ranks 0, 2 and 5"));
        QCOMPARE(words({0, 1, 2, 4, 5, 6, 9}), std::string("ranks 0, 1 and 5 more"));
    }

    void damagedLogsAreRead() {
        Run run("moe");
        run.edit(1, "def forward", "def fo(ward").edit(0, "\"ops\": [", "\"ops\": [[[");
        QVERIFY(!run.examined().notes.empty());
    }
};

QTEST_APPLESS_MAIN(TestRanks)
#include "tst_ranks.moc"
