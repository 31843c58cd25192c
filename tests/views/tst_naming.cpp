// SPDX-License-Identifier: BSD-3-Clause
//
// What the program calls inputs, on every page that shows graphs which number them.
#include "core/capture/open.h"
#include "core/computed/joint_split.h"
#include "core/session/program_names.h"
#include "tests/support/open_captures.h"
#include "tests/support/patience.h"
#include "views/autograd/split_rows.h"
#include "views/canvas/compare_view.h"
#include "views/canvas/graph_canvas.h"
#include "views/compare/pair_graphs.h"
#include "views/replay/coverage_rows.h"
#include "views/theme/theme.h"

#include <QtTest>
#include <algorithm>

using namespace dynascope;
using namespace dynascope::views;

namespace {

session::SessionPtr open(const char* sample) {
    auto session = capture::open(test::samplePath(sample).toStdString());
    if (!session) qFatal("%s", session.error().toString().c_str());
    return *session;
}

/// "arg0_1=y" for each placeholder of a stage's graph.
QStringList namesIn(const session::Compile& compile, const char* stage) {
    QStringList out;
    const session::StagePtr found = compile.findStage(stage);
    if (!found || !found->graph()) return {"none"};
    const ir::GraphPtr graph = *found->graph();
    const std::vector<std::string> names = session::programNames(session::namingOf(compile), *graph);
    for (ir::NodeIndex n = 0; n < graph->size(); ++n)
        if (graph->node(n).op == ir::Op::Placeholder)
            out << QString::fromStdString(graph->node(n).name + '=' + names[n]);
        else if (!names[n].empty())
            out << "a call has a name";
    return out;
}

} // namespace

class TestNaming : public QObject {
    Q_OBJECT
private slots:
    /// Inductor's graphs do not say which input is which: AOTAutograd's of the same names do.
    void postGradGraphs() {
        const session::SessionPtr session = open("view_mutation");
        const session::Compile& compile = session->compiles.front();
        const QStringList aot = namesIn(compile, "aot_inference_graph");
        QCOMPARE(namesIn(compile, "inductor_post_grad_graph"), aot);
        QCOMPARE(namesIn(compile, "before_post_grad_graph"), aot);
        QVERIFY2(aot.size() == 2 && aot[0].endsWith("=y") && aot[1].endsWith("=x"),
                 qPrintable(aot.join(' ')));
    }

    /// Parts of a graph that were compiled one by one count their inputs anew.
    void nothingWhereSeveralGraphsWereMade() {
        const session::SessionPtr session = open("view_mutation");
        session::Compile compile = session->compiles.front();
        const auto found = std::ranges::find_if(compile.stages, [](const session::StagePtr& stage) {
            return stage->phase == session::Phase::Inference || stage->phase == session::Phase::Forward;
        });
        QVERIFY(found != compile.stages.end());
        const session::StagePtr forward = *found;
        compile.stages.push_back(forward);
        for (const QString& name : namesIn(compile, "inductor_post_grad_graph"))
            QVERIFY2(name.endsWith('='), qPrintable(name));
        const ir::GraphPtr graph = *forward->graph();
        QVERIFY(session::programNames(nullptr, *graph).size() == graph->size());
    }

    /// Two stages beside each other on the page Compare are each of a compile of its own.
    void comparedGraphs_data() {
        QTest::addColumn<QString>("stage");
        QTest::newRow("Dynamo's, which names them") << "dynamo_output_graph";
        QTest::newRow("AOTAutograd's, which numbers them") << "aot_forward_graph";
    }
    void comparedGraphs() {
        QFETCH(const QString, stage);
        const session::SessionPtr session = open("encoder_train");
        const session::Compile& compile = session->compiles.front();
        compare::StageComparison pair;
        pair.a = compile.findStage(stage.toStdString());
        QVERIFY(pair.a);
        // B has the same text, read from another capture of the run.
        const session::SessionPtr other = open("encoder_train");
        pair.b = other->compiles.front().findStage(stage.toStdString());
        Theme theme;
        PairGraphs graphs(theme);
        graphs.canvas()->setLayoutProgram({});
        graphs.show(pair, *session, &compile, *other, &other->compiles.front());
        const auto canvases = graphs.findChildren<canvas::GraphCanvas*>();
        for (const int side : {0, 1}) {
            QTRY_VERIFY_WITH_TIMEOUT(canvases[side]->scene(), test::patience);
            const layout::GroupTree& tree = *canvases[side]->scene()->tree;
            QStringList names;
            for (ir::NodeIndex n = 0; n < canvases[side]->scene()->graph->size(); ++n)
                names << QString::fromStdString(tree.stateName(n))
                      << QString::fromStdString(tree.inputName(n));
            QVERIFY2(names.contains("args[0]"), qPrintable(names.join(' ')));
            QVERIFY2(names.contains("layers.0.linear1.weight"), qPrintable(names.join(' ')));
        }
        QTRY_VERIFY_WITH_TIMEOUT(graphs.isSettled(), test::patience);
    }

    void savedTensors() {
        const session::SessionPtr session = open("encoder_train");
        computed::JointSplit split = computed::splitJoint(*session, 0, {});
        QVERIFY2(split.declined.empty(), split.declined.c_str());
        const session::NamingPtr naming = session::namingOf(session->compiles.front());
        split.forward.names = session::programNames(naming, *split.forward.graph);
        split.backward.names = session::programNames(naming, *split.backward.graph);
        QStringList inputs;
        const std::vector<TableRow> rows = valueRows(split);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (!split.values[i].input) continue;
            inputs << rows[i][0].text;
            QVERIFY2(rows[i][0].toolTip.contains(QString::fromStdString(split.values[i].node)),
                     qPrintable(rows[i][0].toolTip));
            QCOMPARE(valueFacts(split, i).title, rows[i][0].text);
        }
        QVERIFY2(inputs.contains("layers.0.linear1.weight"), qPrintable(inputs.join(' ')));
        QVERIFY2(inputs.filter("primals_").isEmpty(), qPrintable(inputs.join(' ')));
    }

    void inputsOfCudaGraphs() {
        const session::SessionPtr session = open("encoder_train");
        const session::Compile& compile = session->compiles.front();
        const ir::GraphPtr graph = *compile.findStage("aot_forward_graph")->graph();
        const auto categories = replay::inputCategories(replay::factsOf(graph), {}, {});
        const std::vector<TableRow> rows =
            inputRows(*graph, categories, session::programNames(session::namingOf(compile), *graph));
        QVERIFY(!rows.empty());
        for (const TableRow& row : rows)
            QVERIFY2(!row[0].text.startsWith("primals_") && row[0].toolTip.contains("primals_"),
                     qPrintable(row[0].text + " / " + row[0].toolTip));
        replay::GraphCoverage coverage;
        coverage.stage = compile.findStage("aot_forward_graph");
        replay::CoverageProblem problem;
        problem.places = {{"primals_1 by copy_", {}, {}}, {"mul", {}, {}}};
        coverage.problems = {problem};
        QString said;
        for (const Section& section : coverageFacts(*session, coverage, {{"primals_1", "seen"}}).sections)
            for (const Fact& fact : section.facts)
                for (const Token& token : fact.tokens)
                    said += token.text + ' ';
        QVERIFY2(said.contains("seen by copy_") && said.contains("mul"), qPrintable(said));
        QVERIFY(inputRows(*graph, categories, {})[0][0].text.startsWith("primals_"));
    }
};

QTEST_MAIN(TestNaming)
#include "tst_naming.moc"
