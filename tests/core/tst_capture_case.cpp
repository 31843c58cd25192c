// SPDX-License-Identifier: BSD-3-Clause
//
// Oracle cases as captures.
#include "core/capture/formats.h"
#include "core/capture/open.h"
#include "core/replay/tree_simulator.h"

#include <QtTest>

using namespace dynascope;

namespace {

/// JSON written with single quotes.
std::string json(QByteArray text) {
    return text.replace('\'', '"').toStdString();
}

constexpr const char* graphText =
    "graph():\\n    %x : [num_users=1] = placeholder[target=x]\\n    return (x,)";

std::string caseText(const QByteArray& fields) {
    return json("{'name': 'tiny', 'kind': 'hand', 'before': '" + QByteArray(graphText) + "'" + fields + "}");
}

} // namespace

class TestCaptureCase : public QObject {
    Q_OBJECT

private slots:
    void sample() {
        const auto opened = capture::open(DYNASCOPE_SOURCE_DIR "/resources/samples/sibling_views.json");
        QVERIFY2(opened, opened ? "" : opened.error().toString().c_str());
        const session::Session& session = **opened;
        QCOMPARE(session.kind, session::Kind::OracleCase);
        QCOMPARE(session.title, std::string("sibling_views"));
        QCOMPARE(session.warnings.size(), std::size_t{0});
        const session::Compile& compile = session.compiles.at(0);
        QCOMPARE(compile.stages.size(), std::size_t{4});
        QCOMPARE(compile.stages[0]->name, std::string("graph"));
        QCOMPARE(compile.stages[0]->nodeCount(), std::size_t{9});
        const session::StagePtr golden = compile.findStage("functionalize_mutations");
        QVERIFY(golden);
        QCOMPARE(golden->nodeCount(), std::size_t{23});
        QVERIFY(golden->payload.text().starts_with("graph():"));
        QVERIFY(compile.runInputs.find("\"storages\"") != std::string::npos);
        QCOMPARE(compile.runAttributes, std::string("{}"));
        const auto source = session.sources.find("sibling_views.py");
        QVERIFY(source != session.sources.end());
        QCOMPARE(source->second.lines.at(1), std::string("def f(x):"));
    }

    /// Calls of CUDA graphs: no graph, but a program.
    void treeCase() {
        const QByteArray head =
            "{'name': 'tiny', 'kind': 'cudagraph_tree_trace', 'torch_version': '2.13.0', "
            "'cudagraph_unexpected_rerecord_limit': 128, 'functions': [{'n_inputs': 1, 'n_outputs': 1, "
            "'static_input_idxs': [], 'mutated_input_idxs': [], 'mode': 'INFERENCE'}], 'events': [";
        const auto opened = capture::openText(
            json(head + "{'op': 'call', 'fn': 0, 'inputs': [['user']]}, {'op': 'mark_step'}]}"), "x");
        QVERIFY2(opened, opened ? "" : opened.error().toString().c_str());
        const session::Session& session = **opened;
        QCOMPARE(session.kind, session::Kind::TreeCase);
        QCOMPARE(session.torchVersion, std::string("2.13.0"));
        const auto tree = session::attachedAs<replay::TreeProgram>(session.tree);
        QVERIFY(tree && session.compiles.empty());
        QCOMPARE(tree->functions.size(), std::size_t{1});
        QCOMPARE(tree->events.size(), std::size_t{2});
        const auto wrong =
            capture::openText(json(head + "{'op': 'call', 'fn': 7, 'inputs': []}]}"), "x.json");
        QVERIFY(!wrong);
        QCOMPARE(wrong.error().file, std::string("x.json"));
        QCOMPARE(wrong.error().message, std::string("event 0 cannot be read"));
    }

    void otherForms() {
        const auto opened = capture::openText(caseText(", 'inputs': [1, 2], 'after': '"), "x");
        QVERIFY(!opened); // cut short
        // normalize_ir: the answer is a text, and its inputs are no inputs object
        const auto normalize = capture::openText(
            caseText(", 'inputs': [{'shape': []}], 'after': '" + QByteArray(graphText) + "'"), "x");
        QVERIFY2(normalize, normalize ? "" : normalize.error().toString().c_str());
        const session::Compile& compile = (*normalize)->compiles.at(0);
        QCOMPARE(compile.stages.size(), std::size_t{2});
        QCOMPARE(compile.stages[1]->name, std::string("normalize_ir"));
        QVERIFY(compile.runInputs.empty());
    }

    void damage_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("word");
        QTest::newRow("cut") << QByteArray("{'before': 'graph") << QByteArray("JSON");
        QTest::newRow("no graph") << QByteArray("{'name': 'x'}") << QByteArray("'before'");
        QTest::newRow("graph is a number") << QByteArray("{'before': 3}") << QByteArray("'before'");
        QTest::newRow("unreadable graph")
            << QByteArray("{'before': 'graph():\\n  %x : = what'}") << QByteArray("'before' of the case");
        QTest::newRow("deep") << "{'a': " + QByteArray(200000, '[') << QByteArray("JSON");
    }
    void damage() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, word);
        const auto opened = capture::openText(json(text), "x");
        QVERIFY(!opened);
        QVERIFY2(opened.error().toString().find(word.toStdString()) != std::string::npos,
                 opened.error().toString().c_str());
    }

    void unreadableAnswerIsAWarning() {
        const auto opened =
            capture::openText(caseText(", 'aot': {'fw_graph': 'no graph'}, 'after': {'mutations': 5}"), "x");
        QVERIFY(opened);
        QCOMPARE((*opened)->compiles.at(0).stages.size(), std::size_t{1});
        QCOMPARE((*opened)->warnings.size(), std::size_t{1});
        QVERIFY((*opened)->warnings[0].error.message.find("aot_fw_graph") != std::string::npos);
    }

    void sniffsByContent() {
        QCOMPARE(capture::sniff(" {\n \"name\": 1"), session::Kind::OracleCase);
        QCOMPARE(capture::sniff("{}"), session::Kind::Unknown);
    }
};

QTEST_APPLESS_MAIN(TestCaptureCase)
#include "tst_capture_case.moc"
