// SPDX-License-Identifier: BSD-3-Clause
//
// Every graph that PyTorch wrote into the oracle cases and the captures: read, no node lost, printed back
// byte for byte.
#include "core/ir/text.h"
#include "tests/core/ir_independent.h"
#include "tests/support/archive.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <algorithm>

using namespace dynascope;
using namespace dynascope::ir;
using test::ArchiveFile;
using test::readArchive;

namespace {

const std::string oracleArchive = DYNASCOPE_SOURCE_DIR "/tests/oracle/oracle.tar.xz";
const std::string graphArchive = DYNASCOPE_TEST_DATA "/graph_texts.tar.xz";

void collectGraphs(const nlohmann::json& value, std::vector<std::string>& out) {
    if (value.is_structured())
        for (const nlohmann::json& item : value)
            collectGraphs(item, out);
    else if (value.is_string() && value.get_ref<const std::string&>().starts_with("graph("))
        out.push_back(value.get<std::string>());
}

std::string printed(const Graph& graph) {
    return graph.style().form == TextStyle::Form::Fx ? printFx(graph) : printReadable(graph).text;
}

} // namespace

class TestIrCaptures : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void oracleGraphs();
    void payloads();
    void payloadWithManyGraphs_data();
    void payloadWithManyGraphs();
    void torchLogs_data();
    void torchLogs();
    void pairs_data();
    void pairs();
    void forms();

private:
    [[nodiscard]] const ArchiveFile* find(const std::string& path) const {
        const auto found =
            std::find_if(m_texts.begin(), m_texts.end(), [&](const auto& f) { return f.path == path; });
        return found == m_texts.end() ? nullptr : &*found;
    }
    std::vector<ArchiveFile> m_texts;
};

void TestIrCaptures::initTestCase() {
    m_texts = readArchive(graphArchive);
    QVERIFY(m_texts.size() > 260);
}

void TestIrCaptures::oracleGraphs() {
    const std::vector<ArchiveFile> files = readArchive(oracleArchive);
    std::vector<std::string> texts;
    for (const ArchiveFile& file : files)
        if (file.path.ends_with(".json")) collectGraphs(nlohmann::json::parse(file.content), texts);
    QCOMPARE(texts.size(), std::size_t(2540));
    for (const std::string& text : texts) {
        const Result<GraphPtr> graph = readGraph(text);
        QVERIFY2(graph, graph ? "" : graph.error().toString().c_str());
        QCOMPARE(QString::fromStdString(printFx(**graph)), QString::fromStdString(text));
        QVERIFY((*graph)->missing().empty());
        // A header, then one line a node: none is lost.
        QCOMPARE((*graph)->size(), static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
    }
}

void TestIrCaptures::payloads() {
    int count = 0;
    for (const ArchiveFile& file : m_texts) {
        if (!file.path.starts_with("graphs/") ||
            file.path.find("saved_tensors_hooks_graphs") != std::string::npos)
            continue;
        ++count;
        const Result<GraphPtr> graph = readGraph(file.content);
        QVERIFY2(graph, graph ? "" : (file.path + ": " + graph.error().toString()).c_str());
        QCOMPARE(QString::fromStdString(printed(**graph)), QString::fromStdString(file.content));
        QVERIFY2((*graph)->missing().empty(), file.path.c_str());
        QCOMPARE(static_cast<int>((*graph)->totalNodes()),
                 test::countNodes(QString::fromStdString(file.content)));
        for (const NodePtr& node : (*graph)->nodes())
            QVERIFY2(!node->target.empty(), (file.path + ": not understood: " + printNode(*node)).c_str());

        // Every line of a node is that node's line.
        const ReadableText text = printReadable(**graph);
        for (std::size_t line = 0; line < text.nodeOfLine.size(); ++line) {
            const NodeIndex node = text.nodeOfLine[line];
            if (node != npos && (*graph)->node(node).op != Op::Output)
                QCOMPARE(std::size_t((*graph)->node(node).sourceLine), line + 1);
        }
    }
    QCOMPARE(count, 248);
}

void TestIrCaptures::payloadWithManyGraphs_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QStringList>("titles");
    QTest::addColumn<QList<int>>("nodes");
    const QStringList before{"aot_forward_graph_pre_saved_tensors_hooks",
                             "aot_backward_graph_pre_saved_tensors_hooks"};
    const QStringList after{"fw_g_pre_assert", "bw_g_pre_assert",
                            "aot_forward_graph_pre_assert_saved_tensors_hooks",
                            "aot_backward_graph_pre_assert_saved_tensors_hooks"};
    QTest::newRow("two hooks")
        << "graphs/trace_aot_eager.saved_hooks.A.aot_saved_tensors_hooks_graphs.031.txt"
        << before +
               QStringList{"aot_saved_tensors_hooks_pack mm", "aot_saved_tensors_hooks_unpack mm",
                           "aot_saved_tensors_hooks_pack detach_1",
                           "aot_saved_tensors_hooks_unpack detach_1"} +
               after
        << QList<int>{11, 12, 3, 3, 3, 3, 13, 14, 13, 14};
    QTest::newRow("float8")
        << "graphs/trace_aot_eager.saved_hooks_float8.A.aot_saved_tensors_hooks_graphs.036.txt"
        << before + QStringList{"aot_saved_tensors_hooks_pack add", "aot_saved_tensors_hooks_unpack add"} +
               after
        << QList<int>{5, 5, 3, 3, 6, 6, 6, 6};
}

void TestIrCaptures::payloadWithManyGraphs() {
    QFETCH(QString, path);
    QFETCH(QStringList, titles);
    QFETCH(QList<int>, nodes);
    const ArchiveFile* file = find(path.toStdString());
    QVERIFY(file != nullptr);
    const PastedGraphs found = readPasted(file->content);
    QVERIFY(found.problems.empty());
    QStringList foundTitles;
    QList<int> foundNodes;
    for (const FoundGraph& graph : found.graphs) {
        foundTitles << QString::fromStdString(graph.title);
        foundNodes << static_cast<int>(graph.graph->totalNodes());
        // The text of each is part of the whole.
        QVERIFY(file->content.find(printed(*graph.graph)) != std::string::npos);
    }
    QCOMPARE(foundTitles, titles);
    QCOMPARE(foundNodes, nodes);
}

void TestIrCaptures::torchLogs_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("graphs");
    QTest::newRow("breaks") << "graph_breaks" << 32;
    QTest::newRow("recompiles") << "recompiles" << 6;
    QTest::newRow("view mutation") << "view_mutation" << 2;
}

void TestIrCaptures::torchLogs() {
    QFETCH(QString, name);
    QFETCH(int, graphs);
    const ArchiveFile* file = find("torch_logs/" + name.toStdString() + ".log");
    QVERIFY(file != nullptr);
    const PastedGraphs found = readPasted(file->content);
    QVERIFY(found.problems.empty());
    QCOMPARE(static_cast<int>(found.graphs.size()), graphs);
    QVERIFY(found.graphs[0].title.starts_with("__compiled_fn_"));
    QCOMPARE(QString::fromStdString(found.graphs[1].title), QString("Forward graph 0"));

    // The log without its prefixes and paths holds each graph as it prints.
    const QString plain = test::withoutLogPrefixes(QString::fromStdString(file->content));
    for (const FoundGraph& graph : found.graphs) {
        const QString text = QString::fromStdString(printed(*graph.graph));
        QVERIFY2(plain.contains(text), qPrintable(text));
        QVERIFY(graph.graph->missing().empty());
    }
}

void TestIrCaptures::pairs_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"encoder.export", "encoder_train.aot_bw", "encoder_train.aot_fw",
                             "encoder_train.dynamo", "view_mutation.aot_inference", "view_mutation.dynamo"})
        QTest::newRow(name) << name;
}

// str(graph) and print_readable() of the same graph say the same.
void TestIrCaptures::pairs() {
    QFETCH(QString, name);
    const ArchiveFile* fxFile = find("text/" + name.toStdString() + ".graph.txt");
    const ArchiveFile* readableFile = find("text/" + name.toStdString() + ".print_readable.txt");
    QVERIFY(fxFile != nullptr && readableFile != nullptr);
    const Result<GraphPtr> fx = readGraph(fxFile->content);
    const Result<GraphPtr> readable = readGraph(readableFile->content);
    QVERIFY(fx && readable);
    QCOMPARE(QString::fromStdString(printed(**fx)), QString::fromStdString(fxFile->content));
    QCOMPARE(QString::fromStdString(printed(**readable)), QString::fromStdString(readableFile->content));
    QCOMPARE((*fx)->size(), (*readable)->size());
    for (NodeIndex i = 0; i < (*fx)->size(); ++i) {
        const Node& a = (*fx)->node(i);
        const Node& b = (*readable)->node(i);
        QCOMPARE(QString::fromStdString(a.name), QString::fromStdString(b.name));
        QCOMPARE(a.op, b.op);
        QCOMPARE(QString::fromStdString(a.target), QString::fromStdString(b.target));
        QVERIFY2(a.args == b.args, a.name.c_str());
        QVERIFY2(a.kwargs == b.kwargs, a.name.c_str());
        QVERIFY(std::ranges::equal((*fx)->inputs(i), (*readable)->inputs(i)));
        QVERIFY(std::ranges::equal((*fx)->users(i), (*readable)->users(i)));
    }
}

// Small programs that use every form of printing; see forms/make_forms.py in the archive.
void TestIrCaptures::forms() {
    int programs = 0;
    for (const ArchiveFile& file : m_texts) {
        const bool isForm = file.path.starts_with("forms/") && file.path.ends_with(".txt");
        if (!isForm) continue;
        const Result<GraphPtr> graph = readGraph(file.content);
        QVERIFY2(graph, graph ? "" : (file.path + ": " + graph.error().toString()).c_str());
        QVERIFY2((*graph)->missing().empty(), file.path.c_str());
        for (const NodePtr& node : (*graph)->nodes())
            QVERIFY2(!node->target.empty(), (file.path + ": not understood: " + printNode(*node)).c_str());

        // Every form has the nodes and edges of str(graph).
        const std::string program = file.path.substr(0, file.path.find('.'));
        const ArchiveFile* fxFile = find(program + ".fx.txt");
        QVERIFY(fxFile != nullptr);
        const Result<GraphPtr> fx = readGraph(fxFile->content);
        QVERIFY2(fx, fx ? "" : (program + ": " + fx.error().toString()).c_str());
        QCOMPARE((*graph)->size(), (*fx)->size());
        for (NodeIndex i = 0; i < (*fx)->size(); ++i) {
            const NodeIndex twin = (*graph)->find((*fx)->node(i).name);
            QVERIFY2(twin != npos, (file.path + ": " + (*fx)->node(i).name).c_str());
            QCOMPARE((*graph)->node(twin).op, (*fx)->node(i).op);
            QCOMPARE((*graph)->node(twin).kwargs.size(), (*fx)->node(i).kwargs.size());
            QCOMPARE((*graph)->users(twin).size(), (*fx)->users(i).size());
            QVERIFY(std::ranges::equal((*graph)->inputs(twin), (*fx)->inputs(i), {},
                                       [&](NodeIndex n) { return (*graph)->node(n).name; },
                                       [&](NodeIndex n) { return (*fx)->node(n).name; }));
        }
        if (file.path.ends_with(".code.txt")) continue; // starts with blank lines and has no class
        QCOMPARE(QString::fromStdString(printed(**graph)), QString::fromStdString(file.content));
        if (file.path.ends_with(".fx.txt")) ++programs;
    }
    QCOMPARE(programs, 24);
}

QTEST_APPLESS_MAIN(TestIrCaptures)
#include "tst_ir_captures.moc"
