// SPDX-License-Identifier: BSD-3-Clause
//
// Why two runs differ, in words.
#include "core/compare/explain.h"
#include "tests/support/captures.h"
#include "tests/support/trace_pairs.h"

#include <QtTest>

using namespace dynascope;
using compare::Comparison;
using compare::Explanation;
using test::addCompile;
using test::openTrace;
using test::readableGraph;
using test::replaced;
using test::traceOf;
using test::TraceText;

namespace {

Explanation explained(const TraceText& a, const TraceText& b) {
    const auto ofA = openTrace(a), ofB = openTrace(b);
    const auto comparison = compare::compareSessions(*ofA, *ofB);
    if (!comparison) qFatal("%s", comparison.error().toString().c_str());
    return compare::explain(*ofA, *ofB, *comparison);
}

QString text(const Explanation& explanation) {
    QString out = QString::fromStdString(explanation.summary);
    for (const std::string& point : explanation.points)
        out += "\n- " + QString::fromStdString(point);
    return out;
}

TraceText& tensor(TraceText& trace, const char* source, const char* size) {
    trace.add("\"describe_storage\": {\"id\": 0, \"describer_id\": 1, \"size\": 128}");
    std::string text =
        "\"describe_tensor\": {\"id\": 0, \"ndim\": 2, \"dtype\": \"torch.float32\", \"device\": "
        "\"device(type='cpu')\", \"stride\": [8, 1], \"storage\": 0, \"describer_id\": 1, \"size\": ";
    text += size;
    text += '}';
    trace.add(text);
    text = "\"describe_source\": {\"describer_id\": 1, \"id\": 0, \"source\": \"";
    text += source;
    text += "\"}";
    return trace.add(text);
}

} // namespace

class TestCompareExplain : public QObject {
    Q_OBJECT

private slots:
    void alike() {
        TraceText a = traceOf();
        QCOMPARE(text(explained(a, a)),
                 QStringLiteral("Neither has a compile, so there is nothing to compare."));
        addCompile(a, 0, 0, "f", 10, readableGraph(1));
        addCompile(a, 1, 0, "g", 20, readableGraph(2));
        QCOMPARE(
            text(explained(a, a)),
            QStringLiteral("A and B compiled the same: 2 compiles, the same graphs, guards and symbols."));
    }

    void aGraphThatDiffers() {
        TraceText a = traceOf(), b = traceOf();
        addCompile(a, 0, 0, "f", 10, readableGraph(3));
        addCompile(b, 0, 0, "f", 10, replaced(readableGraph(3), "(add_0, 1)", "(add_0, 2)"));
        for (TraceText* trace : {&a, &b})
            addCompile(*trace, 1, 0, "g", 20, readableGraph(1));
        QCOMPARE(text(explained(a, b)),
                 QStringLiteral("1 of 2 compiles is the same. The first that differs is 0/0 "
                                "(f cap.py:10): dynamo_output_graph: add_1: args[1] 1 / 2."));
    }

    /// An input of another size is what the guard and the graph follow from.
    void inputsGoBeforeWhatFollows() {
        TraceText a = traceOf(), b = traceOf();
        for (auto& [trace, size, more] : {std::tuple(&a, "[4, 8]", 1), std::tuple(&b, "[5, 8]", 2)}) {
            trace->at(0, 0).start("f", 10);
            tensor(*trace, "L['x']", size).add("\"dynamo_output_graph\": {}", readableGraph(more));
            trace->metrics("\"fail_type\": null", "f", 10);
        }
        const QString said = text(explained(a, b));
        QVERIFY2(said.startsWith("0/0 (f cap.py:10) differs: input L['x'] is f32[4, 8][8, 1]cpu in A and "
                                 "f32[5, 8][8, 1]cpu in B. What differs "
                                 "first after that is dynamo_output_graph: "),
                 qPrintable(said));
    }

    void oneMoreCompile() {
        TraceText a = traceOf(), b = traceOf();
        addCompile(b, 0, 0, "helper", 5, readableGraph(2));
        addCompile(a, 0, 0, "f", 10, readableGraph(1));
        addCompile(b, 1, 0, "f", 10, replaced(readableGraph(1), ", 1)", ", 3)"));
        QCOMPARE(text(explained(a, b)),
                 QStringLiteral(
                     "0 of 2 compiles are the same. The first difference is 0/0 (helper cap.py:5), which "
                     "only B compiled.\n"
                     "- Differs as well: 0/0. dynamo_output_graph: add_0: args[1] 1 / 3."));
    }

    void settingsAndVersions() {
        const auto trace = [](const char* value, const char* version, const char* constant) {
            TraceText out = traceOf();
            out.start("f", 10);
            out.add("\"dynamo_output_graph\": {}", replaced(readableGraph(1), ", 1)", constant));
            return out.metrics(std::string("\"inductor_config\": \"{\\\"max_autotune\\\": ") + value +
                                   ", \\\"same\\\": 1}\", \"pytorch_version\": \"" + version + '"',
                               "f", 10);
        };
        const QString said =
            text(explained(trace("true", "2.13.0", ", 1)"), trace("false", "2.12.0", ", 2)")));
        QVERIFY2(said.contains("- Other versions: pytorch_version 2.13.0 / 2.12.0.\n"
                               "- Set differently: inductor_config.max_autotune True / False."),
                 qPrintable(said));
    }

    /// Versions of PyTorch record other settings, which says nothing of how they are set; an empty text is a value.
    void settingsThatOneSideRecords() {
        const auto trace = [](const char* settings, const char* constant) {
            TraceText out = traceOf();
            out.start("f", 10);
            out.add("\"dynamo_output_graph\": {}", replaced(readableGraph(1), ", 1)", constant));
            return out.metrics("\"inductor_config\": \"{" + std::string(settings) + "}\"", "f", 10);
        };
        const QString said =
            text(explained(trace(R"(\"tag\": \"\", \"old_version\": \"1\", \"same\": 1)", ", 1)"),
                           trace(R"(\"tag\": \"x\", \"new\": 2, \"newer\": 3, \"same\": 1)", ", 2)")));
        QVERIFY2(
            said.contains("- Versions that only one side records: inductor_config.old_version 1 in A.\n"
                          "- Set differently: inductor_config.tag '' / x.\n"
                          "- 1 setting is recorded in A and not in B: whether they differ is not known.\n"
                          "- 2 settings are recorded in B and not in A: whether they differ is not known."),
            qPrintable(said));
        QVERIFY2(!said.contains("nothing"), qPrintable(said));
    }

    void sameDifferenceOnce() {
        TraceText a = traceOf(), b = traceOf();
        for (int i = 0; i < 7; ++i) {
            const std::string function = "f" + std::to_string(i);
            addCompile(a, i, 0, function, 10 * i + 1, readableGraph(1));
            addCompile(b, i, 0, function, 10 * i + 1, replaced(readableGraph(1), ", 1)", ", 9)"));
        }
        QCOMPARE(text(explained(a, b)),
                 QStringLiteral(
                     "0 of 7 compiles are the same. The first that differs is 0/0 (f0 cap.py:1): "
                     "dynamo_output_graph: add_0: args[1] 1 / 9.\n"
                     "- Differ as well: 1/0, 2/0, 3/0 and 3 more. dynamo_output_graph: add_0: args[1] 1 / "
                     "9."));
    }

    void cachesAndTimes() {
        const auto trace = [](const char* outcome, const char* end) {
            TraceText out = traceOf();
            out.start("f", 10);
            out.add("\"dynamo_output_graph\": {}", readableGraph(1));
            out.artifact(std::string("fx_graph_cache_") + outcome,
                         R"({"key": "k1", "components": ["[h] gm: one"]})");
            out.add("\"chromium_event\": {}", R"({"name":"code_gen","ph":"B","ts":0,"pid":0,"tid":0})");
            out.add("\"chromium_event\": {}",
                    std::string(R"({"name":"code_gen","ph":"E","pid":0,"tid":0,"ts":)") + end + '}');
            return out.metrics("\"fail_type\": null", "f", 10);
        };
        QCOMPARE(text(explained(trace("hit", "10000"), trace("miss", "2010000"))),
                 QStringLiteral(
                     "A and B compiled the same: 1 compile, the same graphs, guards and symbols.\n"
                     "- Cache fx_graph_cache: hit in A, miss in B for 0/0.\n"
                     "- B took 2.00 s longer (0.01 s / 2.01 s), most of it in code generation (0.01 s / 2.01 "
                     "s)."));
    }

    /// A second attempt asks again: that is no cache that the other side did not ask.
    void anotherLookupIsOneMore() {
        const auto trace = [](int lookups) {
            TraceText out = traceOf();
            out.start("f", 10);
            out.add("\"dynamo_output_graph\": {}", readableGraph(1));
            for (int i = 0; i < lookups; ++i)
                out.artifact("aotautograd_cache_miss", R"({"key": "k1", "components": ["[h] gm: one"]})");
            return out.metrics("\"fail_type\": null", "f", 10);
        };
        const auto said = [&](int a, int b) { return text(explained(trace(a), trace(b))); };
        QVERIFY2(said(2, 1).contains("Cache aotautograd_cache: asked more often in A, miss for 0/0."),
                 qPrintable(said(2, 1)));
        QVERIFY2(said(3, 1).contains("asked more often in A, miss for 0/0."), qPrintable(said(3, 1)));
        QVERIFY2(said(0, 1).contains("Cache aotautograd_cache: not asked in A, miss in B for 0/0."),
                 qPrintable(said(0, 1)));
    }

    void twoCompilesOfOneRun() {
        TraceText a = traceOf();
        addCompile(a, 0, 0, "f", 10, readableGraph(3));
        addCompile(a, 0, 1, "f", 10, replaced(readableGraph(3), "(add_0, 1)", "(add_0, 2)"));
        const auto session = openTrace(a);
        const auto same = compare::compareCompiles(*session, 0, *session, 0);
        QVERIFY(same && same->alike());
        QCOMPARE(text(compare::explain(*session, *session, *same)),
                 QStringLiteral("The two compiles are the same: the same graphs, guards and symbols."));
        const auto result = compare::compareCompiles(*session, 0, *session, 1);
        QVERIFY(result);
        QCOMPARE(result->compiles.size(), std::size_t(1));
        QCOMPARE(result->compiles[0].match, compare::Match::Chosen);
        QCOMPARE(compare::firstDifferingStage(result->compiles[0]), std::size_t(0));
        QCOMPARE(text(compare::explain(*session, *session, *result)),
                 QStringLiteral(
                     "0/0 in A, 0/1 in B (f cap.py:10) differ: A is not a recompile, B is a recompile."));
    }

    void ranks() {
        const auto session = capture::open((test::captures() + "/ranks_aot_eager/ddp").toStdString());
        QVERIFY(session);
        const auto result = compare::compareRanks(**session);
        QVERIFY(result);
        QCOMPARE(result->comparisons.size(), std::size_t(2));
        QCOMPARE(result->comparisons[1].differing, std::size_t(1));
        const QString said = text(compare::explainRanks(*result));
        QVERIFY2(said.startsWith(
                     "3 of 4 compile ids are the same on 2 ranks. The first that differs is 0/0, between "
                     "rank 0 (A) and rank 1 (B): input L['"),
                 qPrintable(said));
        QVERIFY2(
            said.contains(" is f32[4, 8][8, 1]cpu in A and f32[5, 8][8, 1]cpu in B. What differs first after "
                          "that is guard: "),
            qPrintable(said));
        QVERIFY2(said.endsWith("- Rank 1 differs from rank 0 in 0/0."), qPrintable(said));
    }
};

QTEST_GUILESS_MAIN(TestCompareExplain)
#include "tst_compare_explain.moc"
