// SPDX-License-Identifier: BSD-3-Clause
//
// torch.export archives: the graph is the one that PyTorch's own loader builds, the rest is listed, nothing
// is unpickled.
#include "core/capture/export_graph.h"
#include "core/capture/open.h"
#include "core/capture/sympy_repr.h"
#include "core/ir/text.h"
#include "core/layout/fold.h"
#include "tests/support/archive.h"

#include <QFile>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <map>
#include <optional>
#include <set>

using namespace dynascope;

namespace {

using Files = std::map<std::string, std::string>;

Files archives() {
    Files out;
    for (test::ArchiveFile& file : test::readArchive(DYNASCOPE_TEST_DATA "/export/archives.tar.xz")) {
        const std::string name = file.path.starts_with("./") ? file.path.substr(2) : file.path;
        out.emplace(name, std::move(file.content));
    }
    return out;
}

std::optional<session::Record> recordOf(const session::Session& session, const std::string& type) {
    for (const session::Record& record : session.records)
        if (record.type == type) return record;
    return std::nullopt;
}

} // namespace

class TestCaptureExport : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        m_files = archives();
        QVERIFY(!m_files.empty());
    }

    void graphsAreThoseOfPyTorch_data() {
        QTest::addColumn<QString>("name");
        for (const auto& [name, content] : archives())
            if (name.ends_with(".pt2"))
                QTest::newRow(name.c_str()) << QString::fromStdString(name.substr(0, name.size() - 4));
    }
    void graphsAreThoseOfPyTorch() {
        QFETCH(QString, name);
        const session::SessionPtr session = open(name);
        QVERIFY(session);
        QCOMPARE(session->kind, session::Kind::ExportedProgram);
        QVERIFY(session->warnings.empty());
        QCOMPARE(session->compiles.front().stages.size(), std::size_t{1});
        const session::Stage& stage = *session->compiles.front().stages.front();
        QCOMPARE(stage.label(), std::string("exported_program"));
        QVERIFY(stage.phase == session::Phase::Export);
        QVERIFY(session->compiles.front().status == session::Status::Exported);
        const auto graph = stage.graph();
        QVERIFY(graph.has_value());
        QCOMPARE(QString::fromStdString(ir::printFx(**graph)),
                 QString::fromStdString(m_files.at(name.toStdString() + ".txt")));
        QVERIFY((*graph)->missing().empty());
    }

    /// Printed as text, an exported program is told by the names of its inputs.
    void textOfAnExportIsNoGraphOfDynamo() {
        const auto phaseOf = [](const std::string& input) {
            const std::string text =
                "graph():\n    %" + input + " : [num_users=1] = placeholder[target=" + input +
                "]\n    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu."
                "default](args = (%" +
                input + ",), kwargs = {})\n    return (relu,)\n";
            const auto opened = capture::openText(text, "x.txt");
            if (!opened) return std::string("unread");
            const session::Compile& compile = (*opened)->compiles.front();
            return std::string(session::phaseName(compile.stages.front()->phase)) + ' ' +
                   std::string(session::statusName(compile.status));
        };
        QCOMPARE(phaseOf("p_lin_weight"), std::string("export exported"));
        QCOMPARE(phaseOf("b_running_mean"), std::string("export exported"));
        QCOMPARE(phaseOf("l_x_"), std::string("Dynamo compiled"));
        QCOMPARE(phaseOf("x"), std::string("graph text compiled"));
        QCOMPARE(phaseOf("arg0_1"), std::string("graph text compiled")); // make_fx names inputs so too
        QCOMPARE(phaseOf("primals_1"), std::string("forward compiled"));
        QCOMPARE(phaseOf("primals_last"), std::string("graph text compiled"));
        QCOMPARE(phaseOf("tangents_1"), std::string("backward compiled"));
    }

    /// Both have primals and tangents; the first result of a joint graph is the forward's.
    void textOfAJointGraphIsNoBackward() {
        const auto phaseOf = [](const std::string& results) {
            const auto opened =
                capture::openText("graph():\n"
                                  "    %primals_1 : [num_users=2] = placeholder[target=primals_1]\n"
                                  "    %tangents_1 : [num_users=1] = placeholder[target=tangents_1]\n"
                                  "    %cos : [num_users=1] = call_function[target=torch.ops.aten."
                                  "cos.default](args = (%primals_1,), kwargs = {})\n"
                                  "    %mul : [num_users=1] = call_function[target=torch.ops.aten."
                                  "mul.Tensor](args = (%tangents_1, %cos), kwargs = {})\n"
                                  "    return " +
                                      results + "\n",
                                  "x.txt");
            return opened ? session::phaseName((*opened)->compiles.front().stages.front()->phase)
                          : std::string_view("unread");
        };
        QCOMPARE(phaseOf("(cos, mul)"), std::string_view("joint"));
        QCOMPARE(phaseOf("(mul,)"), std::string_view("backward"));
        QCOMPARE(phaseOf("(None, mul)"), std::string_view("backward"));
    }

    void nodesKnowTheirLineOfTheText() {
        const session::SessionPtr session = open("views");
        const session::Stage& stage = *session->compiles.front().stages.front();
        const QStringList lines = QString::fromStdString(stage.payload.text()).split('\n');
        const auto graph = stage.graph();
        const ir::Node& node = (*graph)->node((*graph)->find("topk"));
        QVERIFY(node.sourceLine > 0);
        QVERIFY2(lines.at(static_cast<int>(node.sourceLine) - 1).contains("aten.topk.default"),
                 qPrintable(lines.at(static_cast<int>(node.sourceLine) - 1)));
    }

    void nodesKnowShapeSourceAndModule() {
        const session::SessionPtr session = open("views");
        const auto graph = session->compiles.front().stages.front()->graph();
        const ir::Node& linear = (*graph)->node((*graph)->find("linear"));
        QCOMPARE(linear.meta->annotation(), std::string("f32[6, 3][3, 1]cpu"));
        QCOMPARE(linear.note, std::string("module lin (Linear)"));
        QVERIFY(linear.stack && linear.stack->size() >= 1);
        QCOMPARE(linear.stack->front().file, std::string("/home/user/make_archives.py"));
        QVERIFY(linear.stack->front().code.find("torch.topk(self.lin(x)") != std::string::npos);
        QVERIFY(session->sources.contains("/home/user/make_archives.py"));
    }

    void subgraphsAreRead() {
        const session::SessionPtr session = open("branch");
        const auto graph = session->compiles.front().stages.front()->graph();
        QCOMPARE((*graph)->subgraphOrder(), (std::vector<std::string>{"true_graph_0", "false_graph_0"}));
        const ir::GraphPtr yes = (*graph)->subgraphs().at("true_graph_0");
        QVERIFY(yes->find("sin") != ir::npos);
    }

    void symbolsRangesAndGuards() {
        const session::SessionPtr session = open("dynamic");
        const session::Compile& compile = session->compiles.front();
        QCOMPARE(compile.symbols.size(), std::size_t{1});
        QCOMPARE(compile.symbols[0].range, std::string("[3, 64]"));
        const std::string symbol = compile.symbols[0].symbol;
        QCOMPARE(compile.guards.size(), std::size_t{2});
        QCOMPARE(compile.guards[1].code, std::string("L['y'].size()[0] == L['x'].size()[0]"));
        const auto graph = compile.stages.front()->graph();
        const auto annotation = [&](std::string_view name) {
            return (*graph)->node((*graph)->find(name)).meta->annotation();
        };
        QCOMPARE(annotation("view"), "f32[2*" + symbol + ", 2][2, 1]cpu");
        QCOMPARE(annotation("sub"), "Sym(" + symbol + " - 1)");
    }

    void weightsAreListedAndReadAsNumbers() {
        const session::SessionPtr session = open("views");
        const auto weight = recordOf(*session, "file:data/weights/weight_0");
        QVERIFY(weight);
        const QStringList lines = QString::fromStdString(weight->payload.text()).split('\n');
        QCOMPARE(lines.at(0), QString("lin.weight: f32[3, 4][4, 1]cpu, 48 bytes"));
        QCOMPARE(lines.mid(2).join(' ').split(' ', Qt::SkipEmptyParts).size(), 12);
        const auto samples = recordOf(*session, "file:data/sample_inputs/model.pt");
        QVERIFY(samples);
        QVERIFY(QString::fromStdString(samples->payload.text()).contains("never loaded"));
        QStringList sources;
        for (const session::TensorInput& input : session->compiles.front().inputs)
            sources += QString::fromStdString(input.source);
        QCOMPARE(sources, (QStringList{"parameter lin.weight", "parameter lin.bias", "buffer steps", "x"}));
        QVERIFY(session->compiles.front().inputs[0].isParameter);
    }

    /// By nn_module_stack and the signature, not by what names of placeholders let one guess.
    void modulesAndStateAreCalledAsInTheProgram() {
        const session::SessionPtr session = open("llama_tiny");
        const auto graph = session->compiles.front().stages.front()->graph();
        QVERIFY(graph);
        const std::vector<std::string> hints = layout::moduleHints(**graph);
        QCOMPARE(hints.front(), std::string("m.model.embed_tokens.weight"));
        const layout::GroupTree tree = layout::groupNodes(**graph, hints);
        QVERIFY(std::ranges::none_of(
            tree.groups, [](const layout::Group& g) { return g.path.find("m_model") != std::string::npos; }));
        const std::vector<std::string> names = layout::moduleNames(tree);
        std::set<std::string> ofLinears;
        for (ir::NodeIndex i = 0; i < (*graph)->size(); ++i) {
            const ir::Node& node = (*graph)->node(i);
            if (node.target != "torch.ops.aten.linear.default") continue;
            ofLinears.insert(names[i]);
            QCOMPARE(node.note, "module " + names[i] + " (Linear)");
        }
        QCOMPARE(ofLinears.size(), std::size_t(2 * 7 + 1)); // two layers, and lm_head
    }

    void spellsSymbols_data() {
        QTest::addColumn<QString>("repr");
        QTest::addColumn<QString>("spelled");
        QTest::newRow("symbol") << "Symbol('s17', positive=True, integer=True)"
                                << "s17";
        QTest::newRow("number") << "Integer(12)"
                                << "12";
        QTest::newRow("negative") << "Integer(-3)"
                                  << "-3";
        QTest::newRow("sum") << "Add(Integer(1), Symbol('s0'))"
                             << "s0 + 1";
        QTest::newRow("difference") << "Add(Symbol('s0'), Mul(Integer(-1), Symbol('s1')), Integer(-2))"
                                    << "s0 - s1 - 2";
        QTest::newRow("product of a sum") << "Mul(Integer(2), Add(Symbol('s0'), Integer(1)))"
                                          << "2*(s0 + 1)";
        QTest::newRow("power") << "Pow(Add(Symbol('a'), Symbol('b')), Integer(2))"
                               << "(a + b)**2";
        QTest::newRow("floor") << "FloorDiv(Add(Symbol('s0'), Integer(1)), Integer(2))"
                               << "((s0 + 1)//2)";
        QTest::newRow("function") << "Max(Integer(1), Symbol('s0'))"
                                  << "Max(1, s0)";
        QTest::newRow("not one") << "Add(Symbol('s0'"
                                 << "Add(Symbol('s0'";
        QTest::newRow("plain") << "s0"
                               << "s0";
        QTest::newRow("deep") << QString("Add(").repeated(500) << QString("Add(").repeated(500);
    }
    void spellsSymbols() {
        QFETCH(QString, repr);
        QFETCH(QString, spelled);
        QCOMPARE(QString::fromStdString(capture::spellSympy(repr.toStdString())), spelled);
    }

    void errorsNameTheNode() {
        const auto missing =
            capture::readExportedProgram(R"({"graph_module": {"graph": {"inputs": [], "outputs": [],
            "nodes": [{"name": "n7", "target": "torch.ops.aten.add.Tensor", "outputs": [], "inputs": [{"name": "self"}]}]}}})");
        QVERIFY(!missing);
        QCOMPARE(missing.error().message, std::string("node 'n7': an input has no argument"));
        QVERIFY(capture::readExportedProgram("{]").error().message.starts_with("not JSON"));
        QCOMPARE(capture::readExportedProgram("{}").error().message,
                 std::string("no graph_module with a graph in it"));
    }

    void damagedProgramsOpenToAnError() {
        const QString path = m_folder.filePath("damaged.pt2");
        QVERIFY(test::writeArchive(path.toStdString(), {{"m/models/model.json", "{\"graph_module\": 3}"}},
                                   "zip", "none"));
        const auto opened = capture::open(path.toStdString());
        QVERIFY(!opened);
        QCOMPARE(opened.error().toString(),
                 path.toStdString() + "/m/models/model.json: no graph_module with a graph in it");
    }

    void noiseNeverCrashes() {
        QRandomGenerator random(3);
        for (const char* name : {"branch.pt2", "dynamic.pt2"}) {
            const QString path = m_folder.filePath(name);
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(QByteArray::fromStdString(m_files.at(name)));
            file.close();
            std::string json;
            for (const test::ArchiveFile& entry : test::readArchive(path.toStdString()))
                if (entry.path.ends_with("models/model.json")) json = entry.content;
            QVERIFY(!json.empty());
            for (int round = 0; round < 200; ++round) {
                std::string bad = json;
                const auto at = random.bounded(static_cast<quint32>(bad.size()));
                if (round % 2 == 0)
                    bad[at] = "{}[]\",:0x"[random.bounded(9)];
                else
                    bad.erase(at, random.bounded(40U));
                const auto result = capture::readExportedProgram(bad);
                if (!result) QVERIFY(!result.error().message.empty());
            }
        }
    }

private:
    session::SessionPtr open(const QString& name) {
        const QString path = m_folder.filePath(name + ".pt2");
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly)) return nullptr;
        file.write(QByteArray::fromStdString(m_files.at(name.toStdString() + ".pt2")));
        file.close();
        const auto opened = capture::open(path.toStdString());
        if (!opened) qWarning("%s", opened.error().toString().c_str());
        return opened.value_or(nullptr);
    }

    QTemporaryDir m_folder;
    Files m_files;
};

QTEST_GUILESS_MAIN(TestCaptureExport)
#include "tst_capture_export.moc"
