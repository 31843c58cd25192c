// SPDX-License-Identifier: BSD-3-Clause
//
// Folders of TORCH_COMPILE_DEBUG and drawings of passes (tests/data/compile_debug).
#include "core/capture/debug_folder.h"
#include "core/capture/dot_graph.h"
#include "core/capture/open.h"
#include "core/diff/graph_diff.h"
#include "core/ir/text.h"
#include "core/session/byte_source.h"
#include "tests/support/archive.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

using namespace dynascope;
using session::Phase;

namespace {

const std::string archivePath = DYNASCOPE_SOURCE_DIR "/tests/data/compile_debug/folder.tar.xz";

const std::vector<test::ArchiveFile>& files() {
    static const std::vector<test::ArchiveFile> all = test::readArchive(archivePath);
    return all;
}

std::string content(const std::string& end) {
    for (const test::ArchiveFile& file : files())
        if (file.path.ends_with(end)) return file.content;
    return {};
}

void writeFiles(const QString& root, const QString& below = {}) {
    for (const test::ArchiveFile& file : files()) {
        const QString path = QString::fromStdString(file.path);
        if (!below.isEmpty() && !path.contains(below)) continue;
        QDir().mkpath(QFileInfo(root + '/' + path).path());
        QFile out(root + '/' + path);
        if (out.open(QIODevice::WriteOnly)) out.write(QByteArray::fromStdString(file.content));
    }
}

QStringList stages(const session::Compile& compile) {
    QStringList out;
    for (const session::StagePtr& stage : compile.stages)
        out.append(QString::fromStdString(stage->label()) + ' ' +
                   QString::fromUtf8(phaseName(stage->phase).data(), int(phaseName(stage->phase).size())) +
                   ' ' + QString::number(stage->nodeCount()));
    return out;
}

void checkWhole(const session::Session& session) {
    QCOMPARE(session.kind, session::Kind::DebugFolder);
    QVERIFY2(session.warnings.empty(),
             session.warnings.empty() ? "" : session.warnings[0].error.toString().c_str());
    QCOMPARE(session.compiles.size(), std::size_t(3));
    const session::Compile* first = session.find(0, "0/0");
    const session::Compile* second = session.find(0, "1/0");
    const session::Compile* drawn = session.find(0, "-");
    QVERIFY(first && second && drawn);
    QCOMPARE(stages(*first),
             QStringList({"before_post_grad_graph post-grad, forward 11",
                          "inductor_post_grad_graph post-grad, forward 11", "inductor_output_code code 0"}));
    QCOMPARE(
        stages(*second),
        QStringList({"before_post_grad_graph post-grad, forward 9",
                     "inductor_post_grad_graph post-grad, forward 9", "inductor_output_code code 0",
                     "before_post_grad_graph#1 post-grad, backward 11",
                     "inductor_post_grad_graph#1 post-grad, backward 11", "inductor_output_code#1 code 0"}));
    QVERIFY(first->status == session::Status::Compiled);
    QCOMPARE(session.recordCounts.at("file:ir_pre_fusion.txt"), std::size_t(3));
    QCOMPARE(session.recordCounts.at("artifact:inductor_provenance_tracking_node_mappings"), std::size_t(2));
    QVERIFY(session.records.front().payload.text().size() > 10);
    QCOMPARE(drawn->stages.size(), std::size_t(10));
    QCOMPARE(drawn->stages.front()->name, std::string("remove_noop_ops_input_graph"));
    QCOMPARE(session.sources.at("/home/user/models/cap.py").lines.at(6), std::string("y = z + 3"));
}

} // namespace

class TestCaptureDebug : public QObject {
    Q_OBJECT

private slots:
    void folder() {
        QTemporaryDir root;
        writeFiles(root.path());
        const auto session = capture::open(root.path().toStdString());
        QVERIFY2(session, session ? "" : session.error().toString().c_str());
        checkWhole(**session);
        const auto inner = capture::open((root.path() + "/torch_compile_debug").toStdString());
        QVERIFY(inner);
        checkWhole(**inner);
    }

    void archive() {
        const auto session = capture::open(archivePath);
        QVERIFY(session);
        checkWhole(**session);
    }

    void oneModel() {
        QTemporaryDir root;
        writeFiles(root.path(), "model__1_backward");
        QString model = root.path() + '/' + QString::fromStdString(files().back().path);
        for (const test::ArchiveFile& file : files())
            if (file.path.find("model__1_backward") != std::string::npos)
                model = root.path() + '/' + QString::fromStdString(file.path);
        const auto session = capture::open(QFileInfo(model).path().toStdString());
        QVERIFY(session);
        QCOMPARE((*session)->compiles.size(), std::size_t(1));
        QVERIFY((*session)->find(0, "1/0"));
        QVERIFY((*session)->compiles[0].stages.front()->phase == Phase::PostGradBackward);
    }

    void withTrace() {
        // The trace of the same folder says more, and goes first.
        QTemporaryDir root;
        writeFiles(root.path());
        QDir().mkpath(root.path() + "/torch_compile_debug/tlparse");
        QFile log(root.path() + "/torch_compile_debug/tlparse/dedicated_log_torch_trace_x.log");
        QVERIFY(log.open(QIODevice::WriteOnly));
        log.write("V1121 01:29:50.608000 10733 torch/a.py:1] {\"dynamo_output_graph\": {}, \"frame_id\": 7, "
                  "\"frame_compile_id\": 3, \"attempt\": 0}\n\tclass GraphModule(torch.nn.Module):\n\t    "
                  "def forward(self, x):\n"
                  "\t        return (x,)\n");
        log.close();
        const auto session = capture::open(root.path().toStdString());
        QVERIFY(session);
        QVERIFY((*session)->find(0, "7/3"));
        QVERIFY(!(*session)->find(0, "0/0"));
        QCOMPARE((*session)->recordCounts.at("file:output_code.py"), std::size_t(3));
    }

    void otherFolders() {
        QTemporaryDir root;
        QFile file(root.filePath("notes.txt"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("hello");
        file.close();
        QVERIFY(!capture::open(root.path().toStdString()));
        QVERIFY(!capture::isDebugFile("ddp/dedicated_log_torch_trace_rank_0_ddp.log"));
        QVERIFY(!capture::isDebugFile("programs.py"));
        QVERIFY(capture::isDebugFile("model__0_inference_0.0/anything.txt"));
    }

    void drawing() {
        const auto graph =
            capture::readDotGraph(content("pass_27_reinplace_inplaceable_ops_input_graph.dot"));
        QVERIFY2(graph, graph ? "" : graph.error().toString().c_str());
        const ir::Graph& of = **graph;
        QCOMPARE(of.name(), std::string("reinplace_inplaceable_ops"));
        QCOMPARE(of.size(), std::size_t(11));
        const ir::Node& select = of.node(of.find("select"));
        QCOMPARE(select.target, std::string("torch.ops.aten.select.int"));
        QCOMPARE(select.meta->annotation(), std::string("f32[8][5]"));
        QCOMPARE(ir::printNode(select).find("torch.ops.aten.select.int(add, 1, 0)") != std::string::npos,
                 true);
        QVERIFY(of.node(0).op == ir::Op::Placeholder);
        QVERIFY(of.node(10).op == ir::Op::Output);
        QVERIFY(of.missing().empty());
        // Its text is read again as what it is.
        const auto again = ir::readGraph(ir::printReadable(of).text);
        QVERIFY2(again, again ? "" : again.error().toString().c_str());
        QVERIFY(diff::diffGraphs(of, **again).identical());
    }

    void drawnPass() {
        // The pass made one node anew and left the others.
        const auto before = capture::readDotGraph(content("pass_6_remove_noop_ops_input_graph.dot"));
        const auto after = capture::readDotGraph(content("pass_6_remove_noop_ops_output_graph.dot"));
        QVERIFY(before && after);
        QCOMPARE((*before)->size(), std::size_t(12));
        QCOMPARE((*after)->size(), std::size_t(11));
        QCOMPARE(diff::diffGraphs(**before, **after).removed, std::size_t(1));
        QVERIFY((*before)->find("view") != ir::npos && (*after)->find("view") == ir::npos);
    }

    void dotByHand() {
        const auto graph = capture::readDotGraph(
            "// a drawing\n/* of\n two */ strict digraph \"a b\" {\n"
            "graph [rankdir=TB]; node [shape=record]; rankdir = TB\n"
            "subgraph cluster_0 { label=\"x\";\n"
            "\"x\" [label=\"{name=%x|op_code=placeholder\\n|target=x\\n}\"];}\n"
            "y:p [label=\"{name=%y|op_code=call_function|target=aten.add.Tensor|args=(3,)|"
            "kwargs=\\{alpha: 2\\}|file=cap.py:7 y = x \\\"q\\\"}\", color=red];\n"
            "x -> y -> z [color=blue];\n"
            "z [label=\"{name=%z|op_code=output|target=output}\"] }");
        QVERIFY2(graph, graph ? "" : graph.error().toString().c_str());
        QCOMPARE((*graph)->size(), std::size_t(3));
        const ir::Node& y = (*graph)->node(1);
        QCOMPARE(y.args.size(), std::size_t(2));
        QCOMPARE(y.args[1].text, std::string("3"));
        QCOMPARE(y.kwargs.size(), std::size_t(1));
        QCOMPARE(y.kwargs[0].first, std::string("alpha"));
        QCOMPARE(y.location()->line, 7u);
        QCOMPARE(y.location()->code, std::string("y = x \"q\""));
        QCOMPARE((*graph)->inputs(2).size(), std::size_t(1));
    }

    void badDot_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("empty") << QByteArray() << QByteArray("1: Expected 'digraph'");
        QTest::newRow("graph") << QByteArray("graph {}") << QByteArray("1: Expected 'digraph'");
        QTest::newRow("open") << QByteArray("digraph {\na")
                              << QByteArray("2: Expected a node, an edge or '}'");
        QTest::newRow("quote") << QByteArray("digraph {\n\"a")
                               << QByteArray("2: Expected a node, an edge or '}'");
        QTest::newRow("attributes") << QByteArray("digraph {\na [label=")
                                    << QByteArray("2: Expected the attributes of a node or an edge");
        QTest::newRow("html") << QByteArray("digraph {\na [label=<b>]}")
                              << QByteArray("2: Expected the attributes of a node or an edge");
        QTest::newRow("other drawing")
            << QByteArray("digraph { a -> b }") << QByteArray("1: The drawing has no node of an FX graph");
        QTest::newRow("comment") << QByteArray("digraph { /*")
                                 << QByteArray("1: Expected a node, an edge or '}'");
    }
    void badDot() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, message);
        const auto graph = capture::readDotGraph(text.toStdString());
        QVERIFY(!graph);
        QCOMPARE(QByteArray::fromStdString(graph.error().toString()), message);
    }

    void dotAlone() {
        const auto session = capture::openText(content("pass_6_remove_noop_ops_input_graph.dot"),
                                               "pass_6_remove_noop_ops_input_graph.dot");
        QVERIFY2(session, session ? "" : session.error().toString().c_str());
        QCOMPARE((*session)->compiles.front().stages.front()->nodeCount(), std::size_t(12));
        QVERIFY(!capture::openText("digraph { a -> b }", "x"));
    }
};

QTEST_GUILESS_MAIN(TestCaptureDebug)
#include "tst_capture_debug.moc"
