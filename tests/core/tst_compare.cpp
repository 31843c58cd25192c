// SPDX-License-Identifier: BSD-3-Clause
//
// Two captures held against each other: what belongs together, and what tells it apart.
#include "core/capture/open.h"
#include "core/compare/compare.h"
#include "core/compare/lookups.h"
#include "tests/support/captures.h"
#include "tests/support/trace_pairs.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <latch>
#include <memory>
#include <new>
#include <thread>

using namespace dynascope;
using compare::Comparison;
using compare::Match;
using Verdict = compare::CompareVerdict;
using test::addCompile;
using test::openTrace;
using test::readableGraph;
using test::replaced;
using test::traceOf;
using test::TraceText;

namespace {

Comparison compared(const TraceText& a, const TraceText& b, const compare::CompareOptions& options = {}) {
    auto result = compare::compareSessions(*openTrace(a), *openTrace(b), options);
    if (!result) qFatal("%s", result.error().toString().c_str());
    return *result;
}

QString q(const std::string& text) {
    return QString::fromStdString(text);
}

/// A text that a second thread has no memory to read. The first thread waits until that has happened.
class OutOfMemoryElsewhere : public session::ByteSource {
public:
    [[nodiscard]] std::string_view bytes() const override { return "graph():\n    return ()"; }
    [[nodiscard]] Result<void> need(std::uint64_t /*offset*/, std::uint64_t /*length*/) const override {
        if (std::this_thread::get_id() != m_first) {
            m_failed.count_down();
            throw std::bad_alloc();
        }
        m_failed.wait();
        return {};
    }

private:
    std::thread::id m_first = std::this_thread::get_id();
    mutable std::latch m_failed{1};
};

} // namespace

class TestCompare : public QObject {
    Q_OBJECT

private slots:
    void sameRunTwice() {
        for (const char* name :
             {"trace_inductor/train", "trace_inductor/graph_breaks", "trace_aot_eager/gpt2_train"}) {
            const auto session = capture::open(test::capture(name).toStdString());
            QVERIFY(session);
            const auto result = compare::compareSessions(**session, **session);
            QVERIFY(result && result->alike());
            QCOMPARE(result->same, (*session)->compiles.size());
            for (const compare::CompileComparison& pair : result->compiles) {
                QCOMPARE(pair.a, pair.b);
                QVERIFY(pair.difference.empty());
                QVERIFY(pair.guards.alike() && pair.symbols.alike());
                for (const compare::StageComparison& stage : pair.stages)
                    QCOMPARE(stage.verdict, Verdict::Same);
            }
        }
    }

    /// A run on another machine, edited above the function, with one more graph break before it.
    void matchesBySourceNotById() {
        TraceText a = traceOf(), b = traceOf("/srv/b/cap.py");
        addCompile(a, 0, 0, "f", 10, readableGraph(1));
        addCompile(a, 1, 0, "g", 20, readableGraph(3));
        addCompile(b, 0, 0, "helper", 5, readableGraph(2));
        addCompile(b, 1, 0, "f", 15, readableGraph(1));
        addCompile(b, 2, 0, "g", 25, readableGraph(3));
        const Comparison result = compared(a, b);
        QCOMPARE(result.same, std::size_t(2));
        QCOMPARE(result.onlyInB, std::size_t(1));
        QCOMPARE(result.compiles.at(0).b, std::size_t(1));
        QCOMPARE(result.compiles.at(1).b, std::size_t(2));
        QCOMPARE(result.compiles.at(1).match, Match::Source);
        QCOMPARE(result.compiles.at(2).verdict, Verdict::OnlyInB);
        QVERIFY(!result.alike());
        // By id they are others.
        const Comparison byId = compared(a, b, {.byCompileId = true});
        QCOMPARE(byId.compiles.at(0).b, std::size_t(0));
        QCOMPARE(byId.compiles.at(0).verdict, Verdict::Differs);
        QCOMPARE(byId.differing, std::size_t(2));
    }

    /// Several compiles of one function: the graph decides, then the order.
    void matchesRecompilesByStructure() {
        TraceText a = traceOf(), b = traceOf();
        addCompile(a, 0, 0, "f", 10, readableGraph(1));
        addCompile(a, 0, 1, "f", 10, readableGraph(2));
        addCompile(a, 0, 2, "f", 10, readableGraph(3));
        addCompile(b, 0, 0, "f", 10, readableGraph(3));
        addCompile(b, 0, 1, "f", 10, readableGraph(1));
        const Comparison result = compared(a, b);
        QCOMPARE(result.compiles.at(0).b, std::size_t(1));
        QCOMPARE(result.compiles.at(2).b, std::size_t(0));
        QCOMPARE(result.compiles.at(1).verdict, Verdict::OnlyInA);
        QCOMPARE(result.compiles.at(2).verdict,
                 Verdict::Differs); // the graph is the same; a recompile it is not
        QVERIFY2(result.compiles.at(2).difference.starts_with("A is a recompile"),
                 result.compiles.at(2).difference.c_str());
    }

    void findsWhatMovedToAnotherFile() {
        TraceText a = traceOf("/m/old.py"), b = traceOf("/m/new.py");
        addCompile(a, 0, 0, "f", 10, readableGraph(4));
        addCompile(b, 0, 0, "forward", 99, readableGraph(4));
        const Comparison result = compared(a, b);
        QCOMPARE(result.compiles.size(), std::size_t(1));
        QCOMPARE(result.compiles.at(0).match, Match::Structure);
        QCOMPARE(result.compiles.at(0).verdict, Verdict::Same);
    }

    /// AOTAutograd numbers its inputs: a difference calls them what the program does.
    void differencesNameInputsAsTheProgramDoes_data() {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<QString>("line");
        const QString select = "torch.ops.aten.select.int(arg1_1, 1, 0);  arg1_1 = None";
        QTest::newRow("an input itself") << "arg0_1: \"f32[4, 5]"
                                         << "arg0_1: \"f64[4, 5]"
                                         << "y (arg0_1): dtype ";
        QTest::newRow("an argument") << select << "torch.ops.aten.select.int(arg0_1, 1, 0);  arg1_1 = None"
                                     << "select: args[0] arg1_1 / arg0_1, where arg0_1 is y and arg1_1 is x";
        QTest::newRow("a node of one side")
            << "        select_1: \"f32[4][5]cpu\""
            << "        cos: \"f32[4, 5][5, 1]cpu\" = torch.ops.aten.cos.default(arg0_1)\n"
               "        select_1: \"f32[4][5]cpu\""
            << "only in B: cos: \"f32[4, 5]\" = aten.cos.default(arg0_1), where arg0_1 is y";
        QTest::newRow("no input") << "aten.add.Tensor(arg0_1, 3)"
                                  << "aten.add.Tensor(arg0_1, 4)"
                                  << "add: args[1] 3 / 4";
    }
    void differencesNameInputsAsTheProgramDoes() {
        QFETCH(const QString, from);
        QFETCH(const QString, to);
        QFETCH(const QString, line);
        QFile file(DYNASCOPE_SOURCE_DIR "/resources/samples/view_mutation.log");
        QVERIFY(file.open(QIODevice::ReadOnly));
        std::string a = file.readAll().toStdString(), b = a;
        // Of the stage alone: graphs before it are the same.
        const std::size_t stage = b.find("{\"aot_inference_graph\"");
        const std::size_t at = b.find(from.toStdString(), stage);
        QVERIFY(stage != std::string::npos && at != std::string::npos);
        b.replace(at, from.size(), to.toStdString());
        if (from.contains(u'\n') != to.contains(u'\n')) b.insert(b.find('\n', at) + 1, "\t");
        const auto ofA = capture::openText(a), ofB = capture::openText(b);
        QVERIFY(ofA && ofB);
        const auto result = compare::compareSessions(**ofA, **ofB);
        QVERIFY(result);
        const compare::CompileComparison& pair = result->compiles.front();
        const auto found = std::ranges::find_if(
            pair.stages, [](const auto& s) { return (s.a ? s.a : s.b)->name == "aot_inference_graph"; });
        QVERIFY(found != pair.stages.end());
        const QString said = q(found->difference);
        if (line.endsWith(u' '))
            QVERIFY2(said.startsWith(line), qPrintable(said));
        else
            QCOMPARE(said, line);
    }

    void firstDifference_data() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<QString>("line");
        const std::string graph = readableGraph(3);
        QTest::newRow("constant") << q(replaced(graph, "(add_0, 1)", "(add_0, 2)"))
                                  << "dynamo_output_graph: add_1: args[1] 1 / 2";
        QTest::newRow("node more")
            << q(replaced(graph, "        return",
                          "        relu = torch.ops.aten.relu.default(add_2)\n        return"))
            << "dynamo_output_graph: only in B: relu";
        QTest::newRow("dtype") << q(replaced(graph, "add_1: \"f32[4]\"", "add_1: \"f16[4]\""))
                               << "dynamo_output_graph: add_1: dtype ";
    }
    void firstDifference() {
        QFETCH(QString, graph);
        QFETCH(QString, line);
        TraceText a = traceOf(), b = traceOf();
        addCompile(a, 0, 0, "f", 10, readableGraph(3));
        addCompile(b, 0, 0, "f", 10, graph.toStdString());
        const Comparison result = compared(a, b);
        QCOMPARE(result.differing, std::size_t(1));
        QVERIFY2(q(result.compiles.at(0).difference).startsWith(line),
                 result.compiles.at(0).difference.c_str());
        const compare::StageComparison& stage = result.compiles.at(0).stages.at(0);
        QCOMPARE(stage.verdict, Verdict::Differs);
        QVERIFY(!stage.nodeA.empty() || !stage.nodeB.empty());
        QCOMPARE(stage.added + stage.removed + stage.changed, std::size_t(1));
    }

    void renamedNodesAreTheSame() {
        TraceText a = traceOf(), b = traceOf();
        std::string renamed = readableGraph(1);
        for (int i = 0; i < 2; ++i)
            renamed = replaced(renamed, "add_0", "sum_7");
        addCompile(a, 0, 0, "f", 10, readableGraph(1));
        addCompile(b, 0, 0, "f", 10, renamed);
        QVERIFY(compared(a, b).alike());
    }

    void unreadableGraphs() {
        TraceText a = traceOf(), b = traceOf(), c = traceOf();
        addCompile(a, 0, 0, "f", 10, "no graph");
        addCompile(b, 0, 0, "f", 10, "no graph");
        addCompile(c, 0, 0, "f", 10, readableGraph(1));
        QVERIFY(compared(a, b).alike());
        const Comparison result = compared(a, c);
        QCOMPARE(result.compiles.at(0).stages.at(0).verdict, Verdict::Unreadable);
        QCOMPARE(result.compiles.at(0).verdict, Verdict::Differs);
    }

    void codeWithoutItsComments() {
        const std::string code =
            "# kernel path: /tmp/a/b.py\nimport torch\n\ndef call(args):\n    return args\n";
        TraceText a = traceOf(), b = traceOf(), c = traceOf();
        for (const auto& [text, body] :
             {std::pair(&a, code), std::pair(&b, replaced(code, "/tmp/a", "/tmp/z")),
              std::pair(&c, replaced(code, "return args", "return args[0]"))}) {
            text->start();
            text->add("\"inductor_output_code\": {\"filename\": \"x.py\"}", body);
            text->metrics();
        }
        QVERIFY(compared(a, b).alike());
        const Comparison result = compared(a, c);
        QCOMPARE(result.compiles.at(0).difference,
                 std::string("inductor_output_code: line 5:     return args /     return args[0]"));
    }

    void causesGoFirst() {
        const auto text = [](const char* value, const char* guard) {
            TraceText t = traceOf();
            t.start();
            t.add(std::string("\"create_symbol\": {\"symbol\": \"s77\", \"val\": \"") + value +
                  "\", \"vr\": \"[2, int_oo]\", \"source\": \"L['x'].size()[0]\"}");
            t.add("\"dynamo_output_graph\": {}", readableGraph(1));
            t.add("\"dynamo_guards\": {}", std::string("[{\"code\": \"") + guard + "\"}]");
            t.metrics();
            return t;
        };
        const Comparison same = compared(text("8", "___check_obj_id(x, 94312345678)"),
                                         text("8", "___check_obj_id(x, 140000000001)"));
        QVERIFY2(same.alike(), same.compiles.at(0).difference.c_str());
        QCOMPARE(same.compiles.at(0).guards.same, std::size_t(1));
        const Comparison result = compared(text("8", "n == 1"), text("4", "n == 12345678"));
        const compare::CompileComparison& pair = result.compiles.at(0);
        QCOMPARE(pair.verdict, Verdict::Differs);
        QCOMPARE(pair.difference, std::string("symbol: L['x'].size()[0] = 8 in [2, int_oo] / "
                                              "L['x'].size()[0] = 4 in [2, int_oo]"));
        QCOMPARE(pair.guards.onlyA.size(), std::size_t(1));
        QVERIFY(pair.guards.onlyB.at(0).ends_with("n == 12345678"));
        QCOMPARE(pair.stages.at(0).verdict, Verdict::Same);
    }

    /// A miss after a hit: what the key was made from says why; what the cache gave is not missed.
    void cachesAndTheirKeys() {
        const auto text = [](const char* outcome, const char* key, const char* shape, bool code) {
            TraceText t = traceOf();
            t.start();
            t.add("\"dynamo_output_graph\": {}", readableGraph(1));
            t.artifact(std::string("fx_graph_cache_") + outcome,
                       std::string("{\"key\": \"") + key +
                           "\", \"components\": [\"[h1] gm: one\", \"[h2] "
                           "example_inputs[0]: shape " +
                           shape + "\"]}");
            if (code) t.add("\"inductor_output_code\": {\"filename\": \"x.py\"}", "import torch\n");
            t.metrics();
            return t;
        };
        const Comparison hit =
            compared(text("miss", "k1", "[2, 32]", true), text("hit", "k1", "[2, 32]", false));
        QVERIFY2(hit.alike(), hit.compiles.at(0).difference.c_str());
        QVERIFY(hit.compiles.at(0).stages.at(1).cached);
        QVERIFY(!hit.compiles.at(0).caches.at(0).alike());

        const Comparison miss =
            compared(text("hit", "k1", "[2, 32]", false), text("miss", "k2", "[2, 40]", false));
        const compare::CacheComparison& cache = miss.compiles.at(0).caches.at(0);
        QCOMPARE(cache.cache, std::string("fx_graph_cache"));
        QCOMPARE(cache.differences.size(), std::size_t(1));
        QCOMPARE(cache.differences.at(0), std::string("example_inputs[0]: shape [2, 32] / shape [2, 40]"));
        // Without a hit a missing stage is a difference.
        const Comparison lost = compared(text("miss", "k1", "[2]", true), text("miss", "k1", "[2]", false));
        QCOMPARE(lost.compiles.at(0).difference, std::string("inductor_output_code: only in A"));
    }

    /// Two lookups of one capture, by the lines of the log that they are of.
    void twoLookupsOfOneLog() {
        TraceText t = traceOf();
        const auto lookup = [&t](int frame, const char* outcome, const char* content) {
            t.at(frame, 0).start();
            t.artifact(std::string("fx_graph_cache_") + outcome, content);
            t.metrics();
        };
        lookup(0, "miss",
               R"({"key": "k1", "components": ["[a] gm: one", "[b] example_inputs[0]: shape [2, 32]"]})");
        lookup(1, "miss",
               R"({"key": "k2", "components": ["[a] gm: one", "[b] example_inputs[0]: shape [2, 40]"]})");
        lookup(2, "hit", R"({"key": "k2"})");
        lookup(3, "hit", R"({"key": "k1"})");
        const session::SessionPtr opened = openTrace(t);
        const session::Session& session = *opened;
        QCOMPARE(session.compiles.size(), std::size_t(4));
        QVERIFY(compare::hasTwoLookups(session));
        const compare::Lookup first{0, 0}, second{1, 0}, third{2, 0}, fourth{3, 0};
        const std::size_t record = session.compiles[1].caches.at(0).record;
        QVERIFY(compare::lookupOf(session, record) == second);
        QVERIFY(!compare::lookupOf(session, SIZE_MAX));
        QVERIFY(compare::comparableLookup(session, 2) == third);
        QVERIFY(compare::comparableLookup(session, compare::none) == first);
        QVERIFY(compare::otherLookups(session, second) ==
                (std::vector<compare::Lookup>{first, third, fourth}));
        QCOMPARE(compare::lookupName(session, second),
                 "1/0 miss, line " + std::to_string(session.records.line(record)));
        const auto says = [&](const compare::Lookup& a, const compare::Lookup& b, const char* what) {
            return compare::explainLookups(session, a, b).find(what) != std::string::npos;
        };
        QVERIFY(says(first, second, "Two lookups of fx_graph_cache\n"));
        QVERIFY(says(first, second, "key k1\n"));
        QVERIFY(
            says(first, second,
                 "this differs:\n   example_inputs[0]\n      A  shape [2, 32]\n      B  shape [2, 40]\n"));
        QVERIFY(!says(first, second, "gm"));
        QVERIFY(says(second, third, "Both have the same key."));
        QVERIFY(says(first, third, "The log does not list what both were made from."));
        // Lists by number, and what only one of both has in two lines.
        TraceText lists = traceOf();
        const auto withInputs = [&](int frame, int inputs) {
            std::string parts = "\"[a] gm: one\"";
            for (int i = 0; i < inputs; ++i)
                parts += ", \"[x] example_inputs[" + std::to_string(i) + "]: t" + std::to_string(i) + "\"";
            lists.at(frame, 0).start();
            lists.artifact("fx_graph_cache_miss", "{\"key\": \"k" + std::to_string(frame) +
                                                      "\", \"cache_event_time\": 1, \"components\": [" +
                                                      parts + "], \"cache_status_detailed\": \"full_miss\"}");
            lists.metrics();
        };
        withInputs(0, 2);
        withInputs(1, 12);
        const session::SessionPtr longer = openTrace(lists);
        const std::string told = compare::explainLookups(*longer, {0, 0}, {1, 0});
        QVERIFY2(told.ends_with("this differs:\n   example_inputs[2]: only in B: t2\n"
                                "   9 more, the last of them example_inputs[11]: only in B: t11\n"),
                 told.c_str());
        QVERIFY2(told.find("no entry has this key (full_miss)\n") != std::string::npos, told.c_str());
        // One lookup alone, and none.
        TraceText alone = traceOf();
        alone.start();
        alone.artifact("fx_graph_cache_miss", R"({"key": "k1"})");
        alone.metrics();
        const session::SessionPtr one = openTrace(alone);
        QVERIFY(!compare::hasTwoLookups(*one));
        QVERIFY(!compare::comparableLookup(*one, 0));
    }

    void ranks() {
        const auto session = capture::open((test::captures() + "/ranks_aot_eager/ddp").toStdString());
        QVERIFY(session);
        const auto result = compare::compareRanks(**session);
        QVERIFY(result);
        QCOMPARE(result->ranks, (std::vector<int>{0, 1}));
        // The ranks got batches of other sizes; only a guard tells.
        QCOMPARE(result->firstDiffering, std::size_t(0));
        const compare::RankRow& row = result->rows.at(0);
        QCOMPARE(row.compileId, std::string("0/0"));
        QCOMPARE(row.group, (std::vector<int>{0, 1}));
        QVERIFY2(row.difference.starts_with("guard: ...uires_grad=False, size=[4, 8], stride=[8, 1]) / "
                                            "...uires_grad=False, size=[5, 8], stride=[8, 1])"),
                 row.difference.c_str());
        for (std::size_t i = 1; i < result->rows.size(); ++i)
            QVERIFY2(result->rows[i].alike(), result->rows[i].difference.c_str());
    }

    void ranksThatCompiledOtherGraphs() {
        QTemporaryDir folder;
        for (int rank = 0; rank < 4; ++rank) {
            TraceText text = traceOf();
            addCompile(
                text, 0, 0, "f", 10,
                replaced(readableGraph(2), "return", "# cuda:" + std::to_string(rank) + "\n        return"));
            // Ranks 1 and 3 took the same other way; rank 2 did not come here.
            if (rank != 2) addCompile(text, 1, 0, "g", 20, readableGraph(rank == 0 ? 2 : 3));
            if (rank == 3) addCompile(text, 2, 0, "h", 30, readableGraph(1));
            QFile file(folder.filePath(QStringLiteral("run_rank_%1_x.log").arg(rank)));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(text.text().c_str());
        }
        const auto session = capture::open(folder.path().toStdString());
        QVERIFY(session);
        const auto result = compare::compareRanks(**session);
        QVERIFY(result);
        QCOMPARE(result->rows.size(), std::size_t(3));
        QVERIFY2(result->rows.at(0).alike(), result->rows.at(0).difference.c_str());
        QCOMPARE(result->firstDiffering, std::size_t(1));
        QCOMPARE(result->rows.at(1).compileId, std::string("1/0"));
        QCOMPARE(result->rows.at(1).group, (std::vector<int>{0, 1, -1, 1}));
        QCOMPARE(result->rows.at(1).differing, 1);
        QCOMPARE(result->rows.at(2).group, (std::vector<int>{-1, -1, -1, 1}));
        QCOMPARE(result->rows.at(2).difference, std::string("only on rank 3"));
    }

    /// Two logs of one run, opened one by one: the rank in their names does not keep them apart.
    void logsOfTwoRanks() {
        const std::string folder =
            test::captures().toStdString() + "/ranks_aot_eager/ddp/dedicated_log_torch_trace_rank_";
        const auto a = capture::open(folder + "0_ddp.log"), b = capture::open(folder + "1_ddp.log");
        QVERIFY(a && b);
        const auto result = compare::compareSessions(**a, **b);
        QVERIFY(result);
        QCOMPARE(result->same, std::size_t(3));
        QCOMPARE(result->differing, std::size_t(1));
    }

    void memoryThatRunsOutEndsNothingElse() {
        if (std::thread::hardware_concurrency() < 2) QSKIP("one thread compares all stages here");
        const auto source = std::make_shared<const OutOfMemoryElsewhere>();
        session::Session session;
        session::Compile& compile = session.compiles.emplace_back();
        for (int k = 0; k < 2; ++k) { // a stage for each of two threads
            const auto stage = std::make_shared<session::Stage>();
            stage->name = "dynamo_output_graph";
            stage->k = k;
            stage->payload = {source, 0, source->bytes().size(), false};
            compile.stages.push_back(stage);
        }
        QVERIFY_THROWS_EXCEPTION(std::bad_alloc, (void)compare::compareCompiles(session, 0, session, 0));
    }

    void canBeCancelled() {
        std::stop_source stop;
        stop.request_stop();
        TaskContext task;
        task.stop = stop.get_token();
        TraceText a = traceOf();
        addCompile(a, 0, 0, "f", 10, readableGraph(1));
        const auto session = openTrace(a);
        const auto result = compare::compareSessions(*session, *session, {}, task);
        QVERIFY(!result);
        QVERIFY(result.error().isCancelled());
    }
};

QTEST_GUILESS_MAIN(TestCompare)
#include "tst_compare.moc"
